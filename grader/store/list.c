/* What is in a store: one query, made from a filter. */
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/store/internal.h"

/* picked: what the filter leaves, ranked within student and assignment. last: the newest known
 * source of each, for twins. */
#define QUERY_HEAD                                                                                 \
    "WITH last AS MATERIALIZED ("                                                                  \
    "  SELECT student, assignment, normalized FROM ("                                              \
    "    SELECT student, assignment, normalized, row_number() OVER ("                              \
    "      PARTITION BY student, assignment ORDER BY graded_s DESC, id DESC) AS rank"              \
    "    FROM attempt WHERE normalized <> '') WHERE rank = 1), "                                   \
    "picked AS ("                                                                                  \
    "  SELECT id, row_number() OVER (PARTITION BY student, assignment ORDER BY "

#define QUERY_TAIL                                                                                 \
    ") AS rank FROM attempt AS a"                                                                  \
    "  WHERE (:student = '' OR student = :student)"                                                \
    "    AND (:assignment = '' OR assignment = :assignment)"                                       \
    "    AND (:batch = '' OR batch = :batch)"                                                      \
    "    AND graded_s >= :since"                                                                   \
    "    AND (:all OR assignment <> '' OR NOT EXISTS ("                                            \
    "      SELECT 1 FROM attempt AS b WHERE b.student = a.student AND b.assignment <> ''"          \
    "        AND (b.graded_s, b.id) > (a.graded_s, a.id)))) "                                      \
    "SELECT a.id, uid, batch, student, name, assignment, asked, verdict, sentence, points,"        \
    "  max_points, total_points, score_complete, repository, ref, \"commit\", tree, digest,"       \
    "  platform, version, normalized, commit_time_s, graded_s, deadline_s, is_late, wall_ms, "     \
    "cpu_ms,"                                                                                      \
    "  (SELECT count(*) FROM attempt AS b"                                                         \
    "    WHERE b.student = a.student AND b.assignment = a.assignment),"                            \
    "  (SELECT count(*) FROM last WHERE a.normalized <> '' AND last.normalized = a.normalized"     \
    "    AND last.assignment = a.assignment AND last.student <> a.student) "                       \
    "FROM attempt AS a JOIN picked ON picked.id = a.id "                                           \
    "WHERE (:all OR rank = 1) AND (:verdict = '' OR verdict = :verdict) "                          \
    "ORDER BY student, assignment, graded_s, a.id"

#define NEWEST_FIRST "graded_s DESC, id DESC"
#define BEST_FIRST   "verdict = 'GRADER_ERROR', points DESC, severity, " NEWEST_FIRST

static void read_row(sqlite3_stmt *statement, struct wg_store_attempt *out) {
    int at = 0;
    out->id = sqlite3_column_int64(statement, at++);
    out->uid = wg_store_column(statement, at++);
    out->batch = wg_store_column(statement, at++);
    out->student = wg_store_column(statement, at++);
    out->name = wg_store_column(statement, at++);
    out->assignment = wg_store_column(statement, at++);
    out->asked = wg_store_column(statement, at++);
    WG_CLEANUP(wg_freep) char *verdict = wg_store_column(statement, at++);
    if (!wg_verdict_parse(verdict, &out->verdict)) {
        out->verdict = WG_VERDICT_GRADER_ERROR; /* whatever it says, it is no grade */
    }
    out->sentence = wg_store_column(statement, at++);
    out->points = sqlite3_column_double(statement, at++);
    out->max_points = sqlite3_column_double(statement, at++);
    out->total_points = sqlite3_column_double(statement, at++);
    out->score_complete = sqlite3_column_int(statement, at++) != 0;
    out->repository = wg_store_column(statement, at++);
    out->ref = wg_store_column(statement, at++);
    out->commit = wg_store_column(statement, at++);
    out->tree = wg_store_column(statement, at++);
    out->digest = wg_store_column(statement, at++);
    out->platform = wg_store_column(statement, at++);
    out->version = wg_store_column(statement, at++);
    out->normalized = wg_store_column(statement, at++);
    out->commit_time_s = sqlite3_column_int64(statement, at++);
    out->graded_s = sqlite3_column_int64(statement, at++);
    out->deadline_s = sqlite3_column_int64(statement, at++);
    out->is_late = sqlite3_column_int(statement, at++) != 0;
    out->wall_ms = sqlite3_column_double(statement, at++);
    out->cpu_ms = sqlite3_column_double(statement, at++);
    out->attempts = (uint32_t)sqlite3_column_int64(statement, at++);
    out->same_source = (uint32_t)sqlite3_column_int64(statement, at++);
}

enum wg_code wg_store_list(struct wg_store *store, const struct wg_store_filter *filter,
                           struct wg_store_attempts *out, struct wg_err *err) {
    const char *sql = filter->pick == WG_STORE_BEST ? QUERY_HEAD BEST_FIRST QUERY_TAIL
                                                    : QUERY_HEAD NEWEST_FIRST QUERY_TAIL;
    WG_CLEANUP(wg_store_finalize) sqlite3_stmt *statement = wg_store_prepare(store, sql, err);
    if (statement == NULL) {
        return err->code;
    }
    wg_store_bind_text(statement, ":student", filter->student);
    wg_store_bind_text(statement, ":assignment", filter->assignment);
    wg_store_bind_text(statement, ":batch", filter->batch);
    wg_store_bind_text(statement, ":verdict", filter->verdict);
    wg_store_bind_int(statement, ":since", filter->since_s);
    wg_store_bind_int(statement, ":all", filter->pick == WG_STORE_ALL);
    struct wg_store_attempts found = {0};
    int step;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        found.all = wg_realloc(found.all, found.count + 1, sizeof *found.all);
        read_row(statement, &found.all[found.count++]);
    }
    if (step != SQLITE_DONE) {
        wg_store_attempts_done(&found);
        return wg_store_fail(store, err);
    }
    *out = found;
    return WG_OK;
}

void wg_store_attempts_done(struct wg_store_attempts *attempts) {
    for (size_t i = 0; i < attempts->count; i++) {
        struct wg_store_attempt *a = &attempts->all[i];
        char *owned[] = {a->uid,    a->batch,      a->student,  a->name,    a->assignment,
                         a->asked,  a->sentence,   a->ref,      a->commit,  a->tree,
                         a->digest, a->repository, a->platform, a->version, a->normalized};
        for (size_t s = 0; s < sizeof owned / sizeof owned[0]; s++) {
            free(owned[s]);
        }
    }
    free(attempts->all);
    *attempts = (struct wg_store_attempts){0};
}

enum wg_code wg_store_read_json(struct wg_store *store, int64_t id, struct wg_buf *out,
                                struct wg_err *err) {
    WG_CLEANUP(wg_store_finalize)
    sqlite3_stmt *statement =
        wg_store_prepare(store, "SELECT json FROM attempt WHERE id = :id", err);
    if (statement == NULL) {
        return err->code;
    }
    wg_store_bind_int(statement, ":id", id);
    int step = sqlite3_step(statement);
    if (step == SQLITE_DONE) {
        return wg_fail(err, WG_ENOTFOUND, "there is no attempt %lld in '%.150s'", (long long)id,
                       store->path);
    }
    if (step != SQLITE_ROW) {
        return wg_store_fail(store, err);
    }
    const char *json = (const char *)sqlite3_column_text(statement, 0);
    wg_buf_puts(out, json != NULL ? json : "");
    return WG_OK;
}
