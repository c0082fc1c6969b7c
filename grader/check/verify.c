#include "grader/check/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/check/generate.h"
#include "grader/check/judge.h"

enum {
    GUARD_NEAR = 4096,    /* bytes of each guard that a quick look takes */
    PART_ELEMENTS = 2048, /* of a part that is drawn */
    INPUT_PARTS = 3,      /* drawn of each input */
    OUTPUT_PARTS = 12,    /* and of each output, beside both ends */
};
static const size_t thorough_bytes = (size_t)1 << 20;

/* Magnitudes are the baseline's results on the magnitudes of the inputs. That is what golden()
 * gives for sums of products. For other functions it is a guess, so the bound is wide there: that
 * results are precise was seen in the untimed cases, and here they have to be results at all. */
static const double relative_slack = 16;

enum part_kind { PART_GUARD, PART_INPUT, PART_OUTPUT };

struct part {
    enum part_kind kind;
    size_t slot;
    size_t offset, bytes; /* in the image, from the first guard */
    size_t to;
};

struct look {
    struct wg_verify *verify;
    struct part parts[WG_MAX_RANGES];
    size_t part_count;
    size_t bytes;
    uint8_t *got, *wanted, *magnitudes; /* copies, one WG_BENCH_TAKEN_BYTES long each */
    struct wg_bench **culprit;
    enum wg_answer *answer;
    bool is_lost; /* a process did not answer */
};

bool wg_verify_needs_magnitudes(const struct wg_manifest *manifest) {
    for (size_t i = 0; i < manifest->arg_count; i++) {
        const struct wg_manifest_arg *arg = &manifest->args[i];
        if (arg->kind == WG_ARG_BUFFER && arg->direction != WG_DIR_IN &&
            arg->judge != WG_JUDGE_EXACT) {
            return true;
        }
    }
    return false;
}

static void find(struct look *look, enum wg_verdict verdict, char *sentence) {
    if (look->verify->verdict != WG_VERDICT_PASS) {
        free(sentence);
        return;
    }
    look->verify->verdict = verdict;
    look->verify->sentence = sentence;
}

/* ---- Comparing ---- */

static const struct wg_manifest_arg *declared(const struct look *look, const struct part *part) {
    size_t index = look->verify->image->slots[part->slot].manifest_arg;
    return &look->verify->manifest->args[index];
}

static size_t first_element(const struct look *look, const struct part *part) {
    const struct wg_image *image = look->verify->image;
    return (part->offset - image->guard_bytes) / wg_type_bytes(image->slots[part->slot].type);
}

static void compare_guard(struct look *look, const struct part *part) {
    const uint8_t *got = look->got + part->to;
    for (size_t i = 0; i < part->bytes; i++) {
        if (got[i] != WG_POISON_BYTE) {
            bool is_before = part->offset < look->verify->image->guard_bytes;
            find(look, WG_VERDICT_OUT_OF_BOUNDS,
                 wg_strf("memory %s %s was written to", is_before ? "in front of" : "behind",
                         declared(look, part)->name));
            return;
        }
    }
}

static void compare_input(struct look *look, const struct part *part) {
    if (memcmp(look->got + part->to, look->wanted + part->to, part->bytes) != 0) {
        find(look, WG_VERDICT_INPUT_MODIFIED,
             wg_strf("the input %s did not come back as it was", declared(look, part)->name));
    }
}

static int64_t evaluate(const struct wg_expr *expr, const int64_t *dims) {
    int64_t value = 0;
    struct wg_err ignored = {0};
    return expr != NULL && wg_expr_eval(expr, dims, &value, &ignored) == WG_OK ? value : 0;
}

static bool is_poison(const uint8_t *elements, size_t size, size_t index) {
    for (size_t i = 0; i < size; i++) {
        if (elements[index * size + i] != WG_POISON_BYTE) {
            return false;
        }
    }
    return true;
}

static void compare_output(struct look *look, const struct part *part) {
    const struct wg_manifest_arg *arg = declared(look, part);
    enum wg_type type = look->verify->image->slots[part->slot].type;
    size_t count = part->bytes / wg_type_bytes(type);
    /* The results held against it were rounded like its own: twice the bound, where there is one.
     */
    const struct wg_judge_rule rule = {.judge = arg->judge,
                                       .type = type,
                                       .terms = 2 * evaluate(arg->terms, look->verify->dims),
                                       .rms_factor = arg->rms_limit_factor,
                                       .ulps = relative_slack * arg->ulps};
    if (arg->judge == WG_JUDGE_EXACT &&
        memcmp(look->got + part->to, look->wanted + part->to, part->bytes) == 0) {
        return;
    }
    double *wanted = wg_realloc(NULL, count, sizeof *wanted);
    double *magnitudes = wg_realloc(NULL, count, sizeof *magnitudes);
    const uint8_t *from = arg->judge == WG_JUDGE_EXACT ? look->wanted : look->magnitudes;
    for (size_t i = 0; i < count; i++) {
        wanted[i] = wg_judge_value(type, look->wanted + part->to, i);
        magnitudes[i] = fmax(wg_judge_value(type, from + part->to, i), fabs(wanted[i]));
    }
    struct wg_judgement judgement = {0};
    wg_judge_compare(&rule, look->got + part->to, wanted, magnitudes, count, NULL, &judgement);
    if (judgement.wrong_count > 0 &&
        is_poison(look->got + part->to, wg_type_bytes(type), (size_t)judgement.first_wrong)) {
        find(look, WG_VERDICT_WRONG_ANSWER,
             wg_strf("%s[%zu] was not written", arg->name,
                     first_element(look, part) + (size_t)judgement.first_wrong));
    } else if (judgement.wrong_count > 0) {
        find(look, WG_VERDICT_WRONG_ANSWER,
             wg_strf("%s[%zu] came out as %.9g and not as %.9g", arg->name,
                     first_element(look, part) + (size_t)judgement.first_wrong, judgement.got,
                     judgement.expected));
    } else if (!wg_judgement_is_right(&judgement)) {
        find(look, WG_VERDICT_WRONG_ANSWER,
             wg_strf("%s is less precise than its type allows: errors are %.3g times the limit",
                     arg->name, judgement.rms_in_limit));
    }
    free(wanted);
    free(magnitudes);
}

/* ---- Taking ---- */

static bool take(struct look *look, struct wg_bench *bench, uint32_t set, bool outputs_only,
                 uint8_t *copy) {
    struct wg_request request = {.set = set};
    for (size_t i = 0; i < look->part_count; i++) {
        const struct part *part = &look->parts[i];
        if (!outputs_only || part->kind == PART_OUTPUT) {
            request.ranges[request.range_count++] = (struct wg_range){.arg = (uint32_t)part->slot,
                                                                      .offset = part->offset,
                                                                      .bytes = part->bytes,
                                                                      .to = part->to};
        }
    }
    if (request.range_count > 0 && !wg_bench_take(bench, &request, look->answer)) {
        *look->culprit = bench;
        look->is_lost = true;
        return false;
    }
    memcpy(copy, wg_session_taken(bench->session), look->bytes);
    return true;
}

static void compare_parts(struct look *look) {
    struct wg_verify *verify = look->verify;
    bool done =
        look->part_count == 0 || look->is_lost ||
        !take(look, verify->seen, verify->seen_set, false, look->got) ||
        !take(look, verify->trusted, 0, false, look->wanted) ||
        (look->magnitudes != NULL && !take(look, verify->trusted, 1, true, look->magnitudes));
    for (size_t i = 0; !done && i < look->part_count; i++) {
        const struct part *part = &look->parts[i];
        switch (part->kind) {
        case PART_GUARD:
            compare_guard(look, part);
            break;
        case PART_INPUT:
            compare_input(look, part);
            break;
        case PART_OUTPUT:
            compare_output(look, part);
            break;
        }
    }
    look->part_count = 0;
    look->bytes = 0;
}

static void add_part(struct look *look, enum part_kind kind, size_t slot, size_t offset,
                     size_t bytes) {
    if (look->part_count == WG_MAX_RANGES || look->bytes + bytes > WG_BENCH_TAKEN_BYTES - 64) {
        compare_parts(look);
    }
    look->parts[look->part_count++] = (struct part){
        .kind = kind, .slot = slot, .offset = offset, .bytes = bytes, .to = look->bytes};
    look->bytes = (look->bytes + bytes + 63) / 64 * 64;
}

static void add_elements(struct look *look, enum part_kind kind, size_t slot, size_t first,
                         size_t count) {
    const struct wg_image *image = look->verify->image;
    size_t size = wg_type_bytes(image->slots[slot].type);
    add_part(look, kind, slot, image->guard_bytes + first * size, count * size);
}

static void look_at_guards(struct look *look, size_t slot) {
    const struct wg_image *image = look->verify->image;
    size_t guard = image->guard_bytes;
    size_t near = look->verify->thorough || guard < GUARD_NEAR ? guard : GUARD_NEAR;
    if (near > 0) {
        add_part(look, PART_GUARD, slot, guard - near, near);
        add_part(look, PART_GUARD, slot, guard + image->slots[slot].bytes, near);
    }
}

static void look_at_elements(struct look *look, size_t slot) {
    const struct wg_image_slot *s = &look->verify->image->slots[slot];
    enum part_kind kind = s->role == WG_ROLE_INPUT ? PART_INPUT : PART_OUTPUT;
    size_t step = look->verify->thorough ? thorough_bytes / wg_type_bytes(s->type) : PART_ELEMENTS;
    if (look->verify->thorough || s->count <= step * OUTPUT_PARTS) {
        for (size_t at = 0; at < s->count && !look->is_lost; at += step) {
            add_elements(look, kind, slot, at, s->count - at < step ? s->count - at : step);
        }
        return;
    }
    size_t drawn = kind == PART_INPUT ? INPUT_PARTS : OUTPUT_PARTS;
    for (size_t i = 0; i < drawn; i++) {
        uint64_t random = wg_generate_derive(look->verify->draw, slot * 1000 + i);
        add_elements(look, kind, slot, (size_t)(random % (s->count - step)), step);
    }
    if (kind == PART_OUTPUT) {
        add_elements(look, kind, slot, 0, step);
        add_elements(look, kind, slot, s->count - step, step);
    }
}

bool wg_verify_call(struct wg_verify *verify, struct wg_bench **culprit, enum wg_answer *answer) {
    struct look look = {.verify = verify, .culprit = culprit, .answer = answer};
    look.got = wg_realloc(NULL, WG_BENCH_TAKEN_BYTES, 1);
    look.wanted = wg_realloc(NULL, WG_BENCH_TAKEN_BYTES, 1);
    if (wg_verify_needs_magnitudes(verify->manifest)) {
        look.magnitudes = wg_realloc(NULL, WG_BENCH_TAKEN_BYTES, 1);
    }
    verify->verdict = WG_VERDICT_PASS;
    verify->sentence = NULL;
    for (size_t i = 0; i < verify->image->slot_count && !look.is_lost; i++) {
        if (verify->image->slots[i].role != WG_ROLE_SCALAR) {
            look_at_guards(&look, i);
            look_at_elements(&look, i);
        }
    }
    compare_parts(&look);
    free(look.got);
    free(look.wanted);
    free(look.magnitudes);
    return !look.is_lost;
}
