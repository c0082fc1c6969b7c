#include "grader/check/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/base/trust.h"
#include "grader/check/judge.h"
#include "grader/check/pattern.h"
#include "grader/check/wrong_map.h"

enum { SENTENCE_BYTES = 700 };

void wg_outcome_done(struct wg_outcome *outcome) {
    free(outcome->facts.sentence);
    free(outcome->facts.pattern);
    free(outcome->facts.output);
    free(outcome->facts.wrong_map);
    *outcome = (struct wg_outcome){0};
}

void wg_outcome_raise(struct wg_outcome *outcome, enum wg_verdict verdict, char *sentence) {
    if (verdict <= outcome->facts.verdict) {
        free(sentence);
        return;
    }
    outcome->facts.verdict = verdict;
    free(outcome->facts.sentence);
    outcome->facts.sentence = sentence;
}

char *wg_outcome_join(char *first, const char *second) {
    size_t len = strlen(first);
    char *both = wg_strf("%s%s%s", first, len > 0 && first[len - 1] == '.' ? " " : ". ", second);
    free(first);
    return both;
}

void wg_outcome_drop_pattern(struct wg_outcome *outcome) {
    if (outcome->counts_len > 0) {
        outcome->facts.sentence[outcome->counts_len] = '\0';
        free(outcome->facts.pattern);
        outcome->facts.pattern = NULL;
    }
}

/* ---- Findings, guards, inputs ---- */

char *wg_outcome_cite(const struct wg_finding_record *r, bool is_old) {
    WG_CLEANUP(wg_freep) char *text = wg_text_clean(r->text, strlen(r->text), SENTENCE_BYTES);
    if (r->at.line == 0) {
        return WG_TAKE(&text);
    }
    WG_CLEANUP(wg_freep) char *file = wg_text_clean(r->at.file, strlen(r->at.file), 100);
    return wg_strf("line %u of %s%s: %s", r->at.line, file, is_old ? ", as in an earlier case" : "",
                   text);
}

static void judge_findings(struct wg_outcome *outcome, const struct wg_evidence *evidence) {
    bool is_ignored = evidence->verdict == WG_VERDICT_LAUNCH_ERROR && wg_trust_is_off("launches");
    if (evidence->verdict > outcome->facts.verdict && !is_ignored) {
        outcome->names_line = evidence->cause.at.line != 0;
        outcome->second_hand = evidence->cause_is_old;
        wg_outcome_raise(outcome, evidence->verdict,
                         wg_outcome_cite(&evidence->cause, evidence->cause_is_old));
    }
}

static void judge_guards(struct wg_outcome *outcome, const struct wg_call_seen *seen, size_t slot) {
    struct wg_image_stray stray;
    if (!wg_image_find_stray(seen->image, slot, seen->given, seen->taken, &stray)) {
        return;
    }
    const struct wg_image_slot *s = &seen->image->slots[slot];
    const char *name = seen->manifest->args[s->manifest_arg].name;
    int64_t size = (int64_t)wg_type_bytes(s->type);
    int64_t away = (int64_t)stray.distance / size;
    int64_t element = stray.before ? -1 - away : (int64_t)s->count + away;
    char *fact = wg_strf("something was written %s %s, which has %zu elements: %s[%lld]%s",
                         stray.before ? "in front of" : "behind the end of", name, s->count, name,
                         (long long)element, stray.count > (uint64_t)size ? " and more" : "");
    if (outcome->facts.verdict < WG_VERDICT_OUT_OF_BOUNDS) {
        outcome->stray_len = strlen(fact);
        outcome->names_line = false;
    }
    wg_outcome_raise(
        outcome, WG_VERDICT_OUT_OF_BOUNDS,
        wg_outcome_join(fact, "Let only threads with an index inside the array read and write"));
}

/* Memory that was freed in the call comes back as poison, with an error. */
static bool was_freed(const struct wg_call_seen *seen, size_t slot) {
    const struct wg_image_slot *s = &seen->image->slots[slot];
    const uint8_t *data = seen->taken + s->offset;
    return seen->reply->status == WG_STATUS_HIP_ERROR && s->bytes > 0 &&
           data[0] == WG_POISON_BYTE && memcmp(data, data + 1, s->bytes - 1) == 0;
}

static void judge_input(struct wg_outcome *outcome, const struct wg_call_seen *seen, size_t slot) {
    uint64_t first = 0;
    uint64_t count = 0;
    if (wg_trust_is_off("inputs") ||
        !wg_image_find_change(seen->image, slot, seen->given, seen->taken, &first, &count)) {
        return;
    }
    const char *name = seen->manifest->args[seen->image->slots[slot].manifest_arg].name;
    if (was_freed(seen, slot)) {
        wg_outcome_raise(outcome, WG_VERDICT_INPUT_MODIFIED,
                         wg_strf("%s is an input and must stay as it is, but nothing of it is left "
                                 "after the call: hipFree or hipDeviceReset in it freed %s. Free "
                                 "only what the call itself has allocated",
                                 name, name));
        return;
    }
    wg_outcome_raise(outcome, WG_VERDICT_INPUT_MODIFIED,
                     wg_strf("%s is an input and must stay as it is, but %llu of its elements came "
                             "back changed, the first one %s[%llu]",
                             name, (unsigned long long)count, name, (unsigned long long)first));
}

/* ---- Launches ---- */

static const char *error_name(const struct wg_reply *reply) {
    return reply->hip_error_name[0] != '\0' ? reply->hip_error_name : "a HIP error";
}

static void judge_launches(struct wg_outcome *outcome, const struct wg_call_seen *seen,
                           bool outputs_right) {
    const struct wg_evidence *e = seen->evidence;
    bool has_error = seen->reply->status == WG_STATUS_HIP_ERROR;
    /* Without a report every error left behind counts; with one, only launches that failed: other
     * calls may fail without harm, and their harm shows in the numbers. */
    bool launch_failed = e == NULL ? has_error : e->failed_launches > 0;
    if (launch_failed && !wg_trust_is_off("launches") &&
        (has_error || e == NULL || e->launches == 0)) {
        WG_CLEANUP(wg_freep)
        char *name = wg_text_clean(error_name(seen->reply), strlen(error_name(seen->reply)), 64);
        wg_outcome_raise(outcome, WG_VERDICT_LAUNCH_ERROR,
                         has_error ? wg_strf("a launch was refused with %s: check the grid, the "
                                             "block and the shared memory asked for",
                                             name)
                                   : wg_strdup("every launch was refused: check the grid, the "
                                               "block and the shared memory asked for"));
        return;
    }
    if (e == NULL) {
        return;
    }
    if (e->launches == 0 && !wg_trust_is_off("kernels") && (outputs_right || !outcome->launched)) {
        wg_outcome_raise(
            outcome, WG_VERDICT_NO_KERNEL,
            wg_strdup(outcome->launched
                          ? "a repeated call launched no kernel: every call has to compute its "
                            "result anew"
                          : "no kernel was launched: the result has to be computed on the GPU, by "
                            "a __global__ function"));
    }
    outcome->launched |= e->launches > 0;
}

/* A kernel that the device stopped. Nothing can be read back after that, so the images tell
 * nothing. Where the platform saw more than this error, that is told instead. */
static bool judge_device_fault(struct wg_outcome *outcome, const struct wg_call_seen *seen) {
    /* hipError_t, which is the same number on all platforms. */
    enum {
        ILLEGAL_ADDRESS = 700,
        TIMED_OUT = 702,
        ASSERT = 710,
        FIRST_TRAP = 714,
        LAST_TRAP = 719
    };
    int error = seen->reply->hip_error;
    bool is_fault = error == ILLEGAL_ADDRESS || error == TIMED_OUT || error == ASSERT ||
                    (error >= FIRST_TRAP && error <= LAST_TRAP);
    if (seen->reply->status != WG_STATUS_HIP_ERROR || !is_fault ||
        (seen->evidence != NULL && seen->evidence->verdict != WG_VERDICT_PASS)) {
        return false;
    }
    WG_CLEANUP(wg_freep)
    char *name = wg_text_clean(error_name(seen->reply), strlen(error_name(seen->reply)), 64);
    if (error == ILLEGAL_ADDRESS) {
        wg_outcome_raise(
            outcome, WG_VERDICT_OUT_OF_BOUNDS,
            wg_strf("a kernel accessed memory that is not there (%s): check every index "
                    "against the sizes, the last block first",
                    name));
    } else if (error == TIMED_OUT) {
        wg_outcome_raise(outcome, WG_VERDICT_TIMEOUT,
                         wg_strf("a kernel ran longer than the device allows (%s)", name));
    } else {
        wg_outcome_raise(outcome, WG_VERDICT_CRASH,
                         wg_strf("the device stopped a kernel with %s", name));
    }
    return true;
}

/* ---- Outputs ---- */

struct wg_output_seen {
    const struct wg_manifest_arg *arg;
    const struct wg_image_slot *slot;
    struct wg_judge_rule rule;
    struct wg_judgement judgement;
    uint64_t rows, columns; /* columns 0: one-dimensional */
};

static int64_t evaluate(const struct wg_expr *expr, const int64_t *dims) {
    int64_t value = 0;
    struct wg_err ignored = {0};
    return expr != NULL && wg_expr_eval(expr, dims, &value, &ignored) == WG_OK ? value : 0;
}

static void describe_output(const struct wg_call_seen *seen, size_t slot,
                            struct wg_output_seen *out) {
    const struct wg_image_slot *s = &seen->image->slots[slot];
    const struct wg_manifest_arg *arg = &seen->manifest->args[s->manifest_arg];
    *out = (struct wg_output_seen){.arg = arg, .slot = s};
    out->rule = (struct wg_judge_rule){.judge = arg->judge,
                                       .type = arg->type,
                                       .terms = evaluate(arg->terms, seen->dims),
                                       .rms_factor = arg->rms_limit_factor,
                                       .ulps = arg->ulps};
    if (wg_trust_is_off("precision")) { /* as tolerances are, that somebody tuned by hand */
        out->rule.terms *= 1 << 17;
        out->rule.rms_factor = 0;
    }
    if (arg->shape_count >= 2) {
        /* The last axis makes the columns, everything before it the rows. */
        int64_t columns = evaluate(arg->shape[arg->shape_count - 1], seen->dims);
        if (columns > 0 && s->count % (uint64_t)columns == 0) {
            out->columns = (uint64_t)columns;
            out->rows = s->count / (uint64_t)columns;
        }
    }
}

static void make_view(const struct wg_call_seen *seen, const struct wg_output_seen *output,
                      const uint8_t *wrong, struct wg_pattern_view *view) {
    const struct wg_image_slot *slot = output->slot;
    const struct wg_golden_output *golden = &seen->golden->outputs[slot->manifest_arg];
    *view = (struct wg_pattern_view){
        .name = output->arg->name,
        .rule = &output->rule,
        .judgement = &output->judgement,
        .got = seen->taken + slot->offset,
        .before = seen->given + slot->offset,
        .before_is_nan = slot->role == WG_ROLE_OUTPUT && seen->poison == WG_POISON_NAN,
        .golden = golden->values,
        .magnitude = golden->magnitudes,
        .previous =
            seen->previous == NULL ? NULL : seen->previous->outputs[slot->manifest_arg].values,
        .wrong = wrong,
        .rows = output->rows,
        .columns = output->columns,
    };
    for (size_t i = 0; i < seen->image->slot_count; i++) {
        const struct wg_image_slot *s = &seen->image->slots[i];
        if (s->role == WG_ROLE_INPUT) {
            view->inputs[view->input_count++] =
                (struct wg_pattern_input){.name = seen->manifest->args[s->manifest_arg].name,
                                          .type = s->type,
                                          .data = seen->given + s->offset,
                                          .count = s->count};
        }
    }
}

static void add_number(struct wg_buf *text, double value, enum wg_type type) {
    if (isnan(value)) {
        wg_buf_puts(text, "NaN");
    } else if (type == WG_TYPE_F32 || type == WG_TYPE_F64) {
        wg_buf_printf(text, "%.9g", value);
    } else {
        wg_buf_printf(text, "%.0f", value);
    }
}

static void keep_numbers(struct wg_outcome *outcome, const struct wg_output_seen *output) {
    const struct wg_judgement *j = &output->judgement;
    struct wg_result_case *facts = &outcome->facts;
    facts->element_count = j->element_count;
    facts->error_in_bounds = fmax(facts->error_in_bounds, j->error_in_bounds);
    facts->rms_error_in_limit = fmax(facts->rms_error_in_limit, j->rms_in_limit);
    /* The first wrong call is the one whose numbers are told. */
    if (j->wrong_count == 0 || facts->wrong_count > 0) {
        return;
    }
    facts->wrong_count = j->wrong_count;
    facts->has_first_wrong = true;
    facts->first_wrong_index = j->first_wrong;
    facts->first_wrong_row =
        output->columns == 0 ? -1 : (int64_t)(j->first_wrong / output->columns);
    facts->first_wrong_column =
        output->columns == 0 ? -1 : (int64_t)(j->first_wrong % output->columns);
    facts->expected = j->expected;
    facts->got = j->got;
    free(facts->output);
    facts->output = wg_strdup(output->arg->name);
}

/* "232 of 1000 elements of c are wrong; the first is c[768]: 1.5 was expected and ..." */
static void add_counts(const struct wg_pattern_view *view, const struct wg_output_seen *output,
                       struct wg_buf *text) {
    const struct wg_judgement *j = &output->judgement;
    size_t size = wg_type_bytes(output->slot->type);
    bool untouched = memcmp((const uint8_t *)view->got + j->first_wrong * size,
                            (const uint8_t *)view->before + j->first_wrong * size, size) == 0;
    wg_buf_printf(text, "%llu of %llu elements of %s are wrong; the first is ",
                  (unsigned long long)j->wrong_count, (unsigned long long)j->element_count,
                  view->name);
    wg_pattern_name_element(view, j->first_wrong, text);
    wg_buf_puts(text, ": expected ");
    add_number(text, j->expected, output->slot->type);
    if (untouched) {
        wg_buf_puts(text, ", but it still holds what was there before the call");
    } else {
        wg_buf_puts(text, ", got ");
        add_number(text, j->got, output->slot->type);
    }
}

/* Sums added to old contents look unwritten while those are NaN; a later call with finite contents
 * tells more, and replaces what was said. */
static bool tells_more(const char *known, const char *found) {
    return known != NULL && found != NULL && strcmp(found, "accumulated") == 0 &&
           strcmp(known, "accumulated") != 0;
}

static void replace_sentence(struct wg_outcome *outcome, char *sentence) {
    if (outcome->facts.verdict == WG_VERDICT_WRONG_ANSWER) {
        free(outcome->facts.sentence);
        outcome->facts.sentence = sentence;
    } else {
        wg_outcome_raise(outcome, WG_VERDICT_WRONG_ANSWER, sentence);
    }
}

static void explain_wrong(struct wg_outcome *outcome, const struct wg_call_seen *seen,
                          const struct wg_output_seen *output, const uint8_t *wrong) {
    bool first = outcome->facts.verdict < WG_VERDICT_WRONG_ANSWER;
    struct wg_pattern_view view;
    struct wg_pattern pattern = {0};
    make_view(seen, output, wrong, &view);
    bool known = wg_pattern_find(&view, &pattern);
    if (first || tells_more(outcome->facts.pattern, pattern.id)) {
        WG_CLEANUP(wg_buf_done) struct wg_buf counts = {0};
        add_counts(&view, output, &counts);
        char *sentence = wg_text_clean(counts.data, counts.len, SENTENCE_BYTES);
        outcome->counts_len = strlen(sentence);
        if (known) {
            sentence = wg_outcome_join(sentence, wg_buf_str(&pattern.text));
        }
        replace_sentence(outcome, sentence);
        free(outcome->facts.pattern);
        outcome->facts.pattern = known ? wg_strdup(pattern.id) : NULL;
    }
    wg_buf_done(&pattern.text);
}

static void explain_imprecise(struct wg_outcome *outcome, const struct wg_output_seen *output) {
    if (outcome->facts.verdict >= WG_VERDICT_WRONG_ANSWER) {
        return;
    }
    wg_outcome_raise(
        outcome, WG_VERDICT_WRONG_ANSWER,
        wg_strf("every element of %s is near its value, but the errors together are %.3g times "
                "what %s arithmetic may show: some step uses a lower precision",
                output->arg->name, output->judgement.rms_in_limit,
                wg_type_name(output->slot->type)));
    free(outcome->facts.pattern);
    outcome->facts.pattern = wg_strdup("low_precision");
}

/* Of the call whose numbers are told. */
static void keep_map(struct wg_outcome *outcome, const struct wg_output_seen *output,
                     const uint8_t *wrong) {
    struct wg_result_case *facts = &outcome->facts;
    if (facts->wrong_map == NULL) {
        facts->wrong_map = wg_wrong_map_draw(
            wrong, output->columns ? output->rows : output->slot->count, output->columns,
            &facts->wrong_map_tile_rows, &facts->wrong_map_tile_columns);
    }
}

static bool judge_output(struct wg_outcome *outcome, const struct wg_call_seen *seen, size_t slot) {
    struct wg_output_seen output;
    describe_output(seen, slot, &output);
    const struct wg_golden_output *golden = &seen->golden->outputs[output.slot->manifest_arg];
    const uint8_t *got = seen->taken + output.slot->offset;
    wg_judge_compare(&output.rule, got, golden->values, golden->magnitudes, output.slot->count,
                     NULL, &output.judgement);
    keep_numbers(outcome, &output);
    if (output.judgement.wrong_count > 0) {
        uint8_t *wrong = wg_calloc(output.slot->count, 1);
        wg_judge_compare(&output.rule, got, golden->values, golden->magnitudes, output.slot->count,
                         wrong, &output.judgement);
        explain_wrong(outcome, seen, &output, wrong);
        keep_map(outcome, &output, wrong);
        free(wrong);
    } else if (!wg_judgement_is_right(&output.judgement)) {
        explain_imprecise(outcome, &output);
    }
    return wg_judgement_is_right(&output.judgement);
}

/* Equal data that was right once and is wrong now: what changed is what the program kept. */
static void compare_with_earlier(struct wg_outcome *outcome, const struct wg_call_seen *seen,
                                 bool right) {
    unsigned kind = 1u << (2 * seen->variant + (seen->poison == WG_POISON_FINITE)) % 32;
    outcome->keeps |= !right && (outcome->right_data & kind) != 0;
    outcome->right_data |= right ? kind : 0;
}

static void keep_clue(struct wg_outcome *outcome, const struct wg_evidence *evidence) {
    bool better = evidence->has_clue &&
                  (!outcome->has_clue ||
                   wg_finding_urgency(&evidence->clue) < wg_finding_urgency(&outcome->clue));
    if (better) {
        outcome->has_clue = true;
        outcome->clue_is_old = evidence->clue_is_old;
        outcome->clue = evidence->clue;
    }
    if (evidence->has_api_misuse && !outcome->has_api) {
        outcome->has_api = true;
        outcome->api_is_old = evidence->api_is_old;
        outcome->api = evidence->api;
    }
    outcome->kernel_fault |= evidence->hangs && !outcome->checked;
}

char *wg_outcome_cite_call(const struct wg_finding_record *record, bool is_old) {
    WG_CLEANUP(wg_freep) char *call = wg_outcome_cite(record, is_old);
    if (record->at.line != 0) { /* a line of host code that cannot work */
        return wg_strf("Before that: %s", call);
    }
    return wg_strf("A HIP call failed before that%s: %s", is_old ? ", as in an earlier case" : "",
                   call);
}

/* Where NaN comes from then needs no guess. */
static void tell_failed_call(struct wg_outcome *outcome, const struct wg_evidence *evidence) {
    WG_CLEANUP(wg_freep) char *told = wg_outcome_cite_call(&evidence->api, evidence->api_is_old);
    if (outcome->facts.pattern != NULL && strcmp(outcome->facts.pattern, "nan") == 0) {
        wg_outcome_drop_pattern(outcome);
    }
    outcome->facts.sentence = wg_outcome_join(outcome->facts.sentence, told);
    outcome->api_told = true;
}

void wg_outcome_add_call(struct wg_outcome *outcome, const struct wg_call_seen *seen) {
    outcome->reached = true;
    outcome->facts.wall_ns += (int64_t)(seen->reply->call_ns & INT64_MAX);
    bool right = true;
    if (seen->evidence != NULL) {
        judge_findings(outcome, seen->evidence);
        keep_clue(outcome, seen->evidence);
    }
    if (judge_device_fault(outcome, seen)) {
        return;
    }
    for (size_t i = 0; i < seen->image->slot_count; i++) {
        enum wg_image_role role = seen->image->slots[i].role;
        judge_guards(outcome, seen, i);
        if (role == WG_ROLE_INPUT) {
            judge_input(outcome, seen, i);
        } else if (role == WG_ROLE_OUTPUT || role == WG_ROLE_UPDATED) {
            right &= judge_output(outcome, seen, i);
        }
    }
    judge_launches(outcome, seen, right);
    compare_with_earlier(outcome, seen, right);
    outcome->right_calls += outcome->facts.verdict == WG_VERDICT_PASS;
    if (!right && seen->evidence != NULL && seen->evidence->has_api_misuse && !outcome->api_told &&
        outcome->facts.verdict == WG_VERDICT_WRONG_ANSWER) {
        tell_failed_call(outcome, seen->evidence);
    }
}
