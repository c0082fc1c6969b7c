#include "reference/harness/blas.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The two interfaces agree but for names and the numbers of their enums. */
typedef int create_fn(void **handle);
typedef int set_mode_fn(void *handle, int mode);
typedef int sgemm_fn(void *handle, int trans_a, int trans_b, int m, int n, int k,
                     const float *alpha, const float *a, int lda, const float *b, int ldb,
                     const float *beta, float *c, int ldc);

static const struct vendor {
    /* needs: a library that it is linked to and that may not be found beside it otherwise. */
    const char *file, *needs, *create, *set_mode, *sgemm;
    int mode, no_transpose;
} vendors[] = {
    /* CUBLAS_PEDANTIC_MATH; rocBLAS computes sgemm in float32 anyway. */
    {"libcublas.so.13", "libcublasLt.so.13", "cublasCreate_v2", "cublasSetMathMode",
     "cublasSgemm_v2", 2, 0},
    {"libcublas.so.12", "libcublasLt.so.12", "cublasCreate_v2", "cublasSetMathMode",
     "cublasSgemm_v2", 2, 0},
    {"librocblas.so", NULL, "rocblas_create_handle", NULL, "rocblas_sgemm", 0, 111},
    {"librocblas.so.4", NULL, "rocblas_create_handle", NULL, "rocblas_sgemm", 0, 111},
    {"librocblas.so.3", NULL, "rocblas_create_handle", NULL, "rocblas_sgemm", 0, 111},
};

static struct {
    const struct vendor *vendor;
    void *handle;
    sgemm_fn *sgemm;
} opened;

/* dlsym's void * as a function; ISO C has no cast for it. */
static bool find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool open_vendor(const struct vendor *vendor) {
    if (vendor->needs != NULL) {
        (void)dlopen(vendor->needs, RTLD_NOW | RTLD_GLOBAL);
    }
    void *library = dlopen(vendor->file, RTLD_NOW | RTLD_LOCAL);
    create_fn *create = NULL;
    set_mode_fn *set_mode = NULL;
    if (library == NULL) {
        return false;
    }
    if (!find(library, vendor->create, &create) || !find(library, vendor->sgemm, &opened.sgemm) ||
        create(&opened.handle) != 0) {
        dlclose(library);
        return false;
    }
    if (vendor->set_mode != NULL && find(library, vendor->set_mode, &set_mode)) {
        (void)set_mode(opened.handle, vendor->mode);
    }
    opened.vendor = vendor;
    return true;
}

bool wg_blas_open(char *words, size_t words_bytes) {
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0] && opened.vendor == NULL; i++) {
        (void)open_vendor(&vendors[i]);
    }
    snprintf(words, words_bytes, "%s",
             opened.vendor != NULL ? opened.vendor->file : "no BLAS of the vendor is installed");
    return opened.vendor != NULL;
}

int wg_blas_sgemm(const float *a, const float *b, float *c, int m, int n, int k) {
    static const float one = 1;
    static const float zero = 0;
    /* Columns one after the other there, rows here: the transposed product of the factors in the
     * other order is the same array. */
    int none = opened.vendor->no_transpose;
    return opened.sgemm(opened.handle, none, none, n, m, k, &one, b, n, a, k, &zero, c, n);
}
