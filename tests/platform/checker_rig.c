#include "tests/platform/checker_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

/* ---- What the runtime would bring --------------------------------------------------------------
 */
_Thread_local struct wg_cpu_thread *wg_self __attribute__((tls_model("initial-exec")));
static struct wg_report g_report;
struct wg_report *wg_report = &g_report;
uint64_t rig_spin_hints;

void wg_copy_text(char *dst, size_t dst_bytes, const char *src) {
    size_t length = src == NULL ? 0 : strnlen(src, dst_bytes - 1);
    memcpy(dst, src == NULL ? "" : src, length);
    dst[length] = '\0';
}

void wg_demangle(char *dst, size_t dst_bytes, const char *mangled) {
    wg_copy_text(dst, dst_bytes, mangled);
}

void wg_report_finding(const struct wg_finding_record *record) {
    for (uint32_t i = 0; i < g_report.finding_count; i++) {
        if (g_report.findings[i].kind == record->kind &&
            g_report.findings[i].at.line == record->at.line) {
            g_report.findings[i].occurrences++;
            return;
        }
    }
    if (g_report.finding_count < WG_REPORT_MAX_FINDINGS) {
        g_report.findings[g_report.finding_count++] = *record;
    }
}

const struct wg_cpu_variable *wg_module_find_symbol(const void *address) {
    (void)address;
    return NULL;
}

void wg_sched_spin_hint(const struct wg_cpu_site *site) {
    (void)site;
    rig_spin_hints++;
}

/* ---- Launches ----------------------------------------------------------------------------------
 */
static _Alignas(16) struct wg_cpu_thread g_thread;
_Alignas(16) uint32_t rig_shared[RIG_SHARED];
uint32_t rig_warp_size = 64;
struct wg_cpu_kernel rig_kernel = {.name = "k"};
static bool g_in_block;
static uint64_t g_sequence;

static bool always(uint64_t sequence) {
    (void)sequence;
    return true;
}

static bool never(uint64_t sequence) {
    (void)sequence;
    return false;
}

static void launch(uint32_t blocks, uint32_t threads, bool (*ordered_after)(uint64_t)) {
    g_thread = (struct wg_cpu_thread){
        .block_dim = {threads, 1, 1},
        .grid_dim = {blocks, 1, 1},
        .shared = (char *)rig_shared,
        .warp_size = rig_warp_size,
    };
    wg_self = &g_thread;
    wg_checker_launch_begin(&(struct wg_checker_launch){
        .kernel = &rig_kernel,
        .grid = {blocks, 1, 1},
        .block = {threads, 1, 1},
        .sequence = ++g_sequence,
        .ordered_after = ordered_after,
        .dynamic_shared_bytes = sizeof rig_shared,
    });
}

void rig_launch(uint32_t blocks, uint32_t threads) {
    launch(blocks, threads, always);
}

void rig_launch_unordered(uint32_t blocks, uint32_t threads) {
    launch(blocks, threads, never);
}

void rig_fill(uint32_t *to, size_t elements, bool ordered) {
    wg_checker_copy_begin(
        &(struct wg_checker_copy){"hipMemsetAsync", ++g_sequence, ordered ? always : never});
    memset(to, 0, elements * 4);
    wg_checker_host_write(to, elements * 4);
    wg_checker_copy_end();
}

void rig_copy(uint32_t *to, const uint32_t *from, size_t elements, bool ordered) {
    wg_checker_copy_begin(
        &(struct wg_checker_copy){"hipMemcpyAsync", ++g_sequence, ordered ? always : never});
    memcpy(to, from, elements * 4);
    wg_checker_host_copy(to, from, elements * 4);
    wg_checker_copy_end();
}

static void end_block(void) {
    if (g_in_block) {
        wg_checker_block_end();
    }
    g_in_block = false;
}

void rig_end(void) {
    end_block();
    wg_checker_launch_end();
}

void rig_block(uint32_t block) {
    end_block();
    g_thread.block_idx.x = block;
    rig_thread(0);
    wg_checker_block_begin((char *)rig_shared, sizeof rig_shared);
    g_in_block = true;
}

void rig_thread(uint32_t thread) {
    g_thread.thread_idx.x = thread;
    g_thread.flat = thread;
}

void rig_barrier(void) {
    RIG_SITE(barrier, 99, WG_OBJECT_UNKNOWN, NULL, 0);
    wg_checker_barrier_passed(&barrier);
}

void rig_wave_sync(uint32_t wave, uint64_t mask) {
    wg_checker_warp_synced(wave, mask);
}

/* ---- Memory ------------------------------------------------------------------------------------
 */
uint32_t *rig_device(size_t elements, bool written) {
    enum { ZONE = 4096 };
    char *room = aligned_alloc(ZONE, (elements * 4 / ZONE + 3) * ZONE);
    cr_assert_not_null(room);
    uint32_t *memory = (uint32_t *)(room + ZONE);
    memset(memory, 0x55, elements * 4);
    wg_checker_alloc(memory, elements * 4, false, NULL);
    if (written) {
        wg_checker_host_write(memory, elements * 4);
    }
    return memory;
}

uint32_t rig_read(const uint32_t *base, int64_t index, const struct wg_cpu_site *site) {
    uintptr_t p = (uintptr_t)base + (uintptr_t)(4 * index);
    uint32_t value;
    memcpy(&value, wg_check_read((void *)p, base, 4, 4, site), sizeof value);
    return value;
}

void rig_write(uint32_t *base, int64_t index, uint32_t value, const struct wg_cpu_site *site) {
    uintptr_t p = (uintptr_t)base + (uintptr_t)(4 * index);
    memcpy(wg_check_write((void *)p, base, 4, 4, value, 0, site), &value, sizeof value);
}

uint32_t rig_add(uint32_t *base, int64_t index, uint32_t value, const struct wg_cpu_site *site) {
    uintptr_t p = (uintptr_t)base + (uintptr_t)(4 * index);
    uint32_t *word = wg_check_atomic((void *)p, base, 4, 4, site);
    uint32_t old = *word;
    *word += value;
    return old;
}

/* ---- Answers -----------------------------------------------------------------------------------
 */
uint32_t rig_total(void) {
    return g_report.finding_count;
}

uint32_t rig_count(enum wg_finding_kind kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < g_report.finding_count; i++) {
        count += g_report.findings[i].kind == kind;
    }
    return count;
}

const struct wg_finding_record *rig_finding(enum wg_finding_kind kind) {
    for (uint32_t i = 0; i < g_report.finding_count; i++) {
        if (g_report.findings[i].kind == kind) {
            return &g_report.findings[i];
        }
    }
    cr_assert_fail("no finding of kind %d; %u others", (int)kind, g_report.finding_count);
    return NULL;
}

const struct wg_counter_record *rig_counters(uint32_t line) {
    for (uint32_t i = 0; i < g_report.counter_count; i++) {
        if (g_report.counters[i].line == line) {
            return &g_report.counters[i];
        }
    }
    cr_assert_fail("no counters for line %u", line);
    return NULL;
}
