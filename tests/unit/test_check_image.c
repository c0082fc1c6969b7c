#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/check/image.h"

/* f(const float *in, double *both, int *out, int n) */
static struct wg_manifest manifest;
static const int64_t dims[] = {1000};
static struct wg_err err;

static struct wg_expr *parse(const char *text) {
    const char *const names[] = {"n"};
    struct wg_expr *expr = NULL;
    cr_assert_eq(wg_expr_parse(text, names, 1, &expr, &err), WG_OK, "%s", err.msg);
    return expr;
}

static void make_manifest(void) {
    memset(&manifest, 0, sizeof manifest);
    manifest.id = (char *)"toy";
    manifest.dim_count = 1;
    manifest.arg_count = 4;
    manifest.args[0] = (struct wg_manifest_arg){.name = (char *)"in",
                                                .kind = WG_ARG_BUFFER,
                                                .type = WG_TYPE_F32,
                                                .direction = WG_DIR_IN,
                                                .length = parse("n"),
                                                .low = -1,
                                                .high = 1};
    manifest.args[1] = manifest.args[0];
    manifest.args[1].name = (char *)"both";
    manifest.args[1].type = WG_TYPE_F64;
    manifest.args[1].direction = WG_DIR_INOUT;
    manifest.args[1].length = parse("n + 1");
    manifest.args[2] = manifest.args[0];
    manifest.args[2].name = (char *)"out";
    manifest.args[2].type = WG_TYPE_I32;
    manifest.args[2].direction = WG_DIR_OUT;
    manifest.args[2].length = parse("3");
    manifest.args[3] = (struct wg_manifest_arg){
        .name = (char *)"n", .kind = WG_ARG_SCALAR, .type = WG_TYPE_I32, .value = parse("2*n")};
}

static void free_manifest(void) {
    for (size_t i = 0; i < 4; i++) {
        wg_expr_free(manifest.args[i].length);
        wg_expr_free(manifest.args[i].value);
    }
}

TestSuite(image, .init = make_manifest, .fini = free_manifest);

Test(image, plan_places_buffers_apart) {
    struct wg_image image;
    cr_assert_eq(wg_image_plan(&manifest, dims, 4096, &image, &err), WG_OK);
    cr_assert_eq(image.slot_count, 4);
    cr_assert_eq(image.slots[0].bytes, 4000);
    cr_assert_eq(image.slots[1].bytes, 8008);
    cr_assert_eq(image.slots[0].role, WG_ROLE_INPUT);
    cr_assert_eq(image.slots[1].role, WG_ROLE_UPDATED);
    cr_assert_eq(image.slots[2].role, WG_ROLE_OUTPUT);
    for (size_t i = 0; i < 2; i++) {
        size_t end = image.slots[i].offset + image.slots[i].bytes + 4096;
        cr_assert_leq(end, image.slots[i + 1].offset - 4096);
    }
    cr_assert_geq(image.bytes, image.slots[2].offset + 12 + 4096);
}

Test(image, golden_gets_two_double_arrays_for_an_output) {
    struct wg_image image;
    cr_assert_eq(wg_image_plan_golden(&manifest, dims, &image, &err), WG_OK);
    const enum wg_image_role roles[] = {WG_ROLE_INPUT,     WG_ROLE_UPDATED, WG_ROLE_VALUE,
                                        WG_ROLE_MAGNITUDE, WG_ROLE_VALUE,   WG_ROLE_MAGNITUDE,
                                        WG_ROLE_SCALAR};
    cr_assert_eq(image.slot_count, 7);
    for (size_t i = 0; i < 7; i++) {
        cr_assert_eq(image.slots[i].role, roles[i], "slot %zu", i);
    }
    cr_assert_eq(image.slots[4].bytes, 24);
    cr_assert_eq(image.guard_bytes, 0);
}

Test(image, a_length_of_zero_is_the_assignments_fault) {
    const int64_t bad[] = {-1};
    struct wg_image image;
    cr_assert_eq(wg_image_plan(&manifest, bad, 0, &image, &err), WG_EPARSE);
}

Test(image, request_describes_the_images) {
    struct wg_image image;
    cr_assert_eq(wg_image_plan(&manifest, dims, 4096, &image, &err), WG_OK);
    struct wg_request request = {0};
    wg_image_describe(&image, &request);
    cr_assert_eq(request.arg_count, 4);
    cr_assert_eq(request.args[3].kind, WG_ARG_SCALAR);
    cr_assert_eq(request.args[3].value.i, 2000);
    cr_assert_eq(request.args[1].offset, image.slots[1].offset - 4096);
    cr_assert_eq(request.args[1].guard_bytes, 4096);
}

Test(image, outputs_and_guards_are_nan_and_inputs_are_not) {
    struct wg_image image;
    cr_assert_eq(wg_image_plan(&manifest, dims, 4096, &image, &err), WG_OK);
    uint8_t *given = calloc(1, image.bytes);
    wg_image_fill(&image, &manifest, 1, WG_POISON_NAN, given);
    const float *in = (const float *)(given + image.slots[0].offset);
    const double *both = (const double *)(given + image.slots[1].offset);
    cr_assert(isnan(in[-1]) && isnan(in[1000]) && isnan(in[1000 + 1023]));
    /* NaN from around an input must show when it is stored around an output. */
    cr_assert(!isnan(both[-1]) && !isnan(both[1001]));
    for (int i = 0; i < 1000; i++) {
        cr_assert(in[i] >= -1 && in[i] < 1 && in[i] != 0);
        cr_assert(both[i] >= -1 && both[i] < 1 && both[i] != 0);
    }
    float output_poison;
    memcpy(&output_poison, given + image.slots[2].offset, sizeof output_poison);
    cr_assert(isnan(output_poison));
    cr_assert_neq(memcmp(&output_poison, &in[-1], sizeof output_poison), 0,
                  "a NaN read around an input looks like an unwritten output");
    wg_image_fill(&image, &manifest, 1, WG_POISON_FINITE, given);
    const int32_t *out = (const int32_t *)(given + image.slots[2].offset);
    cr_assert(out[0] >= 50 && out[0] < 100);
    free(given);
}

Test(image, strays_are_found_with_side_and_distance) {
    struct wg_image image;
    cr_assert_eq(wg_image_plan(&manifest, dims, 4096, &image, &err), WG_OK);
    uint8_t *given = calloc(1, image.bytes);
    uint8_t *taken = calloc(1, image.bytes);
    wg_image_fill(&image, &manifest, 1, WG_POISON_NAN, given);
    memcpy(taken, given, image.bytes);
    struct wg_image_stray stray;
    cr_assert_not(wg_image_find_stray(&image, 0, given, taken, &stray));
    taken[image.slots[0].offset + 4000 + 12] ^= 1;
    taken[image.slots[0].offset + 4000 + 4095] ^= 1;
    cr_assert(wg_image_find_stray(&image, 0, given, taken, &stray));
    cr_assert_eq(stray.distance, 12);
    cr_assert_not(stray.before);
    cr_assert_eq(stray.count, 2);
    taken[image.slots[0].offset - 4] ^= 1;
    cr_assert(wg_image_find_stray(&image, 0, given, taken, &stray));
    cr_assert_eq(stray.distance, 3);
    cr_assert(stray.before);
    cr_assert_not(wg_image_find_stray(&image, 1, given, taken, &stray));
    free(given);
    free(taken);
}

Test(image, changed_inputs_are_found) {
    struct wg_image image;
    cr_assert_eq(wg_image_plan(&manifest, dims, 0, &image, &err), WG_OK);
    uint8_t *given = calloc(1, image.bytes);
    uint8_t *taken = calloc(1, image.bytes);
    wg_image_fill(&image, &manifest, 1, WG_POISON_NAN, given);
    memcpy(taken, given, image.bytes);
    uint64_t first, count;
    cr_assert_not(wg_image_find_change(&image, 0, given, taken, &first, &count));
    taken[image.slots[0].offset + 4 * 7 + 2] ^= 1;
    taken[image.slots[0].offset + 4 * 900] ^= 1;
    cr_assert(wg_image_find_change(&image, 0, given, taken, &first, &count));
    cr_assert_eq(first, 7);
    cr_assert_eq(count, 2);
    taken[image.slots[1].offset] ^= 1; /* may change */
    cr_assert_not(wg_image_find_change(&image, 1, given, taken, &first, &count));
    free(given);
    free(taken);
}
