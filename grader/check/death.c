/* Calls that were never answered, and how several sessions agree on a case. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/base/trust.h"
#include "grader/check/outcome.h"

/* The harness's exit status when its descriptors are not what they were. */
static const int exit_broken = 70;

/* Where it was, for the end of a sentence: " (in kernel vadd)". */
static char *place_in_words(const struct wg_evidence *evidence, bool while_loading) {
    if (while_loading) {
        return wg_strdup(" while the program was being loaded, before the first call");
    }
    if (evidence->kernel[0] == '\0') {
        return wg_strdup("");
    }
    WG_CLEANUP(wg_freep)
    char *kernel = wg_text_clean(evidence->kernel, strlen(evidence->kernel), 96);
    return wg_strf(" in kernel %s", kernel);
}

static char *cause_in_words(const struct wg_evidence *evidence) {
    const struct wg_finding_record *r = &evidence->cause;
    if (r->kind == WG_FINDING_HOST_ACCESS && evidence->launches == 0) {
        /* The runtime counts bytes of an image with its guards, which means nothing to a student.
         */
        return wg_strdup("host code reads or writes device memory, and no kernel was launched: the "
                         "pointers that are passed in belong to the GPU, and only a __global__ "
                         "function can follow them");
    }
    WG_CLEANUP(wg_freep) char *text = wg_text_clean(r->text, strlen(r->text), 400);
    WG_CLEANUP(wg_freep) char *file = wg_text_clean(r->at.file, strlen(r->at.file), 100);
    return r->at.line == 0 ? WG_TAKE(&text) : wg_strf("line %u of %s: %s", r->at.line, file, text);
}

static void add_timeout(struct wg_outcome *outcome, const struct wg_evidence *evidence,
                        const char *place) {
    if (evidence->verdict == WG_VERDICT_BARRIER_DIVERGENCE) {
        wg_outcome_raise(outcome, WG_VERDICT_BARRIER_DIVERGENCE, cause_in_words(evidence));
        return;
    }
    wg_outcome_raise(outcome, WG_VERDICT_TIMEOUT,
                     wg_strf("the call did not come to an end%s: look for a loop whose condition "
                             "never becomes false, or threads that wait for each other",
                             place));
}

static void add_exit(struct wg_outcome *outcome, const struct wg_jail_result *end,
                     const struct wg_evidence *evidence, const char *place) {
    if (evidence->verdict != WG_VERDICT_PASS && evidence->cause.text[0] != '\0') {
        /* The runtime saw why, which says more than the signal; an access that it names as out of
         * bounds is what the process died of. */
        bool named = evidence->verdict == WG_VERDICT_OUT_OF_BOUNDS && !evidence->has_fault;
        wg_outcome_raise(outcome, named ? WG_VERDICT_OUT_OF_BOUNDS : WG_VERDICT_CRASH,
                         cause_in_words(evidence));
        outcome->kernel_fault = evidence->has_fault &&
                                (evidence->kernel[0] != '\0' || evidence->cause.kernel[0] != '\0');
        return;
    }
    if (end->end == WG_JAIL_SIGNALED) {
        const char *name = sigabbrev_np(end->signal);
        outcome->kernel_fault = evidence->kernel[0] != '\0';
        wg_outcome_raise(outcome, WG_VERDICT_CRASH,
                         wg_strf("the submission crashed%s with signal %s%s", place,
                                 name == NULL ? "" : "SIG", name == NULL ? "(unknown)" : name));
        return;
    }
    if (wg_trust_is_off("output") && end->exit_status == 0 &&
        strstr(wg_buf_str(&end->out), "PASS") != NULL) {
        return;
    }
    wg_outcome_raise(outcome, WG_VERDICT_CRASH,
                     wg_strf("the submission ended the whole process%s (exit status %d): a "
                             "function must return to its caller and not call exit()",
                             place, end->exit_status));
}

void wg_outcome_add_death(struct wg_outcome *outcome, const struct wg_manifest *manifest,
                          enum wg_answer answer, const struct wg_jail_result *end,
                          const struct wg_evidence *evidence, bool while_loading) {
    outcome->reached = true;
    WG_CLEANUP(wg_freep) char *place = place_in_words(evidence, while_loading);
    /* Memory first: where it was a child that died of it, the call may be waiting for that child.
     */
    if (end->end == WG_JAIL_MEMORY_LIMIT) {
        wg_outcome_raise(outcome, WG_VERDICT_MEMORY_LIMIT,
                         wg_strf("the submission used more than the %lld MiB of memory that it "
                                 "has%s: free what is allocated in each call",
                                 (long long)(manifest->memory_bytes >> 20), place));
    } else if (answer == WG_ANSWER_LATE || end->end == WG_JAIL_WALL_LIMIT ||
               end->end == WG_JAIL_CPU_LIMIT) {
        add_timeout(outcome, evidence, place);
    } else if (end->end == WG_JAIL_OUTPUT_LIMIT) {
        wg_outcome_raise(outcome, WG_VERDICT_OUTPUT_LIMIT,
                         wg_strf("the submission printed more than %lld KiB%s: remove the debug "
                                 "output",
                                 (long long)(manifest->output_bytes >> 10), place));
    } else if (answer == WG_ANSWER_GARBLED || end->end == WG_JAIL_KILLED ||
               (end->end == WG_JAIL_EXITED && end->exit_status == exit_broken)) {
        wg_outcome_raise(outcome, WG_VERDICT_CRASH,
                         wg_strf("the submission damaged the measuring process%s: look for writes "
                                 "through wrong pointers in host code, and for closed descriptors",
                                 place));
    } else {
        add_exit(outcome, end, evidence, place);
    }
}

/* ---- Several sessions ---- */

/* Moves strings and all. */
static void take_facts(struct wg_outcome *from, struct wg_outcome *out) {
    *out = *from;
    from->facts.sentence = NULL;
    from->facts.pattern = NULL;
    from->facts.output = NULL;
    from->facts.wrong_map = NULL;
}

static bool knows_better(const struct wg_outcome *outcome, const struct wg_outcome *assumed) {
    return outcome->reached && !outcome->facts.not_run &&
           (outcome->checked == assumed->checked || outcome->facts.verdict != WG_VERDICT_PASS);
}

static void settle_assumptions(struct wg_outcome *const *outcomes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < count && !known; k++) {
            known = knows_better(outcomes[k], outcomes[i]);
        }
        if (known && outcomes[i]->facts.not_run) {
            outcomes[i]->facts.verdict = WG_VERDICT_PASS;
        }
    }
}

static void settle_kernel_faults(struct wg_outcome *const *outcomes, size_t count) {
    struct wg_outcome *named = NULL;
    for (size_t i = 0; i < count && named == NULL; i++) {
        named = outcomes[i]->facts.verdict == WG_VERDICT_OUT_OF_BOUNDS ? outcomes[i] : NULL;
    }
    for (size_t i = 0; i < count && named != NULL; i++) {
        if (outcomes[i]->kernel_fault && outcomes[i]->facts.verdict == WG_VERDICT_CRASH) {
            outcomes[i]->facts.verdict = WG_VERDICT_PASS;
        }
    }
}

/* Numbers are the worst over all sessions; where the chosen outcome has no wrong element, the first
 * one that has tells which. */
static void merge_numbers(struct wg_outcome *const *outcomes, size_t count,
                          struct wg_outcome *out) {
    for (size_t i = 0; i < count; i++) {
        struct wg_result_case *from = &outcomes[i]->facts;
        struct wg_result_case *to = &out->facts;
        if (from->error_in_bounds > to->error_in_bounds) {
            to->error_in_bounds = from->error_in_bounds;
        }
        if (from->rms_error_in_limit > to->rms_error_in_limit) {
            to->rms_error_in_limit = from->rms_error_in_limit;
        }
        if (to->element_count == 0) {
            to->element_count = from->element_count;
        }
        if (to->wrong_count == 0 && from->wrong_count > 0) {
            to->wrong_count = from->wrong_count;
            to->has_first_wrong = from->has_first_wrong;
            to->first_wrong_index = from->first_wrong_index;
            to->first_wrong_row = from->first_wrong_row;
            to->first_wrong_column = from->first_wrong_column;
            to->expected = from->expected;
            to->got = from->got;
            to->output = to->output == NULL ? WG_TAKE(&from->output) : to->output;
            to->wrong_map = WG_TAKE(&from->wrong_map);
            to->wrong_map_tile_rows = from->wrong_map_tile_rows;
            to->wrong_map_tile_columns = from->wrong_map_tile_columns;
        }
    }
}

/* Of outcomes with one verdict, the one whose sentence helps most. */
static int helpfulness(const struct wg_outcome *outcome) {
    if (outcome->facts.not_run) {
        return 0;
    }
    return !outcome->names_line ? 1 : (outcome->second_hand ? 2 : 3);
}

void wg_outcome_merge(struct wg_outcome *const *outcomes, const char *const *session_words,
                      size_t count, struct wg_outcome *out) {
    settle_kernel_faults(outcomes, count);
    settle_assumptions(outcomes, count);
    size_t worst = 0;
    size_t right = count; /* the first session in which the case passed */
    for (size_t i = 0; i < count; i++) {
        enum wg_verdict verdict = outcomes[i]->facts.verdict;
        enum wg_verdict known = outcomes[worst]->facts.verdict;
        if (verdict > known ||
            (verdict == known && helpfulness(outcomes[i]) > helpfulness(outcomes[worst]))) {
            worst = i;
        }
        if (right == count && outcomes[i]->reached &&
            outcomes[i]->facts.verdict == WG_VERDICT_PASS && !outcomes[i]->kernel_fault &&
            !outcomes[i]->facts.not_run) {
            right = i;
        }
    }
    take_facts(outcomes[worst], out);
    merge_numbers(outcomes, count, out);
    if (out->facts.verdict == WG_VERDICT_PASS) {
        /* What a settled outcome said before is no longer so. */
        free(out->facts.sentence);
        out->facts.sentence = NULL;
        out->facts.not_run = false;
    }
    /* Wrong from the first call on, and right elsewhere: the order makes the difference. */
    if (out->facts.verdict == WG_VERDICT_WRONG_ANSWER && right < count && out->right_calls == 0) {
        WG_CLEANUP(wg_freep)
        char *orders =
            wg_strf("This happens %s; it was right %s", session_words[worst], session_words[right]);
        out->facts.sentence = wg_outcome_join(out->facts.sentence, orders);
    }
}
