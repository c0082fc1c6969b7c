/* The repository reader over objects and refs that are nothing but bytes of the input: commits,
 * tags, trees and links as no git would write them. They lie in memory; an object is known by the
 * first byte of its id, so that trees may name each other (and themselves) in circles. */
#include <git2/sys/odb_backend.h>
#include <git2/sys/refdb_backend.h>
#include <git2/sys/refs.h>
#include <git2/sys/repository.h>

#include "grader/repo/reader.h"
#include "tests/fuzz/fuzz.h"

enum { OBJECTS_MAX = 64, REFS_MAX = 16 };

struct object {
    git_object_t type;
    const uint8_t *bytes;
    size_t len;
};

struct ref {
    char name[40];
    char target[40]; /* of a symbolic one; else "" */
    uint8_t object;
};

static struct {
    struct object objects[OBJECTS_MAX];
    size_t object_count;
    struct ref refs[REFS_MAX];
    size_t ref_count;
} store;

/* ---- objects ---- */

static const struct object *find_object(const git_oid *id) {
    return id->id[0] < store.object_count ? &store.objects[id->id[0]] : NULL;
}

static int object_read(void **data, size_t *len, git_object_t *type, git_odb_backend *backend,
                       const git_oid *id) {
    const struct object *object = find_object(id);
    if (object == NULL) {
        return GIT_ENOTFOUND;
    }
    char *copy = git_odb_backend_data_alloc(backend, object->len + 1);
    if (object->len > 0) {
        memcpy(copy, object->bytes, object->len);
    }
    copy[object->len] = '\0'; /* as libgit2's own backends do */
    *data = copy;
    *len = object->len;
    *type = object->type;
    return 0;
}

static int object_read_prefix(git_oid *full, void **data, size_t *len, git_object_t *type,
                              git_odb_backend *backend, const git_oid *id, size_t digits) {
    (void)digits;
    *full = *id;
    return object_read(data, len, type, backend, id);
}

static int object_read_header(size_t *len, git_object_t *type, git_odb_backend *backend,
                              const git_oid *id) {
    (void)backend;
    const struct object *object = find_object(id);
    if (object == NULL) {
        return GIT_ENOTFOUND;
    }
    *len = object->len;
    *type = object->type;
    return 0;
}

static int object_exists(git_odb_backend *backend, const git_oid *id) {
    (void)backend;
    return find_object(id) != NULL;
}

static void objects_free(git_odb_backend *backend) {
    free(backend);
}

/* ---- refs ---- */

static git_reference *make_ref(const struct ref *ref) {
    git_oid id = {{ref->object}};
    return ref->target[0] != '\0' ? git_reference__alloc_symbolic(ref->name, ref->target)
                                  : git_reference__alloc(ref->name, &id, NULL);
}

static const struct ref *find_ref(const char *name) {
    for (size_t i = 0; i < store.ref_count; i++) {
        if (strcmp(store.refs[i].name, name) == 0) {
            return &store.refs[i];
        }
    }
    return NULL;
}

static int ref_exists(int *exists, git_refdb_backend *backend, const char *name) {
    (void)backend;
    *exists = find_ref(name) != NULL;
    return 0;
}

static int ref_lookup(git_reference **out, git_refdb_backend *backend, const char *name) {
    (void)backend;
    const struct ref *ref = find_ref(name);
    *out = ref == NULL ? NULL : make_ref(ref);
    return ref == NULL ? GIT_ENOTFOUND : 0;
}

struct iterator {
    git_reference_iterator parent;
    size_t next;
};

static int ref_next(git_reference **out, git_reference_iterator *parent) {
    struct iterator *iterator = (struct iterator *)parent;
    if (iterator->next == store.ref_count) {
        return GIT_ITEROVER;
    }
    *out = make_ref(&store.refs[iterator->next++]);
    return 0;
}

static int ref_next_name(const char **out, git_reference_iterator *parent) {
    struct iterator *iterator = (struct iterator *)parent;
    if (iterator->next == store.ref_count) {
        return GIT_ITEROVER;
    }
    *out = store.refs[iterator->next++].name;
    return 0;
}

static void iterator_free(git_reference_iterator *parent) {
    free(parent);
}

static int ref_iterate(git_reference_iterator **out, git_refdb_backend *backend, const char *glob) {
    (void)backend;
    (void)glob;
    struct iterator *iterator = calloc(1, sizeof *iterator);
    if (iterator == NULL) {
        abort();
    }
    iterator->parent.next = ref_next;
    iterator->parent.next_name = ref_next_name;
    iterator->parent.free = iterator_free;
    *out = &iterator->parent;
    return 0;
}

static void refs_free(git_refdb_backend *backend) {
    free(backend);
}

/* libgit2 refuses backends that lack these; nothing here writes. */
static int no_write(git_refdb_backend *backend, const git_reference *ref, int force,
                    const git_signature *who, const char *message, const git_oid *old,
                    const char *old_target) {
    (void)backend, (void)ref, (void)force, (void)who, (void)message, (void)old, (void)old_target;
    return GIT_ERROR;
}
static int no_rename(git_reference **out, git_refdb_backend *backend, const char *old_name,
                     const char *new_name, int force, const git_signature *who,
                     const char *message) {
    (void)out, (void)backend, (void)old_name, (void)new_name, (void)force, (void)who, (void)message;
    return GIT_ERROR;
}
static int no_delete(git_refdb_backend *backend, const char *name, const git_oid *id,
                     const char *target) {
    (void)backend, (void)name, (void)id, (void)target;
    return GIT_ERROR;
}
static int no_log(git_refdb_backend *backend, const char *name) {
    (void)backend, (void)name;
    return 0;
}
static int no_reflog(git_reflog **out, git_refdb_backend *backend, const char *name) {
    (void)out, (void)backend, (void)name;
    return GIT_ERROR;
}
static int no_reflog_write(git_refdb_backend *backend, git_reflog *log) {
    (void)backend, (void)log;
    return GIT_ERROR;
}
static int no_reflog_rename(git_refdb_backend *backend, const char *old_name,
                            const char *new_name) {
    (void)backend, (void)old_name, (void)new_name;
    return GIT_ERROR;
}

/* ---- the repository ---- */

static git_repository *open_store(void) {
    git_repository *repo = NULL;
    git_odb *odb = NULL;
    git_refdb *refdb = NULL;
    git_odb_backend *objects = calloc(1, sizeof *objects);
    git_refdb_backend *refs = calloc(1, sizeof *refs);
    if (objects == NULL || refs == NULL) {
        abort();
    }
    *objects = (git_odb_backend){.version = GIT_ODB_BACKEND_VERSION,
                                 .read = object_read,
                                 .read_prefix = object_read_prefix,
                                 .read_header = object_read_header,
                                 .exists = object_exists,
                                 .free = objects_free};
    *refs = (git_refdb_backend){.version = GIT_REFDB_BACKEND_VERSION,
                                .exists = ref_exists,
                                .lookup = ref_lookup,
                                .iterator = ref_iterate,
                                .write = no_write,
                                .rename = no_rename,
                                .del = no_delete,
                                .free = refs_free,
                                .has_log = no_log,
                                .ensure_log = no_log,
                                .reflog_read = no_reflog,
                                .reflog_write = no_reflog_write,
                                .reflog_rename = no_reflog_rename,
                                .reflog_delete = no_log};
    if (git_odb_new(&odb) != 0 || git_odb_add_backend(odb, objects, 1) != 0 ||
        git_repository_wrap_odb(&repo, odb) != 0 || git_refdb_new(&refdb, repo) != 0 ||
        git_refdb_set_backend(refdb, refs) != 0) {
        abort();
    }
    git_repository_set_refdb(repo, refdb);
    git_refdb_free(refdb);
    git_odb_free(odb);
    return repo;
}

static void take_name(struct fuzz_input *input, char out[40]) {
    fuzz_take(input, out, fuzz_byte(input) % 40);
    out[39] = '\0';
}

static void fill_store(struct fuzz_input *input) {
    static const git_object_t types[] = {GIT_OBJECT_BLOB, GIT_OBJECT_TREE, GIT_OBJECT_COMMIT,
                                         GIT_OBJECT_TAG};
    memset(&store, 0, sizeof store);
    store.ref_count = fuzz_byte(input) % REFS_MAX;
    for (size_t i = 0; i < store.ref_count; i++) {
        struct ref *ref = &store.refs[i];
        take_name(input, ref->name);
        take_name(input, ref->target);
        ref->object = fuzz_byte(input);
        int valid = 0;
        if (git_reference_name_is_valid(&valid, ref->name) != 0 || valid == 0) {
            strcpy(ref->name, "refs/heads/main"); /* libgit2 itself lets no others through */
        }
    }
    while (input->left > 3 && store.object_count < OBJECTS_MAX) {
        struct object *object = &store.objects[store.object_count++];
        object->type = types[fuzz_byte(input) % 4];
        size_t len = fuzz_short(input) % 4096;
        object->bytes = fuzz_bytes(input, len, &object->len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    static const char *const files[] = {"vector_add.hip", "matmul.hip"};
    static const char *const refs[] = {NULL, "main", "v1", "refs/heads/x", "HEAD", "00"};
    static const char *const folders[] = {NULL, "hw1", "a/../b", "a/b/c", "hw1/matmul.hip"};
    static bool is_ready;
    struct fuzz_input input = {bytes, len};
    if (!is_ready) {
        is_ready = true;
        git_libgit2_init();
        wg_reader_configure_git("/nonexistent");
        git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0); /* ids are made up */
    }
    const struct wg_repo_request request = {
        .location = "fuzz",
        .ref = refs[fuzz_byte(&input) % 6],
        .folder = folders[fuzz_byte(&input) % 5],
        .files = files,
        .file_count = 1 + fuzz_byte(&input) % 2,
        .limit_file_bytes = 1000,
    };
    fill_store(&input);
    struct wg_submission submission = {.file_index = -1, .repository = wg_strdup("fuzz")};
    struct wg_err err = {0};
    struct wg_reader reader = {.request = &request,
                               .workspace = "",
                               .out = &submission,
                               .err = &err,
                               .repo = open_store()};
    enum wg_code code = wg_reader_resolve(&reader);
    if (code == WG_OK && submission.verdict == WG_VERDICT_PASS) {
        code = wg_reader_find_file(&reader);
    }
    if (code == WG_OK && submission.verdict == WG_VERDICT_PASS &&
        (submission.source.len > 1000 || submission.path == NULL || submission.file_index < 0)) {
        abort();
    }
    if (code == WG_OK && submission.verdict != WG_VERDICT_PASS && submission.sentence == NULL) {
        abort();
    }
    git_commit_free(reader.commit);
    git_repository_free(reader.repo);
    wg_submission_done(&submission);
    return 0;
}
