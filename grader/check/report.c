#include "grader/check/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/text.h"

enum { FINDINGS_SHOWN = 40, TEXT_BYTES = 400, COUNTERS_SHOWN = 64 };

/* How each kind is called in results, what it costs as an error, and which is mended first. */
static const struct {
    const char *kind, *detail;
    enum wg_verdict verdict;
    int urgency; /* 0 first */
} kinds[] = {
    [WG_FINDING_OUT_OF_BOUNDS] = {"OUT_OF_BOUNDS", NULL, WG_VERDICT_OUT_OF_BOUNDS, 2},
    [WG_FINDING_MISALIGNED] = {"OUT_OF_BOUNDS", "misaligned", WG_VERDICT_OUT_OF_BOUNDS, 2},
    [WG_FINDING_USE_AFTER_FREE] = {"OUT_OF_BOUNDS", "use_after_free", WG_VERDICT_OUT_OF_BOUNDS, 2},
    [WG_FINDING_HOST_POINTER] = {"OUT_OF_BOUNDS", "host_pointer", WG_VERDICT_OUT_OF_BOUNDS, 1},
    [WG_FINDING_NULL_POINTER] = {"OUT_OF_BOUNDS", "null_pointer", WG_VERDICT_OUT_OF_BOUNDS, 1},
    [WG_FINDING_DATA_RACE] = {"DATA_RACE", NULL, WG_VERDICT_DATA_RACE, 5},
    [WG_FINDING_WARP_SYNC] = {"DATA_RACE", "warp_sync", WG_VERDICT_PASS, 8},
    [WG_FINDING_SAME_VALUE] = {"DATA_RACE", "same_value", WG_VERDICT_PASS, 9},
    [WG_FINDING_UNINITIALIZED_READ] = {"UNINITIALIZED_READ", NULL, WG_VERDICT_UNINITIALIZED_READ,
                                       6},
    [WG_FINDING_UNWRITTEN_OUTPUT] = {"WRONG_ANSWER", "unwritten_output", WG_VERDICT_PASS, 7},
    [WG_FINDING_BARRIER_DIVERGENCE] = {"BARRIER_DIVERGENCE", NULL, WG_VERDICT_BARRIER_DIVERGENCE,
                                       4},
    [WG_FINDING_EARLY_EXIT_BARRIER] = {"BARRIER_DIVERGENCE", "early_exit",
                                       WG_VERDICT_BARRIER_DIVERGENCE, 4},
    [WG_FINDING_DEADLOCK] = {"BARRIER_DIVERGENCE", "deadlock", WG_VERDICT_BARRIER_DIVERGENCE, 3},
    [WG_FINDING_CONSTANT_WRITE] = {"OUT_OF_BOUNDS", "constant_write", WG_VERDICT_OUT_OF_BOUNDS, 2},
    [WG_FINDING_HOST_ACCESS] = {"CRASH", "host_access", WG_VERDICT_CRASH, 0},
    [WG_FINDING_LAUNCH_ERROR] = {"LAUNCH_ERROR", NULL, WG_VERDICT_LAUNCH_ERROR, 0},
    [WG_FINDING_API_MISUSE] = {"LAUNCH_ERROR", "api_misuse", WG_VERDICT_PASS, 1},
    [WG_FINDING_FAULT] = {"CRASH", "fault", WG_VERDICT_CRASH, 1},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* ---- Sanitizing ---- */

#define END_STRING(array) ((array)[sizeof(array) - 1] = '\0')

static void sanitize_place(struct wg_place *place) {
    END_STRING(place->file);
    END_STRING(place->function);
    place->line = place->line > 10000000 ? 0 : place->line;
    place->column = place->column > 10000000 ? 0 : place->column;
}

static bool sanitize_finding(struct wg_finding_record *r) {
    sanitize_place(&r->at);
    sanitize_place(&r->other);
    END_STRING(r->kernel);
    END_STRING(r->object);
    END_STRING(r->text);
    return r->kind < KIND_COUNT && kinds[r->kind].kind != NULL &&
           r->severity >= WG_SEVERITY_ERROR && r->severity <= WG_SEVERITY_NOTE &&
           r->is_write <= 2 && r->other_is_write <= 2 && r->occurrences > 0;
}

/* Copies what the process may be changing at this moment, then makes the copy harmless. Findings
 * that make no sense get no occurrences, which means that nobody looks at them. */
static void take_snapshot(const struct wg_report *shared, struct wg_report *copy) {
    memcpy(copy, shared, sizeof *copy);
    if (copy->magic != WG_REPORT_MAGIC) {
        memset(copy, 0, sizeof *copy);
        return;
    }
    END_STRING(copy->current_kernel);
    if (copy->finding_count > WG_REPORT_MAX_FINDINGS) {
        copy->finding_count = WG_REPORT_MAX_FINDINGS;
    }
    if (copy->counter_count > WG_REPORT_MAX_COUNTERS) {
        copy->counter_count = WG_REPORT_MAX_COUNTERS;
    }
    for (uint32_t i = 0; i < copy->finding_count; i++) {
        if (!sanitize_finding(&copy->findings[i])) {
            copy->findings[i] = (struct wg_finding_record){0};
        }
    }
    for (uint32_t i = 0; i < copy->counter_count; i++) {
        END_STRING(copy->counters[i].kernel);
        END_STRING(copy->counters[i].file);
    }
}

/* ---- Findings ---- */

enum wg_verdict wg_finding_verdict(const struct wg_finding_record *record,
                                   bool early_exit_is_error) {
    if (record->kind == WG_FINDING_EARLY_EXIT_BARRIER) {
        return early_exit_is_error ? WG_VERDICT_BARRIER_DIVERGENCE : WG_VERDICT_PASS;
    }
    return record->severity == WG_SEVERITY_ERROR ? kinds[record->kind].verdict : WG_VERDICT_PASS;
}

/* The kernel's own line: all that is known of a loop that waits for ever in the plain build. */
static bool is_whole_kernel(const struct wg_finding_record *record) {
    return record->kind == WG_FINDING_DEADLOCK && record->at.column == 0;
}

int wg_finding_urgency(const struct wg_finding_record *record) {
    return 2 * kinds[record->kind].urgency + is_whole_kernel(record);
}

void wg_found_list_done(struct wg_found_list *list) {
    free(list->items);
    *list = (struct wg_found_list){0};
}

/* Without a line the sentences differ from size to size ("byte 4096 of ..."): there the kernel or
 * the HIP call is what tells findings apart. */
static bool same_finding(const struct wg_finding_record *a, const struct wg_finding_record *b) {
    return a->kind == b->kind && a->at.line == b->at.line && strcmp(a->at.file, b->at.file) == 0 &&
           strcmp(a->object, b->object) == 0 &&
           (a->at.line != 0 ||
            (strcmp(a->kernel, b->kernel) == 0 && strcmp(a->at.function, b->at.function) == 0));
}

static void add_found(struct wg_found_list *list, const struct wg_found *found) {
    for (size_t i = 0; i < list->count; i++) {
        struct wg_found *known = &list->items[i];
        if (same_finding(&known->record, &found->record)) {
            if (known->case_index > found->case_index) {
                known->case_index = found->case_index;
            }
            if (known->record.occurrences < found->record.occurrences) {
                known->record.occurrences = found->record.occurrences;
            }
            known->checked |= found->checked;
            return;
        }
    }
    list->items = wg_realloc(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = *found;
}

void wg_found_list_merge(struct wg_found_list *list, const struct wg_found_list *more) {
    for (size_t i = 0; i < more->count; i++) {
        add_found(list, &more->items[i]);
    }
    list->dropped = list->dropped > more->dropped ? list->dropped : more->dropped;
}

/* A crash in a kernel, or one that does not end in the plain build alone, says nothing that the
 * access named as out of bounds does not say better. */
static bool is_explained(const struct wg_found *found) {
    const struct wg_finding_record *r = &found->record;
    return (r->kind == WG_FINDING_FAULT && r->kernel[0] != '\0') ||
           (is_whole_kernel(r) && !found->checked);
}

static void drop_explained_faults(struct wg_found_list *list) {
    bool named = false;
    for (size_t i = 0; i < list->count; i++) {
        named |= wg_finding_verdict(&list->items[i].record, false) == WG_VERDICT_OUT_OF_BOUNDS;
    }
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!named || !is_explained(&list->items[i])) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* One barrier that threads miss makes others look missed: the first one is to blame. */
static int compare_barriers(const struct wg_found *a, const struct wg_found *b) {
    if (a->case_index != b->case_index) {
        return a->case_index < b->case_index ? -1 : 1;
    }
    return (a->position > b->position) - (a->position < b->position);
}

static bool is_barrier(const struct wg_finding_record *record) {
    return record->kind == WG_FINDING_BARRIER_DIVERGENCE ||
           record->kind == WG_FINDING_EARLY_EXIT_BARRIER;
}

static int compare_places(const struct wg_found *a, const struct wg_found *b) {
    const struct wg_finding_record *x = &a->record;
    const struct wg_finding_record *y = &b->record;
    int by_file = strcmp(x->at.file, y->at.file);
    if (by_file != 0) {
        return by_file;
    }
    if (x->at.line != y->at.line) {
        return x->at.line < y->at.line ? -1 : 1;
    }
    if (x->occurrences != y->occurrences) {
        return x->occurrences > y->occurrences ? -1 : 1;
    }
    return (a->position > b->position) - (a->position < b->position);
}

static int compare_found(const void *a, const void *b) {
    const struct wg_finding_record *x = &((const struct wg_found *)a)->record;
    const struct wg_finding_record *y = &((const struct wg_found *)b)->record;
    int urgency = wg_finding_urgency(x) - wg_finding_urgency(y);
    if (x->severity != y->severity) {
        return x->severity < y->severity ? -1 : 1;
    }
    if (urgency != 0) {
        return urgency;
    }
    return is_barrier(x) && is_barrier(y) ? compare_barriers(a, b) : compare_places(a, b);
}

static char *clean(const char *text) {
    return text[0] == '\0' ? NULL : wg_text_clean(text, strlen(text), TEXT_BYTES);
}

static void place_to_result(const struct wg_place *place, struct wg_result_place *out) {
    out->file = clean(place->file);
    out->line = (int)place->line;
    out->column = (int)place->column;
    out->function = clean(place->function);
    out->has_thread = place->line != 0 && place->block[0] != UINT32_MAX;
    memcpy(out->block, place->block, sizeof out->block);
    memcpy(out->thread, place->thread, sizeof out->thread);
}

static char *access_name(uint32_t is_write) {
    static const char *const names[] = {"read", "write", "atomic"};
    return wg_strdup(names[is_write]);
}

static void finding_to_result(const struct wg_found *found, bool early_exit_is_error,
                              struct wg_result_finding *out) {
    static const char *const severities[] = {"", "error", "warning", "note"};
    const struct wg_finding_record *r = &found->record;
    uint32_t severity = r->severity;
    if (r->kind == WG_FINDING_EARLY_EXIT_BARRIER) {
        severity = early_exit_is_error ? WG_SEVERITY_ERROR : WG_SEVERITY_WARNING;
    }
    out->kind = wg_strdup(kinds[r->kind].kind);
    out->detail = kinds[r->kind].detail == NULL ? NULL : wg_strdup(kinds[r->kind].detail);
    out->severity = wg_strdup(severities[severity]);
    place_to_result(&r->at, &out->at);
    place_to_result(&r->other, &out->other);
    out->kernel = clean(r->kernel);
    out->object = clean(r->object);
    out->has_element = r->element != INT64_MIN && r->object[0] != '\0';
    out->element = out->has_element ? r->element : 0;
    out->element_count = r->element_count;
    if (r->access_bytes > 0) {
        out->access = access_name(r->is_write);
        out->other_access = r->other.line == 0 ? NULL : access_name(r->other_is_write);
    }
    out->occurrences = r->occurrences;
    out->case_index = found->case_index;
    out->text = clean(r->text);
}

void wg_found_list_to_result(struct wg_found_list *list, bool early_exit_is_error,
                             struct wg_result *result) {
    drop_explained_faults(list);
    for (size_t i = 0; i < list->count; i++) {
        list->items[i].position = i;
    }
    if (list->count > 0) {
        qsort(list->items, list->count, sizeof *list->items, compare_found);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (i < FINDINGS_SHOWN) {
            finding_to_result(&list->items[i], early_exit_is_error, wg_result_add_finding(result));
        } else {
            result->findings_dropped++;
        }
    }
    result->findings_dropped += list->dropped;
}

/* ---- Assertions ---- */

/* "program: FILE:LINE: FUNCTION: Assertion `CONDITION' failed.", as the C library words it. */
static bool read_assert(const char *output, struct wg_finding_record *record) {
    static const char opening[] = ": Assertion `";
    const char *said = strstr(output, opening);
    const char *line = said;
    while (line != NULL && line > output && line[-1] != '\n') {
        line--;
    }
    const char *file = line == NULL ? NULL : strstr(line, ": ");
    const char *condition = said == NULL ? NULL : said + sizeof opening - 1;
    const char *end = condition == NULL ? NULL : strstr(condition, "' failed.");
    if (file == NULL || file >= said || end == NULL) {
        return false;
    }
    file += 2;
    const char *number = memchr(file, ':', (size_t)(said - file));
    unsigned long at = number == NULL ? 0 : strtoul(number + 1, NULL, 10);
    if (at == 0 || at > UINT32_MAX) {
        return false;
    }
    for (const char *c = file; c < number; c++) {
        file = *c == '/' ? c + 1 : file;
    }
    snprintf(record->at.file, sizeof record->at.file, "%.*s", (int)(number - file), file);
    record->at.line = (uint32_t)at;
    snprintf(record->text, sizeof record->text,
             "assert(%.*s) failed, which ends the whole program: mend what makes it false, or keep "
             "the threads for which it is false away from it with an if.",
             (int)(end - condition < 160 ? end - condition : 160), condition);
    return true;
}

void wg_found_list_tell_assert(struct wg_found_list *list, struct wg_evidence *evidence,
                               const char *output) {
    struct wg_finding_record before = evidence->cause;
    if (before.kind != WG_FINDING_FAULT || before.at.line != 0 ||
        !read_assert(output, &evidence->cause)) {
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        struct wg_finding_record *r = &list->items[i].record;
        if (same_finding(r, &before) && strcmp(r->text, before.text) == 0) {
            r->at = evidence->cause.at;
            memcpy(r->text, evidence->cause.text, sizeof r->text);
        }
    }
}

bool wg_evidence_ends_after_launch(const struct wg_evidence *evidence) {
    return evidence->has_launch_error && evidence->cause.kind == WG_FINDING_FAULT &&
           evidence->cause.kernel[0] == '\0' && evidence->kernel[0] == '\0';
}

void wg_found_list_drop_end(struct wg_found_list *list, const struct wg_evidence *evidence) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct wg_finding_record *r = &list->items[i].record;
        if (!same_finding(r, &evidence->cause) || strcmp(r->text, evidence->cause.text) != 0) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* ---- Watching a session ---- */

void wg_watch_start(struct wg_watch *watch) {
    *watch = (struct wg_watch){.copy = wg_calloc(1, sizeof *watch->copy)};
}

void wg_watch_done(struct wg_watch *watch) {
    free(watch->copy);
    *watch = (struct wg_watch){0};
}

/* Numbers that come out wrong may do so because of it. Races and accesses out of bounds are told in
 * place of wrong numbers anyway. */
static bool may_spoil_numbers(const struct wg_finding_record *record, bool early_exit_is_error) {
    switch (record->kind) {
    case WG_FINDING_DEADLOCK:
    case WG_FINDING_BARRIER_DIVERGENCE:
    case WG_FINDING_UNINITIALIZED_READ:
    case WG_FINDING_WARP_SYNC:
        return record->at.line != 0;
    case WG_FINDING_EARLY_EXIT_BARRIER:
        return record->at.line != 0 && early_exit_is_error;
    default:
        return false;
    }
}

static void weigh(const struct wg_finding_record *record, bool is_old, bool early_exit_is_error,
                  struct wg_evidence *out) {
    enum wg_verdict verdict = wg_finding_verdict(record, early_exit_is_error);
    if (verdict > out->verdict) {
        out->verdict = verdict;
        out->cause = *record;
        out->cause_is_old = is_old;
    }
    out->hangs |= is_whole_kernel(record);
    out->has_fault |= record->kind == WG_FINDING_FAULT;
    if (record->kind == WG_FINDING_LAUNCH_ERROR && !out->has_launch_error) {
        out->has_launch_error = true;
        out->launch_is_old = is_old;
        out->launch = *record;
    }
    if (record->kind == WG_FINDING_API_MISUSE && !out->has_api_misuse) {
        out->has_api_misuse = true;
        out->api_is_old = is_old;
        out->api = *record;
    }
    if (may_spoil_numbers(record, early_exit_is_error) &&
        (!out->has_clue || wg_finding_urgency(record) < wg_finding_urgency(&out->clue))) {
        out->has_clue = true;
        out->clue_is_old = is_old;
        out->clue = *record;
    }
}

/* Races between threads that stand at different barriers are a consequence of just that. */
static void tell_root(struct wg_evidence *out) {
    if (out->verdict == WG_VERDICT_DATA_RACE && out->has_clue &&
        out->clue.kind == WG_FINDING_BARRIER_DIVERGENCE &&
        strcmp(out->clue.kernel, out->cause.kernel) == 0) {
        out->cause = out->clue;
        out->cause_is_old = out->clue_is_old;
    }
}

static uint64_t grown(uint64_t now, uint64_t before) {
    return now > before ? now - before : 0;
}

void wg_watch_update(struct wg_watch *watch, const struct wg_report *shared,
                     bool early_exit_is_error, int case_index, struct wg_found_list *list,
                     struct wg_evidence *out) {
    struct wg_report *now = watch->copy;
    take_snapshot(shared, now);
    *out = (struct wg_evidence){0};
    for (uint32_t i = 0; i < now->finding_count; i++) {
        const struct wg_finding_record *record = &now->findings[i];
        if (record->occurrences > watch->seen[i]) {
            watch->first_case[i] = watch->seen[i] > 0 ? watch->first_case[i] : case_index;
            bool is_old = watch->first_case[i] != case_index;
            watch->seen[i] = record->occurrences;
            struct wg_found found = {
                .record = *record, .case_index = case_index, .checked = now->checked != 0};
            add_found(list, &found);
            weigh(record, is_old, early_exit_is_error, out);
        }
    }
    tell_root(out);
    list->dropped = now->findings_dropped;
    out->launches = grown(now->launches, watch->launches);
    out->failed_launches = grown(now->failed_launches, watch->failed_launches);
    out->exited = now->host_exit != 0;
    memcpy(out->kernel, now->current_kernel, sizeof out->kernel);
    watch->launches = now->launches;
    watch->failed_launches = now->failed_launches;
}

/* ---- Counters ---- */

static const struct wg_counter_record *find_counter(const struct wg_report *report,
                                                    const struct wg_counter_record *like) {
    for (uint32_t i = 0; report != NULL && i < report->counter_count; i++) {
        const struct wg_counter_record *c = &report->counters[i];
        if (c->line == like->line && strcmp(c->kernel, like->kernel) == 0 &&
            strcmp(c->file, like->file) == 0) {
            return c;
        }
    }
    return NULL;
}

static void add_counter(const struct wg_counter_record *now, const struct wg_counter_record *then,
                        struct wg_result_counters *out) {
    static const struct wg_counter_record nothing = {0};
    then = then == NULL ? &nothing : then;
    out->kernel = clean(now->kernel);
    out->file = clean(now->file);
    out->line = now->line > 10000000 ? 0 : (int)now->line;
#define LESS(field) out->field = grown(now->field, then->field)
    LESS(launches);
    LESS(threads);
    LESS(global_loads);
    LESS(global_stores);
    LESS(global_atomics);
    LESS(global_load_bytes);
    LESS(global_store_bytes);
    LESS(global_load_segments);
    LESS(global_store_segments);
    LESS(shared_loads);
    LESS(shared_stores);
    LESS(shared_bank_conflicts);
    LESS(barriers);
#undef LESS
}

static bool counter_moved(const struct wg_counter_record *now,
                          const struct wg_counter_record *then) {
    return then == NULL || now->launches != then->launches ||
           now->global_loads != then->global_loads || now->global_stores != then->global_stores ||
           now->global_atomics != then->global_atomics || now->shared_loads != then->shared_loads ||
           now->shared_stores != then->shared_stores || now->barriers != then->barriers;
}

void wg_counters_to_result(const struct wg_report *before, const struct wg_report *after,
                           const char *subject, int case_index, struct wg_result *result) {
    int shown = 0;
    for (uint32_t i = 0; i < after->counter_count && shown < COUNTERS_SHOWN; i++) {
        const struct wg_counter_record *now = &after->counters[i];
        const struct wg_counter_record *then = find_counter(before, now);
        if (counter_moved(now, then)) {
            struct wg_result_counters *out = wg_result_add_counters(result);
            add_counter(now, then, out);
            out->subject = wg_strdup(subject);
            out->case_index = case_index;
            shown++;
        }
    }
}
