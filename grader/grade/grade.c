/* The pipeline. Each stage either carries on or ends the grading with a verdict; whatever happens
 * on the way, the caller gets a result that says how far it came. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/build/build.h"
#include "grader/build/resources.h"
#include "grader/check/check.h"
#include "grader/grade/environment.h"
#include "grader/grade/fault.h"
#include "grader/grade/grade.h"
#include "grader/grade/platform.h"
#include "grader/grade/summary.h"
#include "grader/manifest/manifest.h"
#include "grader/repo/repo.h"
#include "grader/score/score.h"

#define FILE_LIMIT_BYTES  ((int64_t)1 << 20)
#define FETCH_LIMIT_BYTES ((int64_t)256 << 20)
#define FETCH_LIMIT_NS    ((int64_t)60 * 1000000000)

struct assignments {
    struct wg_manifest **all;
    size_t count;
    bool is_borrowed; /* the manifests, not the array */
};

static void assignments_done(struct assignments *assignments) {
    for (size_t i = 0; !assignments->is_borrowed && i < assignments->count; i++) {
        wg_manifest_free(assignments->all[i]);
    }
    free((void *)assignments->all);
}

/* The compilations of one grading, each in a thread of its own. FACTS only tells what the kernels
 * take of a GPU; it may go on while the cases are run. */
enum { STUDENT, NAIVE, TUNED, GOLDEN, PROBE, NEEDED_COUNT, FACTS = NEEDED_COUNT, BUILD_COUNT };

/* The platform whose compiler is asked for facts where the platform at hand has none. */
#define FACTS_PLATFORM "amd"

struct build_job {
    pthread_t thread;
    bool started;
    struct wg_build_target target;
    const struct wg_manifest *manifest;
    const struct wg_buf *source; /* STUDENT, FACTS */
    int kind;
    struct wg_build build;
    enum wg_code code;
    struct wg_err err;
};

struct grading {
    const struct wg_grade_request *request;
    const struct wg_platform *platform;
    char *arch; /* of the device; NULL: nothing to choose */
    struct assignments assignments;
    const struct wg_manifest *manifest; /* the one that is graded; NULL until it is known */
    struct wg_submission submission;
    struct build_job jobs[BUILD_COUNT];
    struct wg_result *result;
    struct wg_err err;
};

static void join_build(struct build_job *job) {
    if (job->started) {
        pthread_join(job->thread, NULL);
        job->started = false;
    }
}

static void grading_done(struct grading *grading) {
    join_build(&grading->jobs[FACTS]);
    for (int i = 0; i < BUILD_COUNT; i++) {
        wg_build_done(&grading->jobs[i].build);
    }
    free(grading->arch);
    wg_submission_done(&grading->submission);
    assignments_done(&grading->assignments);
    wg_result_free(grading->result);
}

static void say(const struct grading *grading, const char *what) {
    if (grading->request->progress) {
        grading->request->progress(grading->request->progress_ctx, what, 0, 0);
    }
}

/* ---- Assignment and file ---- */

/* What was loaded before: all, or the one of that name. A folder is read in any case. */
static bool borrow_assignments(const struct wg_grade_request *request, struct assignments *out) {
    struct wg_manifest **all = wg_calloc(request->bundled_count + 1, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < request->bundled_count; i++) {
        if (!request->assignment || strcmp(request->assignment, request->bundled[i]->id) == 0) {
            all[count++] = request->bundled[i];
        }
    }
    if (count == 0) {
        free((void *)all);
        return false;
    }
    *out = (struct assignments){.all = all, .count = count, .is_borrowed = true};
    return true;
}

static enum wg_code find_assignments(struct grading *grading, struct wg_err *err) {
    struct assignments *out = &grading->assignments;
    if (borrow_assignments(grading->request, out)) {
        return WG_OK;
    }
    if (!grading->request->assignment) {
        return wg_manifest_load_all(&out->all, &out->count, err);
    }
    out->all = wg_calloc(1, sizeof *out->all);
    enum wg_code code = wg_manifest_find(grading->request->assignment, &out->all[0], err);
    out->count = code == WG_OK ? 1 : 0;
    return code;
}

static void describe_submission(struct grading *grading) {
    struct wg_submission *from = &grading->submission;
    struct wg_result *to = grading->result;
    to->submission.repository = WG_TAKE(&from->repository);
    to->submission.ref = WG_TAKE(&from->ref);
    to->submission.commit = *from->commit ? wg_strdup(from->commit) : NULL;
    to->submission.tree = *from->tree ? wg_strdup(from->tree) : NULL;
    to->submission.commit_time_s = from->commit_time_s;
    to->submission.path = WG_TAKE(&from->path);
    to->submission.is_folder = grading->request->is_folder;
    if (from->verdict != WG_VERDICT_PASS) {
        return;
    }
    wg_text_sha256_hex(from->source.data, from->source.len, to->submission.source_sha256);
    struct wg_buf clean = {0};
    wg_text_utf8(&clean, wg_buf_str(&from->source), from->source.len);
    to->submission.source = clean.data;
}

static void describe_assignment(struct grading *grading) {
    struct wg_result *result = grading->result;
    result->submission.file = wg_strdup(grading->manifest->file);
    result->assignment.id = wg_strdup(grading->manifest->id);
    result->assignment.title = wg_strdup(grading->manifest->title);
    result->assignment.version = grading->manifest->version;
    memcpy(result->assignment.digest, grading->manifest->digest, sizeof result->assignment.digest);
}

static enum wg_code read_submission(struct grading *grading, struct wg_err *err) {
    const struct wg_grade_request *request = grading->request;
    const struct assignments *assignments = &grading->assignments;
    WG_CLEANUP(wg_freep) const char **files = wg_calloc(assignments->count + 1, sizeof *files);
    for (size_t i = 0; i < assignments->count; i++) {
        files[i] = assignments->all[i]->file;
    }
    struct wg_repo_request wanted = {
        .location = request->location,
        .ref = request->ref,
        .folder = request->folder,
        .files = files,
        .file_count = assignments->count,
        .limit_file_bytes = FILE_LIMIT_BYTES,
        .limit_fetch_bytes = FETCH_LIMIT_BYTES,
        .limit_wall_ns = FETCH_LIMIT_NS,
        .ssh_key = request->ssh_key,
        .known_commit = request->known_commit,
        .known_tree = request->known_tree,
        .known_time_s = request->known_time_s,
        .not_after_s = request->not_after_s,
    };
    return request->is_folder ? wg_repo_read_folder(&wanted, &grading->submission, err)
                              : wg_repo_fetch(&wanted, &grading->submission, err);
}

/* The assignments may be another list than where it was fetched: the file's name decides. */
static enum wg_code take_submission(struct grading *grading, struct wg_err *err) {
    const struct wg_grade_request *request = grading->request;
    grading->submission = *request->fetched;
    *request->fetched = (struct wg_submission){0};
    grading->submission.file_index = -1;
    for (size_t i = 0; request->fetched_file && i < grading->assignments.count; i++) {
        if (strcmp(grading->assignments.all[i]->file, request->fetched_file) == 0) {
            grading->submission.file_index = (int)i;
        }
    }
    if (grading->submission.verdict == WG_VERDICT_PASS && grading->submission.file_index < 0) {
        return wg_fail(err, WG_ENOTFOUND, "no assignment here asks for '%.60s'",
                       request->fetched_file ? request->fetched_file : "");
    }
    return WG_OK;
}

static void find_manifest(struct grading *grading) {
    const struct assignments *assignments = &grading->assignments;
    int index = grading->submission.file_index;
    if (index >= 0 && (size_t)index < assignments->count) {
        grading->manifest = assignments->all[index];
    } else if (assignments->count == 1) {
        grading->manifest = assignments->all[0];
    }
}

static enum wg_code fetch(struct grading *grading, struct wg_err *err) {
    enum wg_code code =
        grading->request->fetched ? take_submission(grading, err) : read_submission(grading, err);
    if (code != WG_OK) {
        return code;
    }
    find_manifest(grading);
    grading->result->verdict = grading->submission.verdict;
    grading->result->sentence = WG_TAKE(&grading->submission.sentence);
    describe_submission(grading);
    if (grading->manifest) {
        describe_assignment(grading);
    }
    return WG_OK;
}

/* ---- Build ---- */

static void *build_one(void *argument) {
    struct build_job *job = argument;
    switch (job->kind) {
    case STUDENT:
    case FACTS:
        job->code = wg_build_source(&job->target, job->manifest, job->manifest->file,
                                    job->source->data, job->source->len, &job->build, &job->err);
        break;
    case NAIVE:
        job->code =
            wg_build_reference(&job->target, job->manifest, "naive.hip", &job->build, &job->err);
        break;
    case TUNED:
        job->code =
            wg_build_reference(&job->target, job->manifest, "tuned.hip", &job->build, &job->err);
        break;
    case PROBE:
        job->code = wg_build_probe(&job->target, &job->build, &job->err);
        break;
    default:
        job->code = wg_build_golden(job->manifest, &job->build, &job->err);
        break;
    }
    return NULL;
}

static void start_build(struct grading *grading, int kind) {
    struct build_job *job = &grading->jobs[kind];
    job->target.platform = kind == FACTS ? FACTS_PLATFORM : grading->platform->name;
    job->target.facts_only = kind == FACTS;
    job->target.cache = kind == STUDENT ? grading->request->build_cache : NULL;
    job->target.arches = kind == FACTS ? NULL : grading->arch;
    job->manifest = grading->manifest;
    job->source = &grading->submission.source;
    job->kind = kind;
    job->started = pthread_create(&job->thread, NULL, build_one, job) == 0;
    if (!job->started) {
        build_one(job); /* no thread to be had: one after the other then */
    }
}

static bool scores_by_tuned(const struct wg_manifest *manifest) {
    for (size_t i = 0; i < manifest->rubric_count; i++) {
        if (manifest->rubric[i].curve_kind == WG_CURVE_TUNED) {
            return true;
        }
    }
    return false;
}

static bool has_reference(const struct grading *grading, const char *name) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(grading->manifest->reference_folder, name);
    return wg_file_exists(path);
}

/* What students are given to check with may lack the baseline, which would be an answer. */
static bool is_timed(const struct grading *grading) {
    return grading->request->timing && has_reference(grading, "naive.hip");
}

/* The checked runs compare with it, points may go by it, and an assignment may do without. */
static bool wants_tuned(const struct grading *grading) {
    bool is_scored = is_timed(grading) && grading->platform->times_count;
    return (grading->request->checked || (is_scored && scores_by_tuned(grading->manifest))) &&
           has_reference(grading, "tuned.hip");
}

static bool wants_facts(const struct grading *grading) {
    return grading->request->facts && !grading->platform->times_count &&
           wg_build_has_platform(FACTS_PLATFORM);
}

static enum wg_code build_all(struct grading *grading, struct wg_err *err) {
    const bool is_wanted[NEEDED_COUNT] = {[STUDENT] = true,
                                          [NAIVE] = has_reference(grading, "naive.hip"),
                                          [TUNED] = wants_tuned(grading),
                                          [GOLDEN] = true,
                                          [PROBE] = is_timed(grading)};
    for (int kind = 0; kind < NEEDED_COUNT; kind++) {
        if (is_wanted[kind]) {
            start_build(grading, kind);
        }
    }
    if (wants_facts(grading)) {
        start_build(grading, FACTS);
    }
    for (int kind = 0; kind < NEEDED_COUNT; kind++) {
        join_build(&grading->jobs[kind]);
    }
    for (int kind = 0; kind < NEEDED_COUNT; kind++) {
        if (grading->jobs[kind].code != WG_OK) {
            *err = grading->jobs[kind].err;
            return grading->jobs[kind].code;
        }
    }
    const struct wg_build *student = &grading->jobs[STUDENT].build;
    wg_build_describe(student, grading->platform->name, grading->result);
    grading->result->verdict = student->verdict;
    free(grading->result->sentence);
    grading->result->sentence = student->sentence ? wg_strdup(student->sentence) : NULL;
    return WG_OK;
}

/* Nothing depends on them, so failing costs no more than a warning: the file may well be right for
 * the platform at hand and too large for a GPU. */
static void take_facts(struct grading *grading) {
    struct build_job *job = &grading->jobs[FACTS];
    struct wg_result *result = grading->result;
    join_build(job);
    if (job->code == WG_OK && job->build.resources) {
        wg_resources_parse(FACTS_PLATFORM, job->build.resources, result);
    } else if (job->code == WG_OK && job->build.sentence && result->build.ok) {
        struct wg_result_diagnostic *warning = wg_result_add_diagnostic(result);
        warning->file = wg_strdup(grading->manifest->file);
        warning->severity = wg_strdup("warning");
        warning->message = wg_strf("on an AMD GPU: %s", job->build.sentence);
    }
}

/* ---- Check ---- */

static bool has_checked_build(const struct grading *grading) {
    return grading->request->checked && grading->jobs[STUDENT].build.checked_library;
}

static enum wg_code check(struct grading *grading, struct wg_err *err) {
    const struct wg_grade_request *request = grading->request;
    const struct wg_build *naive = &grading->jobs[NAIVE].build;
    const struct wg_build *tuned = &grading->jobs[TUNED].build;
    struct wg_check_request wanted = {
        .platform = grading->platform->name,
        .manifest = grading->manifest,
        .student = &grading->jobs[STUDENT].build,
        .baseline = naive->library ? naive : NULL,
        .tuned = tuned->library ? tuned : NULL,
        .golden = &grading->jobs[GOLDEN].build,
        .probe = &grading->jobs[PROBE].build,
        .seed = grading->result->seed,
        .checked = request->checked,
        .timing = is_timed(grading),
        .warp_size = request->warp_size,
        .workers = request->workers,
        .progress = request->progress,
        .progress_ctx = request->progress_ctx,
    };
    enum wg_code code = wg_check_run(&wanted, grading->result, err);
    if (code == WG_OK) {
        wg_summary_make(grading->result, has_checked_build(grading));
    }
    return code;
}

/* ---- All of it ---- */

typedef enum wg_code stage_fn(struct grading *grading, struct wg_err *err);

/* Runs the stages until one of them ends the matter. Returns an error of ours, if there was one. */
static enum wg_code run_stages(struct grading *grading, struct wg_err *err) {
    static const struct {
        const char *name, *progress;
        stage_fn *run;
    } stages[] = {
        {"fetch", "fetching", fetch},
        {"build", "compiling", build_all},
        {NULL, "running", check}, /* it names its own stages */
    };
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        say(grading, stages[i].progress);
        int64_t start_ns = wg_clock_mono_ns();
        enum wg_code code = stages[i].run(grading, err);
        if (stages[i].name) {
            int64_t before_ns = i == 0 ? grading->request->fetched_ns : 0;
            wg_result_add_stage(grading->result, stages[i].name,
                                wg_clock_mono_ns() - start_ns + before_ns);
        }
        if (code != WG_OK || grading->result->verdict != WG_VERDICT_PASS) {
            return code;
        }
    }
    return WG_OK;
}

static void become_grader_error(struct wg_result *result, const struct wg_err *err) {
    size_t len = strlen(err->msg);
    len -= len > 0 && err->msg[len - 1] == '.';
    result->verdict = WG_VERDICT_GRADER_ERROR;
    free(result->sentence);
    result->sentence = wg_strf("Not graded, through no fault of the submission: %.*s. %s", (int)len,
                               err->msg, wg_fault_next_step(err));
}

static void score(struct grading *grading) {
    struct wg_score_facts facts = {
        .checked = has_checked_build(grading),
        .timing_wanted = grading->request->timing,
        .can_time = grading->platform->times_count,
    };
    if (grading->manifest) {
        wg_score_apply(grading->manifest, &facts, grading->result);
    }
}

static uint64_t fresh_seed(void) {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        seed = (uint64_t)wg_clock_mono_ns();
    }
    return seed;
}

static double cpu_ms(void) {
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    double sum_ms = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage used;
        getrusage(whose[i], &used);
        sum_ms += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
                  (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
    }
    return sum_ms;
}

enum wg_code wg_grade_fetch(const struct wg_grade_request *request, struct wg_submission *out,
                            char **file, struct wg_err *err) {
    WG_CLEANUP(grading_done) struct grading grading = {.request = request};
    enum wg_code code = find_assignments(&grading, err);
    code = code ? code : read_submission(&grading, err);
    if (code != WG_OK) {
        return code;
    }
    find_manifest(&grading);
    *file = grading.manifest ? wg_strdup(grading.manifest->file) : NULL;
    *out = grading.submission;
    grading.submission = (struct wg_submission){0};
    return WG_OK;
}

enum wg_code wg_grade(const struct wg_grade_request *request, struct wg_result **out,
                      struct wg_err *err) {
    WG_CLEANUP(grading_done)
    struct grading grading = {.request = request, .result = wg_result_new()};
    int64_t start_ns = wg_clock_mono_ns() - request->fetched_ns;
    double cpu_start_ms = request->fetched ? 0 : cpu_ms(); /* fetching counts, too */
    enum wg_code code = wg_platform_pick(request->platform, &grading.platform, err);
    if (code != WG_OK) {
        return code;
    }
    grading.arch = wg_platform_arch(grading.platform);
    code = find_assignments(&grading, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_result *result = grading.result;
    result->seed = request->has_seed ? request->seed : fresh_seed();
    result->environment.warp_size = request->warp_size;
    if (run_stages(&grading, &grading.err) != WG_OK) {
        become_grader_error(result, &grading.err);
    }
    take_facts(&grading);
    score(&grading);
    wg_environment_fill(grading.platform, result);
    wg_result_add_stage(result, "total", wg_clock_mono_ns() - start_ns);
    result->cpu_ms = cpu_ms() - cpu_start_ms;
    *out = WG_TAKE(&grading.result);
    return WG_OK;
}
