/* The result of grading one submission: what every output format is made from.
 *
 * A struct wg_result owns all its strings and arrays; wg_result_free frees everything. Strings are
 * clean UTF-8 but otherwise student-made: each exporter escapes them for its own format. NULL
 * strings and counts of zero mean "not known" or "not reached". */
#ifndef WG_RESULT_H
#define WG_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "grader/base/verdict.h"

#define WG_RESULT_SCHEMA "wavegrade/result/v1"
#define WG_RESULT_DIMS   8

struct wg_result_place {
    char *file;
    int line, column; /* 0: not known */
    char *function;
    bool has_thread;
    uint32_t block[3], thread[3];
};

struct wg_result_finding {
    char *kind;     /* "OUT_OF_BOUNDS", "DATA_RACE", ...: a verdict's name where it costs one */
    char *detail;   /* finer: "use_after_free", "misaligned", "early_exit", ... or NULL */
    char *severity; /* "error", "warning", "note" */
    struct wg_result_place at, other; /* other.line == 0: none */
    char *kernel;
    char *object;
    bool has_element;
    int64_t element;
    uint64_t element_count;
    char *access, *other_access; /* "read", "write", "atomic" or NULL */
    uint64_t occurrences;
    int case_index; /* first case that showed it; -1: none */
    char *text;     /* one plain sentence */
};

struct wg_result_case {
    char *dim_names[WG_RESULT_DIMS];
    int64_t dims[WG_RESULT_DIMS];
    size_t dim_count;
    uint64_t seed;
    enum wg_verdict verdict;
    bool not_run;   /* cases before it ended the process for good; the verdict is theirs */
    char *sentence; /* what happened and what to look at; NULL for PASS */
    char *pattern;  /* "tail", "transposed", "unwritten_from", ... or NULL */
    char *output;   /* which argument is wrong, or NULL */
    uint64_t wrong_count, element_count;
    bool has_first_wrong;
    uint64_t first_wrong_index;
    int64_t first_wrong_row, first_wrong_column; /* -1 when the output is one-dimensional */
    double expected, got;                        /* got may be NaN or infinite */
    char *wrong_map; /* where it is wrong (grader/check/wrong_map.h); NULL: not known */
    uint64_t wrong_map_tile_rows, wrong_map_tile_columns;
    double
        error_in_bounds; /* worst |error| / bound over the case; 0 for exact outputs that match */
    double rms_error_in_limit; /* RMS error / limit, 0 when not tested */
    int64_t wall_ns;
};

struct wg_result_statistics {
    int warmups, repeats;
    double median_ms, mean_ms, min_ms, stddev_ms;
    double *samples_ms;
    size_t sample_count;
};

struct wg_result_timing {
    char *dim_names[WG_RESULT_DIMS];
    int64_t dims[WG_RESULT_DIMS];
    size_t dim_count;
    bool emulated; /* cpu platform: never scored */
    bool scored;
    bool suspect; /* the times cannot be: for people to look at */
    char *note;   /* why it is not scored, what was noticed */
    struct wg_result_statistics student, baseline;
    double speedup, speedup_low, speedup_high; /* median ratio and its 95% interval */
    char *interval_method;
    double bandwidth_median_gb_s,
        bandwidth_max_gb_s; /* by median and by minimum time; 0: no formula */
    double gflops_median, gflops_max;
    /* Measured on the same device in the same session; 0: not measured. */
    double floor_ms; /* of an empty launch */
    double copy_gb_s, blas_gflops;
    char *blas;           /* the vendor's library, or why there is none; NULL: not asked for */
    double ceiling_ms;    /* the slower of the two: no call is faster */
    double ceiling_share; /* ceiling_ms / median */
    double tuned_share;   /* median of tuned.hip / median, by their speedups; 0: not measured */
    char *stop;        /* why measuring ended: "interval", "budget", "most_samples", "too_slow" */
    double drift;      /* of the baseline, last third against first: 0.05 is 5% slower */
    int checked_calls; /* timed calls whose results were compared */
};

struct wg_result_counters {
    char *subject; /* "student", "naive", "tuned" */
    char *kernel;
    char *file;
    int line; /* 0: whole kernel */
    int case_index;
    uint64_t launches, threads;
    uint64_t global_loads, global_stores, global_atomics;
    uint64_t global_load_bytes, global_store_bytes;
    uint64_t global_load_segments, global_store_segments;
    uint64_t shared_loads, shared_stores, shared_bank_conflicts;
    uint64_t barriers;
};

/* What the compiler made of one kernel for one GPU. A count of -1: the platform has no such thing,
 * or does not tell. */
struct wg_result_resources {
    char *platform, *arch; /* "amd", "gfx90a" */
    char *kernel;
    char *file;
    int line; /* 0: not known */
    int64_t wave_threads;
    int64_t registers;              /* vector registers, a thread */
    int64_t accumulation_registers; /* those of them that only matrix code can use directly */
    int64_t scalar_registers;       /* a wave */
    int64_t spilled_registers, spilled_scalar_registers, spilled_bytes;
    int64_t scratch_bytes; /* a thread: what lives in memory instead of registers */
    int64_t shared_bytes;  /* a block, declared in the source */
    int64_t block_threads_limit;
    /* Waves that a unit can hold at once, for blocks of block_threads. */
    int64_t block_threads, occupancy_waves, occupancy_waves_limit;
    char *occupancy_unit; /* "SIMD", "SM" */
    char *limited_by;     /* "registers", "scalar_registers", "shared", "blocks"; NULL: nothing */
    char *words;          /* all of it for people */
};

struct wg_result_diagnostic {
    char *file, *severity, *message;
    int line, column;
};

struct wg_result_rubric {
    char *id, *title;
    double points, max_points;
    bool measured; /* false: "not measured here", counts neither for nor against */
    char *note;
};

struct wg_result_stage {
    char *name;
    double wall_ms;
};

struct wg_result {
    enum wg_verdict verdict;
    char *sentence; /* the verdict for people, with the next step */
    uint64_t seed;  /* everything random was derived from it */
    struct {
        char *repository, *ref, *commit, *tree, *path, *file;
        int64_t commit_time_s; /* 0: no commit (working folder) */
        bool is_folder;
        char source_sha256[65];
        char *source; /* the graded file's text, for reports; not in JSON unless asked */
    } submission;
    struct {
        char *id, *title;
        int version;
        char digest[65];
    } assignment;
    struct {
        char *platform, *device, *arch;
        char *driver_version, *runtime_version, *compiler_version;
        char *cpu, *os, *wavegrade_version;
        int64_t date_s;
        char *isolation; /* which mechanisms were in force, in words */
        int warp_size;
    } environment;
    struct {
        bool reached;
        bool ok;
        char *command, *entry_kind, *entry_name, *log;
        double wall_ms;
        struct wg_result_diagnostic *diagnostics;
        size_t diagnostic_count;
    } build;
    struct wg_result_case *cases;
    size_t case_count;
    struct wg_result_finding *findings;
    size_t finding_count;
    uint64_t findings_dropped;
    struct wg_result_timing *timings;
    size_t timing_count;
    struct wg_result_counters *counters;
    size_t counter_count;
    struct wg_result_resources *resources;
    size_t resource_count;
    struct wg_result_rubric *rubric;
    size_t rubric_count;
    double points, max_points; /* over the lines that were measured */
    double total_points;       /* over all lines */
    bool score_complete;       /* every line was measured */
    struct wg_result_stage *stages;
    size_t stage_count;
    double cpu_ms; /* of the grading and all that it ran, over all cores; 0: not known */
    char *output;  /* what the submission printed, cleaned and bounded; NULL: nothing */
};

struct wg_result *wg_result_new(void);
void wg_result_free(struct wg_result *result);

/* Array growth: each returns a zeroed new last element, owned by the result. */
struct wg_result_case *wg_result_add_case(struct wg_result *result);
struct wg_result_finding *wg_result_add_finding(struct wg_result *result);
struct wg_result_timing *wg_result_add_timing(struct wg_result *result);
struct wg_result_counters *wg_result_add_counters(struct wg_result *result);
struct wg_result_resources *wg_result_add_resources(struct wg_result *result);
struct wg_result_diagnostic *wg_result_add_diagnostic(struct wg_result *result);
struct wg_result_rubric *wg_result_add_rubric(struct wg_result *result);
void wg_result_add_stage(struct wg_result *result, const char *name, int64_t wall_ns);

/* wavegrade/result/v1, pretty-printed, ending in a newline; appended to out. */
void wg_result_to_json(const struct wg_result *result, struct wg_buf *out);

/* The same with submission.source: what the store keeps and reports are made from. */
void wg_result_to_json_with_source(const struct wg_result *result, struct wg_buf *out);

/* The most that wg_result_from_json reads. */
#define WG_RESULT_JSON_BYTES ((size_t)32 << 20)

/* Reads a wavegrade/result/v1 that anyone may have written: sizes, types and ranges are checked,
 * text is cleaned, unknown fields are passed over, absent ones are not known. *out is the caller's
 * (wg_result_free) and untouched on failure. WG_EINVAL: what is wrong and where. */
enum wg_code wg_result_from_json(const char *json, size_t bytes, struct wg_result **out,
                                 struct wg_err *err);

#endif
