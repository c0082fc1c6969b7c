/* One measured process: a harness in its jail, three shared files and a socket.
 *
 * The process is the student's as soon as its library is loaded. Everything that comes from it is
 * therefore a claim: replies are checked field by field, and the shared files never change size.
 * GIVEN cannot be written from inside, whatever is done to its descriptor (it is sealed). A session
 * is a heap object that wg_session_finish frees. */
#ifndef WG_CHECK_SESSION_H
#define WG_CHECK_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/err.h"
#include "reference/harness/protocol.h"
#include "sandbox/jail/jail.h"
#include "sandbox/platform/report.h"

struct wg_session_spec {
    const char *harness;    /* inside the jail: "/wg/libexec/cpu/harness" */
    const char *student;    /* library, outside */
    const char *baseline;   /* likewise, or NULL */
    const char *probe;      /* likewise, or NULL */
    const char *const *env; /* NULL-terminated; may be NULL */
    const char *platform;   /* whose device the harness uses; NULL: none */
    size_t shared_bytes;    /* of GIVEN and of TAKEN */
    struct wg_jail_limits limits;
};

struct wg_session;

enum wg_answer {
    WG_ANSWER_REPLY,   /* *reply is filled and well-formed */
    WG_ANSWER_LATE,    /* nothing until the deadline */
    WG_ANSWER_ENDED,   /* the process is gone */
    WG_ANSWER_GARBLED, /* something else than a reply came, or one that nobody asked for */
};

/* Errors are ours and the machine's. */
enum wg_code wg_session_start(const struct wg_session_spec *spec, struct wg_session **out,
                              struct wg_err *err);

/* Sends the request (magic is filled in) and waits until deadline_ns of the monotonic clock, and
 * longer where the machine did not let the process run meanwhile (wg_jail_charged); where that is
 * too long, the answer is late and wg_session_finish fails. */
enum wg_answer wg_session_ask(struct wg_session *session, struct wg_request *request,
                              int64_t deadline_ns, struct wg_reply *reply);

/* Is this datagram a reply to op? Pure; *out is filled when it is. Numbers that a time is made from
 * are finite and not negative then; what they say is still a claim. */
bool wg_session_read_reply(const void *bytes, size_t len, uint32_t op, struct wg_reply *out);

/* Ours to write. */
uint8_t *wg_session_given(struct wg_session *session);
/* Makes TAKEN what GIVEN is. Before each call: where nothing is copied out, because the submission
 * broke the device, nothing of an earlier call may be mistaken for its result. */
void wg_session_reset_taken(struct wg_session *session, size_t bytes);
/* May change under our hands: copy first, then look. */
const uint8_t *wg_session_taken(const struct wg_session *session);
/* Likewise. */
const struct wg_report *wg_session_report(const struct wg_session *session);

/* Errors: the jail's; a machine too busy to tell. Ends the process (kill: at once; else it is asked
 * to, and killed when it does not), says how it ended, and frees session. The caller frees *end
 * with wg_jail_result_done. */
enum wg_code wg_session_finish(struct wg_session *session, bool kill, struct wg_jail_result *end,
                               struct wg_err *err);

#endif
