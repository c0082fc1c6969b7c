/* The sentences of the checker's findings. Each function fills finding->text from the fields that
 * are already there: what happened, on what, and what to do next. */
#ifndef WG_CPU_CHECK_WORDS_H
#define WG_CPU_CHECK_WORDS_H

#include "sandbox/platform/cpu/runtime/check_internal.h"

#pragma GCC visibility push(hidden)

struct wg_stray {
    bool is_local, is_shared, is_dynamic;
    bool starts_inside;   /* ...and reaches over the end */
    int64_t bytes_behind; /* the access ends this far behind the end; negative: before it */
    uint64_t whole_bytes;
};
void wg_word_stray(struct wg_finding_record *finding, const struct wg_stray *stray);
void wg_word_misaligned(struct wg_finding_record *finding, unsigned align);

enum wg_memory_of { WG_MEMORY_OF_THREAD, WG_MEMORY_OF_BLOCK, WG_MEMORY_OF_DEVICE };
void wg_word_uninitialized(struct wg_finding_record *finding, enum wg_memory_of memory);

struct wg_meeting {
    bool same_launch, is_shared, lacks_fence;
    uint32_t lanes; /* of a wave */
    const char *other_kernel;
    const char *other_call; /* a copy or fill in place of a kernel; NULL: it is none */
};
void wg_word_conflict(struct wg_finding_record *finding, const struct wg_meeting *meeting);

/* Two copies or fills; the finding's own is in at.function. */
void wg_word_copies(struct wg_finding_record *finding, const char *other_call);

void wg_word_lost_stores(struct wg_finding_record *finding);
void wg_word_mismatch(struct wg_finding_record *finding, uint32_t waiting, uint32_t elsewhere);
void wg_word_early_exit(struct wg_finding_record *finding, uint32_t waiting, uint32_t gone);
void wg_word_deadlock(struct wg_finding_record *finding, const char *why);

#pragma GCC visibility pop

#endif
