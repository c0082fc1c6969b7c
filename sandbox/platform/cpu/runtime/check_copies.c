/* Copies and fills that the host does not wait for, among the launches: their reads and writes are
 * compared with what kernels and other copies did, and remembered for those that come later. Those
 * that the host waits for are not looked at: whatever is submitted afterwards comes after them. */
#include "sandbox/platform/cpu/runtime/check_internal.h"

/* No thread of a kernel has this number. */
#define COPY_WHO UINT32_MAX

static const struct wg_cpu_site g_site = {.file = "", .function = "", .object = "memory"};
static const char *g_call; /* of the open copy; NULL: none is */

void wg_checker_copy_begin(const struct wg_checker_copy *copy) {
    wg_ck_launch_add((struct wg_launch_past){.sequence = copy->sequence, .call = copy->call},
                     copy->ordered_after);
    g_call = copy->call;
}

void wg_checker_copy_end(void) {
    g_call = NULL;
    wg_ck.now++;
}

bool wg_copy_is_open(void) {
    return g_call != NULL;
}

bool wg_copy_did(const struct wg_access *access) {
    return access->who == COPY_WHO;
}

static bool clashes(const struct wg_access *earlier, uint32_t mask) {
    if ((earlier->what & mask) == 0 || earlier->time < wg_ck.ordered_time) {
        return false;
    }
    const struct wg_launch_past *launch = wg_launch_at(earlier->time);
    return launch != NULL && !launch->ordered;
}

static void judge(struct wg_copy_meeting *meeting, const struct wg_access *earlier, uint32_t access,
                  uint32_t mask) {
    if (clashes(earlier, mask)) {
        meeting->earlier = earlier;
        meeting->earlier_access = access;
        wg_say_copy_conflict(meeting);
    }
}

static void judge_atomics(struct wg_copy_meeting *meeting) {
    const struct wg_sync_var *var = wg_sync_find(meeting->region, meeting->word);
    const struct wg_access *atomics = var != NULL ? wg_sync_accesses(var) : NULL;
    for (int i = 0; atomics != NULL && i < 2; i++) {
        judge(meeting, &atomics[i], 2, WG_CELL_BYTES);
    }
}

static void judge_word(struct wg_copy_meeting *meeting, const struct wg_cell *cell, uint32_t mask) {
    judge(meeting, &cell->writer, 1, mask);
    if ((cell->writer.what & WG_CELL_ATOMIC) != 0) {
        judge_atomics(meeting);
    }
    for (int i = 0; meeting->writes && i < 2; i++) {
        judge(meeting, &cell->reader[i], 0, mask);
    }
}

static void note_write(struct wg_cell *cell, const struct wg_access *me, uint32_t mask) {
    cell->writer = *me;
    for (int i = 0; i < 2; i++) {
        if ((cell->reader[i].what & WG_CELL_BYTES & ~mask) == 0) {
            cell->reader[i].time = 0;
        }
    }
}

void wg_copy_access(struct wg_region *region, uintptr_t p, uint64_t bytes, bool writes) {
    if (bytes == 0 || !wg_region_prepare(region)) {
        return;
    }
    uint32_t site = wg_site_state(&g_site)->index << WG_CELL_SITE_SHIFT;
    struct wg_copy_meeting meeting = {.call = g_call, .writes = writes, .region = region};
    bool may_clash = wg_ck.ordered_time < wg_ck.start_time;
    for (uintptr_t word = p & ~(uintptr_t)3; word < p + bytes; word += 4) {
        struct wg_cell *cell = &region->cells[(word - region->origin) / 4];
        uint32_t mask = wg_word_mask(word, p, bytes);
        struct wg_access me = {wg_ck.start_time, COPY_WHO, site | mask};
        meeting.word = word;
        if (may_clash) {
            judge_word(&meeting, cell, mask);
        }
        if (writes) {
            note_write(cell, &me, mask);
        } else {
            cell->reader[cell->reader[0].time >= wg_ck.ordered_time] = me;
        }
    }
}
