#include <criterion/criterion.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/store/class_rows.h"

static char *folder, *path;
static struct wg_store *store;
static struct wg_err err;

static void set_up(void) {
    cr_assert_eq(wg_folder_make_temp("wavegrade-test-store", &folder, &err), WG_OK);
    path = wg_path_join(folder, "class.db");
}

static void open_store(void) {
    cr_assert_eq(wg_store_open(path, WG_STORE_CREATE, &store, &err), WG_OK, "%s", err.msg);
}

static void set_up_open(void) {
    set_up();
    open_store();
}

static void tear_down(void) {
    wg_store_close(store);
    cr_assert_eq(wg_folder_remove(folder, &err), WG_OK);
    free(folder);
    free(path);
}

static struct wg_result *make_result(const char *assignment, enum wg_verdict verdict, double points,
                                     int64_t date_s) {
    struct wg_result *result = wg_result_new();
    result->verdict = verdict;
    result->assignment.id = assignment ? wg_strdup(assignment) : NULL;
    result->points = points;
    result->max_points = 70;
    result->total_points = 100;
    result->environment.date_s = date_s;
    result->submission.source = wg_strdup("__global__ void k() {}\n");
    result->submission.commit = wg_strdup("abcdef");
    return result;
}

static bool add(const char *uid, const char *student, const char *assignment,
                enum wg_verdict verdict, double points, int64_t date_s, const char *normalized) {
    struct wg_result *result = make_result(assignment, verdict, points, date_s);
    struct wg_store_new about = {
        .uid = uid, .batch = "b1", .student = student, .normalized = normalized};
    bool added = false;
    cr_assert_eq(wg_store_add(store, &about, result, &added, &err), WG_OK, "%s", err.msg);
    wg_result_free(result);
    return added;
}

static struct wg_store_attempts list(struct wg_store_filter filter) {
    struct wg_store_attempts found = {0};
    cr_assert_eq(wg_store_list(store, &filter, &found, &err), WG_OK, "%s", err.msg);
    return found;
}

static size_t count(struct wg_store_filter filter) {
    struct wg_store_attempts found = list(filter);
    size_t all = found.count;
    wg_store_attempts_done(&found);
    return all;
}

Test(store, an_attempt_is_there_once_however_often_it_is_imported, .init = set_up_open,
     .fini = tear_down) {
    cr_assert(add("b1/0.0", "s1", "matmul", WG_VERDICT_PASS, 70, 1000, NULL));
    cr_assert_not(add("b1/0.0", "s1", "matmul", WG_VERDICT_CRASH, 0, 2000, NULL));
    struct wg_store_attempts all = list((struct wg_store_filter){.pick = WG_STORE_ALL});
    cr_assert_eq(all.count, 1);
    cr_assert_eq(all.all[0].verdict, WG_VERDICT_PASS);
    cr_assert_str_eq(all.all[0].name, "");
    wg_store_attempts_done(&all);
}

Test(store, latest_and_best_differ, .init = set_up_open, .fini = tear_down) {
    add("1", "s1", "matmul", WG_VERDICT_PASS, 70, 1000, NULL);
    add("2", "s1", "matmul", WG_VERDICT_WRONG_ANSWER, 30, 2000, NULL);
    add("3", "s1", "matmul", WG_VERDICT_GRADER_ERROR, 99, 3000, NULL);
    add("4", "s1", "vector_add", WG_VERDICT_CRASH, 10, 1500, NULL);
    struct wg_store_attempts latest = list((struct wg_store_filter){.pick = WG_STORE_LATEST});
    cr_assert_eq(latest.count, 2);
    cr_assert_str_eq(latest.all[0].uid, "3");
    cr_assert_eq(latest.all[0].attempts, 3);
    wg_store_attempts_done(&latest);
    struct wg_store_attempts best =
        list((struct wg_store_filter){.pick = WG_STORE_BEST, .assignment = "matmul"});
    cr_assert_eq(best.count, 1);
    cr_assert_str_eq(best.all[0].uid, "1", "our own fault is nobody's best");
    wg_store_attempts_done(&best);
}

Test(store, filters, .init = set_up_open, .fini = tear_down) {
    add("1", "s1", "matmul", WG_VERDICT_PASS, 70, 1000, NULL);
    add("2", "s2", "matmul", WG_VERDICT_CRASH, 0, 2000, NULL);
    add("3", "s1", "matmul", WG_VERDICT_CRASH, 0, 3000, NULL);
    cr_assert_eq(count((struct wg_store_filter){.pick = WG_STORE_ALL}), 3);
    cr_assert_eq(count((struct wg_store_filter){.student = "s1", .pick = WG_STORE_ALL}), 2);
    cr_assert_eq(count((struct wg_store_filter){.verdict = "CRASH"}), 2);
    cr_assert_eq(count((struct wg_store_filter){.verdict = "PASS"}), 0, "it is not the latest");
    cr_assert_eq(count((struct wg_store_filter){.since_s = 2000}), 2);
    cr_assert_eq(count((struct wg_store_filter){.batch = "b2"}), 0);
    cr_assert_eq(count((struct wg_store_filter){.assignment = "x' OR '1'='1"}), 0);
}

Test(store, an_unknown_assignment_stands_until_something_later_is_known, .init = set_up_open,
     .fini = tear_down) {
    add("1", "s1", NULL, WG_VERDICT_FETCH_ERROR, 0, 1000, NULL);
    cr_assert_eq(count((struct wg_store_filter){0}), 1);
    add("2", "s1", "matmul", WG_VERDICT_PASS, 70, 2000, NULL);
    cr_assert_eq(count((struct wg_store_filter){0}), 1);
    cr_assert_eq(count((struct wg_store_filter){.pick = WG_STORE_ALL}), 2);
    add("3", "s1", NULL, WG_VERDICT_FETCH_ERROR, 0, 3000, NULL);
    cr_assert_eq(count((struct wg_store_filter){0}), 2);
}

Test(store, twins_are_other_students_with_the_same_newest_source, .init = set_up_open,
     .fini = tear_down) {
    add("1", "s1", "matmul", WG_VERDICT_PASS, 70, 1000, "n1");
    add("2", "s2", "matmul", WG_VERDICT_PASS, 70, 1000, "n1");
    add("3", "s2", "matmul", WG_VERDICT_PASS, 70, 2000, "n1");
    add("4", "s3", "matmul", WG_VERDICT_PASS, 70, 1000, "n1");
    add("5", "s3", "matmul", WG_VERDICT_PASS, 70, 2000, "n2");
    add("6", "s4", "vector_add", WG_VERDICT_PASS, 70, 2000, "n1");
    add("7", "s5", "matmul", WG_VERDICT_FETCH_ERROR, 0, 2000, NULL);
    add("8", "s6", "matmul", WG_VERDICT_FETCH_ERROR, 0, 2000, NULL);
    const uint32_t wanted[] = {1, 1, 0, 0, 0, 0};
    struct wg_store_attempts latest = list((struct wg_store_filter){0});
    cr_assert_eq(latest.count, 6);
    for (size_t i = 0; i < latest.count; i++) {
        cr_assert_eq(latest.all[i].same_source, wanted[i], "%s: %u", latest.all[i].student,
                     latest.all[i].same_source);
    }
    wg_store_attempts_done(&latest);
}

Test(store, a_class_has_its_results_with_their_sources, .init = set_up_open, .fini = tear_down) {
    add("1", "s1", "matmul", WG_VERDICT_PASS, 70, 1000, NULL);
    struct wg_store_class class = {0};
    cr_assert_eq(wg_store_class_load(store, &(struct wg_store_filter){0}, &class, &err), WG_OK,
                 "%s", err.msg);
    cr_assert_eq(class.class.row_count, 1);
    cr_assert_str_eq(class.class.rows[0].student, "s1");
    cr_assert_str_eq(class.class.rows[0].assignment, "matmul");
    cr_assert_null(class.class.rows[0].name);
    cr_assert_not_null(class.class.rows[0].result);
    cr_assert_eq(class.class.rows[0].result->points, 70);
    cr_assert_str_eq(class.class.rows[0].result->submission.source, "__global__ void k() {}\n");
    wg_store_class_done(&class);
}

Test(store, batches_begin_and_end, .init = set_up_open, .fini = tear_down) {
    struct wg_store_batches open = {0};
    cr_assert_eq(wg_store_batches_unfinished(store, &open, &err), WG_OK);
    cr_assert_eq(open.count, 0);
    cr_assert_eq(wg_store_batch_start(store, "b1", "/spool/b1", &err), WG_OK);
    cr_assert_eq(wg_store_batch_start(store, "b2", "/spool/b2", &err), WG_OK);
    cr_assert_eq(wg_store_batch_start(store, "b2", "/spool/b2", &err), WG_EIO, "ids are unique");
    cr_assert_eq(wg_store_batch_start(store, "b3", "/spool/b3", &err), WG_OK);
    cr_assert_eq(wg_store_batch_finish(store, "b2", &err), WG_OK);
    cr_assert_eq(wg_store_batches_unfinished(store, &open, &err), WG_OK);
    cr_assert_eq(open.count, 2);
    cr_assert_str_eq(open.all[0].id, "b3");
    cr_assert_str_eq(open.all[1].id, "b1");
    cr_assert_str_eq(open.all[1].spool, "/spool/b1");
    wg_store_batches_done(&open);
}

/* ---- Several processes ---- */

enum { WRITERS = 4, ATTEMPTS = 25 };

/* Half of what each adds is added by another one too. */
static int write_many(int writer) {
    char uid[32], student[32];
    if (wg_store_open(path, WG_STORE_CREATE, &store, &err) != WG_OK) {
        return 1;
    }
    for (int i = 0; i < ATTEMPTS; i++) {
        snprintf(uid, sizeof uid, "%d/%d", i % 2 ? writer : writer / 2, i);
        snprintf(student, sizeof student, "s%d", i);
        struct wg_result *result = make_result("matmul", WG_VERDICT_PASS, i, 1000 + i);
        struct wg_store_new about = {.uid = uid, .student = student};
        enum wg_code code = wg_store_add(store, &about, result, NULL, &err);
        wg_result_free(result);
        if (code != WG_OK) {
            return 1;
        }
    }
    wg_store_close(store);
    return 0;
}

Test(store, several_processes_make_and_fill_one, .init = set_up, .fini = tear_down) {
    pid_t writers[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        writers[w] = fork();
        if (writers[w] == 0) {
            _exit(write_many(w));
        }
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = 0;
        waitpid(writers[w], &status, 0);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "writer %d failed", w);
    }
    open_store();
    /* 12 odd ones of 4 writers, 13 even ones of 2 pairs, where writer/2 == 1 and writer 1's odd
       ones never meet. */
    cr_assert_eq(count((struct wg_store_filter){.pick = WG_STORE_ALL}), 12 * 4 + 13 * 2);
    cr_assert_eq(count((struct wg_store_filter){0}), ATTEMPTS);
}

/* ---- Versions ---- */

/* Version 1, as it was: written out here, since the steps in schema.c are what is tested. */
static const char version_1[] =
    "CREATE TABLE attempt (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE,"
    " student TEXT NOT NULL, name TEXT NOT NULL, assignment TEXT NOT NULL, asked TEXT NOT NULL,"
    " verdict TEXT NOT NULL, severity INTEGER NOT NULL, sentence TEXT NOT NULL,"
    " points REAL NOT NULL, max_points REAL NOT NULL, total_points REAL NOT NULL,"
    " score_complete INTEGER NOT NULL, repository TEXT NOT NULL, ref TEXT NOT NULL,"
    " \"commit\" TEXT NOT NULL, tree TEXT NOT NULL, digest TEXT NOT NULL,"
    " platform TEXT NOT NULL, version TEXT NOT NULL, commit_time_s INTEGER NOT NULL,"
    " graded_s INTEGER NOT NULL, deadline_s INTEGER NOT NULL, is_late INTEGER NOT NULL,"
    " wall_ms REAL NOT NULL, json TEXT NOT NULL);"
    "CREATE INDEX attempt_of_student ON attempt (student, assignment, graded_s, id);"
    "INSERT INTO attempt VALUES (1, 'old/1', 's1', 'One', 'matmul', '', 'PASS', 0, 'fine', 70, 70,"
    " 100, 0, '/r', 'main', 'c0', 't0', 'd0', 'cpu', '0.1.0', 900, 1000, 0, 0, 12.5, '{}');"
    "PRAGMA application_id = 1464300404; PRAGMA user_version = 1";

static void execute(const char *sql) {
    sqlite3 *db = NULL;
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

Test(store, version_1_is_brought_up_to_date_with_what_it_holds, .init = set_up, .fini = tear_down) {
    execute(version_1);
    cr_assert_eq(wg_store_open(path, WG_STORE_READ, &store, &err), WG_OK, "%s", err.msg);
    struct wg_store_attempts all = list((struct wg_store_filter){0});
    cr_assert_eq(all.count, 1);
    cr_assert_str_eq(all.all[0].name, "One");
    cr_assert_str_eq(all.all[0].tree, "t0");
    cr_assert_eq(all.all[0].wall_ms, 12.5);
    cr_assert_eq(all.all[0].cpu_ms, 0);
    wg_store_attempts_done(&all);
    cr_assert_eq(wg_store_batch_start(store, "b1", "/spool", &err), WG_OK);
    add("new", "s1", "matmul", WG_VERDICT_PASS, 70, 2000, "n");
    cr_assert_eq(count((struct wg_store_filter){.pick = WG_STORE_ALL}), 2);
    /* An attempt of version 1 has no JSON that we can read, and does not keep the class from it. */
    struct wg_store_class class = {0};
    struct wg_store_filter old = {.pick = WG_STORE_ALL, .student = "s1"};
    cr_assert_eq(wg_store_class_load(store, &old, &class, &err), WG_OK);
    cr_assert_eq(class.class.row_count, 2);
    cr_assert_null(class.class.rows[0].result);
    wg_store_class_done(&class);
}

Test(store, a_newer_version_is_refused_and_left_alone, .init = set_up, .fini = tear_down) {
    execute("CREATE TABLE attempt (x); PRAGMA application_id = 1464300404; "
            "PRAGMA user_version = 99");
    cr_assert_eq(wg_store_open(path, WG_STORE_CREATE, &store, &err), WG_EINVAL);
    cr_assert(strstr(err.msg, "newer wavegrade"), "%s", err.msg);
}

Test(store, what_is_no_store, .init = set_up, .fini = tear_down) {
    cr_assert_eq(wg_store_open(path, WG_STORE_READ, &store, &err), WG_ENOTFOUND);
    cr_assert_eq(wg_store_open(folder, WG_STORE_CREATE, &store, &err), WG_EINVAL);
    cr_assert_eq(wg_store_open("/dev/null", WG_STORE_CREATE, &store, &err), WG_EINVAL);
    cr_assert(strstr(err.msg, "not a regular file"), "%s", err.msg);
    execute("CREATE TABLE bookmarks (url TEXT)");
    cr_assert_eq(wg_store_open(path, WG_STORE_CREATE, &store, &err), WG_EINVAL);
    cr_assert(strstr(err.msg, "another program"), "%s", err.msg);
    char text[4096];
    memset(text, 'x', sizeof text);
    cr_assert_eq(wg_file_write(path, text, sizeof text, 0600, &err), WG_OK);
    cr_assert_eq(wg_store_open(path, WG_STORE_WRITE, &store, &err), WG_EINVAL);
    cr_assert(strstr(err.msg, "not a store"), "%s", err.msg);
}

/* As somebody who owns nothing: root may write everywhere. */
static int read_as_nobody(enum wg_store_mode mode, const char *words) {
    pid_t child = fork();
    if (child == 0) {
        bool is_other = getuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
        enum wg_code code = wg_store_open(path, mode, &store, &err);
        bool is_right = words == NULL ? code == WG_OK && count((struct wg_store_filter){0}) == 1
                                      : code == WG_EINVAL && strstr(err.msg, words) != NULL;
        if (!is_right) {
            fprintf(stderr, "%s\n", err.msg);
        }
        _exit(is_other && is_right ? 0 : 1);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

Test(store, one_in_a_folder_that_is_only_read, .init = set_up, .fini = tear_down) {
    free(path);
    path = wg_path_join(folder, "cl?ass #1%20.db");
    open_store();
    add("1", "s1", "matmul", WG_VERDICT_PASS, 70, 1000, "n");
    cr_assert_eq(chmod(path, 0644), 0);
    WG_CLEANUP(wg_freep) char *log = wg_strf("%s-wal", path);
    WG_CLEANUP(wg_freep) char *index = wg_strf("%s-shm", path);
    cr_assert_eq(chmod(folder, 0555), 0);
    cr_assert_eq(read_as_nobody(WG_STORE_READ, "somebody adds to it"), 0);
    cr_assert_eq(chmod(log, 0644), 0);
    cr_assert_eq(chmod(index, 0644), 0);
    cr_assert_eq(read_as_nobody(WG_STORE_READ, NULL), 0, "with what is in the log");
    cr_assert_eq(chmod(folder, 0755), 0);
    wg_store_close(store);
    store = NULL;
    cr_assert_not(wg_file_exists(log));
    cr_assert_eq(chmod(folder, 0555), 0);
    cr_assert_eq(read_as_nobody(WG_STORE_READ, NULL), 0);
    cr_assert_eq(read_as_nobody(WG_STORE_WRITE, "its folder cannot be written to"), 0);
    cr_assert_eq(chmod(folder, 0755), 0);
}

Test(store, nobody_else_may_read_a_new_one, .init = set_up_open, .fini = tear_down) {
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 077, 0);
}
