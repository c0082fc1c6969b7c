#include <ctype.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/repo/reader.h"

#define MAX_NAMES 2000 /* branches and tags that are looked at for a hint */

static bool borrows_objects(const char *path) {
    WG_CLEANUP(wg_freep) char *bare = wg_path_join(path, "objects/info/alternates");
    WG_CLEANUP(wg_freep) char *inside = wg_path_join(path, ".git/objects/info/alternates");
    return wg_file_exists(bare) || wg_file_exists(inside);
}

enum wg_code wg_reader_open_path(struct wg_reader *reader) {
    struct wg_submission *out = reader->out;
    WG_CLEANUP(wg_freep) char *path = wg_location_path(reader->request->location);
    if (!wg_file_exists(path)) {
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR, "there is no repository at %s",
                             out->repository);
        return WG_OK;
    }
    if (borrows_objects(path)) {
        wg_submission_answer(
            out, WG_VERDICT_FETCH_ERROR,
            "%s borrows objects from another repository (objects/info/alternates), "
            "which is not read: run git repack -a -d there and remove that file",
            out->repository);
        return WG_OK;
    }
    int rc = git_repository_open_ext(&reader->repo, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
    if (rc == GIT_ENOTFOUND) {
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR,
                             "%s is not a git repository (for a plain folder use --dir)",
                             out->repository);
    } else if (rc != 0) {
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR, "%s cannot be opened: %s",
                             out->repository, wg_reader_git_words());
    }
    return WG_OK;
}

void wg_reader_answer_empty(struct wg_reader *reader) {
    wg_submission_answer(reader->out, WG_VERDICT_MISSING_FILE,
                         "the repository has no commits: commit your work and push it");
}

void wg_reader_answer_no_ref(struct wg_reader *reader, const char *const *names, size_t count) {
    const char *ref = reader->request->ref;
    const char *nearest = wg_text_nearest(ref, names, count);
    WG_CLEANUP(wg_buf_done) struct wg_buf hint = {0};
    if (nearest != NULL) {
        wg_buf_printf(&hint, "did you mean %s?", nearest);
    } else {
        wg_buf_puts(&hint, count == 0 ? "it has none" : "there is ");
        for (size_t i = 0; i < count && i < 5; i++) {
            wg_buf_printf(&hint, "%s%s", i == 0 ? "" : ", ", names[i]);
        }
        wg_buf_puts(&hint, count > 5 ? ", ..." : "");
    }
    wg_submission_answer(reader->out, WG_VERDICT_FETCH_ERROR,
                         "the repository has no branch, tag or commit %s; %s", ref,
                         wg_buf_str(&hint));
}

/* ---- names of branches and tags ---- */

struct names {
    char **all;
    size_t count;
};

static void names_done(struct names *names) {
    for (size_t i = 0; i < names->count; i++) {
        free(names->all[i]);
    }
    free(names->all);
}

static const char *short_name(const char *full) {
    static const char *const prefixes[] = {"refs/heads/", "refs/tags/", "refs/remotes/origin/"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(full, prefixes[i], strlen(prefixes[i])) == 0) {
            return full + strlen(prefixes[i]);
        }
    }
    return NULL;
}

static int collect_name(const char *full, void *payload) {
    struct names *names = payload;
    const char *name = short_name(full);
    if (name != NULL && strcmp(name, "HEAD") != 0) {
        names->all = wg_realloc(names->all, names->count + 1, sizeof *names->all);
        names->all[names->count++] = wg_strdup(name);
    }
    return names->count >= MAX_NAMES ? 1 : 0;
}

static void answer_no_ref(struct wg_reader *reader) {
    WG_CLEANUP(names_done) struct names names = {0};
    git_reference_foreach_name(reader->repo, collect_name, &names);
    wg_reader_answer_no_ref(reader, (const char *const *)names.all, names.count);
}

/* ---- the commit that a ref names ---- */

static void referencep(git_reference **ref) {
    git_reference_free(*ref);
}
static void objectp(git_object **object) {
    git_object_free(*object);
}

/* What the branch was at the deadline: along first parents, so that what a merge brought in later
 * does not count as handed in. */
static void go_back(struct wg_reader *reader) {
    int64_t deadline_s = reader->request->not_after_s;
    while (git_commit_time(reader->commit) > deadline_s) {
        git_commit *parent = NULL;
        int rc = git_commit_parentcount(reader->commit) == 0
                     ? GIT_ENOTFOUND
                     : git_commit_parent(&parent, reader->commit, 0);
        if (rc == GIT_ENOTFOUND && git_commit_parentcount(reader->commit) == 0) {
            char first[32], deadline[32];
            wg_clock_format_utc(git_commit_time(reader->commit), first);
            wg_clock_format_utc(deadline_s, deadline);
            wg_submission_answer(reader->out, WG_VERDICT_MISSING_FILE,
                                 "nothing was committed by the deadline, %s: the first commit is "
                                 "of %s",
                                 deadline, first);
            return;
        }
        if (rc != 0) {
            wg_submission_answer(reader->out, WG_VERDICT_FETCH_ERROR,
                                 "its history cannot be followed back to the deadline: %s",
                                 wg_reader_git_words());
            return;
        }
        git_commit_free(reader->commit);
        reader->commit = parent;
    }
}

static bool is_known(const struct wg_reader *reader) {
    const struct wg_repo_request *request = reader->request;
    const struct wg_submission *out = reader->out;
    return (request->known_commit != NULL && strcmp(request->known_commit, out->commit) == 0) ||
           (request->known_tree != NULL && strcmp(request->known_tree, out->tree) == 0);
}

static enum wg_code take_commit(struct wg_reader *reader, git_object *object, const char *shown) {
    struct wg_submission *out = reader->out;
    WG_CLEANUP(objectp) git_object *peeled = NULL;
    if (git_object_peel(&peeled, object, GIT_OBJECT_COMMIT) != 0) {
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR, "%s does not name a commit", shown);
        return WG_OK;
    }
    reader->commit = (git_commit *)WG_TAKE(&peeled);
    out->ref = wg_text_clean(shown, strlen(shown), 200);
    if (reader->request->not_after_s != 0) {
        go_back(reader);
    }
    git_oid_tostr(out->commit, sizeof out->commit, git_commit_id(reader->commit));
    git_oid_tostr(out->tree, sizeof out->tree, git_commit_tree_id(reader->commit));
    out->commit_time_s = git_commit_time(reader->commit);
    out->unchanged = out->verdict == WG_VERDICT_PASS && is_known(reader);
    return WG_OK;
}

static enum wg_code take_reference(struct wg_reader *reader, const git_reference *ref) {
    WG_CLEANUP(objectp) git_object *object = NULL;
    const char *name = short_name(git_reference_name(ref));
    if (git_reference_peel(&object, ref, GIT_OBJECT_ANY) != 0) {
        wg_submission_answer(reader->out, WG_VERDICT_FETCH_ERROR, "%s cannot be read: %s",
                             git_reference_name(ref), wg_reader_git_words());
        return WG_OK;
    }
    return take_commit(reader, object, name != NULL ? name : git_reference_name(ref));
}

/* HEAD; where it points to a branch without commits (a fresh bare repository that was pushed to
 * under another name), the only branch, or main or master. */
static enum wg_code take_default(struct wg_reader *reader) {
    WG_CLEANUP(referencep) git_reference *head = NULL;
    int rc = git_repository_head(&head, reader->repo);
    if (rc == 0) {
        return take_reference(reader, head);
    }
    static const char *const likely[] = {"refs/heads/main", "refs/heads/master"};
    for (size_t i = 0; i < 2; i++) {
        if (git_reference_lookup(&head, reader->repo, likely[i]) == 0) {
            return take_reference(reader, head);
        }
    }
    WG_CLEANUP(names_done) struct names names = {0};
    git_reference_foreach_name(reader->repo, collect_name, &names);
    if (names.count == 0) {
        wg_reader_answer_empty(reader);
    } else if (names.count == 1 && git_reference_dwim(&head, reader->repo, names.all[0]) == 0) {
        return take_reference(reader, head);
    } else {
        wg_submission_answer(reader->out, WG_VERDICT_FETCH_ERROR,
                             "the repository has no default branch, but several others (%s, %s): "
                             "name one with --ref",
                             names.all[0], names.count > 1 ? names.all[1] : "...");
    }
    return WG_OK;
}

static bool is_commit_id(const char *text) {
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++) {
        if (!isxdigit((unsigned char)text[i])) {
            return false;
        }
    }
    return len >= 4 && len <= GIT_OID_HEXSZ;
}

/* No revision expressions (HEAD~3, :/text): some of them search the whole history. */
enum wg_code wg_reader_resolve(struct wg_reader *reader) {
    const char *wanted = reader->request->ref;
    if (reader->out->unchanged) {
        return WG_OK; /* the server said so already */
    }
    if (wanted == NULL) {
        return take_default(reader);
    }
    static const char *const patterns[] = {"refs/heads/%s", "refs/tags/%s",
                                           "refs/remotes/origin/%s", "%s"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        bool is_full = strncmp(wanted, "refs/", 5) == 0 || strcmp(wanted, "HEAD") == 0;
        if (is_full != (i == 3)) {
            continue;
        }
        WG_CLEANUP(wg_buf_done) struct wg_buf full = {0};
        const char *percent = strchr(patterns[i], '%');
        wg_buf_add(&full, patterns[i], (size_t)(percent - patterns[i]));
        wg_buf_puts(&full, wanted);
        WG_CLEANUP(referencep) git_reference *ref = NULL, *direct = NULL;
        if (git_reference_lookup(&ref, reader->repo, full.data) == 0 &&
            git_reference_resolve(&direct, ref) == 0) {
            return take_reference(reader, direct);
        }
    }
    WG_CLEANUP(objectp) git_object *object = NULL;
    git_oid prefix;
    if (is_commit_id(wanted) && git_oid_fromstrn(&prefix, wanted, strlen(wanted)) == 0) {
        int rc = git_object_lookup_prefix(&object, reader->repo, &prefix, strlen(wanted),
                                          GIT_OBJECT_COMMIT);
        if (rc == 0) {
            return take_commit(reader, object, wanted);
        }
        if (rc == GIT_EAMBIGUOUS) {
            wg_submission_answer(reader->out, WG_VERDICT_FETCH_ERROR,
                                 "more than one commit begins with %s: give more digits", wanted);
            return WG_OK;
        }
    }
    answer_no_ref(reader);
    return WG_OK;
}
