/* The bytes of one call: where each buffer lies in the shared files, what it holds before, and what
 * may have changed after.
 *
 * A buffer's image is guard, data, guard. Outputs and the guards of inputs are poisoned with
 * patterns that are NaN in every floating type; outputs may be given finite garbage instead, so
 * that "never written" and "added to what was there" can be told apart. The golden reference gets
 * the same inputs, and in the place of each output two arrays of double, value and magnitude (an
 * input that is also written stays, in front of them). A layout is plain data without ownership. */
#ifndef WG_CHECK_IMAGE_H
#define WG_CHECK_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/err.h"
#include "grader/manifest/manifest.h"
#include "reference/harness/protocol.h"

/* Two blocks of 1024 threads can miss the end by this much with one float4 each; wider strays meet
 * the neighbouring image's guard. */
#define WG_IMAGE_GUARD_BYTES ((size_t)64 * 1024)

enum wg_image_role {
    WG_ROLE_SCALAR,
    WG_ROLE_INPUT,     /* must come back as it was */
    WG_ROLE_OUTPUT,    /* judged */
    WG_ROLE_UPDATED,   /* generated like an input, judged like an output */
    WG_ROLE_VALUE,     /* golden's double[] for an output */
    WG_ROLE_MAGNITUDE, /* the double[] after it */
};

struct wg_image_slot {
    enum wg_image_role role;
    enum wg_type type;   /* of an element of this image, or of the scalar */
    size_t manifest_arg; /* index of the declared argument */
    double scalar_float;
    int64_t scalar_int;
    size_t offset; /* of the data, behind the first guard */
    size_t count, bytes;
};

struct wg_image {
    struct wg_image_slot slots[WG_MAX_ARGS];
    size_t slot_count;
    size_t guard_bytes;
    size_t bytes; /* of everything: what the shared files must hold */
};

enum wg_poison { WG_POISON_NAN, WG_POISON_FINITE };

/* For a submission. Errors: WG_EPARSE (a length that makes no sense for these dims). */
enum wg_code wg_image_plan(const struct wg_manifest *manifest, const int64_t *dims,
                           size_t guard_bytes, struct wg_image *out, struct wg_err *err);

/* For golden(), without guards. */
enum wg_code wg_image_plan_golden(const struct wg_manifest *manifest, const int64_t *dims,
                                  struct wg_image *out, struct wg_err *err);

/* Writes every byte of the images: inputs from the seed, poison elsewhere. */
void wg_image_fill(const struct wg_image *image, const struct wg_manifest *manifest, uint64_t seed,
                   enum wg_poison poison, uint8_t *given);

/* Only the inputs: what golden() reads. */
void wg_image_fill_inputs(const struct wg_image *image, const struct wg_manifest *manifest,
                          uint64_t seed, uint8_t *given);

/* The arguments of a request. Doubles for golden() are described as undefined: nothing is copied
 * in. */
void wg_image_describe(const struct wg_image *image, struct wg_request *request);

/* A changed byte in a guard, nearest to the data. */
struct wg_image_stray {
    bool before;       /* in front of the buffer, else behind its end */
    uint64_t distance; /* bytes from the buffer's edge: 0 is the byte next to it */
    uint64_t count;    /* changed bytes in both guards */
};
bool wg_image_find_stray(const struct wg_image *image, size_t slot, const uint8_t *given,
                         const uint8_t *taken, struct wg_image_stray *out);

/* The first element of an input that did not come back as given; false: none. */
bool wg_image_find_change(const struct wg_image *image, size_t slot, const uint8_t *given,
                          const uint8_t *taken, uint64_t *first, uint64_t *count);

#endif
