/* Findings: grouping, places and records. The sentences are in check_words.c. */
#include <stdio.h>
#include <stdlib.h>

#include "sandbox/platform/cpu/runtime/check_words.h"
#include "sandbox/platform/cpu/runtime/runtime.h"

/* ---- Groups ------------------------------------------------------------------------------------
 * One per kind and place (two places for conflicts). The first finding of a group is worded and
 * reported; later ones are only counted. */
#define GROUP_SLOTS 1024u
#define MAX_GROUPS  (GROUP_SLOTS / 2)

struct group {
    const struct wg_cpu_site *first, *second;
    uint32_t kind;
    struct wg_finding_record *record;  /* in the shared report; NULL: not there */
    struct wg_finding_record *waiting; /* held back until the launch ends */
    struct wg_site_state *reader; /* of a plain read that may yet be excused, see check_race.c */
    bool excused;                 /* in an earlier launch: the next one counts again */
};
static struct group g_groups[GROUP_SLOTS];
static uint32_t g_group_count;

static struct group *find_group(uint32_t kind, const struct wg_cpu_site *a,
                                const struct wg_cpu_site *b, bool *is_new) {
    const struct wg_cpu_site *first = (uintptr_t)a < (uintptr_t)b ? a : b;
    const struct wg_cpu_site *second = first == a ? b : a;
    uint64_t hash = (uintptr_t)first * UINT64_C(0x9E3779B97F4A7C15) ^
                    (uintptr_t)second * UINT64_C(0xC2B2AE3D27D4EB4F) ^ kind;
    size_t i = (size_t)(hash >> 40) % GROUP_SLOTS;
    while (g_groups[i].kind != 0 && (g_groups[i].kind != kind || g_groups[i].first != first ||
                                     g_groups[i].second != second)) {
        i = (i + 1) % GROUP_SLOTS;
    }
    *is_new = g_groups[i].kind == 0;
    if (*is_new) {
        if (g_group_count == MAX_GROUPS) {
            return NULL;
        }
        g_group_count++;
        g_groups[i] = (struct group){.first = first, .second = second, .kind = kind};
    }
    return &g_groups[i];
}

/* The record in the shared report that holds this finding, to count repetitions there. */
static struct wg_finding_record *find_record(const struct wg_finding_record *finding) {
    for (uint32_t i = 0; i < wg_report->finding_count && i < WG_REPORT_MAX_FINDINGS; i++) {
        struct wg_finding_record *record = &wg_report->findings[i];
        if (record->kind == finding->kind && record->at.line == finding->at.line &&
            strncmp(record->at.file, finding->at.file, sizeof record->at.file) == 0) {
            return record;
        }
    }
    return NULL;
}

static void publish(struct group *group, const struct wg_finding_record *finding) {
    wg_report_finding(finding);
    group->record = find_record(finding);
}

static void hold_back(struct group *group, const struct wg_finding_record *finding) {
    group->waiting = malloc(sizeof *finding);
    if (group->waiting != NULL) {
        *group->waiting = *finding;
    }
}

/* The group when its finding is to be worded now; NULL when it was only counted. */
static struct group *open_group(uint32_t kind, const struct wg_cpu_site *a,
                                const struct wg_cpu_site *b) {
    bool is_new;
    struct group *group = find_group(kind, a, b, &is_new);
    if (group == NULL || is_new || group->excused) {
        return group;
    }
    struct wg_finding_record *record = group->waiting != NULL ? group->waiting : group->record;
    if (record != NULL) {
        record->occurrences++;
    }
    return NULL;
}

/* ---- Places ------------------------------------------------------------------------------------
 */
static void put_dim(uint32_t out[3], struct wg_cpu_dim3 in) {
    out[0] = in.x;
    out[1] = in.y;
    out[2] = in.z;
}

static void put_site(struct wg_place *place, const struct wg_cpu_site *site) {
    memset(place, 0, sizeof *place);
    place->block[0] = UINT32_MAX;
    if (site != NULL) {
        wg_copy_text(place->file, sizeof place->file, site->file != NULL ? site->file : "");
        place->line = site->line;
        place->column = site->column;
        wg_demangle(place->function, sizeof place->function,
                    site->function != NULL ? site->function : "");
    }
}

static void put_thread(struct wg_place *place, const struct wg_cpu_thread *thread) {
    put_dim(place->block, thread->block_idx);
    put_dim(place->thread, thread->thread_idx);
}

static struct wg_cpu_dim3 unflatten(uint64_t flat, struct wg_cpu_dim3 size) {
    uint64_t x = size.x > 0 ? size.x : 1, y = size.y > 0 ? size.y : 1;
    return (struct wg_cpu_dim3){(uint32_t)(flat % x), (uint32_t)(flat / x % y),
                                (uint32_t)(flat / (x * y))};
}

/* Block and thread of a remembered access, in the launch that it belongs to. */
static void put_who(struct wg_place *place, uint32_t who, const struct wg_launch_past *launch) {
    uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
    threads = threads > 0 ? threads : 1;
    put_dim(place->block, unflatten(who / threads, launch->grid));
    put_dim(place->thread, unflatten(who % threads, launch->block));
}

const char *wg_say_kernel(const struct wg_cpu_kernel *kernel) {
    static const struct wg_cpu_kernel *last;
    static char name[96];
    if (kernel == NULL) {
        return "";
    }
    if (kernel != last) {
        wg_demangle(name, sizeof name, kernel->name != NULL ? kernel->name : "");
        last = kernel;
    }
    return name;
}

static struct wg_finding_record new_finding(enum wg_finding_kind kind, enum wg_severity severity,
                                            const struct wg_cpu_site *site) {
    struct wg_finding_record finding = {.kind = kind, .severity = severity, .occurrences = 1};
    finding.element = INT64_MIN;
    put_site(&finding.at, site);
    put_site(&finding.other, NULL);
    if (wg_self != NULL) {
        put_thread(&finding.at, wg_self);
    }
    wg_copy_text(finding.kernel, sizeof finding.kernel, wg_say_kernel(wg_ck.launch.kernel));
    return finding;
}

/* ---- Objects -----------------------------------------------------------------------------------
 */
/* The declared shared array at an offset from the block's memory, or NULL. */
static const struct wg_cpu_shared_var *shared_var_at(uintptr_t offset) {
    const struct wg_cpu_kernel *kernel = wg_ck.launch.kernel;
    for (uint32_t i = 0; kernel != NULL && i < kernel->shared_var_count; i++) {
        const struct wg_cpu_shared_var *var = &kernel->shared_vars[i];
        if (offset >= var->offset && offset - var->offset < var->bytes) {
            return var;
        }
    }
    return NULL;
}

struct object {
    const char *name;
    uintptr_t base;
    uint64_t bytes; /* from base on; 0: not known */
    uint64_t element_bytes;
};

static struct object object_of(const struct wg_touch *touch, uintptr_t address) {
    const struct wg_cpu_site *site = touch->site->site;
    const struct wg_region *region = touch->region;
    /* Memory from a pointer to bytes counts in units of what it is used as; a declared array of
     * bytes in bytes. */
    bool is_array = touch->site->kind == WG_OBJECT_SHARED || touch->site->kind == WG_OBJECT_DYNAMIC;
    uint32_t bytes_most = is_array ? 0 : 1;
    struct object object = {
        .name = site->object,
        .base = (uintptr_t)touch->base,
        .element_bytes = site->element_bytes > bytes_most ? site->element_bytes : touch->bytes,
    };
    if (region == NULL) {
        return object;
    }
    if (touch->site->kind == WG_OBJECT_SHARED || touch->site->kind == WG_OBJECT_DEVICE_VAR ||
        touch->site->kind == WG_OBJECT_CONSTANT) {
        object.bytes = site->object_bytes;
    } else if (touch->site->kind == WG_OBJECT_DYNAMIC) {
        object.bytes = wg_ck.launch.dynamic_shared_bytes;
    } else if (region->is_shared) {
        const struct wg_cpu_shared_var *var = shared_var_at(address - region->low);
        object.base = region->low + (var != NULL ? var->offset : 0);
        object.bytes = var != NULL ? var->bytes : region->high - region->low;
        object.name = var != NULL && var->name != NULL ? var->name : object.name;
    } else {
        if (object.base < region->low || object.base >= region->high) {
            object.base = region->low;
        }
        object.bytes = region->high - object.base;
        if (object.name == NULL && region->name[0] != '\0') {
            object.name = region->name;
        }
        if (object.name == NULL && region->param_launch == wg_ck.launch_count) {
            object.name = region->param;
        }
    }
    if (object.name == NULL) {
        object.name = region->is_shared ? "shared memory" : "device memory";
    }
    return object;
}

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* A plain variable has no elements to speak of. */
static void drop_scalar_index(struct wg_finding_record *finding, bool is_variable) {
    if (is_variable && finding->element == 0 && finding->element_count == 1) {
        finding->element = INT64_MIN;
    }
}

static void put_object(struct wg_finding_record *finding, const struct wg_touch *touch,
                       uintptr_t address) {
    struct object object = object_of(touch, address);
    finding->access_bytes = (uint32_t)touch->bytes;
    finding->is_write = touch->access;
    wg_copy_text(finding->object, sizeof finding->object, object.name != NULL ? object.name : "");
    if (object.base != 0 && object.element_bytes != 0) {
        finding->element =
            floor_divide((int64_t)(address - object.base), (int64_t)object.element_bytes);
        finding->element_count = object.bytes / object.element_bytes;
    }
    bool is_variable = touch->site->kind == WG_OBJECT_SHARED ||
                       touch->site->kind == WG_OBJECT_DEVICE_VAR ||
                       touch->site->kind == WG_OBJECT_CONSTANT;
    drop_scalar_index(finding, is_variable);
}

/* ---- Bounds ------------------------------------------------------------------------------------
 */
void wg_say_stray(const struct wg_touch *touch, enum wg_finding_kind kind, uintptr_t low,
                  uintptr_t high) {
    const struct wg_cpu_site *site = touch->site->site;
    struct group *group = open_group(kind, site, NULL);
    if (group == NULL) {
        return;
    }
    struct wg_finding_record finding = new_finding(kind, WG_SEVERITY_ERROR, site);
    put_object(&finding, touch, (uintptr_t)touch->p);
    struct wg_stray stray = {
        .is_shared = touch->region != NULL && touch->region->is_shared,
        .is_dynamic = touch->site->kind == WG_OBJECT_DYNAMIC,
        .bytes_behind = (int64_t)((uintptr_t)touch->p + touch->bytes - high),
        .starts_inside = (uintptr_t)touch->p >= low && (uintptr_t)touch->p < high,
        .whole_bytes = high - low,
    };
    wg_word_stray(&finding, &stray);
    publish(group, &finding);
}

static void put_local(struct wg_finding_record *finding, const struct wg_cpu_site *site,
                      int64_t offset, uint64_t bytes, uint32_t access) {
    int64_t element_bytes = site->element_bytes != 0 ? site->element_bytes : (int64_t)bytes;
    finding->access_bytes = (uint32_t)bytes;
    finding->is_write = access;
    wg_copy_text(finding->object, sizeof finding->object,
                 site->object != NULL ? site->object : "a local variable");
    if (element_bytes > 0) {
        finding->element = floor_divide(offset, element_bytes);
        finding->element_count = site->object_bytes / (uint64_t)element_bytes;
    }
    drop_scalar_index(finding, true);
}

void wg_say_local_stray(const struct wg_cpu_site *site, int64_t offset, uint64_t bytes,
                        uint32_t access) {
    struct group *group = open_group(WG_FINDING_OUT_OF_BOUNDS, site, NULL);
    if (group == NULL) {
        return;
    }
    struct wg_finding_record finding =
        new_finding(WG_FINDING_OUT_OF_BOUNDS, WG_SEVERITY_ERROR, site);
    put_local(&finding, site, offset, bytes, access);
    struct wg_stray stray = {
        .is_local = true,
        .bytes_behind = offset + (int64_t)bytes - (int64_t)site->object_bytes,
        .starts_inside = offset >= 0 && (uint64_t)offset < site->object_bytes,
        .whole_bytes = site->object_bytes,
    };
    wg_word_stray(&finding, &stray);
    publish(group, &finding);
}

void wg_say_misaligned(const struct wg_touch *touch, uint64_t align) {
    const struct wg_cpu_site *site = touch->site->site;
    struct group *group = open_group(WG_FINDING_MISALIGNED, site, NULL);
    if (group != NULL) {
        struct wg_finding_record finding =
            new_finding(WG_FINDING_MISALIGNED, WG_SEVERITY_ERROR, site);
        put_object(&finding, touch, (uintptr_t)touch->p);
        wg_word_misaligned(&finding, (unsigned)align);
        publish(group, &finding);
    }
}

/* ---- Initialization ----------------------------------------------------------------------------
 */
void wg_say_uninitialized(const struct wg_touch *touch, uintptr_t first_byte) {
    const struct wg_cpu_site *site = touch->site->site;
    struct group *group = open_group(WG_FINDING_UNINITIALIZED_READ, site, NULL);
    if (group != NULL) {
        struct wg_finding_record finding =
            new_finding(WG_FINDING_UNINITIALIZED_READ, WG_SEVERITY_ERROR, site);
        put_object(&finding, touch, first_byte);
        wg_word_uninitialized(&finding,
                              touch->region->is_shared ? WG_MEMORY_OF_BLOCK : WG_MEMORY_OF_DEVICE);
        hold_back(group, &finding);
    }
}

void wg_say_local_uninitialized(const struct wg_cpu_site *site, int64_t offset, uint64_t bytes) {
    struct group *group = open_group(WG_FINDING_UNINITIALIZED_READ, site, NULL);
    if (group != NULL) {
        struct wg_finding_record finding =
            new_finding(WG_FINDING_UNINITIALIZED_READ, WG_SEVERITY_ERROR, site);
        put_local(&finding, site, offset, bytes, 0);
        wg_word_uninitialized(&finding, WG_MEMORY_OF_THREAD);
        publish(group, &finding);
    }
}

/* ---- Conflicts ---------------------------------------------------------------------------------
 */
/* A plain read beside atomics of other blocks sees some value or other; often that is meant. */
static bool is_racy_look(const struct wg_finding_record *finding) {
    return finding->is_write == 0 && finding->other_is_write == 2 &&
           memcmp(finding->at.block, finding->other.block, sizeof finding->at.block) != 0;
}

static enum wg_severity severity_of(enum wg_finding_kind kind) {
    switch (kind) {
    case WG_FINDING_WARP_SYNC:
        return WG_SEVERITY_WARNING;
    case WG_FINDING_SAME_VALUE:
        return WG_SEVERITY_NOTE;
    default:
        return WG_SEVERITY_ERROR;
    }
}

/* A missing barrier shows between lanes of one wave and between waves; the race tells it all, and
 * takes the place of the warning. True when there was one. */
static bool replace_warning(struct group *race, const struct wg_finding_record *finding) {
    bool is_new;
    struct group *warning = find_group(WG_FINDING_WARP_SYNC, race->first, race->second, &is_new);
    if (warning == NULL || is_new) {
        return false; /* and from now on such warnings are only counted */
    }
    free(warning->waiting);
    warning->waiting = NULL;
    if (warning->record == NULL) {
        return false;
    }
    *warning->record = *finding;
    race->record = warning->record;
    warning->record = NULL;
    return true;
}

static void name_kernel(char *name, size_t bytes, const struct wg_launch_past *launch) {
    name[0] = '\0';
    if (launch != NULL && launch->kernel != NULL && launch->kernel->name != NULL) {
        wg_demangle(name, bytes, launch->kernel->name);
    }
}

void wg_say_conflict(const struct wg_touch *touch, const struct wg_conflict *conflict) {
    const struct wg_cpu_site *site = touch->site->site;
    const struct wg_cpu_site *other =
        wg_site_by_index(conflict->earlier->what >> WG_CELL_SITE_SHIFT)->site;
    struct group *group = open_group(conflict->kind, site, other);
    if (group == NULL) {
        return;
    }
    struct wg_finding_record finding =
        new_finding(conflict->kind, severity_of(conflict->kind), site);
    uintptr_t at = (uintptr_t)touch->p;
    put_object(&finding, touch, conflict->word > at ? conflict->word : at);
    put_site(&finding.other, other);
    const struct wg_launch_past *launch = wg_launch_at(conflict->earlier->time);
    if (launch != NULL && launch->call != NULL) {
        wg_copy_text(finding.other.function, sizeof finding.other.function, launch->call);
    } else if (launch != NULL) {
        put_who(&finding.other, conflict->earlier->who, launch);
    }
    finding.other_is_write = conflict->earlier_access;
    struct wg_meeting meeting = {
        .same_launch = conflict->earlier->time >= wg_ck.start_time,
        .is_shared = touch->region->is_shared,
        .lacks_fence = conflict->lacks_fence,
        .lanes = 1u << wg_ck.warp_shift,
    };
    char other_kernel[sizeof finding.kernel];
    name_kernel(other_kernel, sizeof other_kernel, launch);
    meeting.other_kernel = other_kernel;
    meeting.other_call = launch != NULL ? launch->call : NULL;
    if (is_racy_look(&finding)) {
        finding.severity = WG_SEVERITY_WARNING;
    }
    wg_word_conflict(&finding, &meeting);
    bool may_be_excused = touch->access == 0 && conflict->earlier_access == 2;
    group->excused = false;
    if (conflict->kind == WG_FINDING_WARP_SYNC || may_be_excused) {
        hold_back(group, &finding);
        group->reader = may_be_excused ? touch->site : NULL;
    } else if (conflict->kind != WG_FINDING_DATA_RACE || !replace_warning(group, &finding)) {
        publish(group, &finding);
    }
}

/* The kernel's side has a line in the source, so it is told from there. */
static void put_kernel_side(struct wg_finding_record *finding,
                            const struct wg_copy_meeting *meeting,
                            const struct wg_launch_past *launch) {
    struct wg_site_state *site = wg_site_by_index(meeting->earlier->what >> WG_CELL_SITE_SHIFT);
    struct wg_touch touch = {.base = site->base,
                             .bytes = 4,
                             .site = site,
                             .region = meeting->region,
                             .access = meeting->earlier_access};
    put_site(&finding->at, site->site);
    put_who(&finding->at, meeting->earlier->who, launch);
    put_object(finding, &touch, meeting->word);
    name_kernel(finding->kernel, sizeof finding->kernel, launch);
}

void wg_say_copy_conflict(const struct wg_copy_meeting *meeting) {
    const struct wg_cpu_site *other =
        wg_site_by_index(meeting->earlier->what >> WG_CELL_SITE_SHIFT)->site;
    const struct wg_launch_past *launch = wg_launch_at(meeting->earlier->time);
    struct group *group = open_group(WG_FINDING_DATA_RACE, NULL, other);
    if (group == NULL || launch == NULL) {
        return;
    }
    struct wg_finding_record finding = new_finding(WG_FINDING_DATA_RACE, WG_SEVERITY_ERROR, NULL);
    finding.at.block[0] = UINT32_MAX;
    finding.kernel[0] = '\0';
    finding.is_write = meeting->earlier_access;
    finding.other_is_write = meeting->writes;
    if (launch->call == NULL) {
        put_kernel_side(&finding, meeting, launch);
        wg_copy_text(finding.other.function, sizeof finding.other.function, meeting->call);
        wg_word_conflict(&finding, &(struct wg_meeting){.other_call = meeting->call});
    } else {
        wg_copy_text(finding.at.function, sizeof finding.at.function, meeting->call);
        wg_copy_text(finding.object, sizeof finding.object, meeting->region->name);
        wg_word_copies(&finding, launch->call);
    }
    publish(group, &finding);
}

static bool is_same_line(const struct wg_cpu_site *a, const struct wg_cpu_site *b) {
    return a != NULL && b != NULL && a->line == b->line &&
           (a->file == b->file || strcmp(a->file, b->file) == 0);
}

/* A missing barrier shows in many ways: a race at some lines makes warnings about lanes in step at
 * one of them needless, and reads of what the other thread has not written yet. */
static bool is_explained(const struct group *group) {
    for (size_t i = 0; i < GROUP_SLOTS; i++) {
        const struct group *race = &g_groups[i];
        bool graver = race->kind == WG_FINDING_DATA_RACE ||
                      (race->kind == WG_FINDING_WARP_SYNC && group->kind != race->kind);
        if (graver && race != group && !race->excused &&
            (is_same_line(race->first, group->second) ||
             is_same_line(race->second, group->second) || is_same_line(race->first, group->first) ||
             is_same_line(race->second, group->first))) {
            return true;
        }
    }
    return false;
}

static void stop_waiting(struct group *group, bool say) {
    if (say) {
        publish(group, group->waiting);
    }
    free(group->waiting);
    group->waiting = NULL;
}

void wg_say_launch_end(void) {
    for (size_t i = 0; i < GROUP_SLOTS; i++) {
        struct group *group = &g_groups[i];
        if (group->waiting != NULL && group->reader != NULL) {
            group->excused = group->reader->unexcused_reads == 0;
            if (group->excused || group->kind == WG_FINDING_DATA_RACE) {
                stop_waiting(group, !group->excused);
            }
        }
    }
    for (size_t i = 0; i < GROUP_SLOTS; i++) {
        struct group *group = &g_groups[i];
        if (group->waiting != NULL) {
            stop_waiting(group, !is_explained(group));
        }
        if (group->reader != NULL) {
            group->reader->unexcused_reads = 0;
        }
    }
}

void wg_say_lost_stores(const struct wg_site_state *site) {
    const struct wg_cpu_site *other = wg_site_by_index(site->lost_to)->site;
    struct group *group = open_group(WG_FINDING_DATA_RACE, site->site, other);
    if (group == NULL) {
        return;
    }
    struct wg_finding_record finding =
        new_finding(WG_FINDING_DATA_RACE, WG_SEVERITY_WARNING, site->site);
    finding.at.block[0] = UINT32_MAX;
    wg_copy_text(finding.object, sizeof finding.object,
                 site->site->object != NULL ? site->site->object : "");
    put_site(&finding.other, other);
    finding.is_write = finding.other_is_write = 1;
    wg_word_lost_stores(&finding);
    publish(group, &finding);
}

/* ---- What the scheduler found ------------------------------------------------------------------
 */
static struct wg_finding_record barrier_finding(enum wg_finding_kind kind,
                                                enum wg_severity severity,
                                                struct wg_checker_thread_at at) {
    struct wg_finding_record finding = new_finding(kind, severity, at.site);
    put_thread(&finding.at, at.thread);
    return finding;
}

void wg_checker_barrier_mismatch(struct wg_checker_thread_at first,
                                 struct wg_checker_thread_at other, uint32_t waiting,
                                 uint32_t elsewhere) {
    struct group *group = open_group(WG_FINDING_BARRIER_DIVERGENCE, first.site, other.site);
    if (group == NULL) {
        return;
    }
    struct wg_finding_record finding =
        barrier_finding(WG_FINDING_BARRIER_DIVERGENCE, WG_SEVERITY_ERROR, first);
    if (other.thread != NULL) {
        put_site(&finding.other, other.site);
        put_thread(&finding.other, other.thread);
    }
    wg_word_mismatch(&finding, waiting, elsewhere);
    publish(group, &finding);
}

void wg_checker_early_exit(struct wg_checker_thread_at waiting, const struct wg_cpu_thread *gone,
                           uint32_t waiting_count, uint32_t gone_count) {
    struct group *group = open_group(WG_FINDING_EARLY_EXIT_BARRIER, waiting.site, NULL);
    if (group == NULL) {
        return;
    }
    struct wg_finding_record finding =
        barrier_finding(WG_FINDING_EARLY_EXIT_BARRIER, WG_SEVERITY_WARNING, waiting);
    if (gone != NULL) {
        put_thread(&finding.other, gone);
    }
    wg_word_early_exit(&finding, waiting_count, gone_count);
    publish(group, &finding);
}

void wg_checker_deadlock(struct wg_checker_thread_at spinning, const char *why) {
    struct group *group = open_group(WG_FINDING_DEADLOCK, spinning.site, NULL);
    if (group == NULL) {
        return;
    }
    struct wg_finding_record finding =
        barrier_finding(WG_FINDING_DEADLOCK, WG_SEVERITY_ERROR, spinning);
    wg_word_deadlock(&finding, why);
    publish(group, &finding);
}
