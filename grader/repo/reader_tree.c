/* Finds the file in a commit's tree, and reads its one blob.
 *
 * Trees are hostile: their links may lead out or in circles, and a few kilobytes can describe
 * billions of paths. Links are followed by hand inside the tree and with a budget; searches look at
 * a bounded number of entries; a blob's size is asked for before its contents. */
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/repo/reader.h"

#define MAX_LINKS      16
#define MAX_LINK_BYTES 4096
#define MAX_ENTRIES    50000
#define MAX_DEPTH      32
#define MAX_OTHERS     3 /* branches named as a hint */

static void treep(git_tree **tree) {
    git_tree_free(*tree);
}
static void entryp(git_tree_entry **entry) {
    git_tree_entry_free(*entry);
}
static void blobp(git_blob **blob) {
    git_blob_free(*blob);
}

/* ---- following a path ---- */

enum walk_end { WALK_FOUND, WALK_ABSENT, WALK_LEAVES, WALK_LOOPS, WALK_SUBMODULE, WALK_BROKEN };

struct walk {
    git_repository *repo;
    git_tree *root;
    struct wg_buf at; /* path reached, without links */
    int links;
};

static void walk_done(struct walk *walk) {
    wg_buf_done(&walk->at);
}

/* Drops the last component. False at the root already. */
static bool walk_up(struct wg_buf *at) {
    if (at->len == 0) {
        return false;
    }
    const char *slash = memrchr(at->data, '/', at->len);
    at->len = slash == NULL ? 0 : (size_t)(slash - at->data);
    at->data[at->len] = '\0';
    return true;
}

static enum walk_end read_link(struct walk *walk, const git_tree_entry *entry, char **out) {
    WG_CLEANUP(blobp) git_blob *blob = NULL;
    if (git_blob_lookup(&blob, walk->repo, git_tree_entry_id(entry)) != 0) {
        return WALK_BROKEN;
    }
    git_object_size_t size = git_blob_rawsize(blob);
    if (size == 0 || size > MAX_LINK_BYTES) {
        return WALK_BROKEN;
    }
    *out = wg_strf("%.*s", (int)size, (const char *)git_blob_rawcontent(blob));
    return (*out)[0] == '/' ? WALK_LEAVES : WALK_FOUND;
}

/* analyzer, walk_path: the targets of links are initialized where they are declared.
 *
 * Walks path from where walk->at is; links are put in front of what is left to walk. On success
 * *out is the entry, or NULL for the root. */
static enum walk_end walk_path(struct walk *walk, const char *path, git_tree_entry **out) {
    WG_CLEANUP(wg_freep) char *rest = wg_strdup(path);
    for (;;) {
        const char *part = rest + strspn(rest, "/");
        size_t len = strcspn(part, "/");
        if (len == 0) {
            break;
        }
        if (len == 2 && memcmp(part, "..", 2) == 0) {
            if (!walk_up(&walk->at)) {
                return WALK_LEAVES;
            }
        } else if (len != 1 || part[0] != '.') {
            size_t before = walk->at.len;
            wg_buf_puts(&walk->at, before > 0 ? "/" : "");
            wg_buf_add(&walk->at, part, len);
            WG_CLEANUP(entryp) git_tree_entry *entry = NULL;
            if (git_tree_entry_bypath(&entry, walk->root, walk->at.data) != 0) {
                return WALK_ABSENT;
            }
            if (git_tree_entry_filemode(entry) == GIT_FILEMODE_COMMIT) {
                return WALK_SUBMODULE;
            }
            if (git_tree_entry_filemode(entry) == GIT_FILEMODE_LINK) {
                WG_CLEANUP(wg_freep) char *target = NULL;
                enum walk_end end =
                    walk->links++ == MAX_LINKS ? WALK_LOOPS : read_link(walk, entry, &target);
                if (end != WALK_FOUND) {
                    return end;
                }
                walk_up(&walk->at);
                char *longer = wg_strf("%s/%s", target, part + len);
                free(rest);
                rest = longer;
                continue;
            }
        }
        char *shorter = wg_strdup(part + len);
        free(rest);
        rest = shorter;
    }
    *out = NULL;
    if (walk->at.len > 0 && git_tree_entry_bypath(out, walk->root, walk->at.data) != 0) {
        return WALK_ABSENT;
    }
    return WALK_FOUND;
}

/* ---- searching ---- */

static void search_tree(struct wg_search *search, git_repository *repo, const git_tree *tree,
                        const char *prefix, int depth, size_t *budget) {
    size_t count = git_tree_entrycount(tree);
    for (size_t i = 0; i < count; i++) {
        if (*budget == 0 || depth == MAX_DEPTH) {
            search->cut = true;
            return;
        }
        --*budget;
        const git_tree_entry *entry = git_tree_entry_byindex(tree, i);
        WG_CLEANUP(wg_freep)
        char *path =
            wg_strf("%s%s%s", prefix, prefix[0] == '\0' ? "" : "/", git_tree_entry_name(entry));
        if (git_tree_entry_type(entry) == GIT_OBJECT_BLOB) {
            wg_search_add_file(search, path);
        } else if (git_tree_entry_type(entry) == GIT_OBJECT_TREE) {
            WG_CLEANUP(treep) git_tree *inner = NULL;
            if (git_tree_lookup(&inner, repo, git_tree_entry_id(entry)) == 0) {
                search_tree(search, repo, inner, path, depth + 1, budget);
            }
        } else if (git_tree_entry_type(entry) == GIT_OBJECT_COMMIT) {
            wg_search_add_nested(search, path);
        }
    }
}

static void add_neighbours(struct wg_search *search, const git_tree *folder, git_object_t type) {
    size_t count = git_tree_entrycount(folder);
    for (size_t i = 0; i < count; i++) {
        const git_tree_entry *entry = git_tree_entry_byindex(folder, i);
        if (git_tree_entry_type(entry) == type) {
            wg_search_add_neighbour(search, git_tree_entry_name(entry));
        }
    }
}

/* Other branches of this repository, as far as it has them: the work may be on one. */
static void mention_branches(struct wg_reader *reader) {
    git_branch_iterator *iterator = NULL;
    WG_CLEANUP(wg_buf_done) struct wg_buf names = {0};
    if (git_branch_iterator_new(&iterator, reader->repo, GIT_BRANCH_LOCAL) != 0) {
        return;
    }
    git_reference *ref = NULL;
    git_branch_t type;
    for (int named = 0; named < MAX_OTHERS && git_branch_next(&ref, &type, iterator) == 0;) {
        const char *name = git_reference_shorthand(ref);
        if (strcmp(name, reader->out->ref) != 0) {
            wg_buf_printf(&names, "%s%s", named++ == 0 ? "" : ", ", name);
        }
        git_reference_free(ref);
    }
    git_branch_iterator_free(iterator);
    if (names.len > 0) {
        WG_CLEANUP(wg_freep) char *sentence = WG_TAKE(&reader->out->sentence);
        wg_submission_answer(reader->out, WG_VERDICT_MISSING_FILE,
                             "%s (looked on %s; other branches, for --ref: %s)", sentence,
                             reader->out->ref, names.data);
    }
}

static void explain_missing(struct wg_reader *reader, git_tree *root, const git_tree *folder,
                            const char *folder_path) {
    struct wg_search search = {
        .request = reader->request, .folder = folder_path, .where = "the repository"};
    size_t budget = MAX_ENTRIES;
    search_tree(&search, reader->repo, root, "", 0, &budget);
    if (folder != NULL) {
        add_neighbours(&search, folder, GIT_OBJECT_BLOB);
    }
    wg_search_explain(&search, reader->out);
    wg_search_done(&search);
    mention_branches(reader);
}

/* ---- answers ---- */

static const char *walk_words(enum walk_end end) {
    switch (end) {
    case WALK_LEAVES:
        return "is a symbolic link that leads out of the repository: commit the file itself";
    case WALK_LOOPS:
        return "is a symbolic link that leads in circles: commit the file itself";
    case WALK_ABSENT:
        return "is a symbolic link to something that is not there: commit the file itself";
    case WALK_SUBMODULE:
        return "is in a submodule, whose files are not part of this repository: commit the file "
               "itself";
    case WALK_FOUND:
    case WALK_BROKEN:
        break;
    }
    return "cannot be read: the repository is damaged, push it again";
}

static bool is_partial_clone(git_repository *repo) {
    git_config *config = NULL;
    git_config_iterator *found = NULL;
    git_config_entry *entry = NULL;
    bool is_partial =
        git_repository_config_snapshot(&config, repo) == 0 &&
        git_config_iterator_glob_new(&found, config,
                                     "^(extensions\\.partialclone|remote\\..*\\.promisor)$") == 0 &&
        git_config_next(&entry, found) == 0;
    git_config_iterator_free(found);
    git_config_free(config);
    return is_partial;
}

/* What a clone left on its server is no damage, and no fault of who wrote it. */
static enum wg_code answer_walk(struct wg_reader *reader, enum walk_end end, const char *path) {
    WG_CLEANUP(wg_freep) char *clean = wg_text_clean(path, strlen(path), 200);
    if (end == WALK_BROKEN && is_partial_clone(reader->repo)) {
        return wg_fail(reader->err, WG_EINVAL,
                       "%.80s is a partial clone (--filter) without the contents of %.60s: clone "
                       "it again without --filter",
                       reader->out->repository, clean);
    }
    wg_submission_answer(reader->out, WG_VERDICT_MISSING_FILE, "%s %s", clean, walk_words(end));
    return WG_OK;
}

static enum wg_code read_blob(struct wg_reader *reader, const git_tree_entry *entry) {
    struct wg_submission *out = reader->out;
    git_odb *odb = NULL;
    size_t size = 0;
    git_object_t type = GIT_OBJECT_INVALID;
    bool known = git_repository_odb(&odb, reader->repo) == 0 &&
                 git_odb_read_header(&size, &type, odb, git_tree_entry_id(entry)) == 0;
    git_odb_free(odb);
    if (known && (int64_t)size > reader->request->limit_file_bytes) {
        wg_submission_answer_too_large(out, (int64_t)size, reader->request->limit_file_bytes);
        return WG_OK;
    }
    WG_CLEANUP(blobp) git_blob *blob = NULL;
    if (!known || git_blob_lookup(&blob, reader->repo, git_tree_entry_id(entry)) != 0) {
        out->file_index = -1;
        return answer_walk(reader, WALK_BROKEN, out->path);
    }
    wg_buf_add(&out->source, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
    wg_submission_judge_source(out);
    return WG_OK;
}

/* The one of the request's files that is in the folder. */
static enum wg_code take_file(struct wg_reader *reader, git_tree *root, const git_tree *folder,
                              const char *folder_path) {
    struct wg_submission *out = reader->out;
    const struct wg_repo_request *request = reader->request;
    int index = -1;
    for (size_t i = 0; i < request->file_count; i++) {
        if (git_tree_entry_byname(folder, request->files[i]) == NULL) {
            continue;
        }
        if (index >= 0) {
            wg_submission_answer_several(out, request->files[index], request->files[i]);
            return WG_OK;
        }
        index = (int)i;
    }
    if (index < 0) {
        explain_missing(reader, root, folder, folder_path);
        return WG_OK;
    }
    out->path =
        wg_strf("%s%s%s", folder_path, folder_path[0] == '\0' ? "" : "/", request->files[index]);
    WG_CLEANUP(walk_done) struct walk walk = {.repo = reader->repo, .root = root};
    WG_CLEANUP(entryp) git_tree_entry *entry = NULL;
    enum walk_end end = walk_path(&walk, out->path, &entry);
    if (end != WALK_FOUND) {
        return answer_walk(reader, end, out->path);
    }
    if (entry == NULL || git_tree_entry_type(entry) != GIT_OBJECT_BLOB) {
        wg_submission_answer(out, WG_VERDICT_MISSING_FILE, "%s is a folder, and has to be a file",
                             out->path);
        return WG_OK;
    }
    out->file_index = index;
    return read_blob(reader, entry);
}

static void answer_no_folder(struct wg_reader *reader, git_tree *root, const char *folder) {
    struct wg_search search = {
        .request = reader->request, .folder = folder, .where = "the repository"};
    add_neighbours(&search, root, GIT_OBJECT_TREE);
    const char *nearest =
        wg_text_nearest(folder, (const char *const *)search.neighbours, search.neighbour_count);
    WG_CLEANUP(wg_freep)
    char *clean = nearest == NULL ? NULL : wg_text_clean(nearest, strlen(nearest), 200);
    wg_search_done(&search);
    if (clean != NULL) {
        wg_submission_answer(reader->out, WG_VERDICT_MISSING_FILE,
                             "there is no folder %s in the repository; is it %s?", folder, clean);
    } else {
        explain_missing(reader, root, NULL, folder);
    }
}

enum wg_code wg_reader_find_file(struct wg_reader *reader) {
    if (reader->out->unchanged) {
        return WG_OK;
    }
    WG_CLEANUP(treep) git_tree *root = NULL, *folder = NULL;
    WG_CLEANUP(wg_freep) char *path = wg_folder_normalize(reader->request->folder);
    if (path == NULL) {
        return wg_fail(reader->err, WG_EINVAL, "the folder may not contain '..'");
    }
    if (git_commit_tree(&root, reader->commit) != 0) {
        return answer_walk(reader, WALK_BROKEN, "the commit");
    }
    wg_folder_drop_file(reader->request, path);
    WG_CLEANUP(walk_done) struct walk walk = {.repo = reader->repo, .root = root};
    WG_CLEANUP(entryp) git_tree_entry *entry = NULL;
    enum walk_end end = walk_path(&walk, path, &entry);
    if (end == WALK_ABSENT && walk.links == 0) {
        answer_no_folder(reader, root, path);
        return WG_OK;
    }
    if (end != WALK_FOUND) {
        return answer_walk(reader, end, path);
    }
    if (entry == NULL) {
        return take_file(reader, root, root, "");
    }
    if (git_tree_entry_type(entry) != GIT_OBJECT_TREE) {
        wg_submission_answer(reader->out, WG_VERDICT_MISSING_FILE,
                             "%s is a file; --folder wants the folder that %s is in", path,
                             reader->request->file_count > 0 ? reader->request->files[0] : "it");
        return WG_OK;
    }
    if (git_tree_lookup(&folder, reader->repo, git_tree_entry_id(entry)) != 0) {
        return answer_walk(reader, WALK_BROKEN, path);
    }
    return take_file(reader, root, folder, walk.at.data);
}
