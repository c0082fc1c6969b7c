/* Measured calls.
 *
 * A call is measured between two events of the default stream. Three things around it matter more
 * than the events:
 *
 * - Before it, nothing runs: STAGE waits for the whole device. Then a short read of scratch memory
 *   keeps the device busy while the host hands over event, call and event, so that what is measured
 *   is the device's time and not the host's. It is a few microseconds long, which is also the most
 *   that work on another stream could hide in it.
 * - After it, everything is waited for, and the time that this takes is told: work that was left on
 *   a stream of its own does not end before the second event, but it does not go unseen either.
 * - Arguments are made on the device, each time from another seed, so that nothing can be prepared
 *   or remembered, and cost no transfers. The caches are then emptied by reading other memory:
 *   reading, so that no written lines wait there to be stored at the call's expense. Lines that a
 *   submission asked to keep lose that first.
 * - While nothing is asked, nothing of the submission has to work: the processor time that other
 *   threads take then is told. */
#include <string.h>

#include "reference/harness/buffers.h"
#include "reference/harness/device.h"
#include "reference/harness/probe.h"
#include "reference/harness/session.h"

/* Some microseconds on any device. */
#define LEAD_BYTES ((size_t)16 << 20)

static void probe(const struct wg_session *session, enum wg_probe_what what, void *to,
                  const void *from, int64_t count, const struct wg_arg *arg) {
    static const struct wg_arg none;
    const struct wg_arg *a = arg != NULL ? arg : &none;
    wg_probe_fn *function = NULL;
    memcpy(&function, &session->subjects[WG_SUBJECT_PROBE].entry, sizeof function);
    int32_t flags = (a->flags & WG_ARG_ABSOLUTE) != 0 ? WG_PROBE_ABSOLUTE : 0;
    flags |= (a->flags & WG_ARG_SKEWED) != 0 ? WG_PROBE_SKEWED : 0;
    function(to, from, count, (int64_t)a->seed, a->low, a->high, a->type, (int32_t)what | flags);
}

static int fill(const struct wg_session *session, const struct wg_request *request,
                const struct wg_work *work) {
    for (size_t i = 0; i < request->arg_count; i++) {
        const struct wg_arg *arg = &request->args[i];
        if (work->image_of_arg[i] == WG_MAX_ARGS) {
            continue;
        }
        const struct wg_staged_image *image = &work->images[work->image_of_arg[i]];
        if ((arg->flags & (WG_ARG_POISON | WG_ARG_FILL)) != 0) {
            int error = wg_device_set(image->device, WG_POISON_BYTE, image->bytes);
            if (error != 0) {
                return error;
            }
        }
        if ((arg->flags & WG_ARG_FILL) != 0) {
            size_t count = arg->bytes / wg_call_type_bytes(arg->type);
            probe(session, WG_PROBE_FILL, (char *)image->device + arg->guard_bytes, NULL,
                  (int64_t)count, arg);
        }
    }
    return 0;
}

static int flush(struct wg_session *session, size_t bytes) {
    if (bytes > session->scratch_bytes) {
        if (session->scratch != NULL) {
            wg_device_free(session->scratch);
        }
        session->scratch = NULL;
        session->scratch_bytes = 0;
        int error = wg_device_allocate(bytes, &session->scratch);
        if (error == 0) {
            error = wg_device_set(session->scratch, 0, bytes);
        }
        if (error != 0) {
            return error;
        }
        session->scratch_bytes = bytes;
    }
    if (bytes > 0) {
        probe(session, WG_PROBE_READ, session->scratch, session->scratch,
              (int64_t)(bytes / WG_PROBE_UNIT_BYTES), NULL);
    }
    return 0;
}

void wg_timed_stage(struct wg_session *session, const struct wg_request *request,
                    struct wg_reply *reply) {
    session->next = NULL;
    if (session->subjects[WG_SUBJECT_PROBE].entry == NULL) {
        wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "the probe is not loaded");
        return;
    }
    if ((request->flags & WG_REQUEST_ALONE) != 0) {
        memset(session->staged, 0, sizeof session->staged);
    }
    if (request->set >= WG_MAX_SETS) {
        wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "no such set");
        return;
    }
    struct wg_work *work = &session->staged[request->set];
    *work = (struct wg_work){0};
    if (!wg_session_prepare(session, request, work, reply)) {
        *work = (struct wg_work){0};
        return;
    }
    int error = fill(session, request, work);
    if (error == 0) {
        wg_device_forget_cached();
        error = flush(session, request->flush_bytes);
    }
    if (error == 0) {
        error = wg_device_join();
    }
    wg_device_drain();
    if (error != 0) {
        wg_session_refuse_device(reply, WG_STATUS_SETUP_FAILED, error, "prepare a timed call");
        return;
    }
    session->next = work;
    session->next_subject = request->subject;
    reply->status = WG_STATUS_OK;
}

void wg_timed_call(struct wg_session *session, const struct wg_request *request,
                   struct wg_reply *reply) {
    struct wg_work *work = session->next;
    if (work == NULL || session->next_subject != request->subject) {
        wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "nothing is staged");
        return;
    }
    session->next = NULL; /* once */
    reply->status = WG_STATUS_OK;
    reply->others_ns = session->others_ns;
    session->others_ns = 0;
    if (session->scratch_bytes >= LEAD_BYTES) {
        probe(session, WG_PROBE_READ, session->scratch, session->scratch,
              (int64_t)(LEAD_BYTES / WG_PROBE_UNIT_BYTES), NULL);
    }
    wg_session_note_error(reply, wg_device_timer_start());
    wg_session_note_error(reply, wg_call_make(&work->call));
    wg_session_note_error(reply, wg_device_timer_stop(&reply->event_ms));
    uint64_t stop_ns = wg_session_now_ns();
    wg_session_note_error(reply, wg_device_join());
    wg_device_drain();
    reply->left_ns = wg_session_now_ns() - stop_ns;
}

void wg_timed_take(const struct wg_session *session, const struct wg_request *request,
                   struct wg_reply *reply) {
    if (request->range_count > WG_MAX_RANGES || request->set >= WG_MAX_SETS) {
        wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "too many ranges, or no such set");
        return;
    }
    const struct wg_work *work = &session->staged[request->set];
    for (size_t i = 0; i < request->range_count; i++) {
        const struct wg_range *range = &request->ranges[i];
        size_t position =
            range->arg < work->call.count ? work->image_of_arg[range->arg] : WG_MAX_ARGS;
        if (position >= work->image_count ||
            !wg_session_range_fits(range->offset, range->bytes, work->images[position].bytes) ||
            !wg_session_range_fits(range->to, range->bytes, session->taken_bytes)) {
            wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "a range outside its buffer or file");
            return;
        }
        const char *device = work->images[position].device;
        int error =
            wg_device_download(session->taken + range->to, device + range->offset, range->bytes);
        if (error != 0) {
            wg_session_refuse_device(reply, WG_STATUS_HIP_ERROR, error, "copy from the device");
            return;
        }
    }
    reply->status = WG_STATUS_OK;
}
