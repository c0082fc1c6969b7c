#include "reference/harness/session.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "reference/harness/blas.h"
#include "reference/harness/buffers.h"
#include "reference/harness/call.h"
#include "reference/harness/device.h"

uint64_t wg_session_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int64_t processor_ns(clockid_t of) {
    struct timespec used = {0};
    clock_gettime(of, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

int64_t wg_session_others_ns(void) {
    return processor_ns(CLOCK_PROCESS_CPUTIME_ID) - processor_ns(CLOCK_THREAD_CPUTIME_ID);
}

void wg_session_refuse(struct wg_reply *reply, enum wg_status status, const char *text) {
    reply->status = status;
    snprintf(reply->text, sizeof reply->text, "%s", text);
}

void wg_session_refuse_device(struct wg_reply *reply, enum wg_status status, int error,
                              const char *text) {
    wg_session_refuse(reply, status, text);
    reply->hip_error = error;
    snprintf(reply->hip_error_name, sizeof reply->hip_error_name, "%s",
             wg_device_error_name(error));
}

/* ---- LOAD ---- */

static bool kind_fits(enum wg_entry_kind kind) {
    return wg_device_is_host() ? kind == WG_ENTRY_GOLDEN
                               : kind == WG_ENTRY_LAUNCHER || kind == WG_ENTRY_KERNEL;
}

static void load_blas(struct wg_session *session, struct wg_reply *reply) {
    if (!wg_blas_open(reply->text, sizeof reply->text)) {
        reply->status = WG_STATUS_LOAD_FAILED;
        return;
    }
    session->subjects[WG_SUBJECT_BLAS].kind = WG_ENTRY_BLAS;
    session->subjects[WG_SUBJECT_BLAS].entry = (void *)&session->subjects; /* any but NULL */
    reply->status = WG_STATUS_OK;
}

static void answer_load(struct wg_session *session, const struct wg_request *request,
                        struct wg_reply *reply) {
    enum wg_entry_kind kind = (enum wg_entry_kind)request->entry_kind;
    if (request->subject == WG_SUBJECT_BLAS) {
        load_blas(session, reply);
        return;
    }
    if (session->subjects[request->subject].library != NULL || !kind_fits(kind) ||
        memchr(request->symbol, '\0', sizeof request->symbol) == NULL) {
        wg_session_refuse(reply, WG_STATUS_BAD_REQUEST,
                          "loaded before, or not an entry of this platform");
        return;
    }
    struct wg_device_info info = {0};
    if (!wg_device_open(&info)) {
        wg_session_refuse(reply, WG_STATUS_NO_DEVICE, "no device");
        return;
    }
    void *library = dlopen(session->library_paths[request->subject], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        wg_session_refuse(reply, WG_STATUS_LOAD_FAILED, dlerror());
        return;
    }
    void *entry = dlsym(library, request->symbol);
    if (entry == NULL) {
        wg_session_refuse(reply, WG_STATUS_LOAD_FAILED, dlerror());
        dlclose(library);
        return;
    }
    session->subjects[request->subject].library = library;
    session->subjects[request->subject].kind = kind;
    session->subjects[request->subject].entry = entry;
    memcpy(reply->text, info.name, sizeof reply->text);
    memcpy(reply->arch, info.arch, sizeof reply->arch);
    reply->runtime_version = info.runtime_version;
    reply->driver_version = info.driver_version;
    reply->warp_size = info.warp_size;
    reply->memory_bytes = info.memory_bytes;
    reply->cache_bytes = info.cache_bytes;
    reply->status = WG_STATUS_OK;
}

/* ---- RUN ---- */

bool wg_session_range_fits(uint64_t offset, uint64_t bytes, size_t limit) {
    return offset <= limit && bytes <= limit - offset;
}

static bool add_buffer(struct wg_session *session, const struct wg_request *request,
                       size_t position, struct wg_work *work, struct wg_reply *reply) {
    const struct wg_arg *arg = &request->args[position];
    uint64_t bytes = 0;
    bool is_staged = request->op == WG_OP_STAGE;
    bool is_given = !is_staged && (arg->flags & WG_ARG_UNDEFINED) == 0;
    if (wg_call_type_bytes(arg->type) == 0 || arg->bytes == 0 || arg->guard_bytes % 256 != 0 ||
        __builtin_mul_overflow(arg->guard_bytes, 2, &bytes) ||
        __builtin_add_overflow(bytes, arg->bytes, &bytes) ||
        (!is_staged && !wg_session_range_fits(arg->offset, bytes, session->taken_bytes)) ||
        (is_given && !wg_session_range_fits(arg->offset, bytes, session->given_bytes))) {
        wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "buffer outside the shared files");
        return false;
    }
    work->image_of_arg[position] = (uint8_t)work->image_count;
    struct wg_staged_image *image = &work->images[work->image_count++];
    *image = (struct wg_staged_image){.offset = arg->offset,
                                      .bytes = bytes,
                                      .guard_bytes = arg->guard_bytes,
                                      .is_given = is_given};
    bool is_fresh = (request->flags & WG_REQUEST_FRESH) != 0;
    size_t place = position + (size_t)request->set * WG_MAX_ARGS;
    int error = wg_buffers_get(place, image->bytes, is_fresh, &image->device);
    if (error != 0) {
        wg_session_refuse_device(reply, WG_STATUS_SETUP_FAILED, error, "allocate device memory");
        return false;
    }
    return wg_call_add_pointer(&work->call, (char *)image->device + arg->guard_bytes);
}

bool wg_session_prepare(struct wg_session *session, const struct wg_request *request,
                        struct wg_work *work, struct wg_reply *reply) {
    if (session->subjects[request->subject].entry == NULL || request->arg_count > WG_MAX_ARGS ||
        request->set >= WG_MAX_SETS) {
        wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "nothing is loaded, or too many arguments");
        return false;
    }
    if (request->op == WG_OP_STAGE && (request->flags & WG_REQUEST_ALONE) != 0) {
        wg_buffers_drop();
    } else if (request->op != WG_OP_STAGE) {
        wg_buffers_trim();
    }
    work->call.kind = session->subjects[request->subject].kind;
    work->call.entry = session->subjects[request->subject].entry;
    memcpy(work->call.shape.grid, request->grid, sizeof request->grid);
    memcpy(work->call.shape.block, request->block, sizeof request->block);
    work->call.shape.shared_bytes = request->shared_bytes;
    for (size_t i = 0; i < request->arg_count; i++) {
        const struct wg_arg *arg = &request->args[i];
        work->image_of_arg[i] = WG_MAX_ARGS;
        if (arg->kind == WG_ARG_BUFFER) {
            if (!add_buffer(session, request, i, work, reply)) {
                return false;
            }
        } else if (arg->kind != WG_ARG_SCALAR || !wg_call_add_scalar(&work->call, arg)) {
            wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "unknown kind or type of argument");
            return false;
        }
    }
    if (!wg_call_prepare(&work->call)) {
        wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "arguments cannot be passed");
        return false;
    }
    return true;
}

static bool copy_in(const struct wg_session *session, const struct wg_work *work,
                    struct wg_reply *reply) {
    for (size_t i = 0; i < work->image_count; i++) {
        const struct wg_staged_image *image = &work->images[i];
        int error = image->is_given ? wg_device_upload(image->device,
                                                       session->given + image->offset, image->bytes)
                                    : 0;
        if (error != 0) {
            wg_session_refuse_device(reply, WG_STATUS_SETUP_FAILED, error, "copy to the device");
            return false;
        }
    }
    wg_device_clear_error();
    return true;
}

static void copy_out(const struct wg_session *session, const struct wg_work *work,
                     struct wg_reply *reply) {
    for (size_t i = 0; i < work->image_count; i++) {
        const struct wg_staged_image *image = &work->images[i];
        unsigned char *taken = session->taken + image->offset;
        int error = wg_device_download(taken, image->device, image->bytes);
        /* A buffer that was given back in the call must not look as if nothing had happened. */
        if (wg_device_is_gone(error)) {
            memset(taken + image->guard_bytes, WG_POISON_BYTE,
                   image->bytes - 2 * image->guard_bytes);
        }
        /* A device that the submission broke refuses the copy; that is the submission's error. */
        if (error != 0 && reply->hip_error == 0) {
            wg_session_refuse_device(reply, WG_STATUS_HIP_ERROR, error, "copy from the device");
        }
    }
    wg_device_drain();
}

/* Keeps the first error that the submission left behind. */
void wg_session_note_error(struct wg_reply *reply, int error) {
    if (error != 0 && reply->hip_error == 0) {
        wg_session_refuse_device(reply, WG_STATUS_HIP_ERROR, error,
                                 "the call left an error behind");
    }
}

static void answer_run(struct wg_session *session, const struct wg_request *request,
                       struct wg_reply *reply) {
    struct wg_work work = {0};
    if (!wg_session_prepare(session, request, &work, reply) || !copy_in(session, &work, reply)) {
        return;
    }
    reply->status = WG_STATUS_OK;
    uint64_t start_ns = wg_session_now_ns();
    int refused = wg_call_make(&work.call);
    int left = wg_device_join();
    reply->call_ns = wg_session_now_ns() - start_ns;
    wg_session_note_error(reply, refused);
    wg_session_note_error(reply, left);
    copy_out(session, &work, reply);
}

void wg_session_answer(struct wg_session *session, const struct wg_request *request,
                       struct wg_reply *reply) {
    if (request->magic != WG_PROTOCOL_MAGIC || request->subject >= WG_SUBJECT_COUNT) {
        wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "wrong magic or subject");
        return;
    }
    switch (request->op) {
    case WG_OP_LOAD:
        answer_load(session, request, reply);
        break;
    case WG_OP_RUN:
        answer_run(session, request, reply);
        break;
    case WG_OP_STAGE:
        wg_timed_stage(session, request, reply);
        break;
    case WG_OP_TIME:
        wg_timed_call(session, request, reply);
        break;
    case WG_OP_TAKE:
        wg_timed_take(session, request, reply);
        break;
    default:
        wg_session_refuse(reply, WG_STATUS_BAD_REQUEST, "unknown operation");
        break;
    }
}
