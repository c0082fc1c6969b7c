#include "grader/check/session.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/paths.h"
#include "sandbox/platform/needs.h"

enum { ENV_MAX = 16 };

/* The socket is watched in slices: its other end may be kept open by a process that is not the
 * harness, so the end of the jail is looked at as well. */
static const int64_t slice_ns = 20000000;

/* How long a process that was asked to end, or whose socket broke, may take. */
static const int64_t grace_ns = 500000000;

struct shared_file {
    int fd;
    void *bytes;
    size_t len;
};

struct wg_session {
    struct wg_jail *jail;
    int control;
    bool was_busy; /* the machine: it did not let the process answer */
    struct shared_file given, taken, report;
};

static void close_file(struct shared_file *file) {
    if (file->bytes != NULL) {
        munmap(file->bytes, file->len);
    }
    wg_closep(&file->fd);
    *file = (struct shared_file){.fd = -1};
}

/* An anonymous file, mapped here, that can change neither size nor (when read_only) contents from
 * anywhere but this mapping. */
static enum wg_code open_file(const char *name, size_t len, bool read_only, struct shared_file *out,
                              struct wg_err *err) {
    struct shared_file file = {.fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING),
                               .len = len};
    if (file.fd < 0 || ftruncate(file.fd, (off_t)len) != 0) {
        wg_closep(&file.fd);
        return wg_fail(err, WG_EIO, "make a shared file of %zu bytes", len);
    }
    void *bytes = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (read_only ? F_SEAL_FUTURE_WRITE : 0);
    if (bytes == MAP_FAILED) {
        wg_closep(&file.fd);
        return wg_fail(err, WG_EIO, "map a shared file of %zu bytes", len);
    }
    file.bytes = bytes;
    if (fcntl(file.fd, F_ADD_SEALS, seals) != 0) {
        wg_fail(err, WG_EIO, "seal a shared file");
        close_file(&file);
        return WG_EIO;
    }
    *out = file;
    return WG_OK;
}

static void free_session(struct wg_session *session) {
    wg_closep(&session->control);
    close_file(&session->given);
    close_file(&session->taken);
    close_file(&session->report);
    free(session);
}

static enum wg_code open_files(const struct wg_session_spec *spec, struct wg_session *session,
                               struct wg_err *err) {
    enum wg_code code = open_file("given", spec->shared_bytes, true, &session->given, err);
    if (code == WG_OK) {
        code = open_file("taken", spec->shared_bytes, false, &session->taken, err);
    }
    if (code == WG_OK) {
        code = open_file("report", sizeof(struct wg_report), false, &session->report, err);
    }
    return code;
}

static enum wg_code start_jail(const struct wg_session_spec *spec, struct wg_session *session,
                               int inside, struct wg_err *err) {
    const char *const argv[] = {spec->harness, WG_JAIL_STUDENT, WG_JAIL_BASELINE, WG_JAIL_PROBE,
                                NULL};
    const struct wg_needs *needs = wg_needs_of_run(spec->platform == NULL ? "" : spec->platform);
    struct wg_jail_bind binds[4 + WG_NEEDS_MAX] = {
        {.source = wg_paths_libexec(), .target = "/wg/libexec"},
        {.source = spec->student, .target = WG_JAIL_STUDENT},
    };
    size_t bind_count = 2;
    if (spec->baseline != NULL) {
        binds[bind_count++] =
            (struct wg_jail_bind){.source = spec->baseline, .target = WG_JAIL_BASELINE};
    }
    if (spec->probe != NULL) {
        binds[bind_count++] = (struct wg_jail_bind){.source = spec->probe, .target = WG_JAIL_PROBE};
    }
    memcpy(binds + bind_count, needs->binds, needs->bind_count * sizeof binds[0]);
    const char *env[ENV_MAX + WG_NEEDS_MAX] = {NULL};
    size_t env_count = 0;
    while (spec->env != NULL && spec->env[env_count] != NULL && env_count < ENV_MAX) {
        env[env_count] = spec->env[env_count];
        env_count++;
    }
    memcpy(env + env_count, needs->env, sizeof needs->env);
    const struct wg_jail_fd fds[] = {
        {.source = inside, .target = WG_FD_CONTROL},
        {.source = session->given.fd, .target = WG_FD_GIVEN},
        {.source = session->taken.fd, .target = WG_FD_TAKEN},
        {.source = session->report.fd, .target = WG_FD_REPORT},
    };
    const struct wg_jail_spec jail = {
        .argv = argv,
        .env = env,
        .binds = binds,
        .bind_count = bind_count + needs->bind_count,
        .fds = fds,
        .fd_count = sizeof fds / sizeof fds[0],
        .workdir = "/tmp",
        .without_programs = true,
        .limits = spec->limits,
    };
    return wg_jail_start(&jail, &session->jail, err);
}

enum wg_code wg_session_start(const struct wg_session_spec *spec, struct wg_session **out,
                              struct wg_err *err) {
    struct wg_session *session = wg_calloc(1, sizeof *session);
    *session = (struct wg_session){
        .control = -1, .given = {.fd = -1}, .taken = {.fd = -1}, .report = {.fd = -1}};
    int pair[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        wg_fail(err, WG_EIO, "make a socket pair");
        free_session(session);
        return WG_EIO;
    }
    session->control = pair[0];
    enum wg_code code = open_files(spec, session, err);
    if (code == WG_OK) {
        code = start_jail(spec, session, pair[1], err);
    }
    wg_closep(&pair[1]);
    if (code != WG_OK) {
        free_session(session);
        return code;
    }
    *out = session;
    return WG_OK;
}

/* What the process may still take: the limit is on time in which the machine let it run. */
static int64_t time_left(struct wg_session *session, int64_t limit_ns, int64_t start_ns,
                         int64_t charged_before_ns) {
    int64_t now_ns = wg_clock_mono_ns();
    int64_t left_ns = start_ns + limit_ns - now_ns;
    if (left_ns > 0) {
        return left_ns;
    }
    left_ns = limit_ns - (wg_jail_charged(session->jail).charged_ns - charged_before_ns);
    if (left_ns > 0 && now_ns - start_ns > wg_jail_patience_ns(limit_ns)) {
        session->was_busy = true;
        return 0;
    }
    return left_ns;
}

/* Waits until something can be read. False: the deadline or the process's end came first. */
static bool wait_readable(struct wg_session *session, int64_t deadline_ns) {
    bool was_ended = false;
    int64_t start_ns = wg_clock_mono_ns();
    struct wg_jail_time before = wg_jail_charged(session->jail);
    int64_t charged_before_ns = before.charged_ns + start_ns - before.until_ns;
    for (;;) {
        int64_t left_ns = time_left(session, deadline_ns - start_ns, start_ns, charged_before_ns);
        int64_t wait_ns = left_ns < slice_ns ? left_ns : slice_ns;
        struct pollfd control = {.fd = session->control, .events = POLLIN};
        int ready = poll(&control, 1, wait_ns <= 0 ? 0 : (int)((wait_ns + 999999) / 1000000));
        if (ready > 0) {
            return true;
        }
        /* What was sent just before the end is still read: one more look after it. */
        if (was_ended || left_ns <= 0) {
            return false;
        }
        was_ended = wg_jail_ended(session->jail);
    }
}

static bool is_text(const char *text, size_t size) {
    return memchr(text, '\0', size) != NULL;
}

bool wg_session_read_reply(const void *bytes, size_t len, uint32_t op, struct wg_reply *out) {
    struct wg_reply reply;
    if (len != sizeof reply) {
        return false;
    }
    memcpy(&reply, bytes, sizeof reply);
    bool is_one = reply.magic == WG_PROTOCOL_MAGIC && reply.op == op &&
                  reply.status >= WG_STATUS_OK && reply.status <= WG_STATUS_BAD_REQUEST &&
                  is_text(reply.hip_error_name, sizeof reply.hip_error_name) &&
                  is_text(reply.text, sizeof reply.text) &&
                  is_text(reply.arch, sizeof reply.arch) && isfinite(reply.event_ms) &&
                  reply.event_ms >= 0;
    if (is_one) {
        *out = reply;
    }
    return is_one;
}

enum wg_answer wg_session_ask(struct wg_session *session, struct wg_request *request,
                              int64_t deadline_ns, struct wg_reply *reply) {
    char stray;
    request->magic = WG_PROTOCOL_MAGIC;
    /* A reply that lies there already answers nothing that was asked. */
    if (recv(session->control, &stray, 1, MSG_DONTWAIT | MSG_PEEK) > 0) {
        return WG_ANSWER_GARBLED;
    }
    if (send(session->control, request, sizeof *request, MSG_NOSIGNAL | MSG_DONTWAIT) !=
        (ssize_t)sizeof *request) {
        return WG_ANSWER_ENDED;
    }
    if (!wait_readable(session, deadline_ns)) {
        return wg_jail_ended(session->jail) ? WG_ANSWER_ENDED : WG_ANSWER_LATE;
    }
    struct wg_reply got;
    ssize_t len = recv(session->control, &got, sizeof got, MSG_DONTWAIT | MSG_TRUNC);
    if (len == 0 || (len < 0 && errno == ECONNRESET)) {
        return WG_ANSWER_ENDED;
    }
    return len > 0 && wg_session_read_reply(&got, (size_t)len, request->op, reply)
               ? WG_ANSWER_REPLY
               : WG_ANSWER_GARBLED;
}

uint8_t *wg_session_given(struct wg_session *session) {
    return session->given.bytes;
}

void wg_session_reset_taken(struct wg_session *session, size_t bytes) {
    memcpy(session->taken.bytes, session->given.bytes, bytes);
}

const uint8_t *wg_session_taken(const struct wg_session *session) {
    return session->taken.bytes;
}

const struct wg_report *wg_session_report(const struct wg_session *session) {
    return session->report.bytes;
}

enum wg_code wg_session_finish(struct wg_session *session, bool kill, struct wg_jail_result *end,
                               struct wg_err *err) {
    /* A closed socket means WG_OP_QUIT. */
    wg_closep(&session->control);
    int64_t deadline_ns = wg_clock_mono_ns() + grace_ns;
    while (!kill && !wg_jail_ended(session->jail)) {
        kill = wg_clock_mono_ns() > deadline_ns;
        const struct timespec pause = {.tv_nsec = 1000000};
        nanosleep(&pause, NULL);
    }
    if (!wg_jail_ended(session->jail)) {
        wg_jail_kill(session->jail);
    }
    enum wg_code code = wg_jail_finish(session->jail, end, err);
    if (code == WG_OK && session->was_busy) {
        wg_jail_result_done(end);
        code = wg_jail_fail_busy(err);
    }
    free_session(session);
    return code;
}
