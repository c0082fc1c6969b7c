/* What comes from the measured process over its socket and in the shared image of its buffers: a
 * reply and bytes, judged as a call of a small assignment. */
#include <math.h>

#include "grader/check/outcome.h"
#include "tests/fuzz/fuzz.h"

enum { N = 12, DIMS = 1 };

static struct wg_expr *length_n(void) {
    static const char *const names[] = {"n"};
    struct wg_expr *expr = NULL;
    if (wg_expr_parse("n", names, 1, &expr, NULL) != WG_OK) {
        abort();
    }
    return expr;
}

/* out[i] = in[i] and both[i] += in[i], of one element type. */
static void describe(struct wg_manifest *manifest, enum wg_type type, enum wg_judge judge) {
    static const enum wg_direction directions[] = {WG_DIR_IN, WG_DIR_OUT, WG_DIR_INOUT};
    static char *const names[] = {(char *)"in", (char *)"out", (char *)"both"};
    manifest->id = (char *)"toy";
    manifest->memory_bytes = 1 << 20;
    manifest->output_bytes = 1 << 10;
    manifest->arg_count = 3;
    for (size_t i = 0; i < 3; i++) {
        manifest->args[i] = (struct wg_manifest_arg){.name = names[i],
                                                     .kind = WG_ARG_BUFFER,
                                                     .type = type,
                                                     .direction = directions[i],
                                                     .length = length_n(),
                                                     .low = -1,
                                                     .high = 1,
                                                     .judge = judge,
                                                     .terms = length_n(),
                                                     .rms_limit_factor = 10,
                                                     .ulps = 4};
    }
}

static void judge(const struct wg_manifest *manifest, const struct wg_reply *reply,
                  struct fuzz_input *input) {
    static const int64_t dims[DIMS] = {N};
    double values[N];
    double magnitudes[N];
    struct wg_image image;
    struct wg_golden_entry golden = {.ready = true};
    struct wg_outcome outcome = {0};
    const struct wg_evidence evidence = {.launches = 1};
    if (wg_image_plan(manifest, dims, 256, &image, NULL) != WG_OK) {
        return;
    }
    for (size_t i = 0; i < N; i++) {
        values[i] = (double)i;
        magnitudes[i] = 2 * (double)i;
    }
    for (size_t i = 1; i < 3; i++) {
        golden.outputs[i] =
            (struct wg_golden_output){.values = values, .magnitudes = magnitudes, .count = N};
    }
    uint8_t *given = malloc(image.bytes);
    uint8_t *taken = malloc(image.bytes);
    if (given == NULL || taken == NULL) {
        abort();
    }
    wg_image_fill(&image, manifest, 1, WG_POISON_NAN, given);
    memcpy(taken, given, image.bytes);
    for (size_t i = 0; i < image.slot_count && input->left > 0; i++) {
        size_t before = fuzz_byte(input) % 32; /* reaches into the guard in front */
        uint8_t *at = taken + image.slots[i].offset - before;
        fuzz_take(input, at, image.slots[i].bytes + before);
    }
    const struct wg_call_seen seen = {.manifest = manifest,
                                      .dims = dims,
                                      .image = &image,
                                      .given = given,
                                      .taken = taken,
                                      .golden = &golden,
                                      .reply = reply,
                                      .evidence = input->left % 2 == 0 ? &evidence : NULL};
    wg_outcome_add_call(&outcome, &seen);
    wg_outcome_done(&outcome);
    free(given);
    free(taken);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct fuzz_input input = {bytes, len};
    struct wg_reply datagram;
    struct wg_reply reply;
    uint32_t op = fuzz_byte(&input) % (WG_OP_QUIT + 1);
    enum wg_type type = (enum wg_type)(WG_TYPE_I32 + fuzz_byte(&input) % WG_TYPE_U8);
    enum wg_judge kind = (enum wg_judge)(fuzz_byte(&input) % 4);
    size_t datagram_len = sizeof datagram - fuzz_byte(&input) / 255u;
    fuzz_take(&input, &datagram, sizeof datagram);
    if (!wg_session_read_reply(&datagram, datagram_len, op, &reply)) {
        return 0;
    }
    if (!isfinite(reply.event_ms) || reply.event_ms < 0) {
        abort();
    }
    struct wg_manifest manifest = {0};
    describe(&manifest, type, kind);
    judge(&manifest, &reply, &input);
    for (size_t i = 0; i < 3; i++) {
        wg_expr_free(manifest.args[i].length);
        wg_expr_free(manifest.args[i].terms);
    }
    return 0;
}
