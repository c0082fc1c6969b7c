/* Everything that can only be said with numbers in hand: each expression at each case. */
#include <inttypes.h>
#include <stdio.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/manifest/load.h"

/* Larger buffers are a mistake of the author: no course has the memory. */
#define MAX_BUFFER_BYTES ((int64_t)1 << 34)

struct place {
    const struct wg_manifest *manifest;
    const struct wg_manifest_case *one;
    const char *file;
    struct wg_err *err;
};

static enum wg_code complain(const struct place *at, const char *what, const char *why) {
    WG_CLEANUP(wg_buf_done) struct wg_buf dims = {0};
    for (size_t d = 0; d < at->manifest->dim_count; d++) {
        wg_buf_printf(&dims, "%s%s=%" PRId64, d == 0 ? "" : " ", at->manifest->dim_names[d],
                      at->one->dims[d]);
    }
    return wg_fail(at->err, WG_EPARSE, "%s: case %s: %s: %s", at->file, wg_buf_str(&dims), what,
                   why);
}

/* Evaluates an expression, which may be absent, and demands low <= value <= high. */
static enum wg_code demand(const struct place *at, const char *what, const struct wg_expr *expr,
                           int64_t low, int64_t high, int64_t *out) {
    int64_t value = low;
    struct wg_err err = {0};
    if (expr != NULL && wg_expr_eval(expr, at->one->dims, &value, &err) != WG_OK) {
        return complain(at, what, err.msg);
    }
    if (value < low || value > high) {
        char why[160];
        snprintf(why, sizeof why, "'%.60s' is %" PRId64 ", expected %" PRId64 " to %" PRId64,
                 wg_expr_text(expr), value, low, high);
        return complain(at, what, why);
    }
    if (out != NULL) {
        *out = value;
    }
    return WG_OK;
}

static enum wg_code demand_scalar(const struct place *at, const struct wg_manifest_arg *arg) {
    int64_t low = INT64_MIN;
    int64_t high = INT64_MAX;
    switch (arg->type) {
    case WG_TYPE_I8:
        low = INT8_MIN;
        high = INT8_MAX;
        break;
    case WG_TYPE_U8:
        low = 0;
        high = UINT8_MAX;
        break;
    case WG_TYPE_I32:
        low = INT32_MIN;
        high = INT32_MAX;
        break;
    case WG_TYPE_U32:
        low = 0;
        high = UINT32_MAX;
        break;
    case WG_TYPE_U64:
        low = 0;
        break;
    default:
        break;
    }
    return demand(at, arg->name, arg->value, low, high, NULL);
}

static enum wg_code demand_buffer(const struct place *at, const struct wg_manifest_arg *arg) {
    int64_t length = 0;
    int64_t elements = 1;
    int64_t max_elements = MAX_BUFFER_BYTES / (int64_t)wg_type_bytes(arg->type);
    enum wg_code code = demand(at, arg->name, arg->length, 1, max_elements, &length);
    for (size_t i = 0; code == WG_OK && i < arg->shape_count; i++) {
        int64_t extent = 0;
        code = demand(at, arg->name, arg->shape[i], 1, max_elements, &extent);
        if (code == WG_OK && __builtin_mul_overflow(elements, extent, &elements)) {
            elements = -1;
            break;
        }
    }
    if (code == WG_OK && elements != length) {
        code = complain(at, arg->name, "the product of the shape differs from the length");
    }
    if (code == WG_OK) {
        /* Near 2^24 the worst case of a float32 sum is no bound any more. */
        int64_t max_terms = arg->judge == WG_JUDGE_SUM ? INT32_MAX : (int64_t)1 << 22;
        code = demand(at, arg->name, arg->terms, 1, max_terms, NULL);
    }
    return code;
}

static enum wg_code demand_launch(const struct place *at) {
    static const int64_t max_grid[3] = {INT32_MAX, 65535, 65535};
    static const int64_t max_block[3] = {1024, 1024, 1024};
    int64_t threads = 1;
    for (int axis = 0; axis < 3; axis++) {
        int64_t extent = 0;
        enum wg_code code =
            demand(at, "entry/launch/grid", at->manifest->grid[axis], 1, max_grid[axis], NULL);
        if (code == WG_OK) {
            code = demand(at, "entry/launch/block", at->manifest->block[axis], 1, max_block[axis],
                          &extent);
        }
        if (code != WG_OK) {
            return code;
        }
        threads *= extent;
    }
    if (threads > 1024) {
        return complain(at, "entry/launch/block", "more than 1024 threads");
    }
    return demand(at, "entry/launch/shared_bytes", at->manifest->shared_bytes, 0, 65536, NULL);
}

enum wg_code wg_manifest_validate(const struct wg_manifest *manifest, const char *file,
                                  struct wg_err *err) {
    for (size_t i = 0; i < manifest->case_count; i++) {
        struct place at = {
            .manifest = manifest, .one = &manifest->cases[i], .file = file, .err = err};
        enum wg_code code = demand_launch(&at);
        for (size_t a = 0; code == WG_OK && a < manifest->arg_count; a++) {
            const struct wg_manifest_arg *arg = &manifest->args[a];
            code = arg->kind == WG_ARG_SCALAR ? demand_scalar(&at, arg) : demand_buffer(&at, arg);
        }
        if (code == WG_OK) {
            code = demand(&at, "work/bytes", manifest->work_bytes, 0, INT64_MAX, NULL);
        }
        if (code == WG_OK) {
            code = demand(&at, "work/flops", manifest->work_flops, 0, INT64_MAX, NULL);
        }
        if (code != WG_OK) {
            return code;
        }
    }
    return WG_OK;
}
