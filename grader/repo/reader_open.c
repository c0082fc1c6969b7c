#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* What libgit2 refuses to open by the name of its format. False: it is something else. */
static bool answer_extension(struct wg_submission *out, const char *words) {
    static const char mark[] = "extensions.";
    const char *name = strstr(words, mark);
    if (name == NULL) {
        return false;
    }
    size_t len = strcspn(name, " ';");
    bool is_sha256 = strncasecmp(name, "extensions.objectformat", len) == 0;
    bool is_reftable = strncasecmp(name, "extensions.refstorage", len) == 0;
    wg_submission_answer(
        out, WG_VERDICT_FETCH_ERROR,
        "%s has a format that is not read, %s%.*s%s: make a new repository in a new "
        "folder with git init%s, copy the file there, commit and push that",
        out->repository, is_sha256 ? "SHA-256 object names (" : "", (int)len, name,
        is_sha256 ? ")" : "",
        is_sha256     ? " --object-format=sha1"
        : is_reftable ? " --ref-format=files"
                      : "");
    return true;
}

/* The location is a folder or file inside a repository: names both. False: it is not. */
static bool answer_inside(struct wg_submission *out, const char *path) {
    WG_CLEANUP(wg_freep) char *full = realpath(path, NULL);
    if (full == NULL) {
        return false;
    }
    WG_CLEANUP(wg_freep) char *top = wg_strdup(full);
    for (char *slash; (slash = strrchr(top, '/')) != NULL && slash != top;) {
        *slash = '\0';
        WG_CLEANUP(wg_freep) char *head = wg_path_join(top, ".git/HEAD");
        if (!wg_file_exists(head)) {
            continue;
        }
        const char *inside = full + strlen(top) + 1;
        const char *end = strrchr(inside, '/');
        size_t len = wg_file_is_folder(path) ? strlen(inside)
                     : end != NULL           ? (size_t)(end - inside)
                                             : 0;
        WG_CLEANUP(wg_freep) char *folder = wg_text_clean(inside, len, 300);
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR,
                             "%s is not a git repository, but lies in one: name %s%s%s",
                             out->repository, top, len > 0 ? " with --folder " : "", folder);
        return true;
    }
    return false;
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
    if (rc == 0 || answer_extension(out, wg_reader_git_words())) {
        return WG_OK;
    }
    if (rc != GIT_ENOTFOUND) {
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR, "%s cannot be opened: %s",
                             out->repository, wg_reader_git_words());
    } else if (!answer_inside(out, path)) {
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR,
                             "%s is not a git repository (for a plain folder use --dir)",
                             out->repository);
    }
    return WG_OK;
}

void wg_reader_answer_empty(struct wg_reader *reader) {
    wg_submission_answer(reader->out, WG_VERDICT_MISSING_FILE,
                         "the repository has no commits: commit your work and push it");
}

static bool has_name(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* "main, v1, ..."; a branch and a tag of the same name are named once */
static void put_names(struct wg_buf *out, const char *const *names, size_t count) {
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        if (has_name(names, i, names[i])) {
            continue;
        }
        if (shown == 5) {
            wg_buf_puts(out, ", ...");
            return;
        }
        wg_buf_printf(out, "%s%s", shown++ == 0 ? "" : ", ", names[i]);
    }
}

void wg_reader_answer_no_ref(struct wg_reader *reader, const char *const *names, size_t count) {
    const char *ref = reader->request->ref;
    const char *nearest = wg_text_nearest(ref, names, count);
    WG_CLEANUP(wg_buf_done) struct wg_buf hint = {0};
    if (nearest != NULL) {
        wg_buf_printf(&hint, "did you mean %s?", nearest);
    } else {
        wg_buf_puts(&hint, count == 0 ? "it has none" : "there is ");
        put_names(&hint, names, count);
    }
    if (reader->repo != NULL && git_repository_is_shallow(reader->repo) == 1) {
        wg_buf_puts(&hint, "; this is a shallow clone, without its older commits: git fetch "
                           "--unshallow brings them");
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
    if (name != NULL && strcmp(name, "HEAD") != 0 &&
        !has_name((const char *const *)names->all, names->count, name)) {
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

/* Whoever cloned it cut the history off: no student did. */
static enum wg_code fail_shallow(struct wg_reader *reader) {
    return wg_fail(reader->err, WG_EINVAL,
                   "%.100s is a shallow clone, whose history does not go back to the deadline: run "
                   "git fetch --unshallow in it",
                   reader->out->repository);
}

/* What the branch was at the deadline: along first parents, so that what a merge brought in later
 * does not count as handed in. */
static enum wg_code go_back(struct wg_reader *reader) {
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
            return WG_OK;
        }
        if (rc != 0 && git_repository_is_shallow(reader->repo) == 1) {
            return fail_shallow(reader);
        }
        if (rc != 0) {
            wg_submission_answer(reader->out, WG_VERDICT_FETCH_ERROR,
                                 "its history cannot be followed back to the deadline: %s",
                                 wg_reader_git_words());
            return WG_OK;
        }
        git_commit_free(reader->commit);
        reader->commit = parent;
    }
    return WG_OK;
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
    enum wg_code code = reader->request->not_after_s != 0 ? go_back(reader) : WG_OK;
    if (code != WG_OK) {
        return code;
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

/* A name in the order that git looks in: a tag comes before a branch. Behind that, what a clone has
 * of its origin's branches, and what its origin calls them. NULL: there is none. */
static git_reference *find_reference(git_repository *repo, const char *wanted) {
    static const char origin[] = "origin/";
    static const char *const prefixes[] = {
        "", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/", "refs/remotes/origin/"};
    bool is_full = strncmp(wanted, "refs/", 5) == 0 || strcmp(wanted, "HEAD") == 0;
    for (size_t i = is_full ? 0 : 1; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        WG_CLEANUP(wg_freep) char *full = wg_strf("%s%s", prefixes[i], wanted);
        WG_CLEANUP(referencep) git_reference *ref = NULL;
        git_reference *direct = NULL;
        if (git_reference_lookup(&ref, repo, full) == 0 &&
            git_reference_resolve(&direct, ref) == 0) {
            return direct;
        }
    }
    return strncmp(wanted, origin, sizeof origin - 1) == 0
               ? find_reference(repo, wanted + sizeof origin - 1)
               : NULL;
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
    WG_CLEANUP(referencep) git_reference *ref = find_reference(reader->repo, wanted);
    if (ref != NULL) {
        return take_reference(reader, ref);
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
