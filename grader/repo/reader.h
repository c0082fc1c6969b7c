/* Private to the reader process: what its files share. One submission is read per process. */
#ifndef WG_REPO_READER_H
#define WG_REPO_READER_H

#include <git2.h>

#include "grader/repo/internal.h"

struct wg_reader {
    const struct wg_repo_request *request;
    const char *workspace;
    struct wg_submission *out;
    struct wg_err *err;
    git_repository *repo;
    git_commit *commit;
};

/* Each step returns WG_OK and leaves out->verdict at PASS when the next one may follow; an answer
 * other than PASS or an error ends the reading. */

/* reader_confine.c: from here on this process opens nothing but the repository at this path. */
void wg_reader_confine(const char *path);

/* reader_run.c: libgit2's settings for this process, before anything else; then all the steps. */
void wg_reader_configure_git(const char *workspace);
enum wg_code wg_reader_read(struct wg_reader *reader);

/* reader_open.c: opens a repository of this machine; finds the commit that the ref names. */
enum wg_code wg_reader_open_path(struct wg_reader *reader);
enum wg_code wg_reader_resolve(struct wg_reader *reader);
/* Answers that the ref does not exist, naming what does. names: "main", "v1", ... */
void wg_reader_answer_no_ref(struct wg_reader *reader, const char *const *names, size_t count);
void wg_reader_answer_empty(struct wg_reader *reader);

/* reader_fetch.c: fetches into the workspace. */
enum wg_code wg_reader_fetch(struct wg_reader *reader);

/* reader_fault.c: whose fault a failed transfer is. */
enum wg_fetch_fault { WG_FAULT_MACHINE, WG_FAULT_ACCESS, WG_FAULT_ABSENT, WG_FAULT_REPOSITORY };
enum wg_fetch_fault wg_fetch_fault(int rc, int error_class, const char *message);

/* reader_tree.c: reads the file from the commit's tree. */
enum wg_code wg_reader_find_file(struct wg_reader *reader);

/* The last libgit2 error's text; never NULL. */
const char *wg_reader_git_words(void);

#endif
