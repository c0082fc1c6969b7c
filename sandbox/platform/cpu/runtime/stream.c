/* Streams: queues of work, and what is ordered before what.
 *
 * Theory. A GPU runs work some time after it was submitted, and nobody may rely on when. To make
 * missing synchronization show, this runtime is lazy where laziness is allowed: work on a
 * non-blocking stream stays in its queue until something has to wait for it (a synchronization or
 * query, an event, a free, the end of the stream). When everything must be executed, the youngest
 * stream goes first, and unless blocks go in ascending order, other non-blocking streams overtake
 * the one that the host waits for: other orders than the usual.
 *
 * The default stream and streams that block with it share one queue, the default stream's, in order
 * of submission. Their work is executed at once, since the next call on the default stream has to
 * wait for it anyway - unless there is memory that the host can read without such a call (pinned,
 * managed, registered): then it waits in the queue, so that reading too early reads old bytes.
 *
 * Two launches can be unordered and yet run one after the other here. For the checker every op gets
 * a vector clock: one counter for each stream, its own counted up by one, joined with the clocks of
 * whatever it waits for.
 *
 * Handles are numbers, not addresses, so that a stale or invented one is found out. */
#include <stdlib.h>
#include <string.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

enum { STREAM_LEGACY = 0, STREAM_PER_THREAD = 1, FIRST_CREATED = 2, MAX_STREAMS = 4096 };
#define HANDLE_MARK ((uintptr_t)0x57 << 56)

struct wg_stream {
    bool live, lazy;
    uint32_t index, generation;
    unsigned flags;
    int priority;
    uint64_t last_serial;  /* of what was submitted last */
    struct wg_clock clock; /* of the same */
    struct wg_op *first, **end;
};

static struct wg_stream *streams[MAX_STREAMS];
static uint32_t stream_count;
static struct wg_clock host_clock; /* what the host has waited for */
static uint64_t last_serial;

static void join(struct wg_clock *clock, const struct wg_clock *other) {
    for (int i = 0; i < WG_CLOCK_SLOTS; i++) {
        if (clock->tick[i] < other->tick[i]) {
            clock->tick[i] = other->tick[i];
        }
    }
}

/* The stream of that number, made on first use. */
static struct wg_stream *stream_at(uint32_t index) {
    if (streams[index] == NULL) {
        streams[index] = calloc(1, sizeof **streams);
        if (streams[index] == NULL) {
            return NULL;
        }
        streams[index]->index = index;
        streams[index]->end = &streams[index]->first;
        streams[index]->live = index < FIRST_CREATED;
        stream_count = stream_count > index ? stream_count : index + 1;
    }
    return streams[index];
}

static hipStream_t handle_of(const struct wg_stream *stream) {
    uintptr_t number = HANDLE_MARK | (uintptr_t)stream->generation << 16 | stream->index;
    return (hipStream_t)number; // NOLINT(performance-no-int-to-ptr)
}

struct wg_stream *wg_stream_find(hipStream_t handle) {
    if (handle == NULL || handle == hipStreamLegacy) {
        return stream_at(STREAM_LEGACY);
    }
    if (handle == hipStreamPerThread) {
        return stream_at(STREAM_PER_THREAD);
    }
    uint32_t index = (uint32_t)((uintptr_t)handle & 0xffff);
    if (index < FIRST_CREATED || index >= stream_count || !streams[index]->live ||
        handle_of(streams[index]) != handle) {
        return NULL;
    }
    return streams[index];
}

bool wg_stream_is_lazy(const struct wg_stream *stream) {
    return stream->lazy;
}

uint32_t wg_stream_index(const struct wg_stream *stream) {
    return stream->index;
}

/* ---- Execution ---- */

static void call_host(const struct wg_op *op) {
    struct wg_api_state outside = wg_api_enter_host_function();
    if (op->u.host.function != NULL) {
        op->u.host.function(op->u.host.user_data);
    } else {
        op->u.host.callback(op->u.host.stream, hipSuccess, op->u.host.user_data);
    }
    wg_api_leave_host_function(outside);
    /* It may tell the host's threads that everything before it is done. */
    join(&host_clock, &op->clock);
}

static hipError_t execute(struct wg_op *op) {
    switch (op->kind) {
    case WG_OP_KERNEL:
        return wg_grid_run(&op->u.launch, op);
    case WG_OP_MEMORY_COPY:
        wg_copy_execute(op);
        break;
    case WG_OP_MEMORY_FILL:
        wg_fill_execute(op);
        break;
    case WG_OP_EVENT_RECORD:
        wg_event_completed(op->u.record.event, op->serial);
        break;
    case WG_OP_EVENT_WAIT:
        return wg_stream_run_until(op->u.wait.stream_index, op->u.wait.serial);
    case WG_OP_HOST_CALL:
        call_host(op);
        break;
    case WG_OP_MEMORY_FREE: {
        struct wg_allocation *allocation = wg_arena_find(op->u.free.base);
        if (allocation != NULL) {
            wg_arena_free(allocation);
        }
        break;
    }
    }
    return hipSuccess;
}

static void free_op(struct wg_op *op) {
    if (op->kind == WG_OP_KERNEL) {
        free(op->u.launch.pack);
    }
    free(op);
}

/* The stream whose queue holds this one's work. */
static struct wg_stream *queue_of(struct wg_stream *stream) {
    return stream->lazy ? stream : stream_at(STREAM_LEGACY);
}

hipError_t wg_stream_run_until(uint32_t stream_index, uint64_t serial) {
    struct wg_stream *stream = queue_of(streams[stream_index]);
    if (stream == NULL) {
        return hipErrorOutOfMemory;
    }
    hipError_t error = hipSuccess;
    while (stream->first != NULL && stream->first->serial <= serial) {
        struct wg_op *op = stream->first;
        stream->first = op->next;
        if (stream->first == NULL) {
            stream->end = &stream->first;
        }
        hipError_t result = execute(op);
        error = error == hipSuccess ? result : error;
        free_op(op);
    }
    return error;
}

static hipError_t enqueue(struct wg_stream *stream, const struct wg_op *op) {
    struct wg_op *copy = malloc(sizeof *copy);
    if (copy == NULL) {
        return hipErrorOutOfMemory;
    }
    *copy = *op;
    copy->next = NULL;
    if (op->kind == WG_OP_KERNEL) {
        size_t bytes = op->u.launch.kernel->pack_bytes;
        copy->u.launch.pack = calloc(1, bytes + 1);
        if (copy->u.launch.pack == NULL) {
            free(copy);
            return hipErrorOutOfMemory;
        }
        memcpy(copy->u.launch.pack, op->u.launch.pack, bytes);
    }
    /* analyzer: the stream owns it from here. */
    *stream->end = copy;
    stream->end = &copy->next;
    return hipSuccess;
}

hipError_t wg_stream_submit(struct wg_stream *stream, struct wg_op *op) {
    op->serial = ++last_serial;
    op->slot = stream->index % WG_CLOCK_SLOTS;
    join(&stream->clock, &host_clock);
    if (stream->index == STREAM_LEGACY) {
        for (uint32_t i = 1; i < stream_count; i++) {
            if (streams[i] != NULL && streams[i]->live && !streams[i]->lazy) {
                join(&stream->clock, &streams[i]->clock);
            }
        }
    } else if (!stream->lazy) {
        join(&stream->clock, &stream_at(STREAM_LEGACY)->clock);
    }
    stream->clock.tick[op->slot]++;
    stream->last_serial = op->serial;
    op->clock = stream->clock;
    struct wg_stream *queue = queue_of(stream);
    if (queue == NULL) {
        return hipErrorOutOfMemory;
    }
    bool deferred = queue->lazy || queue->first != NULL || wg_arena_host_can_read();
    return deferred ? enqueue(queue, op) : execute(op);
}

/* ---- Waiting ---- */

void wg_stream_host_knows(const struct wg_clock *clock) {
    join(&host_clock, clock);
}

void wg_stream_order_after(struct wg_stream *stream, const struct wg_clock *clock) {
    join(&stream->clock, clock);
}

/* Work that is not ordered may be done at any time, so also before that of `stream`. */
static void run_other_lazy(const struct wg_stream *stream) {
    for (uint32_t i = stream_count; i-- > 0;) {
        if (streams[i] != NULL && streams[i] != stream && streams[i]->lazy) {
            wg_stream_run_until(i, UINT64_MAX);
        }
    }
}

hipError_t wg_stream_wait(struct wg_stream *stream) {
    bool waits_for_all_blocking = stream->index == STREAM_LEGACY;
    if (stream->lazy && wg_config.block_order != WG_BLOCKS_UP) {
        run_other_lazy(stream);
    }
    hipError_t error = wg_stream_run_until(
        stream->index, waits_for_all_blocking ? UINT64_MAX : stream->last_serial);
    if (waits_for_all_blocking) {
        for (uint32_t i = 1; i < stream_count; i++) {
            if (streams[i] != NULL && !streams[i]->lazy) {
                join(&host_clock, &streams[i]->clock);
            }
        }
    }
    join(&host_clock, &stream->clock);
    return error;
}

hipError_t wg_stream_wait_all(void) {
    hipError_t error = hipSuccess;
    for (uint32_t i = stream_count; i-- > 0;) {
        if (streams[i] != NULL) {
            hipError_t result = wg_stream_wait(streams[i]);
            error = error == hipSuccess ? result : error;
        }
    }
    return error;
}

void wg_stream_reset(void) {
    for (uint32_t i = 0; i < stream_count; i++) {
        if (streams[i] == NULL) {
            continue;
        }
        while (streams[i]->first != NULL) {
            struct wg_op *op = streams[i]->first;
            streams[i]->first = op->next;
            free_op(op);
        }
        streams[i]->end = &streams[i]->first;
        streams[i]->live = i < FIRST_CREATED;
    }
}

/* ---- The API ---- */

static hipError_t create(hipStream_t *out, unsigned flags, int priority) {
    if (out == NULL || (flags & ~(unsigned)hipStreamNonBlocking) != 0) {
        return hipErrorInvalidValue;
    }
    uint32_t index = FIRST_CREATED;
    while (index < stream_count && streams[index] != NULL && streams[index]->live) {
        index++;
    }
    struct wg_stream *stream = index < MAX_STREAMS ? stream_at(index) : NULL;
    if (stream == NULL) {
        return hipErrorOutOfMemory;
    }
    stream->live = true;
    stream->generation++;
    stream->flags = flags;
    stream->lazy = flags == hipStreamNonBlocking;
    stream->priority = priority < -1 ? -1 : priority > 1 ? 1 : priority;
    *out = handle_of(stream);
    return hipSuccess;
}

hipError_t hipStreamCreate(hipStream_t *stream) {
    hipError_t error = wg_api_begin(__func__);
    return wg_api_end(error != hipSuccess ? error : create(stream, hipStreamDefault, 0));
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags) {
    hipError_t error = wg_api_begin(__func__);
    return wg_api_end(error != hipSuccess ? error : create(stream, flags, 0));
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority) {
    hipError_t error = wg_api_begin(__func__);
    return wg_api_end(error != hipSuccess ? error : create(stream, flags, priority));
}

/* Opens an API call on a stream: NULL with *error set when it cannot go on. */
static struct wg_stream *begin_on_stream(const char *name, hipStream_t handle, hipError_t *error) {
    *error = wg_api_begin(name);
    if (*error != hipSuccess) {
        return NULL;
    }
    struct wg_stream *stream = wg_stream_find(handle);
    if (stream == NULL) {
        *error = wg_misuse(hipErrorInvalidHandle, WG_SEVERITY_WARNING,
                           "%s was given a stream that does not exist (never created, or already "
                           "destroyed).",
                           name);
    }
    return stream;
}

hipError_t hipStreamDestroy(hipStream_t handle) {
    hipError_t error;
    struct wg_stream *stream = begin_on_stream(__func__, handle, &error);
    if (stream == NULL) {
        return wg_api_end(error);
    }
    if (stream->index < FIRST_CREATED) {
        return wg_api_end(hipErrorInvalidHandle);
    }
    error = wg_stream_run_until(stream->index, stream->last_serial);
    if (!stream->lazy) { /* the default stream waits for its work all the same */
        join(&stream_at(STREAM_LEGACY)->clock, &stream->clock);
    }
    stream->live = false;
    return wg_api_end(error);
}

hipError_t hipStreamQuery(hipStream_t handle) {
    hipError_t error;
    struct wg_stream *stream = begin_on_stream(__func__, handle, &error);
    return wg_api_end(stream == NULL ? error : wg_stream_wait(stream));
}

hipError_t hipStreamSynchronize(hipStream_t handle) {
    hipError_t error;
    struct wg_stream *stream = begin_on_stream(__func__, handle, &error);
    return wg_api_end(stream == NULL ? error : wg_stream_wait(stream));
}

hipError_t hipDeviceSynchronize(void) {
    hipError_t error = wg_api_begin(__func__);
    return wg_api_end(error != hipSuccess ? error : wg_stream_wait_all());
}

hipError_t hipStreamGetFlags(hipStream_t handle, unsigned int *flags) {
    hipError_t error;
    struct wg_stream *stream = begin_on_stream(__func__, handle, &error);
    if (stream != NULL && flags == NULL) {
        error = hipErrorInvalidValue;
    } else if (stream != NULL) {
        *flags = stream->flags;
    }
    return wg_api_end(error);
}

hipError_t hipStreamGetPriority(hipStream_t handle, int *priority) {
    hipError_t error;
    struct wg_stream *stream = begin_on_stream(__func__, handle, &error);
    if (stream != NULL && priority == NULL) {
        error = hipErrorInvalidValue;
    } else if (stream != NULL) {
        *priority = stream->priority;
    }
    return wg_api_end(error);
}

hipError_t hipStreamGetDevice(hipStream_t handle, hipDevice_t *device) {
    hipError_t error;
    struct wg_stream *stream = begin_on_stream(__func__, handle, &error);
    if (stream != NULL && device == NULL) {
        error = hipErrorInvalidValue;
    } else if (stream != NULL) {
        *device = 0;
    }
    return wg_api_end(error);
}

static hipError_t submit_host_call(const char *name, hipStream_t handle, hipHostFn_t function,
                                   hipStreamCallback_t callback, void *user_data) {
    hipError_t error;
    struct wg_stream *stream = begin_on_stream(name, handle, &error);
    if (stream == NULL) {
        return wg_api_end(error);
    }
    if (function == NULL && callback == NULL) {
        return wg_api_end(hipErrorInvalidValue);
    }
    struct wg_op op = {.kind = WG_OP_HOST_CALL, .u.host = {function, callback, handle, user_data}};
    return wg_api_end(wg_stream_submit(stream, &op));
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *user_data,
                                unsigned int flags) {
    (void)flags; /* reserved, as in ROCm */
    return submit_host_call(__func__, stream, NULL, callback, user_data);
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *user_data) {
    return submit_host_call(__func__, stream, function, NULL, user_data);
}
