#include "grader/store/class_rows.h"

#include <stdlib.h>

#include "grader/base/cleanup.h"

static enum wg_code load_result(struct wg_store *store, int64_t id, struct wg_result **out,
                                struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf json = {0};
    enum wg_code code = wg_store_read_json(store, id, &json, err);
    struct wg_err ignored = {0}; /* one that cannot be read must not keep the class from its list */
    if (code == WG_OK && wg_result_from_json(json.data, json.len, out, &ignored) != WG_OK) {
        *out = NULL;
    }
    return code;
}

static void fill_row(const struct wg_store_attempt *from, const struct wg_result *result,
                     struct wg_class_row *to) {
    *to = (struct wg_class_row){
        .student = from->student,
        .name = from->name[0] != '\0' ? from->name : NULL,
        .assignment = from->assignment,
        .result = result,
        .attempts = from->attempts,
        .graded_s = from->graded_s,
        .is_late = from->is_late,
        .same_source = from->same_source,
    };
}

enum wg_code wg_store_class_load(struct wg_store *store, const struct wg_store_filter *filter,
                                 struct wg_store_class *out, struct wg_err *err) {
    struct wg_store_class loaded = {0};
    enum wg_code code = wg_store_list(store, filter, &loaded.attempts, err);
    if (code != WG_OK) {
        return code;
    }
    size_t count = loaded.attempts.count;
    loaded.rows = wg_calloc(count + 1, sizeof *loaded.rows);
    loaded.results = wg_calloc(count + 1, sizeof *loaded.results);
    for (size_t i = 0; code == WG_OK && i < count; i++) {
        code = load_result(store, loaded.attempts.all[i].id, &loaded.results[i], err);
        fill_row(&loaded.attempts.all[i], loaded.results[i], &loaded.rows[i]);
    }
    if (code != WG_OK) {
        wg_store_class_done(&loaded);
        return code;
    }
    loaded.class = (struct wg_class){.rows = loaded.rows, .row_count = count};
    *out = loaded;
    return WG_OK;
}

void wg_store_class_done(struct wg_store_class *class) {
    for (size_t i = 0; class->results != NULL && i < class->attempts.count; i++) {
        wg_result_free(class->results[i]);
    }
    free((void *)class->results);
    free(class->rows);
    wg_store_attempts_done(&class->attempts);
    *class = (struct wg_store_class){0};
}
