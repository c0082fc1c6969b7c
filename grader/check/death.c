/* Calls that were never answered, and how several sessions agree on a case. */
#include <ctype.h>
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
    outcome->kernel_fault = evidence->kernel[0] != '\0' && !outcome->checked;
    if (evidence->verdict == WG_VERDICT_BARRIER_DIVERGENCE) {
        wg_outcome_raise(outcome, WG_VERDICT_BARRIER_DIVERGENCE, cause_in_words(evidence));
        return;
    }
    wg_outcome_raise(outcome, WG_VERDICT_TIMEOUT,
                     wg_strf("the call did not come to an end in time%s: look for a loop whose "
                             "condition never becomes false, threads that wait for each other, or "
                             "far more work than the task needs",
                             place));
}

static char *add_failed_call(char *words, const struct wg_evidence *evidence) {
    if (!evidence->has_api_misuse) {
        return words;
    }
    WG_CLEANUP(wg_freep) char *call = wg_outcome_cite_call(&evidence->api, evidence->api_is_old);
    return wg_outcome_join(words, call);
}

/* Host code that ends itself after a call that failed does so because of it. */
static char *ending_in_words(const struct wg_jail_result *end, const struct wg_evidence *evidence) {
    bool aborted = end->end == WG_JAIL_SIGNALED && end->signal == SIGABRT;
    if (aborted && wg_evidence_ends_after_launch(evidence)) {
        return wg_outcome_join(wg_outcome_cite(&evidence->launch, evidence->launch_is_old),
                               "Host code then ended the whole process: with abort(), an assert() "
                               "that failed or an exception that nobody caught");
    }
    return aborted && evidence->cause.kernel[0] == '\0'
               ? add_failed_call(cause_in_words(evidence), evidence)
               : cause_in_words(evidence);
}

static void add_exit(struct wg_outcome *outcome, const struct wg_jail_result *end,
                     const struct wg_evidence *evidence, const char *place) {
    if (evidence->verdict != WG_VERDICT_PASS && evidence->cause.text[0] != '\0') {
        /* The runtime saw why, which says more than the signal; an access that it names as out of
         * bounds is what the process died of. */
        bool named = evidence->verdict == WG_VERDICT_OUT_OF_BOUNDS && !evidence->has_fault;
        wg_outcome_raise(outcome, named ? WG_VERDICT_OUT_OF_BOUNDS : WG_VERDICT_CRASH,
                         ending_in_words(end, evidence));
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
    char *words = wg_strf("the submission ended the whole process%s (exit status %d): a function "
                          "must return to its caller and not call exit()",
                          place, end->exit_status);
    wg_outcome_raise(outcome, WG_VERDICT_CRASH, add_failed_call(words, evidence));
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

/* Where only the plain build saw a write behind a buffer, no thread did it: of HIP calls the
 * checked build, in which buffers end where they end, refuses the one that does. */
static void tell_stray_call(struct wg_outcome *const *outcomes, size_t count,
                            struct wg_outcome *out) {
    for (size_t i = 0; i < count; i++) {
        const struct wg_outcome *from = outcomes[i];
        if (from->checked && from->has_api && from->facts.verdict < WG_VERDICT_OUT_OF_BOUNDS) {
            WG_CLEANUP(wg_freep) char *call = wg_outcome_cite(&from->api, false);
            WG_CLEANUP(wg_freep)
            char *told = wg_strf("No thread did that, but a HIP call, which the checked build "
                                 "refuses%s: %s",
                                 from->api_is_old ? ", as in an earlier case" : "", call);
            out->facts.sentence[out->stray_len] = '\0';
            out->facts.sentence = wg_outcome_join(out->facts.sentence, told);
            return;
        }
    }
}

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

static bool is_of_fault(const struct wg_outcome *outcome) {
    return outcome->kernel_fault && (outcome->facts.verdict == WG_VERDICT_CRASH ||
                                     outcome->facts.verdict == WG_VERDICT_TIMEOUT);
}

static void settle_kernel_faults(struct wg_outcome *const *outcomes, size_t count) {
    struct wg_outcome *named = NULL;
    for (size_t i = 0; i < count && named == NULL; i++) {
        named = outcomes[i]->facts.verdict == WG_VERDICT_OUT_OF_BOUNDS ? outcomes[i] : NULL;
    }
    for (size_t i = 0; i < count && named != NULL; i++) {
        if (is_of_fault(outcomes[i])) {
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

/* The finding that is most likely why numbers are wrong, or NULL. */
static const struct wg_outcome *find_clue(struct wg_outcome *const *outcomes, size_t count) {
    const struct wg_outcome *best = NULL;
    for (size_t i = 0; i < count; i++) {
        bool better = outcomes[i]->has_clue &&
                      (best == NULL ||
                       wg_finding_urgency(&outcomes[i]->clue) < wg_finding_urgency(&best->clue));
        best = better ? outcomes[i] : best;
    }
    return best;
}

/* What a pattern claims stays beside a finding only where it tells of the same fault. */
static bool is_fact(const char *pattern) {
    static const char *const facts[] = {"accumulated", "previous_result", "unwritten_from"};
    for (size_t i = 0; pattern != NULL && i < sizeof facts / sizeof facts[0]; i++) {
        if (strcmp(pattern, facts[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void tell_clue(const struct wg_outcome *from, struct wg_outcome *out) {
    char *clue = wg_outcome_cite(&from->clue, from->clue_is_old);
    if (from->clue.kind == WG_FINDING_DEADLOCK) {
        free(out->facts.sentence); /* nothing is right after that */
        out->facts.sentence = clue;
        return;
    }
    if (!is_fact(out->facts.pattern)) {
        wg_outcome_drop_pattern(out);
    }
    clue[0] = (char)toupper((unsigned char)clue[0]);
    out->facts.sentence = wg_outcome_join(out->facts.sentence, clue);
    free(clue);
}

/* Calls with the same data, right and then wrong: in this case, or in one that ran before it. */
static bool something_is_kept(struct wg_outcome *const *outcomes, size_t count) {
    bool keeps = false;
    for (size_t i = 0; i < count; i++) {
        keeps |= outcomes[i]->keeps;
    }
    return keeps;
}

/* Why it is wrong, as far as sessions, calls and findings together tell. right_words: a session in
 * which it was right, or NULL; comparable: which ran the same cases before it. */
static void add_reason(struct wg_outcome *const *outcomes, size_t count, const char *wrong_words,
                       const char *right_words, bool comparable, struct wg_outcome *out) {
    const struct wg_outcome *clue = find_clue(outcomes, count);
    const char *pattern = out->facts.pattern;
    WG_CLEANUP(wg_freep) char *reason = NULL;
    if (clue != NULL && !out->api_told) {
        tell_clue(clue, out);
    } else if (something_is_kept(outcomes, count)) {
        bool is_said = pattern != NULL && (is_fact(pattern) || strcmp(pattern, "tail") == 0);
        reason = is_said ? NULL
                         : wg_strdup("Something is kept from one call to the next: reset "
                                     "__device__ variables and buffers that you keep in each call");
    } else if (out->right_calls > 0) {
        reason = pattern != NULL ? NULL : wg_strdup("A call before it, with other data, was right");
    } else if (right_words != NULL && (comparable || !out->api_told)) {
        reason = comparable
                     ? wg_strf("This happens %s; it was right %s", wrong_words, right_words)
                     : wg_strf("This happens %s; it was right %s, after other calls: either the "
                               "order of blocks or of unordered streams matters, or something is "
                               "kept from call to call",
                               wrong_words, right_words);
    }
    if (reason != NULL) {
        out->facts.sentence = wg_outcome_join(out->facts.sentence, reason);
    }
}

static bool is_comparable(const struct wg_outcome *a, const struct wg_outcome *b) {
    return (a->order == b->order && a->checked == b->checked) || (a->is_first && b->is_first);
}

/* A session in which the case passed, one that can be compared with the worst where there is one;
 * count: none. */
static size_t find_right(struct wg_outcome *const *outcomes, size_t count, size_t worst) {
    size_t right = count;
    for (size_t i = 0; i < count; i++) {
        bool passed = outcomes[i]->reached && outcomes[i]->facts.verdict == WG_VERDICT_PASS &&
                      !outcomes[i]->kernel_fault && !outcomes[i]->facts.not_run;
        if (passed && (right == count || (!is_comparable(outcomes[worst], outcomes[right]) &&
                                          is_comparable(outcomes[worst], outcomes[i])))) {
            right = i;
        }
    }
    return right;
}

void wg_outcome_merge(struct wg_outcome *const *outcomes, const char *const *session_words,
                      size_t count, struct wg_outcome *out) {
    settle_kernel_faults(outcomes, count);
    settle_assumptions(outcomes, count);
    size_t worst = 0;
    for (size_t i = 0; i < count; i++) {
        enum wg_verdict verdict = outcomes[i]->facts.verdict;
        enum wg_verdict known = outcomes[worst]->facts.verdict;
        if (verdict > known ||
            (verdict == known && helpfulness(outcomes[i]) > helpfulness(outcomes[worst]))) {
            worst = i;
        }
    }
    size_t right = find_right(outcomes, count, worst);
    take_facts(outcomes[worst], out);
    merge_numbers(outcomes, count, out);
    if (out->facts.verdict == WG_VERDICT_PASS) {
        /* What a settled outcome said before is no longer so. */
        free(out->facts.sentence);
        out->facts.sentence = NULL;
        out->facts.not_run = false;
    }
    if (out->facts.verdict == WG_VERDICT_OUT_OF_BOUNDS && out->stray_len > 0) {
        tell_stray_call(outcomes, count, out);
    }
    if (out->facts.verdict == WG_VERDICT_WRONG_ANSWER && !out->facts.not_run) {
        add_reason(outcomes, count, session_words[worst],
                   right < count ? session_words[right] : NULL,
                   right < count && is_comparable(outcomes[worst], outcomes[right]), out);
    }
}
