/* The vendor's matrix product, where the machine has one: the ceiling of assignments that are one.
 *
 * The library is opened by name and not linked, so that a harness works without it. It computes in
 * true float32: matrix units that round the factors are switched off. */
#ifndef WG_HARNESS_BLAS_H
#define WG_HARNESS_BLAS_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the first library that is there; words: its name, or why there is none. */
bool wg_blas_open(char *words, size_t words_bytes);

/* c[m x n] = a[m x k] * b[k x n], rows one after the other, on the default stream. 0, or an error
 * that is none of the device's. */
int wg_blas_sgemm(const float *a, const float *b, float *c, int m, int n, int k);

#endif
