#include "grader/scaffold/scaffold.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/scaffold/taken.h"
#include "grader/scaffold/template.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char digits[] = "0123456789";

/* ---- A folder that appears complete or not at all ---- */

static void remove_folder(char **folder) {
    if (*folder != NULL) {
        wg_folder_remove(*folder, NULL);
        free(*folder);
    }
}

/* Beside the final place, so that it can be renamed into it. */
static char *temporary_beside(const char *folder) {
    size_t len = strlen(folder);
    while (len > 1 && folder[len - 1] == '/') {
        len--;
    }
    return wg_strf("%.*s.new-%ld", (int)len, folder, (long)getpid());
}

/* rename(2) takes the place of an empty folder and of nothing else. */
static enum wg_code put_in_place(char **made, const char *folder, struct wg_err *err) {
    if (rename(*made, folder) == 0) {
        free(*made);
        *made = NULL;
        return WG_OK;
    }
    bool is_used = errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR;
    return is_used ? wg_fail(err, WG_EINVAL, "'%s' exists already; nothing was changed", folder)
                   : wg_fail(err, WG_EIO, "make '%s'", folder);
}

static enum wg_code refuse_used(const char *folder, struct wg_err *err) {
    bool is_free = !wg_file_exists(folder) || rmdir(folder) == 0;
    return is_free ? WG_OK
                   : wg_fail(err, WG_EINVAL, "'%s' exists already; nothing was changed", folder);
}

/* ---- An assignment ---- */

static bool is_bundled(const char *name) {
    WG_CLEANUP(wg_freep)
    char *file = wg_strf("%s/assignments/%s/assignment.json", wg_paths_share(), name);
    return wg_file_exists(file);
}

static enum wg_code check_assignment_name(const char *name, struct wg_err *err) {
    char allowed[sizeof letters + sizeof digits];
    snprintf(allowed, sizeof allowed, "%s%s", letters, digits);
    if (strspn(name, allowed) != strlen(name) || strspn(name, letters) == 0 || strlen(name) > 63) {
        return wg_fail(err, WG_EINVAL,
                       "'%.80s' cannot name a function: use at most 63 letters, digits and '_', "
                       "such as heat_step",
                       name);
    }
    if (wg_name_is_taken(name)) {
        return wg_fail(err, WG_EINVAL,
                       "'%s' has a meaning already, in C++, HIP or their headers; choose another "
                       "name",
                       name);
    }
    if (is_bundled(name)) {
        return wg_fail(err, WG_EINVAL, "there is an assignment '%s' already; choose another name",
                       name);
    }
    return WG_OK;
}

/* heat_step: "Heat step". */
static char *title_of(const char *name) {
    char *title = wg_strdup(name);
    for (char *at = title; *at != 0; at++) {
        *at = *at == '_' ? ' ' : *at;
    }
    if (title[0] >= 'a' && title[0] <= 'z') {
        title[0] = (char)(title[0] - 'a' + 'A');
    }
    return title;
}

enum wg_code wg_scaffold_assignment(const char *name, const char *folder, struct wg_err *err) {
    const char *place = folder != NULL ? folder : name;
    enum wg_code code = check_assignment_name(name, err);
    code = code ? code : refuse_used(place, err);
    if (code != WG_OK) {
        return code;
    }
    WG_CLEANUP(wg_freep) char *from = wg_path_join(wg_paths_share(), "templates/assignment");
    WG_CLEANUP(wg_freep) char *title = title_of(name);
    WG_CLEANUP(remove_folder) char *made = temporary_beside(place);
    const struct wg_word words[] = {{"name", name}, {"title", title}};
    code = wg_template_copy(from, made, words, COUNT(words), err);
    return code ? code : put_in_place(&made, place, err);
}

/* ---- A course ---- */

static enum wg_code check_course_name(const char *name, struct wg_err *err) {
    char allowed[sizeof letters + sizeof digits + 2];
    snprintf(allowed, sizeof allowed, "%s%s-.", letters, digits);
    if (strspn(name, allowed) != strlen(name) || name[0] == '.' || name[0] == '-' || name[0] == 0 ||
        strlen(name) > 100) {
        return wg_fail(err, WG_EINVAL,
                       "'%.80s' cannot name a repository: use letters, digits, '-', '_' and '.'",
                       name);
    }
    return WG_OK;
}

/* They go into YAML as they are. */
static enum wg_code check_place(const char *place, const char *must_have, const char *example,
                                struct wg_err *err) {
    char allowed[sizeof letters + sizeof digits + 4];
    snprintf(allowed, sizeof allowed, "%s%s-./@", letters, digits);
    if (place == NULL || (strspn(place, allowed) == strlen(place) && place[0] != '@' &&
                          strpbrk(place, must_have) != NULL)) {
        return WG_OK;
    }
    return wg_fail(err, WG_EINVAL, "'%.80s' does not look like %s", place, example);
}

static bool is_own(const struct wg_manifest *manifest) {
    return !is_bundled(manifest->id);
}

/* Lines for the templates, none of them ended. */
static void describe(const struct wg_scaffold_course *course, struct wg_buf *table,
                     struct wg_buf *matrix, struct wg_buf *labs, struct wg_buf *commands) {
    for (size_t i = 0; i < course->assignment_count; i++) {
        const struct wg_manifest *manifest = course->assignments[i];
        const char *id = manifest->id;
        const char *end = i == 0 ? "" : "\n";
        const char *folder = is_own(manifest) ? ".wavegrade/" : "";
        wg_buf_printf(table, "%s| [%s](%s/HANDOUT.md) | `%s/%s` |", end, manifest->title, id, id,
                      manifest->file);
        wg_buf_printf(matrix, "%s          - { folder: %s, assignment: %s%s }", end, id, folder,
                      id);
        wg_buf_printf(labs, "%s      - WAVEGRADE_FOLDER: %s\n        WAVEGRADE_ASSIGNMENT: %s%s",
                      end, id, folder, id);
        wg_buf_printf(commands, "%swavegrade check %s", end, id);
    }
}

/* What a check needs, and not what gives the answer away: without naive.hip nothing is timed. */
static enum wg_code copy_own(const struct wg_manifest *manifest, const char *to,
                             struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *folder = wg_strf("%s/.wavegrade/%s/reference", to, manifest->id);
    const struct {
        const char *from, *name, *as;
    } files[] = {
        {manifest->folder, "assignment.json", "../assignment.json"},
        {manifest->reference_folder, "golden.c", "golden.c"},
    };
    enum wg_code code = wg_folder_make(folder, 0777, err);
    for (size_t i = 0; code == WG_OK && i < COUNT(files); i++) {
        WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
        WG_CLEANUP(wg_freep) char *source = wg_path_join(files[i].from, files[i].name);
        WG_CLEANUP(wg_freep) char *target = wg_path_join(folder, files[i].as);
        code = wg_file_read(source, (size_t)1 << 20, &text, err);
        code = code ? code : wg_file_write(target, wg_buf_str(&text), text.len, 0666, err);
    }
    return code;
}

static enum wg_code copy_lab(const struct wg_manifest *manifest, const char *to,
                             struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *starter = wg_path_join(manifest->folder, "starter");
    WG_CLEANUP(wg_freep) char *handout = wg_path_join(manifest->folder, "HANDOUT.md");
    WG_CLEANUP(wg_freep) char *lab = wg_path_join(to, manifest->id);
    WG_CLEANUP(wg_freep) char *copy = wg_path_join(lab, "HANDOUT.md");
    if (!wg_file_is_folder(starter)) {
        return wg_fail(err, WG_ENOTFOUND, "assignment '%s' has no folder 'starter'", manifest->id);
    }
    enum wg_code code = wg_template_copy(starter, lab, NULL, 0, err);
    if (code == WG_OK && wg_file_exists(handout)) {
        WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
        code = wg_file_read(handout, (size_t)1 << 20, &text, err);
        code = code ? code : wg_file_write(copy, wg_buf_str(&text), text.len, 0666, err);
    }
    return code != WG_OK || !is_own(manifest) ? code : copy_own(manifest, to, err);
}

enum wg_code wg_scaffold_course(const struct wg_scaffold_course *course, struct wg_err *err) {
    const char *place = course->folder != NULL ? course->folder : course->name;
    enum wg_code code = check_course_name(course->name, err);
    code = code ? code : check_place(course->action, "@", "OWNER/REPOSITORY@REF", err);
    code = code ? code : check_place(course->project, "/", "GROUP/PROJECT", err);
    code = code ? code : refuse_used(place, err);
    if (code != WG_OK) {
        return code;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf table = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf matrix = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf labs = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf commands = {0};
    describe(course, &table, &matrix, &labs, &commands);
    const struct wg_word words[] = {
        {"course", course->name},
        {"action", course->action != NULL ? course->action : "OWNER/wavegrade@v" WG_VERSION},
        {"project", course->project != NULL ? course->project : "GROUP/wavegrade"},
        {"table", wg_buf_str(&table)},
        {"matrix", wg_buf_str(&matrix)},
        {"labs", wg_buf_str(&labs)},
        {"commands", wg_buf_str(&commands)},
    };
    WG_CLEANUP(wg_freep) char *from = wg_path_join(wg_paths_share(), "templates/course");
    WG_CLEANUP(remove_folder) char *made = temporary_beside(place);
    code = wg_template_copy(from, made, words, COUNT(words), err);
    for (size_t i = 0; code == WG_OK && i < course->assignment_count; i++) {
        code = copy_lab(course->assignments[i], made, err);
    }
    return code ? code : put_in_place(&made, place, err);
}
