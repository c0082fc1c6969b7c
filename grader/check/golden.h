/* Expected results, computed by the assignment's golden() in a process of its own.
 *
 * Sessions of a submission run at the same time as the golden process and wait for the entries they
 * need. A table owns all its arrays; whatever goes wrong in the golden process is an error of ours
 * or of the assignment, never a verdict. */
#ifndef WG_CHECK_GOLDEN_H
#define WG_CHECK_GOLDEN_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/err.h"
#include "grader/build/build.h"
#include "grader/check/image.h"
#include "grader/manifest/manifest.h"

/* Each case is called with two sets of data. */
#define WG_VARIANTS 2

struct wg_golden_output {
    double *values, *magnitudes;
    size_t count;
};

struct wg_golden_entry {
    bool ready;
    struct wg_golden_output outputs[WG_MAX_ARGS]; /* by declared argument; empty for inputs */
};

struct wg_golden_table {
    const struct wg_manifest *manifest;
    const struct wg_build *build;
    uint64_t seed;
    struct wg_golden_entry *entries; /* case * WG_VARIANTS + variant, cases as in the manifest */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum wg_code code; /* why it stopped */
    struct wg_err err;
};

/* The seed of a case, and of one of its sets of data. */
uint64_t wg_golden_case_seed(uint64_t root, size_t case_index);
uint64_t wg_golden_data_seed(uint64_t root, size_t case_index, size_t variant);

void wg_golden_table_init(struct wg_golden_table *table, const struct wg_manifest *manifest,
                          const struct wg_build *build, uint64_t seed);
void wg_golden_table_done(struct wg_golden_table *table);

/* Computes the given cases, in this order, both variants each. */
enum wg_code wg_golden_compute(struct wg_golden_table *table, const size_t *cases, size_t count,
                               struct wg_err *err);

/* Waits for an entry. Errors: those of wg_golden_compute. The entry is the table's. */
enum wg_code wg_golden_get(struct wg_golden_table *table, size_t case_index, size_t variant,
                           const struct wg_golden_entry **out, struct wg_err *err);

/* Frees the arrays of a case whose results are large. */
void wg_golden_forget(struct wg_golden_table *table, size_t case_index);

#endif
