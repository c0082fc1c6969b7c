/* Events: points in the work of a stream.
 *
 * An event remembers its last record: in which stream, after which op, and with which clock. Its
 * time is taken when the stream gets there. As for streams, handles are numbers. */
#include <stdlib.h>
#include <time.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

enum { MAX_EVENTS = 1 << 20 };
#define HANDLE_MARK ((uintptr_t)0x45 << 56)

struct event {
    bool live, recorded;
    unsigned flags;
    uint32_t generation;
    uint32_t stream_index;
    uint64_t serial, completed_serial;
    uint64_t time_ns;
    struct wg_clock clock;
};

static struct event **events;
static uint32_t event_count, first_unused;

static hipEvent_t handle_of(uint32_t index) {
    uintptr_t number = HANDLE_MARK | (uintptr_t)events[index]->generation << 24 | index;
    return (hipEvent_t)number; // NOLINT(performance-no-int-to-ptr)
}

static struct event *find(hipEvent_t handle) {
    uint32_t index = (uint32_t)((uintptr_t)handle & 0xffffff);
    if (index >= event_count || !events[index]->live || handle_of(index) != handle) {
        return NULL;
    }
    return events[index];
}

static hipError_t create(hipEvent_t *out, unsigned flags) {
    const unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                           hipEventDisableSystemFence | hipEventReleaseToDevice |
                           hipEventReleaseToSystem;
    if (out == NULL || (flags & ~known) != 0) {
        return hipErrorInvalidValue;
    }
    uint32_t index = first_unused;
    while (index < event_count && events[index]->live) {
        index++;
    }
    if (index == event_count) {
        struct event **grown =
            index < MAX_EVENTS ? realloc(events, (index + 1) * sizeof(struct event *)) : NULL;
        struct event *event = calloc(1, sizeof *event);
        events = grown != NULL ? grown : events;
        if (grown == NULL || event == NULL) {
            free(event);
            return hipErrorOutOfMemory;
        }
        events[event_count++] = event;
    }
    first_unused = index + 1;
    uint32_t generation = events[index]->generation + 1;
    *events[index] = (struct event){.live = true, .flags = flags, .generation = generation};
    *out = handle_of(index);
    return hipSuccess;
}

void wg_event_completed(hipEvent_t handle, uint64_t serial) {
    struct event *event = find(handle);
    if (event == NULL) {
        return; /* destroyed in the meantime */
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    event->time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    event->completed_serial = serial;
}

void wg_event_reset(void) {
    for (uint32_t i = 0; i < event_count; i++) {
        events[i]->live = false;
    }
    first_unused = 0;
}

hipError_t hipEventCreate(hipEvent_t *event) {
    hipError_t error = wg_api_begin(__func__);
    return wg_api_end(error != hipSuccess ? error : create(event, hipEventDefault));
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
    hipError_t error = wg_api_begin(__func__);
    return wg_api_end(error != hipSuccess ? error : create(event, flags));
}

/* Opens an API call on an event: NULL with *error set when it cannot go on. */
static struct event *begin_on_event(const char *name, hipEvent_t handle, hipError_t *error) {
    *error = wg_api_begin(name);
    if (*error != hipSuccess) {
        return NULL;
    }
    struct event *event = find(handle);
    if (event == NULL) {
        *error = wg_misuse(hipErrorInvalidHandle, WG_SEVERITY_WARNING,
                           "%s was given an event that does not exist (never created, or already "
                           "destroyed).",
                           name);
    }
    return event;
}

hipError_t hipEventDestroy(hipEvent_t handle) {
    hipError_t error;
    struct event *event = begin_on_event(__func__, handle, &error);
    if (event != NULL) {
        event->live = false;
        uint32_t index = (uint32_t)((uintptr_t)handle & 0xffffff);
        first_unused = index < first_unused ? index : first_unused;
    }
    return wg_api_end(error);
}

hipError_t hipEventRecord(hipEvent_t handle, hipStream_t stream_handle) {
    hipError_t error;
    struct event *event = begin_on_event(__func__, handle, &error);
    struct wg_stream *stream = wg_stream_find(stream_handle);
    if (event == NULL) {
        return wg_api_end(error);
    }
    if (stream == NULL) {
        return wg_api_end(hipErrorInvalidHandle);
    }
    struct wg_op op = {.kind = WG_OP_EVENT_RECORD, .u.record.event = handle};
    error = wg_stream_submit(stream, &op);
    event->recorded = true;
    event->stream_index = wg_stream_index(stream);
    event->serial = op.serial;
    event->clock = op.clock;
    return wg_api_end(error);
}

/* The host waits for the event. */
static hipError_t wait_for(struct event *event) {
    if (!event->recorded) {
        return hipSuccess;
    }
    hipError_t error = wg_stream_run_until(event->stream_index, event->serial);
    wg_stream_host_knows(&event->clock);
    return error;
}

hipError_t hipEventSynchronize(hipEvent_t handle) {
    hipError_t error;
    struct event *event = begin_on_event(__func__, handle, &error);
    return wg_api_end(event == NULL ? error : wait_for(event));
}

hipError_t hipEventQuery(hipEvent_t handle) {
    hipError_t error;
    struct event *event = begin_on_event(__func__, handle, &error);
    return wg_api_end(event == NULL ? error : wait_for(event));
}

hipError_t hipStreamWaitEvent(hipStream_t stream_handle, hipEvent_t handle, unsigned int flags) {
    hipError_t error;
    struct event *event = begin_on_event(__func__, handle, &error);
    if (event == NULL) {
        return wg_api_end(error);
    }
    struct wg_stream *stream = wg_stream_find(stream_handle);
    if (stream == NULL || flags != 0) {
        return wg_api_end(stream == NULL ? hipErrorInvalidHandle : hipErrorInvalidValue);
    }
    if (!event->recorded) {
        return wg_api_end(hipSuccess);
    }
    wg_stream_order_after(stream, &event->clock);
    struct wg_op op = {.kind = WG_OP_EVENT_WAIT, .u.wait = {event->stream_index, event->serial}};
    return wg_api_end(wg_stream_submit(stream, &op));
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t start_handle, hipEvent_t stop_handle) {
    hipError_t error;
    const struct event *start = begin_on_event(__func__, start_handle, &error);
    const struct event *stop = find(stop_handle);
    if (start == NULL) {
        return wg_api_end(error);
    }
    if (ms == NULL) {
        return wg_api_end(hipErrorInvalidValue);
    }
    if (stop == NULL || !start->recorded || !stop->recorded ||
        ((start->flags | stop->flags) & hipEventDisableTiming) != 0) {
        return wg_api_end(wg_misuse(hipErrorInvalidHandle, WG_SEVERITY_WARNING,
                                    "hipEventElapsedTime needs two events that were both recorded "
                                    "and were not created with hipEventDisableTiming."));
    }
    if (start->completed_serial < start->serial || stop->completed_serial < stop->serial) {
        return wg_api_end(hipErrorNotReady);
    }
    /* Unsigned difference, signed result: stop may come first. */
    *ms = (float)((double)(int64_t)(stop->time_ns - start->time_ns) / 1e6);
    return wg_api_end(hipSuccess);
}
