/* An assignment as its author declared it: assignments/NAME/assignment.json, validated.
 *
 * wg_manifest_load returns a heap object that owns every string below it; wg_manifest_free frees
 * all. Nothing here changes after loading. */
#ifndef WG_MANIFEST_H
#define WG_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/err.h"
#include "grader/manifest/expr.h"
#include "reference/harness/protocol.h"

#define WG_MAX_DIMS           8
#define WG_MANIFEST_LIBRARIES 8

enum wg_direction { WG_DIR_IN, WG_DIR_OUT, WG_DIR_INOUT };

/* How an output is judged. */
enum wg_judge {
    WG_JUDGE_EXACT, /* bit for bit after rounding the golden value to the element type; integers
                       equal */
    WG_JUDGE_DOT, /* |got - golden| <= gamma_terms * magnitude, magnitude given by golden.c; and RMS
                   */
    WG_JUDGE_RELATIVE, /* |got - golden| <= ulps * u * magnitude */
    WG_JUDGE_SUM, /* like WG_JUDGE_DOT, but for so many terms that the worst case says nothing */
};

enum wg_generator {
    WG_GENERATE_UNIFORM, /* in [low, high), never 0, no two neighbours equal; integers likewise */
    WG_GENERATE_SKEWED,  /* in [low, high), 0 included; the lower, the more often */
    WG_GENERATE_PEAKED,  /* uniform in the lower half of [low, high), with rare values near high */
};

/* golden() takes the arguments in this order, outputs as doubles: an IN buffer or scalar as it is,
 * an OUT buffer as (double *value, double *magnitude), an INOUT buffer as (const T *before,
 * double *value, double *magnitude). */
struct wg_manifest_arg {
    char *name;
    enum wg_arg_kind kind;
    enum wg_type type;
    /* scalar */
    struct wg_expr *value; /* of the dimensions */
    /* buffer */
    enum wg_direction direction;
    struct wg_expr *length;   /* elements */
    struct wg_expr *shape[3]; /* for words: row and column; shape_count 1..3 */
    size_t shape_count;
    /* inputs */
    enum wg_generator generator;
    double low, high;
    /* outputs */
    enum wg_judge judge;
    struct wg_expr *terms;   /* WG_JUDGE_DOT, WG_JUDGE_SUM */
    double rms_limit_factor; /* times what a sequential float32 sum shows; 0: no RMS test */
    double ulps;             /* WG_JUDGE_RELATIVE */
};

struct wg_manifest_case {
    int64_t dims[WG_MAX_DIMS]; /* in the order of dim_names */
    bool timed;                /* a timing size */
    bool emulated;             /* timed: the size is for emulated platforms (cpu), else for GPUs */
    bool checked;              /* also run in checked mode (small enough) */
};

/* What a device can do at best, beside moving the bytes of the call. */
enum wg_ceiling {
    WG_CEILING_COPY,  /* nothing more */
    WG_CEILING_SGEMM, /* the vendor's matrix product; the arguments are a, b, c, m, n, k */
};

/* What the points of a speedup line go by. */
enum wg_curve_kind {
    WG_CURVE_NAIVE,   /* time of naive.hip / time */
    WG_CURVE_TUNED,   /* time of tuned.hip / time: 1 is as fast as tuned */
    WG_CURVE_CEILING, /* time at the measured ceiling / time: 1 is as fast as the device can be */
};

enum wg_rubric_kind {
    WG_RUBRIC_BUILD,       /* it compiles and the entry is there */
    WG_RUBRIC_CORRECTNESS, /* share of correctness cases that pass */
    WG_RUBRIC_MEMORY,      /* no error findings of the checker */
    WG_RUBRIC_SPEEDUP,     /* the curve over the geometric mean of the timed sizes */
};

struct wg_curve_point {
    double speedup,
        share; /* speedup: or what else the curve goes by; rising; linear between, flat outside */
};

struct wg_rubric_line {
    char *id, *title;
    enum wg_rubric_kind kind;
    double points;
    enum wg_curve_kind curve_kind;
    struct wg_curve_point curve[16];
    size_t curve_count;
};

struct wg_manifest {
    char *id, *title;
    int version;
    char *folder;           /* absolute */
    char *reference_folder; /* absolute: golden.c; naive.hip, without which nothing is timed;
                               tuned.hip */
    char digest[65];        /* SHA-256 over every file of both folders, names included */
    char *file;             /* what students hand in */
    char *dim_names[WG_MAX_DIMS];
    size_t dim_count;
    char *launcher;    /* host function */
    char *kernels[16]; /* accepted names of a bare kernel */
    size_t kernel_count;
    struct wg_expr *grid[3], *block[3], *shared_bytes;
    struct wg_manifest_arg args[WG_MAX_ARGS];
    size_t arg_count;
    struct wg_manifest_case *cases; /* correctness first, then timed; each in declared order */
    size_t case_count;
    struct wg_expr *work_bytes, *work_flops; /* per call; either may be NULL */
    enum wg_ceiling ceiling;                 /* beside the bandwidth of a copy */
    struct wg_rubric_line rubric[16];
    size_t rubric_count;
    /* limits */
    int64_t build_wall_s, run_wall_s; /* run: for one session of all cases */
    int64_t memory_bytes;
    int64_t output_bytes;
    /* Kinds of libraries that submissions may use: "blas", "primitives", ... (build/libraries.c).
     */
    const char *libraries[WG_MANIFEST_LIBRARIES];
    size_t library_count;
    bool early_exit_barrier_is_error; /* weight of EARLY_EXIT_BARRIER findings */
};

/* Errors: WG_ENOTFOUND, WG_EPARSE (file, JSON path and what was expected). */
enum wg_code wg_manifest_load(const char *folder, struct wg_manifest **out, struct wg_err *err);
void wg_manifest_free(struct wg_manifest *manifest);

/* All bundled assignments, sorted by id, from SHARE/assignments. The caller frees each and the
 * array. */
enum wg_code wg_manifest_load_all(struct wg_manifest ***out, size_t *count, struct wg_err *err);

/* A name of a bundled assignment, or the path of an assignment folder (when it contains '/' or is
 * an existing folder). Errors also name the nearest known assignment. */
enum wg_code wg_manifest_find(const char *name_or_path, struct wg_manifest **out,
                              struct wg_err *err);

/* An assignment that came along with the code: ROOT/.wavegrade/NAME, where ROOT is the folder or
 * one above it, within the same repository. *out: the path of the one whose file lies in the
 * folder, heap; NULL when there is none. For students' own machines: a grader takes no assignment
 * from a submission. Errors: those of wg_manifest_load. */
enum wg_code wg_manifest_find_beside(const char *folder, char **out, struct wg_err *err);

/* "const float*, const float*, float*, int": the C signature of the launcher, heap. */
char *wg_manifest_signature(const struct wg_manifest *manifest);

/* Size of one element in bytes. */
size_t wg_type_bytes(enum wg_type type);
/* "float", "int": the C spelling. "float32": the manifest's. */
const char *wg_type_c_name(enum wg_type type);
const char *wg_type_name(enum wg_type type);

#endif
