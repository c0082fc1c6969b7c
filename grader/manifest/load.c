/* From JSON to struct wg_manifest, key by key. What the keys mean is told by the JSON Schema in
 * assignments/schema, which says the same for editors; here is what the program itself holds to. */
#include "grader/manifest/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define KEYS(...)    (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__}))

#define MAX_CASES 256

static bool is_identifier(const char *word) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return strspn(word, letters) == strlen(word) && strchr("0123456789", word[0]) == NULL;
}

static char *read_identifier(const struct wg_json *json) {
    WG_CLEANUP(wg_freep) char *word = wg_json_string(json);
    if (word != NULL && (!is_identifier(word) || strlen(word) > 63)) {
        wg_json_complain(json, "expected an identifier of at most 63 letters, digits and '_'");
        return NULL;
    }
    return WG_TAKE(&word);
}

/* The name becomes part of paths: no folders, nothing hidden, no option. */
static char *read_file_name(const struct wg_json *json) {
    WG_CLEANUP(wg_freep) char *name = wg_json_string(json);
    if (name != NULL && (strchr(name, '/') != NULL || name[0] == '.' || name[0] == '-')) {
        wg_json_complain(json, "expected a plain file name");
        return NULL;
    }
    return WG_TAKE(&name);
}

static struct wg_expr *read_expr(const struct wg_manifest *manifest, const struct wg_json *json) {
    WG_CLEANUP(wg_freep) char *text = wg_json_string_or_integer(json);
    if (text == NULL) {
        return NULL;
    }
    struct wg_expr *expr = NULL;
    struct wg_err err = {0};
    if (wg_expr_parse(text, (const char *const *)manifest->dim_names, manifest->dim_count, &expr,
                      &err) != WG_OK) {
        wg_json_complain(json, "%s", err.msg);
    }
    return expr;
}

static struct wg_expr *read_member_expr(const struct wg_manifest *manifest,
                                        const struct wg_json *parent, const char *key,
                                        bool required) {
    struct wg_json member = wg_json_member(parent, key, required);
    return read_expr(manifest, &member);
}

static void read_dimensions(const struct wg_json *root, struct wg_manifest *manifest) {
    struct wg_json dims = wg_json_member(root, "dimensions", true);
    size_t count = wg_json_count(&dims, 1, WG_MAX_DIMS);
    for (size_t i = 0; i < count; i++) {
        struct wg_json item = wg_json_item(&dims, i);
        char *name = read_identifier(&item);
        if (name == NULL) {
            return;
        }
        for (size_t other = 0; other < manifest->dim_count; other++) {
            if (strcmp(manifest->dim_names[other], name) == 0) {
                wg_json_complain(&item, "dimension '%s' occurs twice", name);
            }
        }
        manifest->dim_names[manifest->dim_count++] = name;
    }
}

static void read_shape3(const struct wg_manifest *manifest, const struct wg_json *parent,
                        const char *key, struct wg_expr *out[3]) {
    struct wg_json shape = wg_json_member(parent, key, true);
    size_t count = wg_json_count(&shape, 3, 3);
    for (size_t i = 0; i < count; i++) {
        struct wg_json item = wg_json_item(&shape, i);
        out[i] = read_expr(manifest, &item);
    }
}

static void read_entry(const struct wg_json *root, struct wg_manifest *manifest) {
    struct wg_json entry = wg_json_member(root, "entry", true);
    wg_json_keys(&entry, KEYS("launcher", "kernels", "launch"));
    struct wg_json launcher = wg_json_member(&entry, "launcher", true);
    manifest->launcher = read_identifier(&launcher);
    struct wg_json kernels = wg_json_member(&entry, "kernels", true);
    size_t count = wg_json_count(&kernels, 1, COUNT(manifest->kernels));
    for (size_t i = 0; i < count; i++) {
        struct wg_json item = wg_json_item(&kernels, i);
        manifest->kernels[i] = read_identifier(&item);
        manifest->kernel_count += manifest->kernels[i] != NULL ? 1 : 0;
    }
    struct wg_json launch = wg_json_member(&entry, "launch", true);
    wg_json_keys(&launch, KEYS("grid", "block", "shared_bytes"));
    read_shape3(manifest, &launch, "grid", manifest->grid);
    read_shape3(manifest, &launch, "block", manifest->block);
    manifest->shared_bytes = read_member_expr(manifest, &launch, "shared_bytes", true);
}

static bool is_float(enum wg_type type) {
    return type == WG_TYPE_F32 || type == WG_TYPE_F64;
}

/* Smallest and largest value a generator may be asked for, exact in a double. */
static double type_low(enum wg_type type) {
    switch (type) {
    case WG_TYPE_I8:
        return -128;
    case WG_TYPE_I32:
        return -0x1p31;
    case WG_TYPE_I64:
        return -0x1p53;
    case WG_TYPE_F32:
    case WG_TYPE_F64:
        return -1e30;
    default:
        return 0;
    }
}

static double type_high(enum wg_type type) {
    switch (type) {
    case WG_TYPE_I8:
        return 128;
    case WG_TYPE_U8:
        return 256;
    case WG_TYPE_I32:
        return 0x1p31;
    case WG_TYPE_U32:
        return 0x1p32;
    case WG_TYPE_I64:
    case WG_TYPE_U64:
        return 0x1p53;
    default:
        return 1e30;
    }
}

static void read_generator(const struct wg_json *json, struct wg_manifest_arg *arg) {
    struct wg_json generator = wg_json_member(json, "generator", true);
    static const char *const names[] = {[WG_GENERATE_UNIFORM] = "uniform",
                                        [WG_GENERATE_SKEWED] = "skewed",
                                        [WG_GENERATE_PEAKED] = "peaked"};
    wg_json_keys(&generator, KEYS("uniform", "skewed", "peaked"));
    struct wg_json range = wg_json_member(&generator, names[0], false);
    int given = wg_json_exists(&range);
    for (int g = WG_GENERATE_SKEWED; g <= WG_GENERATE_PEAKED; g++) {
        struct wg_json other = wg_json_member(&generator, names[g], false);
        if (wg_json_exists(&other)) {
            range = other;
            arg->generator = (enum wg_generator)g;
            given++;
        }
    }
    if (wg_json_exists(&generator) && given != 1) {
        wg_json_complain(&generator, "expected exactly one of: uniform, skewed, peaked");
    }
    wg_json_keys(&range, KEYS("low", "high"));
    struct wg_json low = wg_json_member(&range, "low", true);
    struct wg_json high = wg_json_member(&range, "high", true);
    arg->low = wg_json_number(&low, type_low(arg->type), type_high(arg->type));
    arg->high = wg_json_number(&high, type_low(arg->type), type_high(arg->type));
    if (arg->low >= arg->high) {
        wg_json_complain(&range, "low must be less than high");
    } else if (!is_float(arg->type) && ceil(arg->high) - ceil(arg->low) < 3) {
        /* Without at least two values besides 0, all elements would be the same. */
        wg_json_complain(&range, "the range holds fewer than three integers");
    }
}

static void read_judge(const struct wg_manifest *manifest, const struct wg_json *json,
                       struct wg_manifest_arg *arg) {
    struct wg_json judge = wg_json_member(json, "judge", true);
    wg_json_keys(&judge, KEYS("exact", "dot", "relative", "sum"));
    struct wg_json exact = wg_json_member(&judge, "exact", false);
    struct wg_json dot = wg_json_member(&judge, "dot", false);
    struct wg_json relative = wg_json_member(&judge, "relative", false);
    struct wg_json sum = wg_json_member(&judge, "sum", false);
    if (wg_json_exists(&exact) + wg_json_exists(&dot) + wg_json_exists(&relative) +
            wg_json_exists(&sum) !=
        1) {
        wg_json_complain(&judge, "expected exactly one of: exact, dot, relative, sum");
    }
    if (!wg_json_exists(&exact) && !is_float(arg->type)) {
        wg_json_complain(&judge, "integers can only be judged as exact");
    }
    wg_json_keys(&exact, NULL, 0);
    if (wg_json_exists(&dot)) {
        arg->judge = WG_JUDGE_DOT;
        wg_json_keys(&dot, KEYS("terms", "rms_factor"));
        arg->terms = read_member_expr(manifest, &dot, "terms", true);
        struct wg_json factor = wg_json_member(&dot, "rms_factor", false);
        arg->rms_limit_factor = wg_json_number(&factor, 1, 1e6);
    } else if (wg_json_exists(&sum)) {
        arg->judge = WG_JUDGE_SUM;
        wg_json_keys(&sum, KEYS("terms"));
        arg->terms = read_member_expr(manifest, &sum, "terms", true);
    } else if (wg_json_exists(&relative)) {
        arg->judge = WG_JUDGE_RELATIVE;
        wg_json_keys(&relative, KEYS("ulps"));
        struct wg_json ulps = wg_json_member(&relative, "ulps", true);
        arg->ulps = wg_json_number(&ulps, 0.5, 1e9);
    } else {
        arg->judge = WG_JUDGE_EXACT;
    }
}

static void read_buffer(const struct wg_manifest *manifest, const struct wg_json *json,
                        struct wg_manifest_arg *arg) {
    wg_json_keys(
        json, KEYS("name", "kind", "type", "direction", "length", "shape", "generator", "judge"));
    struct wg_json direction = wg_json_member(json, "direction", true);
    arg->direction = (enum wg_direction)wg_json_choice(&direction, KEYS("in", "out", "inout"));
    arg->length = read_member_expr(manifest, json, "length", true);
    struct wg_json shape = wg_json_member(json, "shape", false);
    if (wg_json_exists(&shape)) {
        size_t count = wg_json_count(&shape, 1, COUNT(arg->shape));
        for (size_t i = 0; i < count; i++) {
            struct wg_json item = wg_json_item(&shape, i);
            arg->shape[i] = read_expr(manifest, &item);
            arg->shape_count++;
        }
    } else {
        arg->shape[0] = read_member_expr(manifest, json, "length", true);
        arg->shape_count = 1;
    }
    struct wg_json generator = wg_json_member(json, "generator", false);
    struct wg_json judge = wg_json_member(json, "judge", false);
    if (arg->direction != WG_DIR_OUT) {
        read_generator(json, arg);
    } else if (wg_json_exists(&generator)) {
        wg_json_complain(&generator, "an argument of direction 'out' has no generator");
    }
    if (arg->direction != WG_DIR_IN) {
        read_judge(manifest, json, arg);
    } else if (wg_json_exists(&judge)) {
        wg_json_complain(&judge, "an argument of direction 'in' is not judged");
    }
}

/* In the order of enum wg_type, which starts at 1. */
static const enum wg_type types[] = {WG_TYPE_I32, WG_TYPE_U32, WG_TYPE_I64, WG_TYPE_U64,
                                     WG_TYPE_F32, WG_TYPE_F64, WG_TYPE_I8,  WG_TYPE_U8};

static void read_argument(const struct wg_manifest *manifest, const struct wg_json *json,
                          struct wg_manifest_arg *arg) {
    struct wg_json name = wg_json_member(json, "name", true);
    struct wg_json kind = wg_json_member(json, "kind", true);
    struct wg_json type = wg_json_member(json, "type", true);
    arg->name = read_identifier(&name);
    const char *type_names[COUNT(types)];
    for (size_t i = 0; i < COUNT(types); i++) {
        type_names[i] = wg_type_name(types[i]);
    }
    arg->type = types[wg_json_choice(&type, type_names, COUNT(types))];
    if (wg_json_choice(&kind, KEYS("scalar", "buffer")) == 1) {
        arg->kind = WG_ARG_BUFFER;
        read_buffer(manifest, json, arg);
    } else {
        arg->kind = WG_ARG_SCALAR;
        arg->direction = WG_DIR_IN;
        wg_json_keys(json, KEYS("name", "kind", "type", "value"));
        arg->value = read_member_expr(manifest, json, "value", true);
    }
}

static void read_arguments(const struct wg_json *root, struct wg_manifest *manifest) {
    struct wg_json list = wg_json_member(root, "arguments", true);
    size_t count = wg_json_count(&list, 1, WG_MAX_ARGS);
    size_t golden_count = 0;
    bool has_output = false;
    for (size_t i = 0; i < count && list.document->code == WG_OK; i++) {
        struct wg_json item = wg_json_item(&list, i);
        struct wg_manifest_arg *arg = &manifest->args[manifest->arg_count++];
        read_argument(manifest, &item, arg);
        for (size_t other = 0; arg->name != NULL && other < i; other++) {
            if (strcmp(manifest->args[other].name, arg->name) == 0) {
                wg_json_complain(&item, "argument '%s' occurs twice", arg->name);
            }
        }
        golden_count += arg->direction == WG_DIR_IN ? 1 : arg->direction == WG_DIR_OUT ? 2 : 3;
        has_output = has_output || arg->direction != WG_DIR_IN;
    }
    if (!has_output) {
        wg_json_complain(&list, "no argument has direction 'out' or 'inout'");
    }
    if (golden_count > WG_MAX_ARGS) {
        wg_json_complain(&list, "golden() would have %zu arguments; the limit is %d", golden_count,
                         WG_MAX_ARGS);
    }
}

static void read_case_list(const struct wg_json *cases, const char *key, bool required,
                           struct wg_manifest_case kind, struct wg_manifest *manifest) {
    struct wg_json list = wg_json_member(cases, key, required);
    size_t count = wg_json_count(&list, required ? 1 : 0, MAX_CASES);
    manifest->cases =
        wg_realloc(manifest->cases, manifest->case_count + count + 1, sizeof *manifest->cases);
    for (size_t i = 0; i < count; i++) {
        struct wg_json item = wg_json_item(&list, i);
        wg_json_keys(&item, (const char *const *)manifest->dim_names, manifest->dim_count);
        struct wg_manifest_case *one = &manifest->cases[manifest->case_count++];
        *one = kind;
        for (size_t d = 0; d < manifest->dim_count; d++) {
            struct wg_json value = wg_json_member(&item, manifest->dim_names[d], true);
            one->dims[d] = wg_json_integer(&value, 1, INT32_MAX);
        }
    }
}

static void read_cases(const struct wg_json *root, struct wg_manifest *manifest) {
    struct wg_json cases = wg_json_member(root, "cases", true);
    wg_json_keys(&cases, KEYS("correctness", "correctness_large", "timing", "timing_emulated"));
    struct wg_manifest_case checked = {.checked = true};
    struct wg_manifest_case plain = {0};
    struct wg_manifest_case timed = {.timed = true};
    struct wg_manifest_case emulated = {.timed = true, .emulated = true};
    read_case_list(&cases, "correctness", true, checked, manifest);
    read_case_list(&cases, "correctness_large", false, plain, manifest);
    read_case_list(&cases, "timing", false, timed, manifest);
    read_case_list(&cases, "timing_emulated", false, emulated, manifest);
}

static void read_curve(const struct wg_json *json, struct wg_rubric_line *line) {
    struct wg_json curve = wg_json_member(json, "curve", true);
    size_t count = wg_json_count(&curve, 2, COUNT(line->curve));
    for (size_t i = 0; i < count; i++) {
        struct wg_json item = wg_json_item(&curve, i);
        wg_json_keys(&item, KEYS("speedup", "share"));
        struct wg_json speedup = wg_json_member(&item, "speedup", true);
        struct wg_json share = wg_json_member(&item, "share", true);
        struct wg_curve_point *point = &line->curve[line->curve_count++];
        point->speedup = wg_json_number(&speedup, 1e-3, 1e6);
        point->share = wg_json_number(&share, 0, 1);
        if (i > 0 && (point->speedup <= point[-1].speedup || point->share < point[-1].share)) {
            wg_json_complain(&item, "speedups must rise and shares must not fall");
        }
    }
}

static void read_against(const struct wg_json *json, struct wg_rubric_line *line) {
    struct wg_json against = wg_json_member(json, "against", false);
    if (wg_json_exists(&against)) {
        line->curve_kind =
            (enum wg_curve_kind)wg_json_choice(&against, KEYS("naive", "tuned", "ceiling"));
    }
}

static void read_rubric(const struct wg_json *root, struct wg_manifest *manifest) {
    struct wg_json rubric = wg_json_member(root, "rubric", true);
    size_t count = wg_json_count(&rubric, 1, COUNT(manifest->rubric));
    for (size_t i = 0; i < count; i++) {
        struct wg_json item = wg_json_item(&rubric, i);
        struct wg_rubric_line *line = &manifest->rubric[manifest->rubric_count++];
        wg_json_keys(&item, KEYS("id", "title", "kind", "points", "against", "curve"));
        struct wg_json id = wg_json_member(&item, "id", true);
        struct wg_json title = wg_json_member(&item, "title", true);
        struct wg_json kind = wg_json_member(&item, "kind", true);
        struct wg_json points = wg_json_member(&item, "points", true);
        line->id = read_identifier(&id);
        line->title = wg_json_string(&title);
        line->kind = (enum wg_rubric_kind)wg_json_choice(
            &kind, KEYS("build", "correctness", "memory", "speedup"));
        line->points = wg_json_number(&points, 0, 1e6);
        for (size_t other = 0; line->id != NULL && other < i; other++) {
            if (strcmp(manifest->rubric[other].id, line->id) == 0) {
                wg_json_complain(&item, "rubric line '%s' occurs twice", line->id);
            }
        }
        struct wg_json curve = wg_json_member(&item, "curve", false);
        struct wg_json against = wg_json_member(&item, "against", false);
        if (line->kind == WG_RUBRIC_SPEEDUP) {
            read_curve(&item, line);
            read_against(&item, line);
        } else if (wg_json_exists(&curve) || wg_json_exists(&against)) {
            wg_json_complain(&item, "only a line of kind 'speedup' has a curve");
        }
    }
}

static bool is_sgemm(const struct wg_manifest *manifest) {
    if (manifest->arg_count != 6) {
        return false;
    }
    for (size_t i = 0; i < 6; i++) {
        const struct wg_manifest_arg *arg = &manifest->args[i];
        if (arg->kind != (i < 3 ? WG_ARG_BUFFER : WG_ARG_SCALAR) ||
            arg->type != (i < 3 ? WG_TYPE_F32 : WG_TYPE_I32)) {
            return false;
        }
    }
    return true;
}

static void read_work(const struct wg_json *root, struct wg_manifest *manifest) {
    struct wg_json work = wg_json_member(root, "work", false);
    wg_json_keys(&work, KEYS("bytes", "flops", "ceiling"));
    manifest->work_bytes = read_member_expr(manifest, &work, "bytes", false);
    manifest->work_flops = read_member_expr(manifest, &work, "flops", false);
    struct wg_json ceiling = wg_json_member(&work, "ceiling", false);
    if (wg_json_exists(&ceiling)) {
        manifest->ceiling = (enum wg_ceiling)wg_json_choice(&ceiling, KEYS("copy", "sgemm"));
        if (manifest->ceiling == WG_CEILING_SGEMM && !is_sgemm(manifest)) {
            wg_json_complain(&ceiling,
                             "'sgemm' takes three buffers of float32 and three scalars of "
                             "int32: a, b, c, m, n, k");
        }
    }
}

static void read_limits(const struct wg_json *root, struct wg_manifest *manifest) {
    struct wg_json limits = wg_json_member(root, "limits", true);
    wg_json_keys(&limits, KEYS("build_wall_s", "run_wall_s", "memory_mib", "output_kib"));
    struct wg_json build = wg_json_member(&limits, "build_wall_s", true);
    struct wg_json run = wg_json_member(&limits, "run_wall_s", true);
    struct wg_json memory = wg_json_member(&limits, "memory_mib", true);
    struct wg_json output = wg_json_member(&limits, "output_kib", true);
    manifest->build_wall_s = wg_json_integer(&build, 1, 3600);
    manifest->run_wall_s = wg_json_integer(&run, 1, 3600);
    manifest->memory_bytes = wg_json_integer(&memory, 64, (int64_t)1 << 20) * 1024 * 1024;
    manifest->output_bytes = wg_json_integer(&output, 1, (int64_t)1 << 20) * 1024;
}

static void read_policy(const struct wg_json *root, struct wg_manifest *manifest) {
    struct wg_json policy = wg_json_member(root, "policy", false);
    wg_json_keys(&policy, KEYS("early_exit_barrier", "libraries"));
    struct wg_json libraries = wg_json_member(&policy, "libraries", false);
    size_t count =
        wg_json_exists(&libraries) ? wg_json_count(&libraries, 0, WG_MANIFEST_LIBRARIES) : 0;
    for (size_t i = 0; i < count; i++) {
        static const char *const kinds[] = {"blas", "primitives", "templates", "random",
                                            "fft",  "sparse",     "solver",    "deep_learning"};
        struct wg_json item = wg_json_item(&libraries, i);
        manifest->libraries[manifest->library_count++] =
            kinds[wg_json_choice(&item, kinds, COUNT(kinds))];
    }
    struct wg_json weight = wg_json_member(&policy, "early_exit_barrier", false);
    manifest->early_exit_barrier_is_error = wg_json_choice(&weight, KEYS("warning", "error")) == 1;
}

void wg_manifest_read(const struct wg_json *root, struct wg_manifest *manifest) {
    wg_json_keys(root, KEYS("$schema", "schema", "id", "version", "title", "file", "dimensions",
                            "entry", "arguments", "cases", "work", "rubric", "limits", "policy"));
    /* First of all, so that a file of another kind is called that. */
    struct wg_json schema = wg_json_member(root, "schema", true);
    (void)wg_json_choice(&schema, KEYS("wavegrade/assignment/v1"));
    struct wg_json id = wg_json_member(root, "id", true);
    struct wg_json version = wg_json_member(root, "version", true);
    struct wg_json title = wg_json_member(root, "title", true);
    struct wg_json file = wg_json_member(root, "file", true);
    manifest->id = read_identifier(&id);
    manifest->version = (int)wg_json_integer(&version, 1, 1000000);
    manifest->title = wg_json_string(&title);
    manifest->file = read_file_name(&file);
    read_dimensions(root, manifest);
    read_entry(root, manifest);
    read_arguments(root, manifest);
    read_cases(root, manifest);
    read_work(root, manifest);
    read_rubric(root, manifest);
    read_limits(root, manifest);
    read_policy(root, manifest);
}
