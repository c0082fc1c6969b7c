/* Private to this folder, the only one that includes sqlite3.h. */
#ifndef WG_STORE_INTERNAL_H
#define WG_STORE_INTERNAL_H

#include <sqlite3.h>

#include "grader/store/store.h"

struct wg_store {
    sqlite3 *db;
    char *path; /* for messages */
};

/* WG_EIO with what SQLite says last. */
enum wg_code wg_store_fail(const struct wg_store *store, struct wg_err *err);

enum wg_code wg_store_run(struct wg_store *store, const char *sql, struct wg_err *err);

/* One statement. NULL after an error. */
sqlite3_stmt *wg_store_prepare(struct wg_store *store, const char *sql, struct wg_err *err);
static inline void wg_store_finalize(sqlite3_stmt **statement) {
    sqlite3_finalize(*statement);
}

/* By the parameter's name in the statement (":student"); a NULL text is "". */
void wg_store_bind_text(sqlite3_stmt *statement, const char *name, const char *text);
void wg_store_bind_int(sqlite3_stmt *statement, const char *name, int64_t value);
void wg_store_bind_double(sqlite3_stmt *statement, const char *name, double value);

/* Heap: a column's text, "" for NULL. */
char *wg_store_column(sqlite3_stmt *statement, int column);

/* schema.c: brings an opened database to the newest version. */
enum wg_code wg_store_migrate(struct wg_store *store, struct wg_err *err);

#endif
