/* Gets the one file that an assignment asks for, out of a git repository or a plain folder.
 *
 * Git itself (libgit2) runs in a process of its own, libexec/wavegrade/repo: a server that stops
 * answering, or a repository made to exhaust memory, costs that process and never the grader.
 * wg_paths_init must have been called.
 *
 * A struct wg_submission owns its contents; wg_submission_done frees them. What is wrong with the
 * student's repository is an answer (verdict and sentence), not an error. */
#ifndef WG_REPO_H
#define WG_REPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "grader/base/verdict.h"

struct wg_repo_request {
    const char *location;     /* URL, path of a repository, or path of a folder */
    const char *ref;          /* branch, tag or commit; NULL: the default branch */
    const char *folder;       /* inside the repository; NULL: its root */
    const char *const *files; /* acceptable file names, one an assignment */
    size_t file_count;
    /* limits; 0 means a default that suits coursework */
    int64_t limit_file_bytes;  /* of the file taken */
    int64_t limit_fetch_bytes; /* of the transfer */
    int64_t limit_wall_ns;
    const char *ssh_key; /* private key file, or NULL: agent */
    /* A commit that need not be read again, and its tree; NULL: none. */
    const char *known_commit, *known_tree;
    int64_t known_time_s; /* when it was committed */
    int64_t not_after_s;  /* go back to the last commit of the branch that is not later, by the
                             committer's clock, which may be wrong; 0: take the newest */
};

struct wg_submission {
    enum wg_verdict verdict;   /* PASS, MISSING_FILE or FETCH_ERROR */
    char *sentence;            /* when not PASS */
    int file_index;            /* which of the request's files was found; -1: none, or several */
    char *repository;          /* location without credentials */
    char *ref;                 /* as resolved: "main", "v1", ... */
    char commit[65], tree[65]; /* hex; "" for a plain folder */
    int64_t commit_time_s;
    char *path; /* of the file, relative to the repository or folder */
    struct wg_buf source;
    bool unchanged; /* it is what the request knew: verdict is PASS, nothing was read */
};

/* location: https://, ssh://, user@host:path, file:// or a path of this machine. WG_EIO means that
 * the network, the host or this machine failed, which is not the student's fault; what the student
 * can do something about (no such repository, no access, no such branch) is a FETCH_ERROR.
 * WAVEGRADE_GIT_TOKEN of the environment is offered to the https host named by WAVEGRADE_GIT_HOST
 * ("github.com"), and to no other: addresses come from students. WAVEGRADE_GIT_HOSTS, where it is
 * set, lists the hosts that are read from at all ("github.com git.example.edu file"; "file": paths
 * of this machine); anything else is a FETCH_ERROR. What passes by itself (a network that is down
 * for a moment, a repository that changes while it is read) is tried three times. */
enum wg_code wg_repo_fetch(const struct wg_repo_request *request, struct wg_submission *out,
                           struct wg_err *err);

/* A working folder, no commit needed; location may also be the file itself. request->ref must be
 * NULL. */
enum wg_code wg_repo_read_folder(const struct wg_repo_request *request, struct wg_submission *out,
                                 struct wg_err *err);

void wg_submission_done(struct wg_submission *submission);

#endif
