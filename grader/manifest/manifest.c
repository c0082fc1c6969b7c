#include "grader/manifest/manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/manifest/load.h"

#define MAX_MANIFEST_BYTES ((size_t)1 << 20)

static const struct {
    enum wg_type type;
    size_t bytes;
    const char *c_name, *name;
} type_table[] = {
    {WG_TYPE_I32, 4, "int", "int32"},       {WG_TYPE_U32, 4, "unsigned int", "uint32"},
    {WG_TYPE_I64, 8, "long long", "int64"}, {WG_TYPE_U64, 8, "unsigned long long", "uint64"},
    {WG_TYPE_F32, 4, "float", "float32"},   {WG_TYPE_F64, 8, "double", "float64"},
    {WG_TYPE_I8, 1, "signed char", "int8"}, {WG_TYPE_U8, 1, "unsigned char", "uint8"},
};

static size_t type_row(enum wg_type type) {
    size_t row = 0;
    while (row + 1 < sizeof type_table / sizeof type_table[0] && type_table[row].type != type) {
        row++;
    }
    return row;
}

size_t wg_type_bytes(enum wg_type type) {
    return type_table[type_row(type)].bytes;
}

const char *wg_type_c_name(enum wg_type type) {
    return type_table[type_row(type)].c_name;
}

const char *wg_type_name(enum wg_type type) {
    return type_table[type_row(type)].name;
}

char *wg_manifest_signature(const struct wg_manifest *manifest) {
    WG_CLEANUP(wg_buf_done) struct wg_buf out = {0};
    for (size_t i = 0; i < manifest->arg_count; i++) {
        const struct wg_manifest_arg *arg = &manifest->args[i];
        bool is_buffer = arg->kind == WG_ARG_BUFFER;
        wg_buf_printf(&out, "%s%s%s%s", i == 0 ? "" : ", ",
                      is_buffer && arg->direction == WG_DIR_IN ? "const " : "",
                      wg_type_c_name(arg->type), is_buffer ? "*" : "");
    }
    return wg_strdup(wg_buf_str(&out));
}

static void free_arg(struct wg_manifest_arg *arg) {
    free(arg->name);
    wg_expr_free(arg->value);
    wg_expr_free(arg->length);
    for (size_t i = 0; i < arg->shape_count; i++) {
        wg_expr_free(arg->shape[i]);
    }
    wg_expr_free(arg->terms);
}

void wg_manifest_free(struct wg_manifest *manifest) {
    if (manifest == NULL) {
        return;
    }
    free(manifest->id);
    free(manifest->title);
    free(manifest->folder);
    free(manifest->reference_folder);
    free(manifest->file);
    for (size_t i = 0; i < manifest->dim_count; i++) {
        free(manifest->dim_names[i]);
    }
    free(manifest->launcher);
    for (size_t i = 0; i < sizeof manifest->kernels / sizeof manifest->kernels[0]; i++) {
        free(manifest->kernels[i]);
    }
    for (int axis = 0; axis < 3; axis++) {
        wg_expr_free(manifest->grid[axis]);
        wg_expr_free(manifest->block[axis]);
    }
    wg_expr_free(manifest->shared_bytes);
    for (size_t i = 0; i < manifest->arg_count; i++) {
        free_arg(&manifest->args[i]);
    }
    free(manifest->cases);
    wg_expr_free(manifest->work_bytes);
    wg_expr_free(manifest->work_flops);
    for (size_t i = 0; i < manifest->rubric_count; i++) {
        free(manifest->rubric[i].id);
        free(manifest->rubric[i].title);
    }
    free(manifest);
}

static void freep_manifest(struct wg_manifest **manifest) {
    wg_manifest_free(*manifest);
}

/* FOLDER/reference, or beside the folder of all assignments; both bundled and installed ones are
 * laid out in the second way, so that students can be given the assignment without solutions. */
static enum wg_code find_reference(struct wg_manifest *manifest, struct wg_err *err) {
    static const char *const required[] = {"golden.c"};
    WG_CLEANUP(wg_freep) char *path = wg_path_join(manifest->folder, "reference");
    if (!wg_file_is_folder(path)) {
        free(path);
        path = wg_strf("%s/../../reference/%s", manifest->folder, manifest->id);
    }
    manifest->reference_folder = realpath(path, NULL);
    if (manifest->reference_folder == NULL) {
        return wg_fail(err, WG_ENOTFOUND, "assignment '%s' has no reference folder at '%s'",
                       manifest->id, path);
    }
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++) {
        WG_CLEANUP(wg_freep) char *file = wg_path_join(manifest->reference_folder, required[i]);
        if (!wg_file_exists(file)) {
            return wg_fail(err, WG_ENOTFOUND, "assignment '%s' lacks '%s'", manifest->id, file);
        }
    }
    return WG_OK;
}

static enum wg_code load_file(struct wg_manifest *manifest, const char *file, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    WG_CLEANUP(wg_json_done) struct wg_json_document document = {0};
    enum wg_code code = wg_file_read(file, MAX_MANIFEST_BYTES, &text, err);
    if (code == WG_OK) {
        code = wg_json_open(&document, file, wg_buf_str(&text), text.len, err);
    }
    if (code == WG_OK) {
        struct wg_json root = wg_json_root(&document);
        wg_manifest_read(&root, manifest);
        code = document.code;
    }
    return code != WG_OK ? code : wg_manifest_validate(manifest, file, err);
}

enum wg_code wg_manifest_load(const char *folder, struct wg_manifest **out, struct wg_err *err) {
    WG_CLEANUP(freep_manifest) struct wg_manifest *manifest = wg_calloc(1, sizeof *manifest);
    manifest->folder = realpath(folder, NULL);
    if (manifest->folder == NULL) {
        return wg_fail(err, errno == ENOENT || errno == ENOTDIR ? WG_ENOTFOUND : WG_EIO,
                       "assignment folder '%s' cannot be opened", folder);
    }
    WG_CLEANUP(wg_freep) char *file = wg_path_join(folder, "assignment.json");
    enum wg_code code = load_file(manifest, file, err);
    if (code == WG_OK) {
        code = find_reference(manifest, err);
    }
    if (code == WG_OK) {
        code =
            wg_manifest_digest(manifest->folder, manifest->reference_folder, manifest->digest, err);
    }
    if (code != WG_OK) {
        return code;
    }
    *out = WG_TAKE(&manifest);
    return WG_OK;
}
