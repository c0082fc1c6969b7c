/* Sentences for a file that is not where it should be.
 *
 * The commonest mistakes: the file is in a folder, its name differs in upper and lower case, it has
 * another name altogether. Each sentence ends with what to do. Names come from the student and are
 * cut and cleaned; the output formats escape them once more. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/repo/internal.h"

#define MAX_NEIGHBOURS 500
#define MAX_SIGHTINGS  20
#define MAX_NAMED      3  /* in one sentence */
#define MAX_WANTED     12 /* the bundled assignments, and some more */
#define SENTENCE_LIMIT 1000
#define NAME_LIMIT     200
#define SHORT_LIMIT    100 /* of what is said four times */

void wg_submission_answer(struct wg_submission *out, enum wg_verdict verdict, const char *fmt,
                          ...) {
    va_list args;
    va_start(args, fmt);
    WG_CLEANUP(wg_freep) char *text = NULL;
    int len = vasprintf(&text, fmt, args);
    va_end(args);
    if (len < 0) {
        text = wg_strdup("");
        len = 0;
    }
    out->verdict = verdict;
    free(out->sentence);
    out->sentence = wg_text_clean(text, (size_t)len, SENTENCE_LIMIT);
}

void wg_submission_done(struct wg_submission *submission) {
    if (submission != NULL) {
        free(submission->sentence);
        free(submission->repository);
        free(submission->ref);
        free(submission->path);
        wg_buf_done(&submission->source);
        *submission = (struct wg_submission){0};
    }
}

void wg_search_done(struct wg_search *search) {
    for (size_t i = 0; i < search->neighbour_count; i++) {
        free(search->neighbours[i]);
    }
    for (size_t i = 0; i < search->sighting_count; i++) {
        free(search->sightings[i].path);
    }
    free(search->neighbours);
    free(search->sightings);
    free(search->nested);
}

void wg_search_add_neighbour(struct wg_search *search, const char *name) {
    if (search->neighbour_count < MAX_NEIGHBOURS) {
        search->neighbours =
            wg_realloc(search->neighbours, search->neighbour_count + 1, sizeof *search->neighbours);
        search->neighbours[search->neighbour_count++] = wg_strdup(name);
    }
}

/* Else it came from a plain folder, where nothing is said of git. */
static bool is_committed(const struct wg_submission *out) {
    return out->commit[0] != '\0';
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

void wg_search_add_file(struct wg_search *search, const char *path) {
    const struct wg_repo_request *request = search->request;
    const char *name = base_name(path);
    for (size_t i = 0; i < request->file_count; i++) {
        if (strcasecmp(name, request->files[i]) != 0) {
            continue;
        }
        if (search->sighting_count == MAX_SIGHTINGS) {
            search->cut = true;
            return;
        }
        search->sightings =
            wg_realloc(search->sightings, search->sighting_count + 1, sizeof *search->sightings);
        search->sightings[search->sighting_count++] = (struct wg_sighting){
            .path = wg_strdup(path), .exact = strcmp(name, request->files[i]) == 0};
        return;
    }
}

void wg_search_add_nested(struct wg_search *search, const char *path) {
    if (search->nested == NULL) {
        search->nested = wg_strdup(path);
    }
}

/* "vector_add.hip", or "vector_add.hip or matmul.hip" */
static char *wanted_names(const struct wg_repo_request *request) {
    struct wg_buf names = {0};
    size_t shown = request->file_count < MAX_WANTED ? request->file_count : MAX_WANTED;
    for (size_t i = 0; i < shown; i++) {
        wg_buf_puts(&names, i == 0 ? "" : i + 1 == shown ? " or " : ", ");
        wg_buf_puts(&names, request->files[i]);
    }
    return names.data == NULL ? wg_strdup("file") : names.data;
}

/* "the root of the repository" or "folder hw1 of the repository" */
static char *place(const struct wg_search *search) {
    if (search->folder[0] == '\0') {
        return wg_strf("the root of %s", search->where);
    }
    WG_CLEANUP(wg_freep)
    char *folder = wg_text_clean(search->folder, strlen(search->folder), NAME_LIMIT);
    return wg_strf("folder %s of %s", folder, search->where);
}

static bool is_here(const struct wg_search *search, const char *path) {
    size_t len = strlen(search->folder);
    if (len > 0 && (strncmp(path, search->folder, len) != 0 || path[len] != '/')) {
        return false;
    }
    return strchr(path + len + (len > 0 ? 1 : 0), '/') == NULL;
}

/* The wanted name that differs from this one in upper and lower case only. */
static const char *right_name(const struct wg_search *search, const char *name) {
    const char *right = "";
    for (size_t i = 0; i < search->request->file_count; i++) {
        right =
            strcasecmp(name, search->request->files[i]) == 0 ? search->request->files[i] : right;
    }
    return right;
}

static void explain_case(const struct wg_search *search, const char *path,
                         struct wg_submission *out) {
    const char *name = base_name(path), *right = right_name(search, name);
    wg_submission_answer(out, WG_VERDICT_MISSING_FILE,
                         "the file is called %s and has to be called %s (upper and lower case "
                         "matter): rename it%s",
                         name, right, is_committed(out) ? " with git mv" : "");
}

/* One whose name is right, where there is one. */
static const struct wg_sighting *best_sighting(const struct wg_search *search) {
    for (size_t i = 0; i < search->sighting_count; i++) {
        if (search->sightings[i].exact) {
            return &search->sightings[i];
        }
    }
    return &search->sightings[0];
}

static void explain_elsewhere(const struct wg_search *search, const char *names,
                              struct wg_submission *out) {
    WG_CLEANUP(wg_buf_done) struct wg_buf found = {0};
    size_t shown = search->sighting_count < MAX_NAMED ? search->sighting_count : MAX_NAMED;
    for (size_t i = 0; i < shown; i++) {
        const char *path = search->sightings[i].path;
        WG_CLEANUP(wg_freep) char *clean = wg_text_clean(path, strlen(path), NAME_LIMIT);
        wg_buf_printf(&found, "%s%s",
                      i == 0                            ? ""
                      : i + 1 == search->sighting_count ? " and "
                                                        : ", ",
                      clean);
    }
    if (search->sighting_count > shown || search->cut) {
        wg_buf_printf(&found, " and %s", search->cut ? "others" : "more");
    }
    WG_CLEANUP(wg_freep) char *where = place(search);
    const struct wg_sighting *best = best_sighting(search);
    const char *slash = strrchr(best->path, '/');
    WG_CLEANUP(wg_freep)
    char *rename = best->exact ? wg_strdup("")
                               : wg_strf("it has to be called %s (upper and lower case matter): "
                                         "rename it, and ",
                                         right_name(search, base_name(best->path)));
    if (slash == NULL) {
        wg_submission_answer(out, WG_VERDICT_MISSING_FILE,
                             "%s is not in %s; found %s: %sleave --folder away, or move the file",
                             names, where, found.data, rename);
        return;
    }
    WG_CLEANUP(wg_freep)
    char *folder = wg_text_clean(best->path, (size_t)(slash - best->path), NAME_LIMIT);
    wg_submission_answer(out, WG_VERDICT_MISSING_FILE,
                         search->sighting_count == 1
                             ? "%s is not in %s; found %s: %sname the folder with --folder %s"
                             : "%s is not in %s; found %s: %sname the right folder, for example "
                               "--folder %s",
                         names, where, found.data, rename, folder);
}

static void explain_nested(const struct wg_search *search, const char *names,
                           struct wg_submission *out) {
    WG_CLEANUP(wg_freep) char *where = place(search);
    WG_CLEANUP(wg_freep)
    char *nested = wg_text_clean(search->nested, strlen(search->nested), SHORT_LIMIT);
    wg_submission_answer(out, WG_VERDICT_MISSING_FILE,
                         "there is no %s in %s; %s is a repository in the repository (a "
                         "submodule), whose files are not handed in with it: remove %s/.git, then "
                         "git rm --cached %s, git add %s, commit and push",
                         names, where, nested, nested, nested, nested);
}

static bool ends_with(const char *name, const char *const *endings) {
    size_t len = strlen(name);
    for (; *endings != NULL; endings++) {
        size_t ending = strlen(*endings);
        if (len > ending && strcasecmp(name + len - ending, *endings) == 0) {
            return true;
        }
    }
    return false;
}

/* The only neighbour with one of these endings; NULL: none or several. */
static const char *only_neighbour(const struct wg_search *search, const char *const *endings) {
    const char *only = NULL;
    for (size_t i = 0; i < search->neighbour_count; i++) {
        if (ends_with(search->neighbours[i], endings)) {
            if (only != NULL) {
                return NULL;
            }
            only = search->neighbours[i];
        }
    }
    return only;
}

/* Another source file, or an archive that the file may be in. */
static bool explain_other_form(const struct wg_search *search, const char *names, const char *where,
                               struct wg_submission *out) {
    static const char *const sources[] = {".hip", ".cu", ".cpp", NULL};
    static const char *const archives[] = {".zip",    ".tar.gz", ".tgz", ".tar",
                                           ".tar.xz", ".7z",     ".rar", NULL};
    const char *source = only_neighbour(search, sources);
    const char *archive = only_neighbour(search, archives);
    const char *other = source != NULL ? source : archive;
    if (other == NULL) {
        return false;
    }
    WG_CLEANUP(wg_freep) char *clean = wg_text_clean(other, strlen(other), NAME_LIMIT);
    wg_submission_answer(out, WG_VERDICT_MISSING_FILE,
                         source != NULL ? "there is no %s in %s, but %s: if that is the hand-in, "
                                          "it has to be called %s"
                                        : "there is no %s in %s, but %s, an archive: unpack it, "
                                          "and hand in %s itself",
                         names, where, clean, names);
    return true;
}

static const char *extent(const struct wg_search *search) {
    return search->cut ? ", nor in those of its folders that were searched, which are not all: "
                         "name the right one with --folder, or "
           : search->folder[0] != '\0' ? ": "
           : search->skips_hidden      ? ", nor in any of its folders, hidden ones aside: "
                                       : ", nor in any of its folders: ";
}

void wg_search_explain(const struct wg_search *search, struct wg_submission *out) {
    for (size_t i = 0; i < search->sighting_count; i++) {
        if (is_here(search, search->sightings[i].path)) {
            explain_case(search, search->sightings[i].path, out);
            return;
        }
    }
    WG_CLEANUP(wg_freep) char *names = wanted_names(search->request);
    if (search->sighting_count > 0) {
        explain_elsewhere(search, names, out);
        return;
    }
    WG_CLEANUP(wg_freep) char *where = place(search);
    const char *nearest = NULL;
    for (size_t i = 0; i < search->request->file_count && nearest == NULL; i++) {
        nearest = wg_text_nearest(search->request->files[i],
                                  (const char *const *)search->neighbours, search->neighbour_count);
    }
    if (nearest != NULL) {
        WG_CLEANUP(wg_freep) char *clean = wg_text_clean(nearest, strlen(nearest), NAME_LIMIT);
        wg_submission_answer(out, WG_VERDICT_MISSING_FILE,
                             "there is no %s in %s; is it %s? Then rename that", names, where,
                             clean);
        return;
    }
    if (search->nested != NULL) {
        explain_nested(search, names, out);
        return;
    }
    if (explain_other_form(search, names, where, out)) {
        return;
    }
    wg_submission_answer(out, WG_VERDICT_MISSING_FILE, "there is no %s in %s%sadd it%s", names,
                         where, extent(search), is_committed(out) ? ", commit and push" : "");
}

void wg_submission_judge_source(struct wg_submission *out) {
    static const char lfs[] = "version https://git-lfs.github.com/spec/v1";
    if (out->source.len >= sizeof lfs - 1 && memcmp(out->source.data, lfs, sizeof lfs - 1) == 0) {
        WG_CLEANUP(wg_freep) char *name = wg_text_clean(out->path, strlen(out->path), NAME_LIMIT);
        wg_submission_answer(out, WG_VERDICT_MISSING_FILE,
                             is_committed(out)
                                 ? "%s is only a Git LFS pointer, its contents are not in the "
                                   "repository: run git lfs untrack, add the file again, commit "
                                   "and push"
                                 : "%s is only a Git LFS pointer: run git lfs pull to get the "
                                   "file, and git lfs untrack before it is handed in",
                             name);
        wg_buf_done(&out->source);
        out->file_index = -1;
    }
}

void wg_submission_answer_too_large(struct wg_submission *out, int64_t bytes, int64_t limit_bytes) {
    WG_CLEANUP(wg_freep) char *name = wg_text_clean(out->path, strlen(out->path), NAME_LIMIT);
    out->file_index = -1;
    wg_submission_answer(out, WG_VERDICT_MISSING_FILE,
                         "%s has %lld bytes, more than the %lld that a source file may have", name,
                         (long long)bytes, (long long)limit_bytes);
}

void wg_submission_answer_several(struct wg_submission *out, const char *first,
                                  const char *second) {
    out->file_index = -1;
    wg_submission_answer(
        out, WG_VERDICT_MISSING_FILE,
        "both %s and %s are there: say which assignment is meant with --assignment", first, second);
}
