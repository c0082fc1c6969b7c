/* A bench for the checker without compiler and scheduler: tests play the threads themselves, in
 * whatever order they like, and call the hooks as instrumented code would. Each Criterion test is a
 * process of its own, so every test starts with an empty checker. */
#ifndef WG_TESTS_CHECKER_RIG_H
#define WG_TESTS_CHECKER_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/platform/cpu/abi.h"
#include "sandbox/platform/cpu/runtime/checker.h"

/* Places in an imaginary source file k.hip. */
#define RIG_SITE(name, at_line, kind, what, size)                                                  \
    static const struct wg_cpu_site name = {.file = "k.hip",                                       \
                                            .line = (at_line),                                     \
                                            .column = 5,                                           \
                                            .function = "k",                                       \
                                            .object = (what),                                      \
                                            .object_bytes = (size),                                \
                                            .object_kind = (kind),                                 \
                                            .element_bytes = 4}

/* Device memory of `elements` words; written: the host filled it. */
uint32_t *rig_device(size_t elements, bool written);

/* Blocks and threads are one-dimensional. Shared memory is RIG_SHARED words a block. */
enum { RIG_SHARED = 1024 };
extern uint32_t rig_shared[RIG_SHARED];
extern uint32_t rig_warp_size;
extern struct wg_cpu_kernel rig_kernel; /* "k"; tests may add parameters and arrays */

void rig_launch(uint32_t blocks, uint32_t threads);
/* ...in a stream that knows nothing of earlier launches. */
void rig_launch_unordered(uint32_t blocks, uint32_t threads);
void rig_end(void);
/* A fill and a copy that the host does not wait for. */
void rig_fill(uint32_t *to, size_t elements, bool ordered);
void rig_copy(uint32_t *to, const uint32_t *from, size_t elements, bool ordered);
void rig_block(uint32_t block); /* begins it and ends the one before */
void rig_thread(uint32_t thread);
void rig_barrier(void);
void rig_wave_sync(uint32_t wave, uint64_t mask);

/* Hooks and the access itself. */
uint32_t rig_read(const uint32_t *base, int64_t index, const struct wg_cpu_site *site);
void rig_write(uint32_t *base, int64_t index, uint32_t value, const struct wg_cpu_site *site);
uint32_t rig_add(uint32_t *base, int64_t index, uint32_t value, const struct wg_cpu_site *site);

/* What was found. */
uint32_t rig_count(enum wg_finding_kind kind);
uint32_t rig_total(void);
const struct wg_finding_record *rig_finding(enum wg_finding_kind kind); /* the first; must exist */
const struct wg_counter_record *rig_counters(uint32_t line);            /* must exist */
extern uint64_t rig_spin_hints;

#endif
