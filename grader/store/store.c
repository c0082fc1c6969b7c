#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/store/internal.h"

#define BUSY_MS      60000
#define BUSY_STEP_MS 10

/* ---- SQLite, with our errors ---- */

enum wg_code wg_store_fail(const struct wg_store *store, struct wg_err *err) {
    int code = sqlite3_errcode(store->db);
    errno = 0;
    if (code == SQLITE_NOTADB) {
        return wg_fail(err, WG_EINVAL, "'%.150s' is not a store of wavegrade", store->path);
    }
    return wg_fail(err, WG_EIO, "store '%.120s': %.100s%s", store->path, sqlite3_errmsg(store->db),
                   code == SQLITE_BUSY ? "; another process has held it for a minute" : "");
}

enum wg_code wg_store_run(struct wg_store *store, const char *sql, struct wg_err *err) {
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? WG_OK
                                                                       : wg_store_fail(store, err);
}

sqlite3_stmt *wg_store_prepare(struct wg_store *store, const char *sql, struct wg_err *err) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        wg_store_fail(store, err);
        return NULL;
    }
    return statement;
}

void wg_store_bind_text(sqlite3_stmt *statement, const char *name, const char *text) {
    sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, name),
                      text != NULL ? text : "", -1, SQLITE_TRANSIENT);
}

void wg_store_bind_int(sqlite3_stmt *statement, const char *name, int64_t value) {
    sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, name), value);
}

void wg_store_bind_double(sqlite3_stmt *statement, const char *name, double value) {
    sqlite3_bind_double(statement, sqlite3_bind_parameter_index(statement, name), value);
}

char *wg_store_column(sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return wg_strdup(text != NULL ? text : "");
}

/* ---- Opening ---- */

/* Grades are for those who gave them: readable by the owner only until he says otherwise. SQLite
 * gives its side files the same mode. */
static enum wg_code make_file(const char *path, struct wg_err *err) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        return wg_fail(err, WG_EIO, "open the store '%.150s'", path);
    }
    close(fd);
    return WG_OK;
}

/* SQLite does not wait here when others do the same at the same moment: it tells each that it is
 * busy, to avoid a deadlock. */
static enum wg_code use_log(struct wg_store *store, struct wg_err *err) {
    enum wg_code code = WG_OK;
    for (int waited_ms = 0; waited_ms < BUSY_MS; waited_ms += BUSY_STEP_MS) {
        code = wg_store_run(store, "PRAGMA journal_mode=WAL", err);
        if (code == WG_OK || sqlite3_errcode(store->db) != SQLITE_BUSY) {
            break;
        }
        sqlite3_sleep(BUSY_STEP_MS);
    }
    return code;
}

/* SQLite keeps its side files there. */
static bool folder_is_writable(const char *path) {
    WG_CLEANUP(wg_freep) char *whole = realpath(path, NULL);
    char *slash = whole != NULL ? strrchr(whole, '/') : NULL;
    if (slash == NULL) {
        return true; /* opening tells what is wrong */
    }
    slash[slash == whole ? 1 : 0] = '\0';
    return access(whole, W_OK) == 0;
}

/* Gradings that another process adds, or was killed at, are beside the store for a while. */
static bool has_log(const char *path) {
    struct stat status;
    WG_CLEANUP(wg_freep) char *whole = realpath(path, NULL);
    WG_CLEANUP(wg_freep) char *log = wg_strf("%s-wal", whole != NULL ? whole : path);
    return stat(log, &status) == 0 && status.st_size > 0;
}

/* Heap: of a file that nobody changes, so that no side files are needed. */
static char *still_uri(const char *path) {
    WG_CLEANUP(wg_freep) char *whole = realpath(path, NULL);
    struct wg_buf uri = {0};
    wg_buf_puts(&uri, "file:");
    for (const char *c = whole != NULL ? whole : path; *c != '\0'; c++) {
        wg_buf_printf(&uri, strchr("%?#", *c) != NULL ? "%%%02x" : "%c", (unsigned char)*c);
    }
    wg_buf_puts(&uri, "?immutable=1");
    return uri.data;
}

static enum wg_code open_usual(struct wg_store *store, int flags, struct wg_err *err) {
    return sqlite3_open_v2(store->path, &store->db, flags, NULL) == SQLITE_OK
               ? WG_OK
               : wg_store_fail(store, err);
}

/* How a store is opened that lies where nothing can be written. */
static enum wg_code open_still(struct wg_store *store, enum wg_store_mode mode,
                               struct wg_err *err) {
    if (mode != WG_STORE_READ) {
        return wg_fail(err, WG_EINVAL,
                       "store '%.120s': its folder cannot be written to, and a store needs that: "
                       "use one elsewhere",
                       store->path);
    }
    if (has_log(store->path)) {
        /* With side files that can be read it works all the same. */
        bool works = open_usual(store, SQLITE_OPEN_READONLY, err) == WG_OK &&
                     wg_store_run(store, "PRAGMA user_version", err) == WG_OK;
        return works ? WG_OK
                     : wg_fail(err, WG_EINVAL,
                               "store '%.120s': somebody adds to it, and its folder cannot be "
                               "written to: wait, or copy it together with its -wal file to a "
                               "folder of yours",
                               store->path);
    }
    WG_CLEANUP(wg_freep) char *uri = still_uri(store->path);
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    return sqlite3_open_v2(uri, &store->db, flags, NULL) == SQLITE_OK ? WG_OK
                                                                      : wg_store_fail(store, err);
}

static enum wg_code open_database(struct wg_store *store, enum wg_store_mode mode,
                                  struct wg_err *err) {
    bool is_still = !folder_is_writable(store->path);
    bool is_readable = mode == WG_STORE_READ && (is_still || access(store->path, W_OK) != 0);
    int flags = is_readable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    enum wg_code code = is_still ? open_still(store, mode, err) : open_usual(store, flags, err);
    if (code != WG_OK) {
        return code;
    }
    sqlite3_busy_timeout(store->db, BUSY_MS);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    /* FULL: what was imported is on the disk before its file leaves the spool. */
    code = wg_store_run(store, "PRAGMA synchronous=FULL; PRAGMA trusted_schema=OFF", err);
    if (code == WG_OK && flags == SQLITE_OPEN_READWRITE) {
        code = use_log(store, err);
    }
    return code != WG_OK ? code : wg_store_migrate(store, err);
}

enum wg_code wg_store_open(const char *path, enum wg_store_mode mode, struct wg_store **out,
                           struct wg_err *err) {
    if (mode != WG_STORE_CREATE && !wg_file_exists(path)) {
        return wg_fail(err, WG_ENOTFOUND, "there is no store '%.150s'", path);
    }
    if (wg_file_is_folder(path)) {
        return wg_fail(err, WG_EINVAL, "'%.150s' is a folder, not a store", path);
    }
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        return wg_fail(err, WG_EINVAL, "'%.150s' is not a regular file, as a store has to be",
                       path);
    }
    enum wg_code code = mode == WG_STORE_CREATE ? make_file(path, err) : WG_OK;
    if (code != WG_OK) {
        return code;
    }
    struct wg_store *store = wg_calloc(1, sizeof *store);
    store->path = wg_strdup(path);
    code = open_database(store, mode, err);
    if (code != WG_OK) {
        wg_store_close(store);
        return code;
    }
    *out = store;
    return WG_OK;
}

void wg_store_close(struct wg_store *store) {
    if (store != NULL) {
        sqlite3_close(store->db);
        free(store->path);
        free(store);
    }
}

/* ---- Adding ---- */

static double total_ms(const struct wg_result *result) {
    for (size_t i = 0; i < result->stage_count; i++) {
        if (strcmp(result->stages[i].name, "total") == 0) {
            return result->stages[i].wall_ms;
        }
    }
    return 0;
}

static void bind_about(sqlite3_stmt *statement, const struct wg_store_new *about) {
    wg_store_bind_text(statement, ":uid", about->uid);
    wg_store_bind_text(statement, ":batch", about->batch);
    wg_store_bind_text(statement, ":student", about->student);
    wg_store_bind_text(statement, ":name", about->name);
    wg_store_bind_text(statement, ":asked", about->asked);
    wg_store_bind_text(statement, ":normalized", about->normalized);
    wg_store_bind_int(statement, ":deadline_s", about->deadline_s);
    wg_store_bind_int(statement, ":is_late", about->is_late);
    wg_store_bind_double(statement, ":cpu_ms", about->cpu_ms);
}

static void bind_result(sqlite3_stmt *statement, const struct wg_result *result) {
    wg_store_bind_text(statement, ":assignment", result->assignment.id);
    wg_store_bind_text(statement, ":verdict", wg_verdict_name(result->verdict));
    wg_store_bind_int(statement, ":severity", result->verdict);
    wg_store_bind_text(statement, ":sentence", result->sentence);
    wg_store_bind_double(statement, ":points", result->points);
    wg_store_bind_double(statement, ":max_points", result->max_points);
    wg_store_bind_double(statement, ":total_points", result->total_points);
    wg_store_bind_int(statement, ":score_complete", result->score_complete);
    wg_store_bind_text(statement, ":repository", result->submission.repository);
    wg_store_bind_text(statement, ":ref", result->submission.ref);
    wg_store_bind_text(statement, ":commit", result->submission.commit);
    wg_store_bind_text(statement, ":tree", result->submission.tree);
    wg_store_bind_text(statement, ":digest", result->assignment.digest);
    wg_store_bind_text(statement, ":platform", result->environment.platform);
    wg_store_bind_text(statement, ":version", result->environment.wavegrade_version);
    wg_store_bind_int(statement, ":commit_time_s", result->submission.commit_time_s);
    wg_store_bind_int(statement, ":graded_s", result->environment.date_s);
    wg_store_bind_double(statement, ":wall_ms", total_ms(result));
}

enum wg_code wg_store_add(struct wg_store *store, const struct wg_store_new *about,
                          const struct wg_result *result, bool *added, struct wg_err *err) {
    static const char sql[] =
        "INSERT OR IGNORE INTO attempt (uid, batch, student, name, assignment, asked, normalized,"
        "  verdict, severity, sentence, points, max_points, total_points, score_complete,"
        "  repository, ref, \"commit\", tree, digest, platform, version, commit_time_s, graded_s,"
        "  deadline_s, is_late, wall_ms, cpu_ms, json) "
        "VALUES (:uid, :batch, :student, :name, :assignment, :asked, :normalized,"
        "  :verdict, :severity, :sentence, :points, :max_points, :total_points, :score_complete,"
        "  :repository, :ref, :commit, :tree, :digest, :platform, :version, :commit_time_s,"
        "  :graded_s, :deadline_s, :is_late, :wall_ms, :cpu_ms, :json)";
    WG_CLEANUP(wg_store_finalize) sqlite3_stmt *statement = wg_store_prepare(store, sql, err);
    if (statement == NULL) {
        return err->code;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf json = {0};
    wg_result_to_json_with_source(result, &json);
    bind_about(statement, about);
    bind_result(statement, result);
    wg_store_bind_text(statement, ":json", wg_buf_str(&json));
    if (sqlite3_step(statement) != SQLITE_DONE) {
        return wg_store_fail(store, err);
    }
    if (added != NULL) {
        *added = sqlite3_changes(store->db) > 0;
    }
    return WG_OK;
}

/* ---- Batches ---- */

void wg_store_batches_done(struct wg_store_batches *batches) {
    for (size_t i = 0; i < batches->count; i++) {
        free(batches->all[i].id);
        free(batches->all[i].spool);
    }
    free(batches->all);
    *batches = (struct wg_store_batches){0};
}

enum wg_code wg_store_batch_start(struct wg_store *store, const char *id, const char *spool,
                                  struct wg_err *err) {
    WG_CLEANUP(wg_store_finalize)
    sqlite3_stmt *statement = wg_store_prepare(
        store, "INSERT INTO batch (id, started_s, spool) VALUES (:id, :now, :spool)", err);
    if (statement == NULL) {
        return err->code;
    }
    wg_store_bind_text(statement, ":id", id);
    wg_store_bind_int(statement, ":now", wg_clock_wall_s());
    wg_store_bind_text(statement, ":spool", spool);
    return sqlite3_step(statement) == SQLITE_DONE ? WG_OK : wg_store_fail(store, err);
}

enum wg_code wg_store_batch_finish(struct wg_store *store, const char *id, struct wg_err *err) {
    WG_CLEANUP(wg_store_finalize)
    sqlite3_stmt *statement =
        wg_store_prepare(store, "UPDATE batch SET finished_s = :now WHERE id = :id", err);
    if (statement == NULL) {
        return err->code;
    }
    wg_store_bind_text(statement, ":id", id);
    wg_store_bind_int(statement, ":now", wg_clock_wall_s());
    return sqlite3_step(statement) == SQLITE_DONE ? WG_OK : wg_store_fail(store, err);
}

enum wg_code wg_store_batches_unfinished(struct wg_store *store, struct wg_store_batches *out,
                                         struct wg_err *err) {
    WG_CLEANUP(wg_store_finalize)
    sqlite3_stmt *statement =
        wg_store_prepare(store,
                         "SELECT id, started_s, finished_s, spool FROM batch WHERE finished_s = 0 "
                         "ORDER BY started_s DESC, id DESC",
                         err);
    if (statement == NULL) {
        return err->code;
    }
    struct wg_store_batches found = {0};
    int step;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        found.all = wg_realloc(found.all, found.count + 1, sizeof *found.all);
        found.all[found.count++] =
            (struct wg_store_batch){.id = wg_store_column(statement, 0),
                                    .started_s = sqlite3_column_int64(statement, 1),
                                    .finished_s = sqlite3_column_int64(statement, 2),
                                    .spool = wg_store_column(statement, 3)};
    }
    if (step != SQLITE_DONE) {
        wg_store_batches_done(&found);
        return wg_store_fail(store, err);
    }
    *out = found;
    return WG_OK;
}
