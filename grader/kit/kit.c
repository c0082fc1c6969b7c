#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/kit/archive.h"
#include "grader/kit/kit.h"

#define SCRIPT_LIMIT_BYTES  ((size_t)1 << 20)
#define PACKAGE_LIMIT_BYTES ((size_t)200 << 20)

static void free_archive(struct wg_archive **archive) {
    wg_archive_free(*archive);
}

static enum wg_code add_file(struct wg_archive *archive, const char *name, const char *path,
                             size_t limit_bytes, bool is_program, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    enum wg_code code = wg_file_read(path, limit_bytes, &text, err);
    return code ? code
                : wg_archive_add(archive, name, wg_buf_str(&text), text.len, is_program, err);
}

static enum wg_code add_package(struct wg_archive *archive, const char *path, struct wg_err *err) {
    static const char begin[] = "!<arch>\ndebian-binary";
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    enum wg_code code = wg_file_read(path, PACKAGE_LIMIT_BYTES, &text, err);
    if (code != WG_OK) {
        return code;
    }
    if (text.len < sizeof begin || memcmp(text.data, begin, sizeof begin - 1) != 0) {
        return wg_fail(err, WG_EINVAL, "--deb: '%.120s' is not a Debian package (.deb)", path);
    }
    return wg_archive_add(archive, "wavegrade.deb", text.data, text.len, false, err);
}

/* What setup.sh runs must be in it, below one folder. */
static enum wg_code add_source(struct wg_archive *archive, const char *path, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    enum wg_code code = wg_file_is_folder(path)
                            ? wg_fail(err, WG_EINVAL, "'%.120s' is a folder", path)
                            : wg_file_read(path, PACKAGE_LIMIT_BYTES, &text, err);
    if (code == WG_OK && !wg_archive_has(wg_buf_str(&text), text.len, "scripts/setup")) {
        code = wg_fail(err, WG_EINVAL,
                       "'%.120s' is not a tar archive of one folder with wavegrade's source", path);
    }
    if (code == WG_EINVAL) {
        return wg_fail(err, code,
                       "--source: %.200s: make one in a clone of wavegrade with git archive "
                       "--prefix=wavegrade/ -o source.tar HEAD",
                       err->msg);
    }
    return code ? code
                : wg_archive_add(archive, "wavegrade-source.tar", text.data, text.len, false, err);
}

/* One of ours: share/wavegrade/kit/SYSTEM/NAME. */
static enum wg_code add_script(struct wg_archive *archive, const char *system, const char *name,
                               const char *as, bool is_program, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_strf("%s/kit/%s/%s", wg_paths_share(), system, name);
    return add_file(archive, as, path, SCRIPT_LIMIT_BYTES, is_program, err);
}

/* For the shell that reads kit.env: quoted, whatever the name holds. */
static void put_setting(struct wg_buf *out, const char *name, const char *value) {
    wg_buf_printf(out, "%s='", name);
    for (; value && *value; value++) {
        wg_buf_add(out, *value == '\'' ? "'\\''" : value, *value == '\'' ? 4 : 1);
    }
    wg_buf_puts(out, "'\n");
}

/* The assignment with its references, as it is now: a kit grades the same for ever. */
static enum wg_code add_assignment(struct wg_archive *archive, const char *prefix,
                                   const struct wg_kit_request *request, struct wg_err *err) {
    const struct wg_manifest *manifest = request->manifest;
    WG_CLEANUP(wg_freep) char *folder = wg_strf("%sassignment", prefix);
    WG_CLEANUP(wg_freep) char *reference = wg_strf("%sassignment/reference", prefix);
    WG_CLEANUP(wg_freep) char *env = wg_strf("%skit.env", prefix);
    WG_CLEANUP(wg_freep) char *own = wg_path_join(manifest->folder, "reference");
    WG_CLEANUP(wg_buf_done) struct wg_buf settings = {0};
    put_setting(&settings, "WAVEGRADE_FILE", manifest->file);
    put_setting(&settings, "WAVEGRADE_FOLDER", request->folder);
    enum wg_code code = wg_archive_add(archive, env, settings.data, settings.len, false, err);
    code = code ? code : wg_archive_add_folder(archive, folder, manifest->folder, err);
    if (code == WG_OK && strcmp(own, manifest->reference_folder) != 0) {
        code = wg_archive_add_folder(archive, reference, manifest->reference_folder, err);
    }
    return code;
}

enum wg_code wg_kit_gradescope(const struct wg_kit_request *request, struct wg_buf *out,
                               struct wg_err *err) {
    WG_CLEANUP(free_archive) struct wg_archive *zip = NULL;
    enum wg_code code = wg_archive_open(WG_ARCHIVE_ZIP, out, &zip, err);
    code = code ? code : add_script(zip, "gradescope", "setup.sh", "setup.sh", true, err);
    code =
        code ? code : add_script(zip, "gradescope", "run_autograder", "run_autograder", true, err);
    if (code == WG_OK && request->deb) {
        code = add_package(zip, request->deb, err);
    }
    if (code == WG_OK && request->source) {
        code = add_source(zip, request->source, err);
    }
    code = code ? code : add_assignment(zip, "", request, err);
    return code ? code : wg_archive_close(zip, err);
}

/* What make finds beside the file that was handed in. */
static enum wg_code make_autograde_tar(const struct wg_kit_request *request, struct wg_buf *out,
                                       struct wg_err *err) {
    WG_CLEANUP(free_archive) struct wg_archive *tar = NULL;
    enum wg_code code = wg_archive_open(WG_ARCHIVE_TAR, out, &tar, err);
    code = code ? code : add_script(tar, "autolab", "run", "autograde/run", true, err);
    code = code ? code : add_assignment(tar, "autograde/", request, err);
    return code ? code : wg_archive_close(tar, err);
}

/* What to enter on Autolab's pages; its problems must be called as the scores are. */
static void put_autolab_guide(const struct wg_manifest *manifest, struct wg_buf *out) {
    wg_buf_printf(out,
                  "In Autolab, for %s:\n\n"
                  "- Handin filename: %s\n"
                  "- Autograder: upload autograde-Makefile and autograde.tar; the image must have "
                  "wavegrade.\n- Problems, with these names:\n\n",
                  manifest->title ? manifest->title : manifest->id, manifest->file);
    for (size_t i = 0; i < manifest->rubric_count; i++) {
        wg_buf_printf(out, "  %-20s %g\n", manifest->rubric[i].id, manifest->rubric[i].points);
    }
    wg_buf_puts(out, "\nA problem that this machine cannot measure (speed, without a GPU) gets no "
                     "score: leave it out, or grade it elsewhere.\n");
}

enum wg_code wg_kit_autolab(const struct wg_kit_request *request, struct wg_buf *out,
                            struct wg_err *err) {
    WG_CLEANUP(free_archive) struct wg_archive *tar = NULL;
    WG_CLEANUP(wg_buf_done) struct wg_buf inner = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf guide = {0};
    put_autolab_guide(request->manifest, &guide);
    enum wg_code code = make_autograde_tar(request, &inner, err);
    code = code ? code : wg_archive_open(WG_ARCHIVE_TAR, out, &tar, err);
    code = code
               ? code
               : add_script(tar, "autolab", "autograde-Makefile", "autograde-Makefile", false, err);
    code = code ? code : wg_archive_add(tar, "autograde.tar", inner.data, inner.len, false, err);
    code = code ? code : wg_archive_add(tar, "README.txt", guide.data, guide.len, false, err);
    return code ? code : wg_archive_close(tar, err);
}
