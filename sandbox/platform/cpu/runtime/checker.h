/* The checker: what the runtime tells it, so that wg_check_* (abi.h) can judge accesses.
 *
 * Present in every runtime; wg_checker_on is set when a checked module registers, and the runtime
 * then uses one worker and calls the functions below. Not thread-safe, by that rule. */
#ifndef WG_CPU_CHECKER_H
#define WG_CPU_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/platform/cpu/abi.h"
#include "sandbox/platform/report.h"

extern bool wg_checker_on;

/* Device memory, from hipMalloc and relatives. The allocator leaves wide unmapped or unused zones
 * around each allocation and does not reuse freed addresses while the checker is on. is_host:
 * pinned or managed memory that both sides may touch. name: NULL, or a variable's name. */
void wg_checker_alloc(void *base, size_t bytes, bool is_host, const char *name);
void wg_checker_free(void *base);

/* Host code or a copy engine wrote / copied device memory. What kernels did there before is over,
 * except for what a copy of a stream does, which is between begin and end. */
void wg_checker_host_write(void *dst, size_t bytes);
void wg_checker_host_copy(void *dst, const void *src, size_t bytes);

/* A copy or fill that the host does not wait for: like a kernel it takes its place among the
 * launches that only streams and events order, and numbers them. call: the API function. */
struct wg_checker_copy {
    const char *call;
    uint64_t sequence;
    bool (*ordered_after)(uint64_t earlier_sequence);
};
void wg_checker_copy_begin(const struct wg_checker_copy *copy);
void wg_checker_copy_end(void);

/* A kernel starts and ends. ordered_after: tells whether an earlier launch (by its sequence number,
 * counted from 1) is ordered before this one by streams, events or synchronization. */
struct wg_checker_launch {
    const struct wg_cpu_kernel *kernel;
    const void *pack;
    struct wg_cpu_dim3 grid, block;
    size_t dynamic_shared_bytes;
    uint64_t sequence;
    bool (*ordered_after)(uint64_t earlier_sequence);
    bool cooperative;
};
void wg_checker_launch_begin(const struct wg_checker_launch *launch);
void wg_checker_launch_end(void);

/* One block starts on wg_self's worker; its shared memory is `bytes` long. */
void wg_checker_block_begin(char *shared, size_t bytes);
void wg_checker_block_end(void);

/* Every live thread of the block passed the barrier at `site`: accesses before are ordered before
 * accesses after. The grid form orders all blocks. */
void wg_checker_barrier_passed(const struct wg_cpu_site *site);
void wg_checker_grid_barrier_passed(const struct wg_cpu_site *site);
/* The lanes in `mask` of wave `wave` synchronized (warp barrier, shuffle, ballot). */
void wg_checker_warp_synced(uint32_t wave, uint64_t mask);

/* The scheduler's own findings, in the checker's grouping. other may be NULL. */
struct wg_checker_thread_at {
    const struct wg_cpu_thread *thread;
    const struct wg_cpu_site *site; /* where it waits or returned; NULL: returned */
};
void wg_checker_barrier_mismatch(struct wg_checker_thread_at first,
                                 struct wg_checker_thread_at other, uint32_t waiting,
                                 uint32_t elsewhere);
void wg_checker_early_exit(struct wg_checker_thread_at waiting, const struct wg_cpu_thread *gone,
                           uint32_t waiting_count, uint32_t gone_count);
void wg_checker_deadlock(struct wg_checker_thread_at spinning, const char *why);

/* Implemented by the scheduler, called by the checker: the running thread keeps asking the same
 * word (atomics, or reads at one place) and sees no change. Others should get a turn. It is a hint
 * and no proof of a deadlock: only very many in a row, with nothing else able to run, are. */
void wg_sched_spin_hint(const struct wg_cpu_site *site);

/* For a harness that poisons outputs: these bytes count as never written, whatever they hold. And
 * afterwards: the offset of the first byte that nobody wrote, or `bytes` when all are written. */
void wg_checker_undefine(void *base, size_t bytes);
size_t wg_checker_first_unwritten(const void *base, size_t bytes);

/* The fiber stack region of this worker, for local variables. */
void wg_checker_stack_region(void *low, size_t bytes);

/* Every finding of the runtime, checked or not, goes through here; it is grouped by kind and
 * at.file:line. Available when wg_checker_on is false as well (launch errors, faults). */
void wg_report_finding(const struct wg_finding_record *record);

/* The shared report, or a private one when there is no WG_CPU_REPORT_FD. Never NULL after the
 * runtime's constructor. */
extern struct wg_report *wg_report;

#endif
