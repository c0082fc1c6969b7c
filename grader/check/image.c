#include "grader/check/image.h"

#include <string.h>

#include "grader/check/generate.h"

/* Images start on pages: a stray access never shares one with its neighbour. */
enum { IMAGE_ALIGN = 4096 };

/* The largest buffer that a manifest can ask for; keeps sums far from overflow. */
static const int64_t limit_elements = (int64_t)1 << 32;

/* Quiet NaNs as float and as double, and unlikely integers. Arithmetic hands the bits of a NaN on,
 * so what a kernel reads around an input and stores must not look like an output that nobody wrote;
 * and a NaN stored behind an output must show, so guards of outputs are ordinary numbers. */
static const uint8_t output_pattern[8] = {0xad, 0xad, 0xfb, 0x7f, 0xad, 0xad, 0xfb, 0x7f};
static const uint8_t input_guard_pattern[8] = {0xef, 0xbe, 0xfc, 0x7f, 0xef, 0xbe, 0xfc, 0x7f};
static const uint8_t output_guard_pattern[8] = {0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5};

static size_t align_up(size_t value) {
    return (value + IMAGE_ALIGN - 1) / IMAGE_ALIGN * IMAGE_ALIGN;
}

static void place(struct wg_image *image, struct wg_image_slot slot) {
    slot.bytes = slot.count * wg_type_bytes(slot.type);
    slot.offset = image->bytes + image->guard_bytes;
    image->bytes = align_up(slot.offset + slot.bytes + image->guard_bytes);
    image->slots[image->slot_count++] = slot;
}

static enum wg_code plan_scalar(struct wg_image *image, const struct wg_manifest_arg *arg,
                                size_t index, const int64_t *dims, struct wg_err *err) {
    struct wg_image_slot slot = {
        .role = WG_ROLE_SCALAR, .type = arg->type, .manifest_arg = index, .count = 1};
    enum wg_code code = wg_expr_eval(arg->value, dims, &slot.scalar_int, err);
    if (code != WG_OK) {
        return code;
    }
    slot.scalar_float = (double)slot.scalar_int;
    image->slots[image->slot_count++] = slot;
    return WG_OK;
}

static enum wg_code buffer_length(const struct wg_manifest *manifest,
                                  const struct wg_manifest_arg *arg, const int64_t *dims,
                                  size_t *out, struct wg_err *err) {
    int64_t count = 0;
    enum wg_code code = wg_expr_eval(arg->length, dims, &count, err);
    if (code != WG_OK) {
        return code;
    }
    if (count < 1 || count > limit_elements) {
        return wg_fail(err, WG_EPARSE, "assignment %s: argument %s would have %lld elements",
                       manifest->id, arg->name, (long long)count);
    }
    *out = (size_t)count;
    return WG_OK;
}

static enum wg_image_role role_of(enum wg_direction direction) {
    switch (direction) {
    case WG_DIR_OUT:
        return WG_ROLE_OUTPUT;
    case WG_DIR_INOUT:
        return WG_ROLE_UPDATED;
    default:
        return WG_ROLE_INPUT;
    }
}

static enum wg_code plan(const struct wg_manifest *manifest, const int64_t *dims, bool golden,
                         struct wg_image *image, struct wg_err *err) {
    for (size_t i = 0; i < manifest->arg_count; i++) {
        const struct wg_manifest_arg *arg = &manifest->args[i];
        if (image->slot_count + 3 > WG_MAX_ARGS) {
            return wg_fail(err, WG_EPARSE, "assignment %s: too many arguments", manifest->id);
        }
        struct wg_image_slot slot = {.type = arg->type, .manifest_arg = i};
        enum wg_code code = arg->kind == WG_ARG_SCALAR
                                ? plan_scalar(image, arg, i, dims, err)
                                : buffer_length(manifest, arg, dims, &slot.count, err);
        if (code != WG_OK) {
            return code;
        }
        if (arg->kind == WG_ARG_SCALAR) {
            continue;
        }
        slot.role = role_of(arg->direction);
        if (!golden || slot.role != WG_ROLE_OUTPUT) {
            place(image, slot);
        }
        if (golden && slot.role != WG_ROLE_INPUT) {
            slot.type = WG_TYPE_F64;
            slot.role = WG_ROLE_VALUE;
            place(image, slot);
            slot.role = WG_ROLE_MAGNITUDE;
            place(image, slot);
        }
    }
    return WG_OK;
}

enum wg_code wg_image_plan(const struct wg_manifest *manifest, const int64_t *dims,
                           size_t guard_bytes, struct wg_image *out, struct wg_err *err) {
    struct wg_image image = {.guard_bytes = guard_bytes};
    enum wg_code code = plan(manifest, dims, false, &image, err);
    if (code == WG_OK) {
        *out = image;
    }
    return code;
}

enum wg_code wg_image_plan_golden(const struct wg_manifest *manifest, const int64_t *dims,
                                  struct wg_image *out, struct wg_err *err) {
    struct wg_image image = {0};
    enum wg_code code = plan(manifest, dims, true, &image, err);
    if (code == WG_OK) {
        *out = image;
    }
    return code;
}

static void fill_pattern(uint8_t *bytes, size_t count, const uint8_t pattern[8]) {
    for (size_t done = 0; done < count; done += 8) {
        memcpy(bytes + done, pattern, count - done < 8 ? count - done : 8);
    }
}

/* Old contents that look like an answer of an earlier, larger run. */
static void fill_garbage(const struct wg_image_slot *slot, uint64_t seed, uint8_t *data) {
    bool is_float = slot->type == WG_TYPE_F32 || slot->type == WG_TYPE_F64;
    double high = is_float ? 4096 : 100;
    wg_generate_fill(slot->type, high / 2, high, seed, data, slot->count);
}

static uint64_t slot_seed(uint64_t seed, const struct wg_image_slot *slot) {
    return wg_generate_derive(seed, slot->manifest_arg);
}

void wg_image_fill_inputs(const struct wg_image *image, const struct wg_manifest *manifest,
                          uint64_t seed, uint8_t *given) {
    for (size_t i = 0; i < image->slot_count; i++) {
        const struct wg_image_slot *slot = &image->slots[i];
        if (slot->role == WG_ROLE_INPUT || slot->role == WG_ROLE_UPDATED) {
            const struct wg_manifest_arg *arg = &manifest->args[slot->manifest_arg];
            static wg_generate_into *const fill[] = {
                [WG_GENERATE_UNIFORM] = wg_generate_fill,
                [WG_GENERATE_SKEWED] = wg_generate_fill_skewed,
                [WG_GENERATE_PEAKED] = wg_generate_fill_peaked,
            };
            fill[arg->generator](slot->type, arg->low, arg->high, slot_seed(seed, slot),
                                 given + slot->offset, slot->count);
        }
    }
}

void wg_image_fill(const struct wg_image *image, const struct wg_manifest *manifest, uint64_t seed,
                   enum wg_poison poison, uint8_t *given) {
    for (size_t i = 0; i < image->slot_count; i++) {
        const struct wg_image_slot *slot = &image->slots[i];
        if (slot->role == WG_ROLE_SCALAR) {
            continue;
        }
        uint8_t *data = given + slot->offset;
        const uint8_t *guard =
            slot->role == WG_ROLE_INPUT ? input_guard_pattern : output_guard_pattern;
        fill_pattern(data - image->guard_bytes, image->guard_bytes, guard);
        fill_pattern(data + slot->bytes, image->guard_bytes, guard);
        if (slot->role == WG_ROLE_OUTPUT && poison == WG_POISON_FINITE) {
            fill_garbage(slot, slot_seed(seed, slot), data);
        } else if (slot->role == WG_ROLE_OUTPUT) {
            fill_pattern(data, slot->bytes, output_pattern);
        }
    }
    wg_image_fill_inputs(image, manifest, seed, given);
}

void wg_image_describe(const struct wg_image *image, struct wg_request *request) {
    request->arg_count = (uint32_t)image->slot_count;
    for (size_t i = 0; i < image->slot_count; i++) {
        const struct wg_image_slot *slot = &image->slots[i];
        struct wg_arg *arg = &request->args[i];
        *arg = (struct wg_arg){.type = (uint8_t)slot->type};
        if (slot->role == WG_ROLE_SCALAR) {
            arg->kind = WG_ARG_SCALAR;
            if (slot->type == WG_TYPE_F32 || slot->type == WG_TYPE_F64) {
                arg->value.f = slot->scalar_float;
            } else {
                arg->value.i = slot->scalar_int;
            }
        } else {
            arg->kind = WG_ARG_BUFFER;
            arg->offset = slot->offset - image->guard_bytes;
            arg->bytes = slot->bytes;
            arg->guard_bytes = image->guard_bytes;
            if (slot->role == WG_ROLE_VALUE || slot->role == WG_ROLE_MAGNITUDE) {
                arg->flags = WG_ARG_UNDEFINED;
            }
        }
    }
}

bool wg_image_find_stray(const struct wg_image *image, size_t slot, const uint8_t *given,
                         const uint8_t *taken, struct wg_image_stray *out) {
    const struct wg_image_slot *s = &image->slots[slot];
    size_t guard = image->guard_bytes;
    size_t front = s->offset - guard;
    size_t back = s->offset + s->bytes;
    if (guard == 0 || s->role == WG_ROLE_SCALAR ||
        (memcmp(given + front, taken + front, guard) == 0 &&
         memcmp(given + back, taken + back, guard) == 0)) {
        return false;
    }
    struct wg_image_stray stray = {.distance = UINT64_MAX};
    for (size_t i = 0; i < guard; i++) {
        if (given[back + i] != taken[back + i]) {
            stray.count++;
            if (i < stray.distance) {
                stray.distance = i;
                stray.before = false;
            }
        }
        if (given[s->offset - 1 - i] != taken[s->offset - 1 - i]) {
            stray.count++;
            if (i < stray.distance) {
                stray.distance = i;
                stray.before = true;
            }
        }
    }
    *out = stray;
    return true;
}

bool wg_image_find_change(const struct wg_image *image, size_t slot, const uint8_t *given,
                          const uint8_t *taken, uint64_t *first, uint64_t *count) {
    const struct wg_image_slot *s = &image->slots[slot];
    if (s->role != WG_ROLE_INPUT || memcmp(given + s->offset, taken + s->offset, s->bytes) == 0) {
        return false;
    }
    size_t size = wg_type_bytes(s->type);
    *first = UINT64_MAX;
    *count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (memcmp(given + s->offset + i * size, taken + s->offset + i * size, size) != 0) {
            *first = *first == UINT64_MAX ? i : *first;
            ++*count;
        }
    }
    return true;
}
