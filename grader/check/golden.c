#include "grader/check/golden.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/clock.h"
#include "grader/check/generate.h"
#include "grader/check/session.h"

/* golden() needs memory for doubles in place of outputs, twice. */
static const int64_t golden_memory_bytes = (int64_t)4 << 30;
static const int64_t golden_output_bytes = (int64_t)64 << 10;
static const int64_t golden_tmpfs_bytes = (int64_t)16 << 20;

uint64_t wg_golden_case_seed(uint64_t root, size_t case_index) {
    return wg_generate_derive(root, case_index);
}

uint64_t wg_golden_data_seed(uint64_t root, size_t case_index, size_t variant) {
    return wg_generate_derive(wg_golden_case_seed(root, case_index), 1000 + variant);
}

void wg_golden_table_init(struct wg_golden_table *table, const struct wg_manifest *manifest,
                          const struct wg_build *build, uint64_t seed) {
    *table = (struct wg_golden_table){
        .manifest = manifest,
        .build = build,
        .seed = seed,
        .entries = wg_calloc(manifest->case_count * WG_VARIANTS, sizeof *table->entries)};
    pthread_mutex_init(&table->lock, NULL);
    pthread_cond_init(&table->changed, NULL);
}

static void entry_done(struct wg_golden_entry *entry) {
    for (size_t i = 0; i < WG_MAX_ARGS; i++) {
        free(entry->outputs[i].values);
        free(entry->outputs[i].magnitudes);
    }
    *entry = (struct wg_golden_entry){0};
}

void wg_golden_forget(struct wg_golden_table *table, size_t case_index) {
    for (size_t v = 0; v < WG_VARIANTS; v++) {
        entry_done(&table->entries[case_index * WG_VARIANTS + v]);
    }
}

void wg_golden_table_done(struct wg_golden_table *table) {
    if (table->entries == NULL) {
        return;
    }
    for (size_t i = 0; i < table->manifest->case_count; i++) {
        wg_golden_forget(table, i);
    }
    free(table->entries);
    pthread_cond_destroy(&table->changed);
    pthread_mutex_destroy(&table->lock);
    *table = (struct wg_golden_table){0};
}

/* ---- Computing ---- */

static enum wg_code blame(const struct wg_manifest *manifest, const char *what,
                          struct wg_err *err) {
    return wg_fail(err, WG_EPARSE, "assignment %s: golden.c %s", manifest->id, what);
}

static enum wg_code shared_size(const struct wg_manifest *manifest, const size_t *cases,
                                size_t count, size_t *out, struct wg_err *err) {
    *out = 4096;
    for (size_t i = 0; i < count; i++) {
        struct wg_image image;
        enum wg_code code =
            wg_image_plan_golden(manifest, manifest->cases[cases[i]].dims, &image, err);
        if (code != WG_OK) {
            return code;
        }
        *out = image.bytes > *out ? image.bytes : *out;
    }
    return WG_OK;
}

static double *copy_doubles(const uint8_t *taken, const struct wg_image_slot *slot) {
    double *copy = wg_realloc(NULL, slot->count, sizeof *copy);
    memcpy(copy, taken + slot->offset, slot->count * sizeof *copy);
    return copy;
}

static void publish(struct wg_golden_table *table, size_t index, const struct wg_image *image,
                    const uint8_t *taken) {
    struct wg_golden_entry entry = {.ready = true};
    for (size_t i = 0; i < image->slot_count; i++) {
        const struct wg_image_slot *slot = &image->slots[i];
        struct wg_golden_output *output = &entry.outputs[slot->manifest_arg];
        if (slot->role == WG_ROLE_VALUE) {
            output->values = copy_doubles(taken, slot);
            output->count = slot->count;
        } else if (slot->role == WG_ROLE_MAGNITUDE) {
            output->magnitudes = copy_doubles(taken, slot);
        }
    }
    pthread_mutex_lock(&table->lock);
    table->entries[index] = entry;
    pthread_cond_broadcast(&table->changed);
    pthread_mutex_unlock(&table->lock);
}

static enum wg_code ask(const struct wg_manifest *manifest, struct wg_session *session,
                        struct wg_request *request, struct wg_err *err) {
    struct wg_reply reply;
    int64_t deadline_ns = wg_clock_mono_ns() + manifest->run_wall_s * 1000000000;
    enum wg_answer answer = wg_session_ask(session, request, deadline_ns, &reply);
    if (answer == WG_ANSWER_LATE) {
        return blame(manifest, "does not come to an end", err);
    }
    if (answer != WG_ANSWER_REPLY) {
        return blame(manifest, "ended its process", err);
    }
    return reply.status == WG_STATUS_OK ? WG_OK : blame(manifest, reply.text, err);
}

static enum wg_code compute_case(struct wg_golden_table *table, struct wg_session *session,
                                 size_t case_index, struct wg_err *err) {
    const struct wg_manifest *manifest = table->manifest;
    struct wg_image image;
    enum wg_code code =
        wg_image_plan_golden(manifest, manifest->cases[case_index].dims, &image, err);
    for (size_t v = 0; code == WG_OK && v < WG_VARIANTS; v++) {
        struct wg_request request = {.op = WG_OP_RUN, .entry_kind = WG_ENTRY_GOLDEN};
        wg_image_fill_inputs(&image, manifest, wg_golden_data_seed(table->seed, case_index, v),
                             wg_session_given(session));
        wg_image_describe(&image, &request);
        code = ask(manifest, session, &request, err);
        if (code == WG_OK) {
            publish(table, case_index * WG_VARIANTS + v, &image, wg_session_taken(session));
        }
    }
    return code;
}

static enum wg_code compute(struct wg_golden_table *table, const size_t *cases, size_t count,
                            struct wg_err *err) {
    size_t bytes = 0;
    enum wg_code code = shared_size(table->manifest, cases, count, &bytes, err);
    if (code != WG_OK) {
        return code;
    }
    int64_t wall_s = 2 * table->manifest->run_wall_s;
    const struct wg_session_spec spec = {
        .harness = "/wg/libexec/host/harness",
        .student = table->build->library,
        .shared_bytes = bytes,
        .limits = {.wall_ns = wall_s * 1000000000,
                   .cpu_s = wall_s,
                   .memory_bytes = golden_memory_bytes,
                   .file_bytes = golden_output_bytes,
                   .tmpfs_bytes = golden_tmpfs_bytes,
                   .output_bytes = golden_output_bytes,
                   .processes = 8},
    };
    struct wg_session *session = NULL;
    code = wg_session_start(&spec, &session, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_request load = {.op = WG_OP_LOAD, .entry_kind = WG_ENTRY_GOLDEN};
    memcpy(load.symbol, table->build->entry_symbol, sizeof load.symbol);
    code = ask(table->manifest, session, &load, err);
    for (size_t i = 0; code == WG_OK && i < count; i++) {
        code = compute_case(table, session, cases[i], err);
    }
    struct wg_jail_result end = {0};
    struct wg_err end_err = {0};
    enum wg_code end_code = wg_session_finish(session, code != WG_OK, &end, &end_err);
    wg_jail_result_done(&end);
    if (code == WG_OK && end_code != WG_OK) {
        *err = end_err;
    }
    return code != WG_OK ? code : end_code;
}

enum wg_code wg_golden_compute(struct wg_golden_table *table, const size_t *cases, size_t count,
                               struct wg_err *err) {
    enum wg_code code = compute(table, cases, count, err);
    if (code != WG_OK) {
        pthread_mutex_lock(&table->lock);
        table->code = code;
        table->err = *err;
        pthread_cond_broadcast(&table->changed);
        pthread_mutex_unlock(&table->lock);
    }
    return code;
}

enum wg_code wg_golden_get(struct wg_golden_table *table, size_t case_index, size_t variant,
                           const struct wg_golden_entry **out, struct wg_err *err) {
    struct wg_golden_entry *entry = &table->entries[case_index * WG_VARIANTS + variant];
    pthread_mutex_lock(&table->lock);
    while (!entry->ready && table->code == WG_OK) {
        pthread_cond_wait(&table->changed, &table->lock);
    }
    enum wg_code code = entry->ready ? WG_OK : table->code;
    if (code != WG_OK && err != NULL) {
        *err = table->err;
    }
    pthread_mutex_unlock(&table->lock);
    *out = entry;
    return code;
}
