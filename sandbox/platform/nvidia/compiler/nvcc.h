/* The CUDA toolkit: nvcc for the student's file, and the link to a library that the harness loads.
 */
#ifndef WG_NVIDIA_NVCC_H
#define WG_NVIDIA_NVCC_H

#include <stdbool.h>
#include <sys/types.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"

struct wg_nvcc {
    char *program;        /* .../bin/nvcc */
    char *library_folder; /* where libcudart.so is, or NULL: where the linker looks anyway */
};

/* Looks at $CUDA_HOME and at the usual places. Errors: WG_EUNSUPPORTED. */
enum wg_code wg_nvcc_find(struct wg_nvcc *out, struct wg_err *err);

/* Leaves out_folder/student.o, student.su and, below keep/, PTX files; what nvcc said is appended
 * to log. archs: "sm_80,sm_90". *status: as nvcc ended. Errors: WG_EIO, WG_EUNSUPPORTED. */
enum wg_code wg_nvcc_compile(const struct wg_nvcc *nvcc, const char *source, const char *include,
                             const char *archs, const char *out_folder, struct wg_buf *log,
                             int *status, struct wg_err *err);

/* student.o to student.so. */
enum wg_code wg_nvcc_link(const struct wg_nvcc *nvcc, const char *out_folder, struct wg_buf *log,
                          int *status, struct wg_err *err);

#endif
