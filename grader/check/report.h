/* What the platform's runtime reported, read as the forgeable claim that it is.
 *
 * A watch follows one session's report from call to call, so that each finding is tied to the cases
 * that showed it. Copies are made first and sanitized: strings end, counts and enums are in range.
 * Findings of all sessions come together in one list, grouped by kind and line. */
#ifndef WG_CHECK_REPORT_H
#define WG_CHECK_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/verdict.h"
#include "grader/result/result.h"
#include "sandbox/platform/report.h"

struct wg_found {
    struct wg_finding_record record; /* sanitized */
    int case_index;                  /* the first case that showed it */
    bool checked;                    /* a checked build showed it */
    size_t position;                 /* as they were found */
};

struct wg_found_list {
    struct wg_found *items;
    size_t count;
    uint64_t dropped;
};

void wg_found_list_done(struct wg_found_list *list);
/* Adds what is in `more`; the same kind at the same line is one finding. */
void wg_found_list_merge(struct wg_found_list *list, const struct wg_found_list *more);
/* The most useful first, at most 40 of them; the rest is counted. */
void wg_found_list_to_result(struct wg_found_list *list, bool early_exit_is_error,
                             struct wg_result *result);

struct wg_watch {
    struct wg_report *copy; /* the last snapshot */
    uint64_t seen[WG_REPORT_MAX_FINDINGS];
    int first_case[WG_REPORT_MAX_FINDINGS]; /* that showed it: the words are written for it */
    uint64_t launches, failed_launches;
};

/* What happened since the last update. */
struct wg_evidence {
    uint64_t launches, failed_launches;
    bool exited;                          /* exit() or a relative was called */
    char kernel[96];                      /* running at this moment, "" for none */
    enum wg_verdict verdict;              /* worst of the findings; PASS: none costs anything */
    struct wg_finding_record cause;       /* the finding that gave the verdict */
    bool cause_is_old;                    /* its words were written for an earlier case */
    bool has_launch_error, launch_is_old; /* `launch` describes it */
    bool has_api_misuse, api_is_old;      /* `api` describes it */
    bool hangs; /* a kernel did not end, and where it waits is not known */
    bool has_fault;
    bool has_clue, clue_is_old; /* `clue` may be why numbers are wrong */
    struct wg_finding_record launch, api, clue;
};

void wg_watch_start(struct wg_watch *watch);
void wg_watch_done(struct wg_watch *watch);
void wg_watch_update(struct wg_watch *watch, const struct wg_report *shared,
                     bool early_exit_is_error, int case_index, struct wg_found_list *list,
                     struct wg_evidence *out);

/* A process ended by SIGABRT: where its error output tells of an assertion that failed, the fault
 * in *evidence and in the list gets its place and its condition. */
void wg_found_list_tell_assert(struct wg_found_list *list, struct wg_evidence *evidence,
                               const char *output);

/* A process ended by SIGABRT: host code ended it after a launch that failed in the same call. The
 * launch is why, so the list need not tell of the end. */
bool wg_evidence_ends_after_launch(const struct wg_evidence *evidence);
void wg_found_list_drop_end(struct wg_found_list *list, const struct wg_evidence *evidence);

/* What a finding costs. */
enum wg_verdict wg_finding_verdict(const struct wg_finding_record *record,
                                   bool early_exit_is_error);

/* Which of two findings is to be mended first: the one with the smaller number. */
int wg_finding_urgency(const struct wg_finding_record *record);

/* Counters of a snapshot less those of an earlier one, of kernels and of lines. */
void wg_counters_to_result(const struct wg_report *before, const struct wg_report *after,
                           const char *subject, int case_index, struct wg_result *result);

#endif
