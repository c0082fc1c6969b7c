/* Private to grader/repo: what the grader's side and the reader process share. */
#ifndef WG_REPO_INTERNAL_H
#define WG_REPO_INTERNAL_H

#include <stdbool.h>

#include "grader/repo/location.h"
#include "grader/repo/repo.h"

#define WG_REPO_READER "repo" /* below libexec */

/* ---- location.c ---- */

enum wg_location_kind {
    WG_LOCATION_PATH, /* also file:// */
    WG_LOCATION_HTTPS,
    WG_LOCATION_SSH,   /* ssh:// and user@host:path */
    WG_LOCATION_OTHER, /* a scheme that is not accepted */
};
enum wg_location_kind wg_location_kind(const char *location);
/* Heap: the path of a WG_LOCATION_PATH, as the file system knows it. */
char *wg_location_path(const char *location);
/* Heap: without user and password (ssh: without password), valid UTF-8. */
char *wg_location_shown(const char *location);

/* Whether an https URL leads to exactly this host (with port, if it has one). False for every URL
 * that two parsers could read differently: this decides who is shown a password. */
bool wg_location_has_host(const char *url, const char *host);

/* Whether a list of hosts ("github.com, git.example.edu"; "file" stands for paths of this machine)
 * has the one of this location. NULL and an empty list allow everything. */
bool wg_location_is_allowed(const char *location, const char *hosts);

/* Heap: text (a library's words) without the location's user and password and without the token. */
char *wg_location_scrub(const char *text, const char *location, const char *token);

/* Heap: folder without "." and empty parts and slashes at its ends ("" for the root). NULL when a
 * part is "..". */
char *wg_folder_normalize(const char *folder);
/* "hw1/vector_add.hip" given as the folder means its folder: cuts the name of a wanted file off. */
void wg_folder_drop_file(const struct wg_repo_request *request, char *folder);

/* ---- access.c ---- */

/* All return WG_EIO with errno EACCES for what the grader's user may not read. The way is every
 * folder that the path leads through, and the folder itself. */
enum wg_code wg_access_fail(const char *path, struct wg_err *err);
enum wg_code wg_access_check_way(const char *path, struct wg_err *err);
/* HEAD, refs and what else decides about the commit; with_objects: everything. */
enum wg_code wg_access_check_repository(const char *path, bool with_objects, struct wg_err *err);

/* ---- peek.c ---- */

/* True: the repository is on this machine and its branch is the request's known commit. False says
 * nothing. */
bool wg_repo_peek(const struct wg_repo_request *request);

/* ---- missing.c ---- */

/* What was seen while looking for the file. */
struct wg_sighting {
    char *path; /* relative to the top */
    bool exact; /* the name is right; else only upper and lower case differ */
};
struct wg_search {
    const struct wg_repo_request *request;
    const char *folder; /* normalized; "" is the root */
    const char *where;  /* "the repository", "the folder": for sentences */
    /* names of files in the folder itself, for "did you mean" */
    char **neighbours;
    size_t neighbour_count;
    struct wg_sighting *sightings;
    size_t sighting_count;
    char *nested;      /* a repository in the repository, relative to the top; NULL: none */
    bool cut;          /* there was more to look at than we look at */
    bool skips_hidden; /* folders like ".cache" were not looked into */
};
void wg_search_done(struct wg_search *search);
/* Both ignore what does not matter and more than a bounded number. */
void wg_search_add_neighbour(struct wg_search *search, const char *name);
void wg_search_add_file(struct wg_search *search, const char *path);
void wg_search_add_nested(struct wg_search *search, const char *path);

/* Sets MISSING_FILE and the sentence. */
void wg_search_explain(const struct wg_search *search, struct wg_submission *out);

/* Sets a verdict other than PASS and its sentence. */
void wg_submission_answer(struct wg_submission *out, enum wg_verdict verdict, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Judges the bytes of the file that was found at out->path: Git LFS pointers become MISSING_FILE.
 */
void wg_submission_judge_source(struct wg_submission *out);
void wg_submission_answer_too_large(struct wg_submission *out, int64_t bytes, int64_t limit_bytes);

/* More than one of the request's files is there: first and second are two of their names. */
void wg_submission_answer_several(struct wg_submission *out, const char *first, const char *second);

/* ---- wire.c ---- */

/* Both directions are one message: fields with their lengths, in a fixed order. Reading checks
 * everything: the reader has handled hostile bytes. */
void wg_wire_put_request(struct wg_buf *out, const struct wg_repo_request *request,
                         const char *workspace);
struct wg_wire_request {
    struct wg_repo_request request;
    char *workspace; /* an empty private folder for what is fetched */
    char **owned;
    size_t owned_count;
};
bool wg_wire_get_request(const struct wg_buf *from, struct wg_wire_request *out);
void wg_wire_request_done(struct wg_wire_request *request);

void wg_wire_put_answer(struct wg_buf *out, enum wg_code code, const struct wg_err *err,
                        const struct wg_submission *submission);
/* False when the bytes are no answer; otherwise *code, and *err or *submission. */
bool wg_wire_get_answer(const struct wg_buf *from, enum wg_code *code, struct wg_err *err,
                        struct wg_submission *submission);

#endif
