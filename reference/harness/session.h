/* What the parent may ask for, and the state between two requests. */
#ifndef WG_HARNESS_SESSION_H
#define WG_HARNESS_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "reference/harness/call.h"
#include "reference/harness/protocol.h"

#define WG_LIBRARY_COUNT 3 /* the BLAS comes last and is none of ours */

/* An argument's image: where it lies in the shared files and on the device. */
struct wg_staged_image {
    void *device;
    size_t offset, bytes, guard_bytes;
    bool is_given; /* is copied in */
};

struct wg_work {
    struct wg_call call;
    struct wg_staged_image images[WG_MAX_ARGS]; /* of buffers, in order */
    size_t image_count;
    uint8_t image_of_arg[WG_MAX_ARGS]; /* WG_MAX_ARGS: a scalar */
};

struct wg_session {
    const char *library_paths[WG_LIBRARY_COUNT]; /* by enum wg_subject */
    const unsigned char *given;                  /* mapped read-only */
    size_t given_bytes;
    unsigned char *taken;
    size_t taken_bytes;
    struct {
        void *library;
        enum wg_entry_kind kind;
        void *entry;
    } subjects[WG_SUBJECT_COUNT];
    struct wg_work staged[WG_MAX_SETS]; /* the last of each set; TAKE reads from them */
    struct wg_work *next;               /* what TIME calls; NULL: nothing is staged */
    uint32_t next_subject;
    int64_t others_ns; /* that other threads worked while nothing was asked, since the last TIME */
    void *scratch;     /* read to empty the caches */
    size_t scratch_bytes;
};

/* Does what the request says and fills the reply, which comes zeroed. Requests are checked as if
 * they were hostile, although they come from the trusted side: a mistake there must show. */
void wg_session_answer(struct wg_session *session, const struct wg_request *request,
                       struct wg_reply *reply);

/* ---- Between session.c and timed.c ---- */

uint64_t wg_session_now_ns(void);
/* Processor time of all threads but this one. Both of its clocks may go in steps of milliseconds,
 * so that a single difference means little, and can be negative. */
int64_t wg_session_others_ns(void);
void wg_session_refuse(struct wg_reply *reply, enum wg_status status, const char *text);
void wg_session_refuse_device(struct wg_reply *reply, enum wg_status status, int error,
                              const char *text);
/* Keeps the first error that the submission left behind. */
void wg_session_note_error(struct wg_reply *reply, int error);
bool wg_session_range_fits(uint64_t offset, uint64_t bytes, size_t limit);
/* Allocates buffers and puts the call together. False: *reply says why not. */
bool wg_session_prepare(struct wg_session *session, const struct wg_request *request,
                        struct wg_work *work, struct wg_reply *reply);

void wg_timed_stage(struct wg_session *session, const struct wg_request *request,
                    struct wg_reply *reply);
void wg_timed_call(struct wg_session *session, const struct wg_request *request,
                   struct wg_reply *reply);
void wg_timed_take(const struct wg_session *session, const struct wg_request *request,
                   struct wg_reply *reply);

#endif
