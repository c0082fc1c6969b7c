/* What the parent may ask for, and the state between two requests. */
#ifndef WG_HARNESS_SESSION_H
#define WG_HARNESS_SESSION_H

#include <stddef.h>

#include "reference/harness/protocol.h"

struct wg_session {
    const char *library_paths[2]; /* by enum wg_subject */
    const unsigned char *given;   /* mapped read-only */
    size_t given_bytes;
    unsigned char *taken;
    size_t taken_bytes;
    struct {
        void *library;
        enum wg_entry_kind kind;
        void *entry;
    } subjects[2];
};

/* Does what the request says and fills the reply, which comes zeroed. Requests are checked as if
 * they were hostile, although they come from the trusted side: a mistake there must show. */
void wg_session_answer(struct wg_session *session, const struct wg_request *request,
                       struct wg_reply *reply);

#endif
