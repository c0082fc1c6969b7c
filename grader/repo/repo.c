/* The grader's side of fetching: one reader process a submission.
 *
 * The reader is untrusted in so far as it has parsed hostile bytes: its answer is bounded and
 * checked (wire.c), and it is killed at the time limit. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/repo/internal.h"

#define DEFAULT_FILE_BYTES  ((int64_t)1 << 20)
#define DEFAULT_FETCH_BYTES ((int64_t)256 << 20)
#define DEFAULT_WALL_NS     ((int64_t)120 * 1000000000)
#define ANSWER_EXTRA_BYTES  ((int64_t)1 << 16) /* beside the file itself */

/* Before another try, where one may help. */
static const int64_t pauses_ns[] = {300000000, 1500000000};

struct conversation {
    pid_t pid;
    int fd; /* a socket, both ways; 0 and 1 of the reader */
    struct wg_buf answer;
};

/* What the reader may know of our environment: where keys and certificates are, and proxies. */
static char **reader_environment(void) {
    static const char *const passed[] = {"HOME",
                                         "SSH_AUTH_SOCK",
                                         "SSL_CERT_FILE",
                                         "SSL_CERT_DIR",
                                         "https_proxy",
                                         "HTTPS_PROXY",
                                         "no_proxy",
                                         "NO_PROXY",
                                         "WAVEGRADE_GIT_HOST",
                                         "WAVEGRADE_GIT_HOSTS",
                                         "WAVEGRADE_GIT_TOKEN"};
    size_t count = sizeof passed / sizeof passed[0], used = 0;
    char **env = wg_calloc(count + 1, sizeof *env);
    for (size_t i = 0; i < count; i++) {
        const char *value = getenv(passed[i]);
        if (value != NULL) {
            env[used++] = wg_strf("%s=%s", passed[i], value);
        }
    }
    return env;
}

static void free_environment(char **env) {
    for (size_t i = 0; env[i] != NULL; i++) {
        free(env[i]);
    }
    free(env);
}

static enum wg_code start_reader(struct conversation *talk, struct wg_err *err) {
    if (wg_paths_libexec() == NULL) {
        return wg_fail(err, WG_EINTERNAL, "repo: wg_paths_init was not called");
    }
    WG_CLEANUP(wg_freep) char *program = wg_path_join(wg_paths_libexec(), WG_REPO_READER);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return wg_fail(err, WG_EIO, "open a socket pair");
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pair[1], 0);
    posix_spawn_file_actions_adddup2(&actions, pair[1], 1);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    char *argv[] = {program, NULL};
    char **env = reader_environment();
    int failed = posix_spawn(&talk->pid, program, &actions, &attributes, argv, env);
    free_environment(env);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(pair[1]);
    if (failed != 0) {
        close(pair[0]);
        errno = failed;
        return wg_fail(err, WG_EIO, "run '%s'", program);
    }
    talk->fd = pair[0];
    return WG_OK;
}

static bool send_all(int fd, const struct wg_buf *bytes) {
    for (size_t done = 0; done < bytes->len;) {
        ssize_t put = send(fd, bytes->data + done, bytes->len - done, MSG_NOSIGNAL);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        done += put > 0 ? (size_t)put : 0;
    }
    return shutdown(fd, SHUT_WR) == 0;
}

/* Reads to the end of the answer. Errors: WG_ELIMIT past the deadline, WG_EPROTO when it is too
 * long. */
static enum wg_code receive_all(struct conversation *talk, int64_t deadline_ns, size_t limit_bytes,
                                struct wg_err *err) {
    char chunk[16384];
    for (;;) {
        int64_t left_ns = deadline_ns - wg_clock_mono_ns();
        if (left_ns <= 0) {
            return wg_fail(err, WG_ELIMIT, "out of time");
        }
        struct pollfd one = {.fd = talk->fd, .events = POLLIN};
        int64_t left_ms = left_ns / 1000000 + 1;
        if (poll(&one, 1, left_ms > 1000000 ? 1000000 : (int)left_ms) <= 0) {
            continue;
        }
        ssize_t got = recv(talk->fd, chunk, sizeof chunk, MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (got <= 0) {
            return WG_OK; /* an answer cut off by a reset is no answer: wire.c will tell */
        }
        if (talk->answer.len + (size_t)got > limit_bytes) {
            return wg_fail(err, WG_EPROTO, "the repository reader's answer is too long");
        }
        wg_buf_add(&talk->answer, chunk, (size_t)got);
    }
}

static int bury(struct conversation *talk) {
    int status = 0;
    close(talk->fd);
    kill(talk->pid, SIGKILL); /* not reaped yet, so the id is still its own */
    while (waitpid(talk->pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* The reader ended without an answer. */
static enum wg_code explain_silence(int status, struct wg_err *err) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) { /* a mapped file became shorter */
        return wg_fail(err, WG_EINTERNAL,
                       "the repository changed while it was read, or its disk has errors");
    }
    return WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL
               ? wg_fail(err, WG_EINTERNAL, "the repository reader died of signal %d",
                         WTERMSIG(status))
               : wg_fail(err, WG_EINTERNAL, "the repository reader gave no answer");
}

/* *is_passing: trying again may help. */
static enum wg_code converse(const struct wg_repo_request *request, const char *workspace,
                             int64_t deadline_ns, struct wg_submission *out, bool *is_passing,
                             struct wg_err *err) {
    struct conversation talk = {.fd = -1};
    enum wg_code code = start_reader(&talk, err);
    if (talk.fd < 0) {
        return code;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf question = {0};
    wg_wire_put_request(&question, request, workspace);
    send_all(talk.fd, &question); /* a reader that is gone gives no answer, which is told below */
    code = receive_all(&talk, deadline_ns, (size_t)(request->limit_file_bytes + ANSWER_EXTRA_BYTES),
                       err);
    int status = bury(&talk);
    if (code == WG_OK && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
        out->file_index = -1;
        out->repository = wg_location_shown(request->location);
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR,
                             "reading %s does not come to an end: its objects are damaged, or made "
                             "to keep a reader busy; clone it afresh and push that",
                             out->repository);
    } else if (code == WG_OK && !wg_wire_get_answer(&talk.answer, &code, err, out)) {
        code = explain_silence(status, err);
        *is_passing = true;
    }
    /* The reader found a fault of the network or this machine: the same may work a moment later. */
    *is_passing |= code == WG_EIO && wg_location_kind(request->location) != WG_LOCATION_PATH;
    wg_buf_done(&talk.answer);
    return code;
}

static enum wg_code check_request(const struct wg_repo_request *request, struct wg_err *err) {
    enum wg_code code = wg_location_check(request->location, err);
    code = code ? code : wg_location_check_ref(request->ref, err);
    return code ? code : wg_location_check_folder(request->folder, err);
}

static struct wg_repo_request with_defaults(const struct wg_repo_request *request) {
    struct wg_repo_request full = *request;
    full.limit_file_bytes = full.limit_file_bytes > 0 ? full.limit_file_bytes : DEFAULT_FILE_BYTES;
    full.limit_fetch_bytes =
        full.limit_fetch_bytes > 0 ? full.limit_fetch_bytes : DEFAULT_FETCH_BYTES;
    full.limit_wall_ns = full.limit_wall_ns > 0 ? full.limit_wall_ns : DEFAULT_WALL_NS;
    return full;
}

/* Each try has a workspace of its own: the one before may have left half a transfer. */
static enum wg_code try_once(const struct wg_repo_request *request, int64_t deadline_ns,
                             struct wg_submission *out, bool *is_passing, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *workspace = NULL;
    enum wg_code code = wg_folder_make_temp("wavegrade-repo", &workspace, err);
    if (code == WG_OK) {
        code = converse(request, workspace, deadline_ns, out, is_passing, err);
        /* Leftovers in a temporary folder are no reason to withhold a grade. */
        (void)wg_folder_remove(workspace, NULL);
    }
    return code;
}

static enum wg_code try_all(const struct wg_repo_request *request, struct wg_submission *out,
                            struct wg_err *err) {
    int64_t deadline_ns = wg_clock_mono_ns() + request->limit_wall_ns;
    enum wg_code code = WG_OK;
    for (size_t i = 0;; i++) {
        bool is_passing = false;
        code = try_once(request, deadline_ns, out, &is_passing, err);
        if (code == WG_OK || !is_passing || i == sizeof pauses_ns / sizeof pauses_ns[0] ||
            wg_clock_mono_ns() + pauses_ns[i] > deadline_ns) {
            return code;
        }
        const struct timespec pause = {.tv_sec = pauses_ns[i] / 1000000000,
                                       .tv_nsec = pauses_ns[i] % 1000000000};
        nanosleep(&pause, NULL);
    }
}

static void answer_forbidden(const struct wg_repo_request *request, const char *hosts,
                             struct wg_submission *out) {
    *out = (struct wg_submission){.file_index = -1,
                                  .repository = wg_location_shown(request->location)};
    wg_submission_answer(out, WG_VERDICT_FETCH_ERROR,
                         "repositories are read from %s only, and %s is none of these", hosts,
                         out->repository);
}

static enum wg_code check_access(const struct wg_repo_request *request, bool with_objects,
                                 struct wg_err *err) {
    if (wg_location_kind(request->location) != WG_LOCATION_PATH) {
        return WG_OK;
    }
    WG_CLEANUP(wg_freep) char *path = wg_location_path(request->location);
    return wg_access_check_repository(path, with_objects, err);
}

enum wg_code wg_repo_fetch(const struct wg_repo_request *request, struct wg_submission *out,
                           struct wg_err *err) {
    enum wg_code code = check_request(request, err);
    if (code != WG_OK) {
        return code;
    }
    const char *hosts = getenv("WAVEGRADE_GIT_HOSTS");
    if (!wg_location_is_allowed(request->location, hosts)) {
        answer_forbidden(request, hosts, out);
        return WG_OK;
    }
    struct wg_repo_request full = with_defaults(request);
    if (wg_repo_peek(request)) {
        *out = (struct wg_submission){.unchanged = true,
                                      .file_index = -1,
                                      .repository = wg_location_shown(request->location),
                                      .commit_time_s = request->known_time_s};
        memcpy(out->commit, request->known_commit, strlen(request->known_commit) + 1);
        return WG_OK;
    }
    code = check_access(request, false, err);
    code = code ? code : try_all(&full, out, err);
    if (code == WG_OK && out->verdict != WG_VERDICT_PASS &&
        check_access(request, true, err) != WG_OK) {
        wg_submission_done(out);
        code = WG_EIO;
    }
    if (code == WG_ELIMIT) {
        WG_CLEANUP(wg_freep) char *shown = wg_location_shown(request->location);
        errno = ETIMEDOUT;
        code = wg_fail(err, WG_EIO, "read %.100s within %lld s", shown,
                       (long long)(full.limit_wall_ns / 1000000000));
    }
    return code;
}
