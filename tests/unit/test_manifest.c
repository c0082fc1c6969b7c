/* Each test of a complaint starts from a manifest that is right and changes one thing. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/manifest/manifest.h"

static const char good[] =
    "{\n"
    "  \"schema\": \"wavegrade/assignment/v1\", \"id\": \"saxpy\", \"version\": 3,\n"
    "  \"title\": \"Scaled addition\", \"file\": \"saxpy.hip\", \"dimensions\": [\"rows\", "
    "\"n\"],\n"
    "  \"entry\": {\"launcher\": \"saxpy\", \"kernels\": [\"saxpy\"],\n"
    "    \"launch\": {\"grid\": [\"ceil_div(n, 64)\", \"rows\", 1], \"block\": [64, 1, 1],\n"
    "      \"shared_bytes\": \"8*n\"}},\n"
    "  \"arguments\": [\n"
    "    {\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"int64\", \"value\": \"n\"},\n"
    "    {\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"float32\", \"direction\": \"in\",\n"
    "     \"length\": \"rows*n\", \"generator\": {\"uniform\": {\"low\": -2, \"high\": 2}}},\n"
    "    {\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"float64\", \"direction\": \"inout\",\n"
    "     \"length\": \"rows*n\", \"shape\": [\"rows\", \"n\"],\n"
    "     \"generator\": {\"uniform\": {\"low\": 0, \"high\": 1}},\n"
    "     \"judge\": {\"relative\": {\"ulps\": 4}}},\n"
    "    {\"name\": \"hits\", \"kind\": \"buffer\", \"type\": \"uint8\", \"direction\": \"out\",\n"
    "     \"length\": \"n\", \"judge\": {\"exact\": {}}}\n"
    "  ],\n"
    "  \"cases\": {\"correctness\": [{\"rows\": 3, \"n\": 1000}, {\"n\": 1, \"rows\": 2}],\n"
    "    \"correctness_large\": [{\"rows\": 5, \"n\": 4096}],\n"
    "    \"timing\": [{\"rows\": 7, \"n\": 6000}], \"timing_emulated\": [{\"rows\": 7, \"n\": "
    "600}]},\n"
    "  \"work\": {\"bytes\": \"20*rows*n\"},\n"
    "  \"rubric\": [\n"
    "    {\"id\": \"right\", \"title\": \"Right\", \"kind\": \"correctness\", \"points\": 7.5},\n"
    "    {\"id\": \"fast\", \"title\": \"Fast\", \"kind\": \"speedup\", \"points\": 2.5,\n"
    "     \"curve\": [{\"speedup\": 1, \"share\": 0}, {\"speedup\": 2.5, \"share\": 1}]}\n"
    "  ],\n"
    "  \"limits\": {\"build_wall_s\": 10, \"run_wall_s\": 20, \"memory_mib\": 512, \"output_kib\": "
    "64},\n"
    "  \"policy\": {\"early_exit_barrier\": \"error\"}\n"
    "}\n";

static char *folder;

static void write_text(const char *name, const char *text) {
    char *path = wg_path_join(folder, name);
    cr_assert_eq(wg_file_write(path, text, strlen(text), 0644, NULL), WG_OK);
    free(path);
}

static void make_folder(void) {
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_make_temp("wg-manifest", &folder, &err), WG_OK, "%s", err.msg);
    char *reference = wg_path_join(folder, "reference");
    cr_assert_eq(mkdir(reference, 0700), 0);
    free(reference);
    write_text("assignment.json", good);
    write_text("reference/golden.c", "void golden(void);\n");
    write_text("reference/naive.hip", "\n");
}

static void remove_folder(void) {
    cr_assert_eq(wg_folder_remove(folder, NULL), WG_OK);
    free(folder);
}

TestSuite(manifest, .init = make_folder, .fini = remove_folder);

static struct wg_manifest *load(void) {
    struct wg_manifest *manifest = NULL;
    struct wg_err err = {0};
    cr_assert_eq(wg_manifest_load(folder, &manifest, &err), WG_OK, "%s", err.msg);
    return manifest;
}

static int64_t at(const struct wg_expr *expr, const struct wg_manifest_case *one) {
    int64_t value = -1;
    cr_assert_eq(wg_expr_eval(expr, one->dims, &value, NULL), WG_OK);
    return value;
}

Test(manifest, holds_what_the_file_says) {
    struct wg_manifest *m = load();
    cr_assert_str_eq(m->id, "saxpy");
    cr_assert_eq(m->version, 3);
    cr_assert_str_eq(m->title, "Scaled addition");
    cr_assert_str_eq(m->file, "saxpy.hip");
    cr_assert_eq(m->dim_count, 2);
    cr_assert_str_eq(m->dim_names[0], "rows");
    cr_assert_str_eq(m->launcher, "saxpy");
    cr_assert_eq(m->kernel_count, 1);
    cr_assert_eq(at(m->grid[0], &m->cases[0]), 16);
    cr_assert_eq(at(m->grid[1], &m->cases[0]), 3);
    cr_assert_eq(at(m->shared_bytes, &m->cases[1]), 8);
    cr_assert_eq(at(m->work_bytes, &m->cases[0]), 60000);
    cr_assert_null(m->work_flops);
    cr_assert_eq(m->memory_bytes, (int64_t)512 * 1024 * 1024);
    cr_assert_eq(m->output_bytes, 65536);
    cr_assert(m->early_exit_barrier_is_error);
    cr_assert_eq(m->rubric_count, 2);
    cr_assert_eq(m->rubric[0].points, 7.5);
    cr_assert_eq(m->rubric[1].curve_count, 2);
    cr_assert_eq(m->rubric[1].curve[1].speedup, 2.5);
    wg_manifest_free(m);
}

Test(manifest, holds_arguments) {
    struct wg_manifest *m = load();
    cr_assert_eq(m->arg_count, 4);
    cr_assert_eq(m->args[0].kind, WG_ARG_SCALAR);
    cr_assert_eq(m->args[1].direction, WG_DIR_IN);
    cr_assert_eq(m->args[1].low, -2);
    cr_assert_eq(m->args[1].shape_count, 1);
    cr_assert_eq(at(m->args[1].shape[0], &m->cases[0]), 3000);
    cr_assert_eq(m->args[2].judge, WG_JUDGE_RELATIVE);
    cr_assert_eq(m->args[2].ulps, 4);
    cr_assert_eq(m->args[2].shape_count, 2);
    cr_assert_eq(m->args[3].judge, WG_JUDGE_EXACT);
    char *signature = wg_manifest_signature(m);
    cr_assert_str_eq(signature, "long long, const float*, double*, unsigned char*");
    free(signature);
    wg_manifest_free(m);
}

Test(manifest, orders_cases_and_marks_them) {
    struct wg_manifest *m = load();
    cr_assert_eq(m->case_count, 5);
    /* Dimensions by name, whatever their order in the case. */
    cr_assert_eq(m->cases[1].dims[0], 2);
    cr_assert_eq(m->cases[1].dims[1], 1);
    static const bool checked[] = {true, true, false, false, false};
    static const bool timed[] = {false, false, false, true, true};
    static const bool emulated[] = {false, false, false, false, true};
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(m->cases[i].checked, checked[i], "case %zu", i);
        cr_assert_eq(m->cases[i].timed, timed[i], "case %zu", i);
        cr_assert_eq(m->cases[i].emulated, emulated[i], "case %zu", i);
    }
    wg_manifest_free(m);
}

/* The good manifest with the first occurrence of `old` replaced. */
static void change(const char *old, const char *new_text) {
    const char *found = strstr(good, old);
    cr_assert_not_null(found, "'%s' is not in the good manifest", old);
    struct wg_buf text = {0};
    wg_buf_add(&text, good, (size_t)(found - good));
    wg_buf_puts(&text, new_text);
    wg_buf_puts(&text, found + strlen(old));
    write_text("assignment.json", wg_buf_str(&text));
    wg_buf_done(&text);
}

static void expect_complaint(const char *old, const char *new_text, const char *part) {
    struct wg_manifest *manifest = NULL;
    struct wg_err err = {0};
    change(old, new_text);
    cr_expect_eq(wg_manifest_load(folder, &manifest, &err), WG_EPARSE, "%s -> %s", old, new_text);
    cr_expect_not_null(strstr(err.msg, part), "'%s' lacks '%s'", err.msg, part);
    cr_expect_null(manifest);
}

Test(manifest, names_the_place_and_the_nearest_key) {
    expect_complaint("\"launcher\"", "\"luancher\"",
                     "/entry: unknown key 'luancher', did you mean "
                     "'launcher'?");
    expect_complaint("\"length\": \"n\"", "\"length\": \"nn\"",
                     "/arguments/3/length: expression 'nn'");
    expect_complaint("\"points\": 7.5", "\"points\": -1", "/rubric/0/points: expected a number");
    expect_complaint("\"direction\": \"out\"", "\"direction\": \"outward\"",
                     "/arguments/3/direction: 'outward' is not one of: in, out, inout");
    expect_complaint("\"version\": 3", "\"version\": 3.5", "/version: expected an integer");
    expect_complaint(" \"version\": 3,", "", "key 'version' is missing");
    expect_complaint("\"version\": 3", "\"version\": 3, \"version\": 4", "'version' occurs twice");
    expect_complaint("{\"rows\": 3,", "{", "/cases/correctness/0: key 'rows' is missing");
    expect_complaint("\"version\": 3,", "\"version\": 3,,", "line 2, column");
    expect_complaint("assignment/v1", "assignment/v2", "/schema:");
}

Test(manifest, refuses_what_makes_no_sense) {
    expect_complaint("\"file\": \"saxpy.hip\"", "\"file\": \"../saxpy.hip\"", "plain file name");
    expect_complaint("\"low\": -2, \"high\": 2", "\"low\": 2, \"high\": 2", "low must be less");
    expect_complaint("\"type\": \"uint8\", \"direction\": \"out\"",
                     "\"type\": \"uint8\", \"direction\": \"in\"", "generator");
    expect_complaint("\"exact\": {}", "\"relative\": {\"ulps\": 1}", "only be judged as exact");
    expect_complaint("\"exact\": {}", "", "exactly one of");
    expect_complaint("\"name\": \"hits\"", "\"name\": \"x\"", "argument 'x' occurs twice");
    expect_complaint("\"speedup\": 2.5", "\"speedup\": 1", "must rise");
    expect_complaint("[\"rows\", \"n\"]", "[\"rows\", \"rows\"]", "occurs twice");
    expect_complaint("\"dimensions\": [\"rows\", \"n\"]", "\"dimensions\": []", "/dimensions");
}

Test(manifest, curves_go_by_naive_tuned_or_the_ceiling) {
    struct wg_manifest *m = load();
    cr_assert_eq(m->rubric[1].curve_kind, WG_CURVE_NAIVE);
    cr_assert_eq(m->ceiling, WG_CEILING_COPY);
    wg_manifest_free(m);
    change("\"points\": 2.5,", "\"points\": 2.5, \"against\": \"ceiling\",");
    m = load();
    cr_assert_eq(m->rubric[1].curve_kind, WG_CURVE_CEILING);
    wg_manifest_free(m);
    expect_complaint("\"points\": 2.5,", "\"points\": 2.5, \"against\": \"cublas\",",
                     "/rubric/1/against: 'cublas' is not one of: naive, tuned, ceiling");
    expect_complaint("\"points\": 7.5", "\"points\": 7.5, \"against\": \"naive\"",
                     "only a line of kind 'speedup'");
    expect_complaint("\"bytes\": \"20*rows*n\"", "\"bytes\": \"20*rows*n\", \"ceiling\": \"sgemm\"",
                     "/work/ceiling: 'sgemm' takes");
}

Test(manifest, sums_and_skewed_inputs) {
    change("\"uniform\"", "\"skewed\"");
    struct wg_manifest *m = load();
    cr_assert_eq(m->args[1].generator, WG_GENERATE_SKEWED);
    wg_manifest_free(m);
    change("\"relative\": {\"ulps\": 4}", "\"sum\": {\"terms\": \"5000000*rows\"}");
    m = load();
    cr_assert_eq(m->args[1].generator, WG_GENERATE_UNIFORM);
    cr_assert_eq(m->args[2].judge, WG_JUDGE_SUM);
    cr_assert_eq(at(m->args[2].terms, &m->cases[0]), 15000000);
    wg_manifest_free(m);
    expect_complaint("\"relative\": {\"ulps\": 4}", "\"dot\": {\"terms\": \"5000000*rows\"}",
                     "expected 1 to 4194304");
    expect_complaint("\"relative\": {\"ulps\": 4}", "\"sum\": {\"terms\": 4, \"ulps\": 1}",
                     "unknown key 'ulps'");
    expect_complaint("\"uniform\": {", "\"skewed\": {\"low\": 0, \"high\": 9}, \"uniform\": {",
                     "exactly one of: uniform, skewed, peaked");
    change("\"uniform\"", "\"peaked\"");
    m = load();
    cr_assert_eq(m->args[1].generator, WG_GENERATE_PEAKED);
    wg_manifest_free(m);
}

Test(manifest, evaluates_everything_for_every_case) {
    expect_complaint("[64, 1, 1]", "[\"n\", 2, 1]", "case rows=3 n=1000: entry/launch/block");
    expect_complaint("[64, 1, 1]", "[\"n - 1\", 1, 1]", "case rows=2 n=1: entry/launch/block");
    expect_complaint("\"8*n\"", "\"24*n\"", "case rows=5 n=4096: entry/launch/shared_bytes");
    expect_complaint("\"shape\": [\"rows\", \"n\"]", "\"shape\": [\"rows\", \"rows\"]",
                     "y: the product of the shape differs");
    expect_complaint("\"20*rows*n\"", "\"20*rows/(n - 1)\"", "divides by zero");
    expect_complaint("\"int64\", \"value\": \"n\"", "\"uint8\", \"value\": \"n\"", "0 to 255");
}

Test(manifest, needs_its_references) {
    struct wg_manifest *manifest = NULL;
    struct wg_err err = {0};
    char *golden = wg_path_join(folder, "reference/golden.c");
    cr_assert_eq(remove(golden), 0);
    free(golden);
    cr_assert_eq(wg_manifest_load(folder, &manifest, &err), WG_ENOTFOUND);
    cr_assert_not_null(strstr(err.msg, "golden.c"), "%s", err.msg);
    cr_assert_eq(wg_manifest_load("/nonexistent/x", &manifest, &err), WG_ENOTFOUND);
}

Test(manifest, digest_follows_contents_and_names) {
    char first[65];
    struct wg_manifest *m = load();
    memcpy(first, m->digest, sizeof first);
    cr_assert_eq(strlen(first), 64);
    wg_manifest_free(m);

    write_text(".hidden", "does not count");
    m = load();
    cr_assert_str_eq(m->digest, first);
    wg_manifest_free(m);

    write_text("reference/naive.hip", "changed\n");
    m = load();
    cr_assert_str_neq(m->digest, first);
    wg_manifest_free(m);

    write_text("reference/naive.hip", "\n");
    write_text("HANDOUT.md", "");
    m = load();
    cr_assert_str_neq(m->digest, first);
    wg_manifest_free(m);
}

/* ---- The bundled assignments ---- */

static void init_paths(void) {
    struct wg_err err = {0};
    cr_assert_eq(wg_paths_init(&err), WG_OK, "%s", err.msg);
}

TestSuite(bundled, .init = init_paths);

Test(bundled, load_in_order) {
    struct wg_manifest **all = NULL;
    size_t count = 0;
    struct wg_err err = {0};
    cr_assert_eq(wg_manifest_load_all(&all, &count, &err), WG_OK, "%s", err.msg);
    cr_assert_geq(count, 2);
    for (size_t i = 1; i < count; i++) {
        cr_assert(strcmp(all[i - 1]->id, all[i]->id) < 0);
    }
    for (size_t i = 0; i < count; i++) {
        double points = 0;
        for (size_t line = 0; line < all[i]->rubric_count; line++) {
            points += all[i]->rubric[line].points;
        }
        cr_assert_eq(points, 100);
        wg_manifest_free(all[i]);
    }
    free((void *)all);
}

Test(bundled, are_found_by_name_or_folder) {
    struct wg_manifest *manifest = NULL;
    struct wg_err err = {0};
    cr_assert_eq(wg_manifest_find("matmul", &manifest, &err), WG_OK, "%s", err.msg);
    char *path = wg_strdup(manifest->folder);
    wg_manifest_free(manifest);
    cr_assert_eq(wg_manifest_find(path, &manifest, &err), WG_OK, "%s", err.msg);
    cr_assert_str_eq(manifest->id, "matmul");
    wg_manifest_free(manifest);
    free(path);
    cr_assert_eq(wg_manifest_find("matmull", &manifest, &err), WG_ENOTFOUND);
    cr_assert_not_null(strstr(err.msg, "did you mean 'matmul'"), "%s", err.msg);
    cr_assert_eq(wg_manifest_find("heat_equation", &manifest, &err), WG_ENOTFOUND);
    cr_assert_not_null(strstr(err.msg, "bundled are: "), "%s", err.msg);
}

/* The sizes that DESIGN.md asks for are easily lost when a manifest is edited. */
Test(bundled, sizes_are_ragged) {
    struct wg_manifest *m = NULL;
    cr_assert_eq(wg_manifest_find("vector_add", &m, NULL), WG_OK);
    static const int64_t wanted[] = {1, 255, 256, 257, 997, 1000, 1001, 1009, 1023, 1024, 1025};
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++) {
        bool found = false;
        for (size_t i = 0; i < m->case_count; i++) {
            found = found || (!m->cases[i].timed && m->cases[i].dims[0] == wanted[w]);
        }
        cr_expect(found, "n=%lld is missing", (long long)wanted[w]);
    }
    wg_manifest_free(m);

    cr_assert_eq(wg_manifest_find("matmul", &m, NULL), WG_OK);
    bool k_largest = false;
    bool k_smallest = false;
    bool k_one = false;
    for (size_t i = 0; i < m->case_count && !m->cases[i].timed; i++) {
        const int64_t *d = m->cases[i].dims;
        bool apart = llabs(d[0] - d[1]) > 16 && llabs(d[0] - d[2]) > 16 && llabs(d[1] - d[2]) > 16;
        bool odd = d[0] % 4 != 0 && d[1] % 4 != 0 && d[2] % 4 != 0;
        k_largest = k_largest || (apart && odd && d[2] > d[0] && d[2] > d[1]);
        k_smallest = k_smallest || (apart && odd && d[2] < d[0] && d[2] < d[1]);
        k_one = k_one || (d[2] == 1 && d[0] > 1 && d[1] > 1);
    }
    cr_expect(k_largest && k_smallest && k_one);
    wg_manifest_free(m);
}
