/* Versions of the schema, in user_version. A store is brought up to date by running the steps that
 * it has not seen, in one transaction; a step that was released is never changed, only followed by
 * another one. */
#include "grader/base/cleanup.h"
#include "grader/store/internal.h"

/* "WGst": what file(1) and we know a store by. */
#define APPLICATION_ID 0x57477374

static const char *const steps[] = {
    /* 1: attempts. severity orders verdicts as enum wg_verdict did when it was written. */
    "CREATE TABLE attempt ("
    "  id INTEGER PRIMARY KEY,"
    "  uid TEXT NOT NULL UNIQUE,"
    "  student TEXT NOT NULL, name TEXT NOT NULL, assignment TEXT NOT NULL,"
    "  asked TEXT NOT NULL,"
    "  verdict TEXT NOT NULL, severity INTEGER NOT NULL, sentence TEXT NOT NULL,"
    "  points REAL NOT NULL, max_points REAL NOT NULL, total_points REAL NOT NULL,"
    "  score_complete INTEGER NOT NULL,"
    "  repository TEXT NOT NULL, ref TEXT NOT NULL, \"commit\" TEXT NOT NULL, tree TEXT NOT NULL,"
    "  digest TEXT NOT NULL, platform TEXT NOT NULL, version TEXT NOT NULL,"
    "  commit_time_s INTEGER NOT NULL, graded_s INTEGER NOT NULL,"
    "  deadline_s INTEGER NOT NULL, is_late INTEGER NOT NULL,"
    "  wall_ms REAL NOT NULL,"
    "  json TEXT NOT NULL);"
    "CREATE INDEX attempt_of_student ON attempt (student, assignment, graded_s, id);",

    /* 2: batches, which can be resumed; sources that are the same; what a grading costs. */
    "ALTER TABLE attempt ADD COLUMN batch TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE attempt ADD COLUMN normalized TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE attempt ADD COLUMN cpu_ms REAL NOT NULL DEFAULT 0;"
    "CREATE INDEX attempt_of_batch ON attempt (batch);"
    "CREATE TABLE batch ("
    "  id TEXT PRIMARY KEY,"
    "  started_s INTEGER NOT NULL, finished_s INTEGER NOT NULL DEFAULT 0,"
    "  spool TEXT NOT NULL);",
};
enum { NEWEST = sizeof steps / sizeof steps[0] };

static enum wg_code read_number(struct wg_store *store, const char *sql, int64_t *out,
                                struct wg_err *err) {
    WG_CLEANUP(wg_store_finalize) sqlite3_stmt *statement = wg_store_prepare(store, sql, err);
    if (statement == NULL) {
        return err->code;
    }
    if (sqlite3_step(statement) != SQLITE_ROW) {
        return wg_store_fail(store, err);
    }
    *out = sqlite3_column_int64(statement, 0);
    return WG_OK;
}

/* What is in the file: nothing yet, a store, or something of another program. */
static enum wg_code check_kind(struct wg_store *store, int64_t version, struct wg_err *err) {
    int64_t application = 0, tables = 0;
    enum wg_code code = read_number(store, "PRAGMA application_id", &application, err);
    code = code != WG_OK ? code
                         : read_number(store, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (code != WG_OK) {
        return code;
    }
    if (application != APPLICATION_ID && (tables > 0 || version != 0)) {
        return wg_fail(err, WG_EINVAL, "'%.150s' is a database of another program", store->path);
    }
    if (version < 0 || version > NEWEST) {
        return wg_fail(err, WG_EINVAL,
                       "'%.150s' was written by a newer wavegrade (store version %lld; this one "
                       "knows %d): use that one",
                       store->path, (long long)version, NEWEST);
    }
    return WG_OK;
}

static enum wg_code run_steps(struct wg_store *store, struct wg_err *err) {
    int64_t version = 0;
    enum wg_code code = read_number(store, "PRAGMA user_version", &version, err);
    code = code != WG_OK ? code : check_kind(store, version, err);
    for (int64_t step = version; code == WG_OK && step < NEWEST; step++) {
        code = wg_store_run(store, steps[step], err);
    }
    if (code == WG_OK && version < NEWEST) {
        char pragmas[100];
        sqlite3_snprintf(sizeof pragmas, pragmas,
                         "PRAGMA application_id=%d; PRAGMA user_version=%d", APPLICATION_ID,
                         NEWEST);
        code = wg_store_run(store, pragmas, err);
    }
    return code;
}

enum wg_code wg_store_migrate(struct wg_store *store, struct wg_err *err) {
    int64_t version = 0;
    enum wg_code code = read_number(store, "PRAGMA user_version", &version, err);
    code = code != WG_OK ? code : check_kind(store, version, err);
    if (code != WG_OK || version == NEWEST) {
        return code;
    }
    if (sqlite3_db_readonly(store->db, "main") == 1) {
        return version == 0
                   ? wg_fail(err, WG_EINVAL, "'%.150s' is not a store of wavegrade", store->path)
                   : wg_fail(err, WG_EINVAL,
                             "'%.150s' was written by an older wavegrade and cannot be brought up "
                             "to date where it is: copy it to a folder of yours",
                             store->path);
    }
    /* Another process may be at it: what is asked above is asked again inside. */
    code = wg_store_run(store, "BEGIN IMMEDIATE", err);
    if (code != WG_OK) {
        return code;
    }
    code = run_steps(store, err);
    if (code != WG_OK) {
        struct wg_err ignored = {0};
        wg_store_run(store, "ROLLBACK", &ignored);
        return code;
    }
    return wg_store_run(store, "COMMIT", err);
}
