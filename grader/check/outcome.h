/* What one session says about one case: the worst thing seen over its calls, in words.
 *
 * Everything here works on private copies of bytes. An outcome owns the strings in its facts. */
#ifndef WG_CHECK_OUTCOME_H
#define WG_CHECK_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/check/golden.h"
#include "grader/check/image.h"
#include "grader/check/report.h"
#include "grader/check/session.h"
#include "grader/manifest/manifest.h"
#include "grader/result/result.h"

struct wg_outcome {
    bool reached;             /* the case was tried, or given up on */
    bool checked;             /* seen in the checked build */
    bool kernel_fault;        /* a kernel crashed, or did not end in the plain build */
    bool launched;            /* some call of the case launched a kernel */
    int order;                /* of the cases in its session: equal ones may be compared */
    bool is_first;            /* the first case of its session */
    bool names_line;          /* its sentence says where in the source */
    bool second_hand;         /* its sentence was worded for an earlier case */
    bool api_told;            /* its sentence names a HIP call that failed */
    bool has_api, api_is_old; /* `api`: a HIP call of the case that failed */
    struct wg_finding_record api;
    int right_calls;            /* before the first wrong one */
    unsigned right_data;        /* bits: kinds of data that came out right */
    bool keeps;                 /* data that came out right was wrong when it came again */
    bool has_clue, clue_is_old; /* `clue` may be why numbers are wrong */
    struct wg_finding_record clue;
    size_t counts_len;           /* of the sentence's part about wrong elements; 0: there is none */
    size_t stray_len;            /* of its part about a write behind a buffer; 0: there is none */
    struct wg_result_case facts; /* verdict, sentence, numbers; no dims and seed */
};

/* One call that was answered. */
struct wg_call_seen {
    const struct wg_manifest *manifest;
    const int64_t *dims;
    const struct wg_image *image;
    const uint8_t *given, *taken; /* of image->bytes */
    enum wg_poison poison;
    size_t variant; /* which of the case's sets of data */
    const struct wg_golden_entry *golden;
    const struct wg_golden_entry *previous; /* of the call before in this case, or NULL */
    const struct wg_reply *reply;
    const struct wg_evidence *evidence; /* NULL where the platform reports nothing */
};

void wg_outcome_done(struct wg_outcome *outcome);

/* Judges every byte of a call and adds what is wrong with it to *outcome. */
void wg_outcome_add_call(struct wg_outcome *outcome, const struct wg_call_seen *seen);

/* A call that was never answered. end: how the process ended, NULL while it still ran. */
void wg_outcome_add_death(struct wg_outcome *outcome, const struct wg_manifest *manifest,
                          enum wg_answer answer, const struct wg_jail_result *end,
                          const struct wg_evidence *evidence, bool while_loading);

/* "line 7 of k.hip: ..." in the finding's own words, heap. is_old: worded for an earlier case. */
char *wg_outcome_cite(const struct wg_finding_record *record, bool is_old);

/* "A HIP call failed before that: ...", heap. */
char *wg_outcome_cite_call(const struct wg_finding_record *record, bool is_old);

/* "First. Second", heap; frees first. */
char *wg_outcome_join(char *first, const char *second);

/* Only what is counted about wrong elements stays of the sentence, not what it looks like. */
void wg_outcome_drop_pattern(struct wg_outcome *outcome);

/* Raises the verdict; takes sentence (heap). */
void wg_outcome_raise(struct wg_outcome *outcome, enum wg_verdict verdict, char *sentence);

/* The worst of what several sessions say about a case, in *out, which takes the strings. A crash
 * inside a kernel is the out-of-bounds access that the checked build names, where it names one, and
 * so is a kernel that does not end in the plain build; what a session only assumed counts where no
 * session knows better. Wrong numbers are told with the finding that may be why. */
void wg_outcome_merge(struct wg_outcome *const *outcomes, const char *const *session_words,
                      size_t count, struct wg_outcome *out);

#endif
