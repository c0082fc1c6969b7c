#include "sandbox/platform/nvidia/compiler/nvcc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/cpu/compiler/spawn.h"

#define HOST_LINKER "/usr/bin/g++"

enum { LOG_MAX = 64 << 20, ARGS_MAX = 96, ARCHS_MAX = 16 };

/* The same language as on the cpu platform, where clang lets kernels call constexpr functions and
 * take lambdas. What the host compiler does not see as it was written is not worth its warnings.
 * Casts between float* and float4* are everyday work. -fno-gnu-unique: two libraries are loaded
 * into one process, and the baseline must not share a submission's statics. */
static const char *const compile_options[] = {
    "-x",
    "cu",
    "-std=c++17",
    "-O3",
    "-lineinfo",
    "--expt-relaxed-constexpr",
    "--extended-lambda",
    "-cudart",
    "shared",
    "-Xptxas",
    "-v",
    "-Xcompiler",
    "-fPIC,-O2,-w,-fno-gnu-unique,-fno-strict-aliasing,-fstack-usage",
    "-diag-suppress",
    "68", /* -1 as a lane mask */
    "--keep",
};

/* -Bsymbolic: what the submission defines is what it calls. */
static const char *const link_options[] = {
    HOST_LINKER, "-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,-z,now", "-Wl,-z,relro",
};

enum wg_code wg_nvcc_find(struct wg_nvcc *out, struct wg_err *err) {
    static const char *const library_folders[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
    const char *const places[] = {getenv("CUDA_HOME"), "/usr/local/cuda", "/opt/cuda", "/usr"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        WG_CLEANUP(wg_freep) char *program = places[i] ? wg_path_join(places[i], "bin/nvcc") : NULL;
        if (!program || access(program, X_OK) != 0) {
            continue;
        }
        *out = (struct wg_nvcc){.program = WG_TAKE(&program)};
        for (size_t k = 0; k < sizeof library_folders / sizeof library_folders[0]; k++) {
            WG_CLEANUP(wg_freep) char *folder = wg_path_join(places[i], library_folders[k]);
            WG_CLEANUP(wg_freep) char *library = wg_path_join(folder, "libcudart.so");
            if (!out->library_folder && wg_file_exists(library)) {
                out->library_folder = WG_TAKE(&folder);
            }
        }
        return WG_OK;
    }
    return wg_fail(err, WG_EUNSUPPORTED, "nvcc is not installed (CUDA toolkit; set CUDA_HOME)");
}

static enum wg_code run(const char *const *args, const char *log_path, struct wg_buf *log,
                        int *status, struct wg_err *err) {
    pid_t pid = 0;
    enum wg_code code = wg_spawn(args, log_path, &pid, err);
    if (code) {
        return code;
    }
    *status = wg_spawn_wait(pid);
    return wg_file_read(log_path, LOG_MAX, log, err);
}

/* For each architecture its own machine code; the last one's PTX as well, from which a driver makes
 * code for newer devices. Adds "-gencode X" pairs; the strings go to owned. */
static size_t add_archs(const char *archs, const char **args, char **owned, size_t *owned_count) {
    size_t count = 0;
    WG_CLEANUP(wg_freep) char *list = wg_strdup(archs);
    char *state = NULL;
    char *arch = strtok_r(list, ",", &state);
    while (arch && *owned_count < ARCHS_MAX) {
        const char *number = strncmp(arch, "sm_", 3) == 0 ? arch + 3 : arch;
        char *next = strtok_r(NULL, ",", &state);
        owned[*owned_count] =
            next ? wg_strf("arch=compute_%s,code=sm_%s", number, number)
                 : wg_strf("arch=compute_%s,code=[sm_%s,compute_%s]", number, number, number);
        args[count++] = "-gencode";
        args[count++] = owned[(*owned_count)++];
        arch = next;
    }
    return count;
}

enum wg_code wg_nvcc_compile(const struct wg_nvcc *nvcc, const char *source, const char *include,
                             const char *archs, const char *out_folder, struct wg_buf *log,
                             int *status, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *object = wg_path_join(out_folder, "student.o");
    WG_CLEANUP(wg_freep) char *log_path = wg_path_join(out_folder, "nvcc.log");
    WG_CLEANUP(wg_freep) char *keep = wg_path_join(out_folder, "keep");
    WG_CLEANUP(wg_freep) char *includes = wg_path_join(out_folder, "includes.d");
    enum wg_code code = wg_folder_make(keep, 0755, err);
    if (code) {
        return code;
    }
    const char *args[ARGS_MAX];
    char *owned[ARCHS_MAX];
    size_t count = 0, owned_count = 0;
    args[count++] = nvcc->program;
    for (size_t i = 0; i < sizeof compile_options / sizeof compile_options[0]; i++) {
        args[count++] = compile_options[i];
    }
    count += add_archs(archs, args + count, owned, &owned_count);
    const char *const last[] = {"--keep-dir", keep, "-MD", "-MF",  includes, "-isystem",
                                include,      "-c", "-o",  object, source,   NULL};
    memcpy(args + count, last, sizeof last);
    code = run(args, log_path, log, status, err);
    for (size_t i = 0; i < owned_count; i++) {
        free(owned[i]);
    }
    return code;
}

enum wg_code wg_nvcc_link(const struct wg_nvcc *nvcc, const char *out_folder, struct wg_buf *log,
                          int *status, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *object = wg_path_join(out_folder, "student.o");
    WG_CLEANUP(wg_freep) char *library = wg_path_join(out_folder, "student.so");
    WG_CLEANUP(wg_freep) char *log_path = wg_path_join(out_folder, "link.log");
    WG_CLEANUP(wg_freep) char *search = wg_strf("-L%s", nvcc->library_folder);
    WG_CLEANUP(wg_freep) char *run_path = wg_strf("-Wl,-rpath,%s", nvcc->library_folder);
    const char *args[32];
    size_t count = 0;
    for (size_t i = 0; i < sizeof link_options / sizeof link_options[0]; i++) {
        args[count++] = link_options[i];
    }
    if (nvcc->library_folder) {
        args[count++] = search;
        args[count++] = run_path;
    }
    const char *const last[] = {object, "-lcudart", "-o", library, NULL};
    memcpy(args + count, last, sizeof last);
    return run(args, log_path, log, status, err);
}
