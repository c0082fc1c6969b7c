/* grader/repo against repositories made here with libgit2, no git program needed. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <git2.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/repo/internal.h"
#include "grader/repo/reader.h"

#define LFS_POINTER "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"

static char *temp; /* a folder for each test */
static git_repository *repo;
static char *repo_path;

static void set_up(void) {
    struct wg_err err = {0};
    cr_assert_eq(wg_paths_init(&err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_folder_make_temp("wg-test-repo", &temp, &err), WG_OK, "%s", err.msg);
    git_libgit2_init();
    repo_path = wg_path_join(temp, "student");
}

static void tear_down(void) {
    git_repository_free(repo);
    repo = NULL;
    git_libgit2_shutdown();
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_remove(temp, &err), WG_OK, "%s", err.msg);
    wg_freep(&temp);
    wg_freep(&repo_path);
}

TestSuite(repo, .init = set_up, .fini = tear_down, .timeout = 60);

/* ---- making repositories ---- */

static void must(int rc) {
    cr_assert_eq(rc, 0, "libgit2: %s", git_error_last() == NULL ? "" : git_error_last()->message);
}

static void make_repo(bool bare) {
    git_repository_init_options options;
    must(git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION));
    options.flags = GIT_REPOSITORY_INIT_MKPATH | (bare ? GIT_REPOSITORY_INIT_BARE : 0U);
    options.initial_head = "main";
    must(git_repository_init_ext(&repo, repo_path, &options));
}

static void stage_mode(git_index *index, const char *path, git_filemode_t mode, const char *text) {
    git_index_entry entry = {.path = path, .mode = mode};
    if (mode == GIT_FILEMODE_COMMIT) {
        must(git_oid_fromstr(&entry.id, "1234567890123456789012345678901234567890"));
        must(git_index_add(index, &entry));
    } else {
        must(git_index_add_from_buffer(index, &entry, text, strlen(text)));
    }
}

/* Commits the index to a branch. */
static git_oid commit_index(git_index *index, const char *branch, int64_t time_s) {
    git_oid tree_id, id;
    git_tree *tree = NULL;
    git_signature *author = NULL;
    must(git_index_write_tree(&tree_id, index));
    must(git_tree_lookup(&tree, repo, &tree_id));
    must(git_signature_new(&author, "A Student", "student@example.org", time_s, 0));
    WG_CLEANUP(wg_freep) char *ref = wg_strf("refs/heads/%s", branch);
    must(git_commit_create(&id, repo, NULL, author, author, NULL, "work", tree, 0, NULL));
    git_reference *made = NULL;
    must(git_reference_create(&made, repo, ref, &id, 1, NULL));
    git_reference_free(made);
    git_signature_free(author);
    git_tree_free(tree);
    return id;
}

/* commit("main", "path", "text", "path", "text", NULL) replaces everything that was there. */
static git_oid commit(const char *branch, ...) {
    git_index *index = NULL;
    must(git_repository_index(&index, repo));
    must(git_index_clear(index));
    va_list args;
    va_start(args, branch);
    for (const char *path; (path = va_arg(args, const char *)) != NULL;) {
        stage_mode(index, path, GIT_FILEMODE_BLOB, va_arg(args, const char *));
    }
    va_end(args);
    git_oid id = commit_index(index, branch, 1700000000);
    git_index_free(index);
    return id;
}

/* Adds one more entry to what commit() left in the index. */
static void commit_entry(const char *path, git_filemode_t mode, const char *text) {
    git_index *index = NULL;
    must(git_repository_index(&index, repo));
    stage_mode(index, path, mode, text);
    commit_index(index, "main", 1700000000);
    git_index_free(index);
}

static void tag(const char *name, git_oid id, bool annotated) {
    git_object *object = NULL;
    git_oid tag_id;
    git_signature *author = NULL;
    must(git_object_lookup(&object, repo, &id, GIT_OBJECT_ANY));
    must(git_signature_new(&author, "A Student", "student@example.org", 1700000000, 0));
    must(annotated ? git_tag_create(&tag_id, repo, name, object, author, "a tag", 0)
                   : git_tag_create_lightweight(&tag_id, repo, name, object, 0));
    git_signature_free(author);
    git_object_free(object);
}

/* ---- fetching and expecting ---- */

static const char *const one_file[] = {"vector_add.hip"};
static const char *const two_files[] = {"vector_add.hip", "matmul.hip"};

static struct wg_repo_request request_for(const char *ref, const char *folder) {
    return (struct wg_repo_request){
        .location = repo_path, .ref = ref, .folder = folder, .files = one_file, .file_count = 1};
}

static struct wg_submission fetch(struct wg_repo_request request) {
    struct wg_submission got = {0};
    struct wg_err err = {0};
    enum wg_code code = wg_repo_fetch(&request, &got, &err);
    cr_assert_eq(code, WG_OK, "%s", err.msg);
    return got;
}

static void expect_file(struct wg_repo_request request, const char *path, const char *text) {
    WG_CLEANUP(wg_submission_done) struct wg_submission got = fetch(request);
    cr_assert_eq(got.verdict, WG_VERDICT_PASS, "%s", got.sentence);
    cr_assert_null(got.sentence);
    cr_assert_str_eq(got.path, path);
    cr_assert_str_eq(wg_buf_str(&got.source), text);
    cr_assert_eq(got.source.len, strlen(text));
    cr_assert_eq(got.file_index, 0);
}

static void expect_answer(struct wg_repo_request request, enum wg_verdict verdict,
                          const char *sentence) {
    WG_CLEANUP(wg_submission_done) struct wg_submission got = fetch(request);
    cr_assert_eq(got.verdict, verdict, "%s: %s", wg_verdict_name(got.verdict), got.sentence);
    cr_assert_str_eq(got.sentence, sentence, "got:  %s\nwant: %s", got.sentence, sentence);
    cr_assert_eq(got.file_index, -1);
    cr_assert_eq(got.source.len, 0);
}

static void expect_missing(const char *folder, const char *sentence) {
    expect_answer(request_for(NULL, folder), WG_VERDICT_MISSING_FILE, sentence);
}

/* ---- the good case, in all kinds of repositories ---- */

Test(repo, takes_the_file_and_pins_the_commit) {
    make_repo(false);
    git_oid id = commit("main", "vector_add.hip", "kernel", "README.md", "hello", NULL);
    WG_CLEANUP(wg_submission_done) struct wg_submission got = fetch(request_for(NULL, NULL));
    char hex[GIT_OID_HEXSZ + 1];
    cr_assert_eq(got.verdict, WG_VERDICT_PASS, "%s", got.sentence);
    cr_assert_str_eq(got.commit, git_oid_tostr(hex, sizeof hex, &id));
    cr_assert_eq(strlen(got.tree), GIT_OID_HEXSZ);
    cr_assert_eq(got.commit_time_s, 1700000000);
    cr_assert_str_eq(got.ref, "main");
    cr_assert_str_eq(got.repository, repo_path);
    expect_file(request_for(NULL, NULL), "vector_add.hip", "kernel");
}

Test(repo, reads_what_is_committed_not_what_lies_there) {
    make_repo(false);
    commit("main", "vector_add.hip", "committed", NULL);
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *file = wg_path_join(repo_path, "vector_add.hip");
    cr_assert_eq(wg_file_write(file, "edited", 6, 0644, &err), WG_OK);
    expect_file(request_for(NULL, NULL), "vector_add.hip", "committed");
}

Test(repo, opens_bare_repositories_urls_and_worktrees) {
    make_repo(true);
    commit("main", "vector_add.hip", "kernel", NULL);
    expect_file(request_for(NULL, NULL), "vector_add.hip", "kernel");

    WG_CLEANUP(wg_freep) char *url = wg_strf("file://%s", repo_path);
    struct wg_repo_request request = request_for("main", NULL);
    request.location = url;
    expect_file(request, "vector_add.hip", "kernel");

    WG_CLEANUP(wg_freep) char *escaped = wg_strf("file://localhost%s%%2fx%%20y", temp);
    WG_CLEANUP(wg_freep) char *spaced = wg_path_join(temp, "x y");
    cr_assert_eq(rename(repo_path, spaced), 0);
    request.location = escaped;
    expect_file(request, "vector_add.hip", "kernel");
    cr_assert_eq(rename(spaced, repo_path), 0);

    WG_CLEANUP(wg_freep) char *tree_path = wg_path_join(temp, "worktree");
    git_worktree *worktree = NULL;
    must(git_worktree_add(&worktree, repo, "other", tree_path, NULL));
    git_worktree_free(worktree);
    request.location = tree_path;
    request.ref = NULL;
    expect_file(request, "vector_add.hip", "kernel");
}

Test(repo, opens_repositories_of_other_users) {
    make_repo(false);
    commit("main", "vector_add.hip", "kernel", NULL);
    if (geteuid() == 0) {
        WG_CLEANUP(wg_freep) char *git = wg_path_join(repo_path, ".git");
        cr_assert(chown(repo_path, 61111, 61111) == 0 && chown(git, 61111, 61111) == 0);
    }
    expect_file(request_for(NULL, NULL), "vector_add.hip", "kernel");
}

Test(repo, ignores_the_users_configuration) {
    make_repo(false);
    commit("main", "vector_add.hip", "kernel", NULL);
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *config = wg_path_join(temp, ".gitconfig");
    static const char broken[] = "[this is not\n";
    cr_assert_eq(wg_file_write(config, broken, sizeof broken - 1, 0644, &err), WG_OK);
    setenv("HOME", temp, 1);
    expect_file(request_for(NULL, NULL), "vector_add.hip", "kernel");
}

/* ---- refs ---- */

Test(repo, finds_branches_tags_and_commits) {
    make_repo(false);
    git_oid old = commit("main", "vector_add.hip", "old", NULL);
    commit("main", "vector_add.hip", "new", NULL);
    commit("dev/x", "vector_add.hip", "dev", NULL);
    tag("v1", old, false);
    tag("v2", old, true);
    expect_file(request_for(NULL, NULL), "vector_add.hip", "new");
    expect_file(request_for("dev/x", NULL), "vector_add.hip", "dev");
    expect_file(request_for("refs/heads/dev/x", NULL), "vector_add.hip", "dev");
    expect_file(request_for("v1", NULL), "vector_add.hip", "old");
    expect_file(request_for("v2", NULL), "vector_add.hip", "old");
    char hex[GIT_OID_HEXSZ + 1];
    git_oid_tostr(hex, sizeof hex, &old);
    expect_file(request_for(hex, NULL), "vector_add.hip", "old");
    hex[8] = '\0';
    expect_file(request_for(hex, NULL), "vector_add.hip", "old");
}

Test(repo, names_the_nearest_ref) {
    make_repo(false);
    commit("main", "vector_add.hip", "x", NULL);
    commit("submission", "vector_add.hip", "x", NULL);
    expect_answer(
        request_for("submision", NULL), WG_VERDICT_FETCH_ERROR,
        "the repository has no branch, tag or commit submision; did you mean submission?");
    expect_answer(
        request_for("0123abcd", NULL), WG_VERDICT_FETCH_ERROR,
        "the repository has no branch, tag or commit 0123abcd; there is main, submission");
    expect_answer(request_for("main~1", NULL), WG_VERDICT_FETCH_ERROR,
                  "the repository has no branch, tag or commit main~1; did you mean main?");
}

Test(repo, refuses_refs_that_are_no_commits) {
    make_repo(false);
    git_oid blob;
    must(git_blob_create_from_buffer(&blob, repo, "x", 1));
    commit("main", "vector_add.hip", "x", NULL);
    tag("blob", blob, false);
    expect_answer(request_for("blob", NULL), WG_VERDICT_FETCH_ERROR, "blob does not name a commit");
}

Test(repo, answers_for_empty_repositories) {
    make_repo(true);
    expect_missing(NULL, "the repository has no commits: commit your work and push it");
    commit("trunk", "vector_add.hip", "x", NULL); /* HEAD still names main */
    expect_file(request_for(NULL, NULL), "vector_add.hip", "x");
    commit("other", "vector_add.hip", "y", NULL);
    expect_answer(request_for(NULL, NULL), WG_VERDICT_FETCH_ERROR,
                  "the repository has no default branch, but several others (other, trunk): name "
                  "one with --ref");
    commit("master", "vector_add.hip", "z", NULL);
    expect_file(request_for(NULL, NULL), "vector_add.hip", "z");
}

Test(repo, looks_for_refs_in_gits_order) {
    make_repo(false);
    git_oid old = commit("main", "vector_add.hip", "old", NULL);
    commit("main", "vector_add.hip", "new", NULL);
    tag("main", old, false);
    git_reference *remote = NULL;
    git_oid theirs = commit("theirs", "vector_add.hip", "theirs", NULL);
    must(git_reference_create(&remote, repo, "refs/remotes/origin/theirs", &theirs, 1, NULL));
    git_reference_free(remote);
    expect_file(request_for("main", NULL), "vector_add.hip", "old");
    expect_file(request_for("heads/main", NULL), "vector_add.hip", "new");
    expect_file(request_for("tags/main", NULL), "vector_add.hip", "old");
    expect_file(request_for("origin/theirs", NULL), "vector_add.hip", "theirs");
    expect_file(request_for("origin/main", NULL), "vector_add.hip", "old");
    expect_answer(request_for("0123abcd", NULL), WG_VERDICT_FETCH_ERROR,
                  "the repository has no branch, tag or commit 0123abcd; there is main, theirs");
    char known[GIT_OID_HEXSZ + 1];
    must(git_reference_name_to_id(&theirs, repo, "refs/heads/main"));
    git_oid_tostr(known, sizeof known, &theirs);
    struct wg_repo_request request = request_for("main", NULL);
    request.known_commit = known;
    cr_assert_not(wg_repo_peek(&request), "the tag is meant, not the branch");
    request.ref = NULL;
    cr_assert(wg_repo_peek(&request));
}

Test(repo, answers_for_a_path_inside_a_repository) {
    make_repo(false);
    commit("main", "hw1/vector_add.hip", "x", NULL);
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *folder = wg_path_join(repo_path, "hw1");
    WG_CLEANUP(wg_freep) char *real = realpath(repo_path, NULL);
    cr_assert_eq(wg_folder_make(folder, 0755, &err), WG_OK);
    struct wg_repo_request request = request_for(NULL, NULL);
    request.location = folder;
    WG_CLEANUP(wg_freep)
    char *sentence = wg_strf("%s is not a git repository, but lies in one: name %s with --folder "
                             "hw1",
                             folder, real);
    expect_answer(request, WG_VERDICT_FETCH_ERROR, sentence);
}

Test(repo, answers_for_formats_that_are_not_read) {
    make_repo(false);
    commit("main", "vector_add.hip", "x", NULL);
    git_config *config = NULL;
    must(git_repository_config(&config, repo));
    must(git_config_set_int32(config, "core.repositoryformatversion", 1));
    must(git_config_set_string(config, "extensions.objectformat", "sha256"));
    WG_CLEANUP(wg_freep)
    char *sha256 = wg_strf("%s has a format that is not read, SHA-256 object names "
                           "(extensions.objectformat): make a new repository in a new folder with "
                           "git init --object-format=sha1, copy the file there, commit and push "
                           "that",
                           repo_path);
    expect_answer(request_for(NULL, NULL), WG_VERDICT_FETCH_ERROR, sha256);
    must(git_config_delete_entry(config, "extensions.objectformat"));
    must(git_config_set_string(config, "extensions.refstorage", "reftable"));
    WG_CLEANUP(wg_freep)
    char *reftable = wg_strf("%s has a format that is not read, extensions.refstorage: make a new "
                             "repository in a new folder with git init --ref-format=files, copy "
                             "the file there, commit and push that",
                             repo_path);
    expect_answer(request_for(NULL, NULL), WG_VERDICT_FETCH_ERROR, reftable);
    git_config_free(config);
}

/* ---- what is no fault of the student ---- */

static git_oid commit_onto_main(const char *text, int64_t time_s, const git_oid *merged);

static void expect_error(struct wg_repo_request request, bool is_folder, enum wg_code code,
                         const char *msg) {
    struct wg_submission unused = {0};
    struct wg_err err = {0};
    enum wg_code got = is_folder ? wg_repo_read_folder(&request, &unused, &err)
                                 : wg_repo_fetch(&request, &unused, &err);
    cr_assert_eq(got, code, "%s: %s", wg_code_name(got),
                 unused.sentence != NULL ? unused.sentence : err.msg);
    cr_assert_str_eq(err.msg, msg, "got:  %s\nwant: %s", err.msg, msg);
}

/* As another user than root, who may read everything. */
static void expect_closed(const char *path, mode_t mode, struct wg_repo_request request,
                          bool is_folder) {
    WG_CLEANUP(wg_freep) char *full = wg_path_join(repo_path, path);
    WG_CLEANUP(wg_freep)
    char *msg = wg_strf("'%s' is closed to the grader's user, who needs the right to read it: "
                        "Permission denied",
                        path[0] == '\0' ? repo_path : full);
    uid_t user = geteuid();
    cr_assert_eq(chmod(temp, 0755), 0);
    cr_assert_eq(chmod(full, 0), 0);
    cr_assert(user != 0 || seteuid(65534) == 0);
    setenv("TMPDIR", "/tmp", 1);
    expect_error(request, is_folder, WG_EIO, msg);
    cr_assert_eq(seteuid(user), 0);
    cr_assert_eq(chmod(full, mode), 0);
}

Test(repo, what_is_closed_to_the_grader_is_no_verdict) {
    make_repo(false);
    git_oid id = commit("main", "vector_add.hip", "kernel", NULL);
    tag("v1", id, false);
    static const struct {
        const char *path;
        mode_t mode;
    } parts[] = {{"", 0755},
                 {".git", 0755},
                 {".git/HEAD", 0644},
                 {".git/refs/heads/main", 0644},
                 {".git/objects", 0755}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        expect_closed(parts[i].path, parts[i].mode, request_for(NULL, NULL), false);
    }
    git_commit *commit_of_id = NULL;
    must(git_commit_lookup(&commit_of_id, repo, &id));
    char hex[GIT_OID_HEXSZ + 1];
    git_oid_tostr(hex, sizeof hex, git_commit_tree_id(commit_of_id));
    git_commit_free(commit_of_id);
    WG_CLEANUP(wg_freep) char *tree = wg_strf(".git/objects/%.2s/%s", hex, hex + 2);
    expect_closed(tree, 0444, request_for(NULL, NULL), false);

    WG_CLEANUP(wg_freep) char *below = WG_TAKE(&repo_path);
    struct wg_repo_request request = request_for(NULL, NULL);
    request.location = below;
    repo_path = wg_strdup(temp); /* what is closed is above the repository */
    expect_closed("", 0700, request, false);
}

Test(repo, a_worktree_whose_repository_is_closed_is_no_verdict) {
    make_repo(false);
    commit("main", "vector_add.hip", "kernel", NULL);
    WG_CLEANUP(wg_freep) char *tree_path = wg_path_join(temp, "worktree");
    git_worktree *worktree = NULL;
    must(git_worktree_add(&worktree, repo, "other", tree_path, NULL));
    git_worktree_free(worktree);
    cr_assert_eq(chmod(tree_path, 0755), 0);
    struct wg_repo_request request = request_for(NULL, NULL);
    request.location = tree_path;
    expect_closed(".git", 0755, request, false);
}

Test(repo, folders_that_are_closed_to_the_grader_are_no_verdict) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *lab = wg_path_join(repo_path, "lab");
    cr_assert_eq(wg_folder_make(lab, 0755, &err), WG_OK);
    expect_closed("", 0755, request_for(NULL, NULL), true);
    expect_closed("lab", 0755, request_for(NULL, NULL), true);
    expect_closed("lab", 0755, request_for(NULL, "lab"), true);
}

Test(repo, a_history_that_was_cut_off_is_no_verdict) {
    make_repo(true);
    git_oid old = commit("main", "vector_add.hip", "first\n", NULL);
    git_oid new = commit_onto_main("late\n", 1700000100, NULL);
    char hex[GIT_OID_HEXSZ + 1];
    git_oid_tostr(hex, sizeof hex, &new);
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *shallow = wg_path_join(repo_path, "shallow");
    cr_assert_eq(wg_file_write(shallow, hex, strlen(hex), 0644, &err), WG_OK);
    git_oid_tostr(hex, sizeof hex, &old);
    WG_CLEANUP(wg_freep) char *object = wg_strf("%s/objects/%.2s/%s", repo_path, hex, hex + 2);
    cr_assert_eq(unlink(object), 0);
    struct wg_repo_request request = request_for(NULL, NULL);
    request.not_after_s = 1700000100;
    expect_file(request, "vector_add.hip", "late\n");
    request.not_after_s = 1700000050;
    WG_CLEANUP(wg_freep)
    char *msg = wg_strf("%s is a shallow clone, whose history does not go back to the deadline: "
                        "run git fetch --unshallow in it",
                        repo_path);
    expect_error(request, false, WG_EINVAL, msg);
    WG_CLEANUP(wg_freep)
    char *sentence = wg_strf("the repository has no branch, tag or commit %s; there is main; this "
                             "is a shallow clone, without its older commits: git fetch "
                             "--unshallow brings them",
                             hex);
    expect_answer(request_for(hex, NULL), WG_VERDICT_FETCH_ERROR, sentence);
}

Test(repo, what_a_partial_clone_lacks_is_no_verdict) {
    make_repo(true);
    commit("main", "vector_add.hip", "x", NULL);
    git_oid blob;
    must(git_blob_create_from_buffer(&blob, repo, "x", 1));
    char hex[GIT_OID_HEXSZ + 1];
    git_oid_tostr(hex, sizeof hex, &blob);
    WG_CLEANUP(wg_freep) char *object = wg_strf("%s/objects/%.2s/%s", repo_path, hex, hex + 2);
    cr_assert_eq(unlink(object), 0);
    git_config *config = NULL;
    must(git_repository_config(&config, repo));
    must(git_config_set_bool(config, "remote.origin.promisor", 1));
    git_config_free(config);
    WG_CLEANUP(wg_freep)
    char *msg = wg_strf("%s is a partial clone (--filter) without the contents of vector_add.hip: "
                        "clone it again without --filter",
                        repo_path);
    expect_error(request_for(NULL, NULL), false, WG_EINVAL, msg);
}

Test(repo_location, refuses_what_makes_no_sense) {
    static const struct {
        const char *location, *mistake;
    } bad[] = {
        {"https://", "it names no host"},
        {"https:///x", "it names no host"},
        {"ssh://", "it names no host"},
        {"git@:x", "it names no host"},
        {"git@host:", "it names no repository of the host"},
        {"https://host/a b", "there are spaces or control characters in it"},
        {"C:\\ada\\lab1",
         "that is a path of Windows; give the repository's address, https://..., or "
         "a path of this machine"},
        {"C:/ada/lab1",
         "that is a path of Windows; give the repository's address, https://..., or a "
         "path of this machine"},
        {"ext::sh -c true", "remote helpers are not run; use https://, ssh:// or user@host:path"},
        {"github.com/ada/lab1", "there is no such folder here; if it is an address, https:// is "
                                "missing in front"},
    };
    static const char *const good[] = {"https://host/a",
                                       "https://u:p@host:8443/a",
                                       "git@host:a",
                                       "ssh://git@host:22/a",
                                       "host:a",
                                       "file:///srv/a b",
                                       "/nonexistent/a b",
                                       "lab.git/x",
                                       "http://host/a",
                                       "..",
                                       "../x"};
    struct wg_err err = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        WG_CLEANUP(wg_freep)
        char *msg = wg_strf("'%s' can be no repository: %s", bad[i].location, bad[i].mistake);
        cr_assert_eq(wg_location_check(bad[i].location, &err), WG_EINVAL, "%s", bad[i].location);
        cr_assert_str_eq(err.msg, msg, "got:  %s\nwant: %s", err.msg, msg);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        cr_assert_eq(wg_location_check(good[i], &err), WG_OK, "%s", err.msg);
    }
    cr_assert_eq(wg_location_check("https://user:secret@host/a b", &err), WG_EINVAL);
    cr_assert_null(strstr(err.msg, "secret"), "%s", err.msg);
    char name[400] = {0};
    memset(name, 'a', sizeof name - 1);
    cr_assert_eq(wg_location_check(name, &err), WG_EINVAL);
    cr_assert_eq(wg_location_check_ref("", &err), WG_EINVAL);
    cr_assert_eq(wg_location_check_ref(NULL, &err), WG_OK);
    cr_assert_eq(wg_location_check_folder("a/../b", &err), WG_EINVAL);
    cr_assert_eq(wg_location_check_folder("a..b/c", &err), WG_OK);
}

Test(repo, answers_for_what_is_no_repository) {
    struct wg_repo_request request = request_for(NULL, NULL);
    WG_CLEANUP(wg_freep) char *absent = wg_strf("there is no repository at %s", repo_path);
    expect_answer(request, WG_VERDICT_FETCH_ERROR, absent);
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_make(repo_path, 0755, &err), WG_OK);
    WG_CLEANUP(wg_freep)
    char *plain = wg_strf("%s is not a git repository (for a plain folder use --dir)", repo_path);
    expect_answer(request, WG_VERDICT_FETCH_ERROR, plain);
}

/* ---- where the file is ---- */

/* ---- what is known, and deadlines ---- */

/* One commit more on main, whose first parent is what main is. */
static git_oid commit_onto_main(const char *text, int64_t time_s, const git_oid *merged) {
    git_reference *main_ref = NULL;
    git_commit *parents[2] = {NULL};
    git_oid parent_id, id, tree_id;
    git_index *index = NULL;
    git_tree *tree = NULL;
    git_signature *author = NULL;
    must(git_reference_name_to_id(&parent_id, repo, "refs/heads/main"));
    must(git_commit_lookup(&parents[0], repo, &parent_id));
    if (merged != NULL) {
        must(git_commit_lookup(&parents[1], repo, merged));
    }
    must(git_repository_index(&index, repo));
    must(git_index_clear(index));
    stage_mode(index, "vector_add.hip", GIT_FILEMODE_BLOB, text);
    must(git_index_write_tree(&tree_id, index));
    must(git_tree_lookup(&tree, repo, &tree_id));
    must(git_signature_new(&author, "A Student", "student@example.org", time_s, 0));
    must(git_commit_create(&id, repo, NULL, author, author, NULL, "work", tree,
                           merged != NULL ? 2 : 1, (const git_commit **)parents));
    must(git_reference_create(&main_ref, repo, "refs/heads/main", &id, 1, NULL));
    git_reference_free(main_ref);
    git_signature_free(author);
    git_tree_free(tree);
    git_index_free(index);
    git_commit_free(parents[0]);
    git_commit_free(parents[1]);
    return id;
}

Test(repo, goes_back_to_the_deadline) {
    make_repo(true);
    commit("main", "vector_add.hip", "first\n", NULL); /* of 1700000000 */
    commit_onto_main("in time\n", 1700000100, NULL);
    git_oid side = commit("side", "vector_add.hip", "aside\n", NULL);
    commit_onto_main("merged too late\n", 1700000300, &side);
    struct wg_repo_request request = request_for(NULL, NULL);
    expect_file(request, "vector_add.hip", "merged too late\n");
    request.not_after_s = 1700000300;
    expect_file(request, "vector_add.hip", "merged too late\n");
    request.not_after_s = 1700000299;
    expect_file(request, "vector_add.hip", "in time\n");
    request.not_after_s = 1700000050;
    expect_file(request, "vector_add.hip", "first\n");
    request.not_after_s = 1699999999;
    expect_answer(
        request, WG_VERDICT_MISSING_FILE,
        "nothing was committed by the deadline, 2023-11-14T22:13:19Z: the first commit is of "
        "2023-11-14T22:13:20Z");
}

Test(repo, reads_nothing_when_the_commit_or_its_tree_is_known) {
    make_repo(true);
    git_oid old = commit("main", "vector_add.hip", "first\n", NULL);
    char known[GIT_OID_HEXSZ + 1], tree[65];
    git_oid_tostr(known, sizeof known, &old);
    struct wg_repo_request request = request_for(NULL, NULL);
    struct wg_submission got = fetch(request);
    memcpy(tree, got.tree, sizeof tree);
    wg_submission_done(&got);
    request.known_commit = known;
    got = fetch(request);
    cr_assert(got.unchanged);
    cr_assert_eq(got.verdict, WG_VERDICT_PASS);
    cr_assert_eq(got.source.len, 0);
    cr_assert_str_eq(got.commit, known);
    wg_submission_done(&got);

    commit_onto_main("first\n", 1700000100, NULL); /* the same again in a new commit */
    expect_file(request, "vector_add.hip", "first\n");
    request.known_tree = tree;
    got = fetch(request);
    cr_assert(got.unchanged);
    wg_submission_done(&got);

    commit_onto_main("second\n", 1700000200, NULL);
    expect_file(request, "vector_add.hip", "second\n");
    request.not_after_s = 1700000150; /* and what was known is what counts */
    got = fetch(request);
    cr_assert(got.unchanged);
    wg_submission_done(&got);
}

Test(repo, peeks_at_branches_only) {
    make_repo(false);
    git_oid id = commit("main", "vector_add.hip", "first\n", NULL);
    tag("v1", id, false);
    char known[GIT_OID_HEXSZ + 1];
    git_oid_tostr(known, sizeof known, &id);
    struct wg_repo_request request = request_for(NULL, NULL);
    cr_assert_not(wg_repo_peek(&request), "nothing is known");
    request.known_commit = known;
    cr_assert(wg_repo_peek(&request));
    request.ref = "main";
    cr_assert(wg_repo_peek(&request));
    request.ref = "v1";
    cr_assert_not(wg_repo_peek(&request), "a tag is the reader's matter");
    request.ref = "../heads/main";
    cr_assert_not(wg_repo_peek(&request));
    request.ref = NULL;
    request.known_time_s = 1700000000;
    request.not_after_s = 1700000000;
    cr_assert(wg_repo_peek(&request), "it was in time");
    request.not_after_s = 1699999999;
    cr_assert_not(wg_repo_peek(&request), "and is not any more");
    request.not_after_s = 0;

    WG_CLEANUP(wg_freep) char *loose = wg_path_join(repo_path, ".git/refs/heads/main");
    WG_CLEANUP(wg_freep) char *packed = wg_path_join(repo_path, ".git/packed-refs");
    WG_CLEANUP(wg_freep)
    char *line = wg_strf("# pack-refs with: peeled fully-peeled sorted\n%s refs/heads/main2\n"
                         "%s refs/heads/main\n",
                         known, known);
    struct wg_err err = {0};
    cr_assert_eq(unlink(loose), 0);
    cr_assert_eq(wg_file_write(packed, line, strlen(line), 0600, &err), WG_OK);
    cr_assert(wg_repo_peek(&request));
    line[strlen(line) - 7] = 'x'; /* "main" becomes another name */
    cr_assert_eq(wg_file_write(packed, line, strlen(line), 0600, &err), WG_OK);
    cr_assert_not(wg_repo_peek(&request));
    cr_assert_eq(wg_file_write(loose, "ref: refs/heads/other\n", 22, 0600, &err), WG_OK);
    cr_assert_not(wg_repo_peek(&request));
}

Test(repo, looks_in_the_folder) {
    make_repo(false);
    commit("main", "hw1/src/vector_add.hip", "x", NULL);
    static const char *const ways[] = {"hw1/src", "/hw1/src/", "./hw1//src", "hw1/./src",
                                       "hw1/src/vector_add.hip"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        expect_file(request_for(NULL, ways[i]), "hw1/src/vector_add.hip", "x");
    }
    struct wg_repo_request climbing = request_for(NULL, "../x");
    struct wg_submission unused = {0};
    struct wg_err err = {0};
    cr_assert_eq(wg_repo_fetch(&climbing, &unused, &err), WG_EINVAL);
}

Test(repo, says_where_else_the_file_is) {
    make_repo(false);
    commit("main", "hw1/src/vector_add.hip", "x", NULL);
    expect_missing(NULL, "vector_add.hip is not in the root of the repository; found "
                         "hw1/src/vector_add.hip: name the folder with --folder hw1/src");
    expect_missing("hw1", "vector_add.hip is not in folder hw1 of the repository; found "
                          "hw1/src/vector_add.hip: name the folder with --folder hw1/src");
    commit("main", "a/vector_add.hip", "x", "b/vector_add.hip", "x", NULL);
    expect_missing(NULL, "vector_add.hip is not in the root of the repository; found "
                         "a/vector_add.hip and b/vector_add.hip: name the right folder, for "
                         "example --folder a");
    commit("main", "vector_add.hip", "x", "a/b", "x", NULL);
    expect_missing("a", "vector_add.hip is not in folder a of the repository; found "
                        "vector_add.hip: leave --folder away, or move the file");
    expect_missing("A", "there is no folder A in the repository; is it a?");
}

Test(repo, explains_wrong_names) {
    make_repo(false);
    commit("main", "Vector_Add.hip", "x", NULL);
    expect_missing(NULL, "the file is called Vector_Add.hip and has to be called vector_add.hip "
                         "(upper and lower case matter): rename it with git mv");
    commit("main", "vectoradd.hip", "x", "README.md", "x", NULL);
    expect_missing(NULL, "there is no vector_add.hip in the root of the repository; is it "
                         "vectoradd.hip? Then rename that");
    commit("main", "lab/VECTOR_ADD.hip", "x", NULL);
    expect_missing(NULL, "vector_add.hip is not in the root of the repository; found "
                         "lab/VECTOR_ADD.hip: it has to be called vector_add.hip (upper and lower "
                         "case matter): rename it, and name the folder with --folder lab");
    commit("main", "kernel.cu", "x", "README.md", "x", NULL);
    expect_missing(NULL, "there is no vector_add.hip in the root of the repository, but kernel.cu: "
                         "if that is the hand-in, it has to be called vector_add.hip");
    commit("main", "lab.zip", "x", NULL);
    expect_missing(NULL, "there is no vector_add.hip in the root of the repository, but lab.zip, "
                         "an archive: unpack it, and hand in vector_add.hip itself");
    commit("main", "README.md", "x", NULL);
    commit_entry("lab1", GIT_FILEMODE_COMMIT, NULL);
    expect_missing(NULL, "there is no vector_add.hip in the root of the repository; lab1 is a "
                         "repository in the repository (a submodule), whose files are not handed "
                         "in with it: remove lab1/.git, then git rm --cached lab1, git add lab1, "
                         "commit and push");
    commit("main", "README.md", "x", NULL);
    expect_missing(NULL, "there is no vector_add.hip in the root of the repository, nor in any of "
                         "its folders: add it, commit and push");
}

Test(repo, mentions_other_branches) {
    make_repo(false);
    commit("main", "README.md", "x", NULL);
    commit("work", "vector_add.hip", "x", NULL);
    expect_missing(NULL,
                   "there is no vector_add.hip in the root of the repository, nor in any of "
                   "its folders: add it, commit and push (looked on main; other branches, for "
                   "--ref: work)");
}

Test(repo, asks_which_of_several_is_meant) {
    make_repo(false);
    commit("main", "vector_add.hip", "x", "matmul.hip", "y", NULL);
    struct wg_repo_request request = request_for(NULL, NULL);
    request.files = two_files;
    request.file_count = 2;
    expect_answer(request, WG_VERDICT_MISSING_FILE,
                  "both vector_add.hip and matmul.hip are there: say which assignment is meant "
                  "with --assignment");
    commit("main", "matmul.hip", "y", NULL);
    WG_CLEANUP(wg_submission_done) struct wg_submission got = fetch(request);
    cr_assert_eq(got.file_index, 1);
    commit("main", "x", "y", NULL);
    expect_answer(request, WG_VERDICT_MISSING_FILE,
                  "there is no vector_add.hip or matmul.hip in the root of the repository, nor in "
                  "any of its folders: add it, commit and push");
}

Test(repo, recognizes_lfs_pointers) {
    make_repo(false);
    commit("main", "vector_add.hip", LFS_POINTER, NULL);
    expect_missing(NULL, "vector_add.hip is only a Git LFS pointer, its contents are not in the "
                         "repository: run git lfs untrack, add the file again, commit and push");
}

Test(repo, follows_links_inside_only) {
    make_repo(false);
    static const struct {
        const char *target, *sentence; /* NULL: followed */
    } cases[] = {
        {"src/real.hip", NULL},
        {"./src/../src/real.hip", NULL},
        {"../outside", "vector_add.hip is a symbolic link that leads out of the repository: commit "
                       "the file itself"},
        {"src/../../outside", "vector_add.hip is a symbolic link that leads out of the repository: "
                              "commit the file itself"},
        {"/etc/passwd",
         "vector_add.hip is a symbolic link that leads out of the repository: commit "
         "the file itself"},
        {"vector_add.hip", "vector_add.hip is a symbolic link that leads in circles: commit the "
                           "file itself"},
        {"absent", "vector_add.hip is a symbolic link to something that is not there: commit the "
                   "file itself"},
        {"src", "vector_add.hip is a folder, and has to be a file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        commit("main", "src/real.hip", "real", NULL);
        commit_entry("vector_add.hip", GIT_FILEMODE_LINK, cases[i].target);
        if (cases[i].sentence == NULL) {
            expect_file(request_for(NULL, NULL), "vector_add.hip", "real");
        } else {
            expect_missing(NULL, cases[i].sentence);
        }
    }
    commit("main", "src/vector_add.hip", "real", NULL);
    commit_entry("hw1", GIT_FILEMODE_LINK, "src");
    expect_file(request_for(NULL, "hw1"), "src/vector_add.hip", "real");
}

Test(repo, explains_what_is_no_file) {
    make_repo(false);
    commit("main", "vector_add.hip/inner", "x", NULL);
    expect_missing(NULL, "vector_add.hip is a folder, and has to be a file");
    commit("main", "x", "x", NULL);
    commit_entry("vector_add.hip", GIT_FILEMODE_COMMIT, NULL);
    expect_missing(NULL, "vector_add.hip is in a submodule, whose files are not part of this "
                         "repository: commit the file itself");
    commit("main", "x", "x", NULL);
    commit_entry("hw1", GIT_FILEMODE_COMMIT, NULL);
    expect_missing("hw1", "hw1 is in a submodule, whose files are not part of this repository: "
                          "commit the file itself");
    expect_missing("x", "x is a file; --folder wants the folder that vector_add.hip is in");
}

/* ---- hostile repositories ---- */

Test(repo, bounds_the_file) {
    make_repo(false);
    WG_CLEANUP(wg_buf_done) struct wg_buf big = {0};
    for (int i = 0; i < 1000; i++) {
        wg_buf_puts(&big, "0123456789");
    }
    commit("main", "vector_add.hip", big.data, NULL);
    struct wg_repo_request request = request_for(NULL, NULL);
    request.limit_file_bytes = 10000;
    expect_file(request, "vector_add.hip", big.data);
    request.limit_file_bytes = 9999;
    expect_answer(request, WG_VERDICT_MISSING_FILE,
                  "vector_add.hip has 10000 bytes, more than the 9999 that a source file may have");
}

/* A few trees that describe ten billion files. */
Test(repo, survives_tree_bombs) {
    make_repo(false);
    git_oid id;
    must(git_blob_create_from_buffer(&id, repo, "x", 1));
    for (int level = 0; level < 10; level++) {
        git_treebuilder *builder = NULL;
        must(git_treebuilder_new(&builder, repo, NULL));
        for (int i = 0; i < 10; i++) {
            char name[4];
            snprintf(name, sizeof name, "d%d", i);
            must(git_treebuilder_insert(NULL, builder, name, &id,
                                        level == 0 ? GIT_FILEMODE_BLOB : GIT_FILEMODE_TREE));
        }
        must(git_treebuilder_write(&id, builder));
        git_treebuilder_free(builder);
    }
    git_tree *tree = NULL;
    git_signature *author = NULL;
    must(git_tree_lookup(&tree, repo, &id));
    must(git_signature_new(&author, "A Student", "student@example.org", 1, 0));
    must(git_commit_create(&id, repo, "refs/heads/main", author, author, NULL, "x", tree, 0, NULL));
    git_signature_free(author);
    git_tree_free(tree);
    int64_t start_ns = wg_clock_mono_ns();
    expect_missing(NULL,
                   "there is no vector_add.hip in the root of the repository, nor in those of "
                   "its folders that were searched, which are not all: name the right one "
                   "with --folder, or add it, commit and push");
    cr_assert_lt(wg_clock_mono_ns() - start_ns, (int64_t)10000000000);
}

Test(repo, survives_damage) {
    make_repo(false);
    git_oid commit_id = commit("main", "vector_add.hip", "x", NULL);
    git_oid blob;
    must(git_blob_create_from_buffer(&blob, repo, "x", 1));
    char hex[GIT_OID_HEXSZ + 1];
    git_oid_tostr(hex, sizeof hex, &blob);
    WG_CLEANUP(wg_freep)
    char *object = wg_strf("%s/.git/objects/%.2s/%s", repo_path, hex, hex + 2);
    cr_assert_eq(unlink(object), 0);
    expect_missing(NULL, "vector_add.hip cannot be read: the repository is damaged, push it again");
    git_oid_tostr(hex, sizeof hex, &commit_id);
    WG_CLEANUP(wg_freep)
    char *commit_object = wg_strf("%s/.git/objects/%.2s/%s", repo_path, hex, hex + 2);
    struct wg_err err = {0};
    cr_assert_eq(wg_file_write(commit_object, "noise", 5, 0644, &err), WG_OK);
    WG_CLEANUP(wg_submission_done) struct wg_submission got = fetch(request_for(NULL, NULL));
    cr_assert_eq(got.verdict, WG_VERDICT_FETCH_ERROR);
}

/* ---- the network ---- */

static int listen_locally(uint16_t *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert(fd >= 0 && bind(fd, (struct sockaddr *)&address, len) == 0 && listen(fd, 5) == 0 &&
              getsockname(fd, (struct sockaddr *)&address, &len) == 0);
    *port = ntohs(address.sin_port);
    return fd;
}

Test(repo, a_dead_host_is_no_fault_of_the_student) {
    uint16_t port;
    int fd = listen_locally(&port);
    close(fd); /* nobody listens there now */
    WG_CLEANUP(wg_freep)
    char *url = wg_strf("https://user:secret@127.0.0.1:%u/student.git", (unsigned)port);
    struct wg_repo_request request = request_for(NULL, NULL);
    request.location = url;
    struct wg_submission got = {0};
    struct wg_err err = {0};
    cr_assert_eq(wg_repo_fetch(&request, &got, &err), WG_EIO);
    cr_assert_null(strstr(err.msg, "secret"), "%s", err.msg);
    WG_CLEANUP(wg_freep)
    char *shown = wg_strf("fetch https://127.0.0.1:%u/student.git: ", (unsigned)port);
    cr_assert_eq(strncmp(err.msg, shown, strlen(shown)), 0, "%s", err.msg);
}

Test(repo, a_silent_host_is_given_up) {
    uint16_t port;
    int fd = listen_locally(&port); /* connects, and then says nothing */
    WG_CLEANUP(wg_freep) char *url = wg_strf("https://127.0.0.1:%u/student.git", (unsigned)port);
    struct wg_repo_request request = request_for(NULL, NULL);
    request.location = url;
    request.limit_wall_ns = 500000000;
    struct wg_submission got = {0};
    struct wg_err err = {0};
    int64_t start_ns = wg_clock_mono_ns();
    cr_assert_eq(wg_repo_fetch(&request, &got, &err), WG_EIO);
    cr_assert_lt(wg_clock_mono_ns() - start_ns, (int64_t)3000000000);
    cr_assert_eq(err.sys_errno, ETIMEDOUT, "%s", err.msg);
    close(fd);
}

Test(repo, refuses_other_schemes) {
    struct wg_repo_request request = request_for(NULL, NULL);
    request.location = "http://user:secret@example.org/x.git";
    expect_answer(request, WG_VERDICT_FETCH_ERROR,
                  "http://example.org/x.git is not accepted as an address: use https://, ssh:// or "
                  "user@host:path");
}

Test(repo, leaves_no_folder_behind) {
    setenv("TMPDIR", temp, 1);
    make_repo(false);
    commit("main", "vector_add.hip", "x", NULL);
    expect_file(request_for(NULL, NULL), "vector_add.hip", "x");
    struct wg_repo_request request = request_for(NULL, NULL);
    request.location = "ftp://example.org/x";
    expect_answer(request, WG_VERDICT_FETCH_ERROR,
                  "ftp://example.org/x is not accepted as an address: use https://, ssh:// or "
                  "user@host:path");
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_remove(repo_path, &err), WG_OK);
    cr_assert_eq(rmdir(temp), 0, "something is left in the temporary folder");
}

Test(repo_fault, tells_whose_it_is) {
    static const struct {
        int rc, error_class;
        const char *message;
        enum wg_fetch_fault fault;
    } cases[] = {
        {GIT_EAUTH, GIT_ERROR_HTTP, "too many redirects or authentication replays",
         WG_FAULT_ACCESS},
        {-1, GIT_ERROR_HTTP, "unexpected http status code: 403", WG_FAULT_ACCESS},
        {-1, GIT_ERROR_HTTP, "unexpected http status code: 404", WG_FAULT_ABSENT},
        {-1, GIT_ERROR_HTTP, "unexpected http status code: 502", WG_FAULT_MACHINE},
        {-1, GIT_ERROR_SSH, "ERROR: Repository not found.", WG_FAULT_ABSENT},
        {-1, GIT_ERROR_NET, "failed to resolve address for host.example: Name or service not known",
         WG_FAULT_MACHINE},
        {-1, GIT_ERROR_OS, "failed to connect to 10.0.0.1: Connection refused", WG_FAULT_MACHINE},
        {GIT_ECERTIFICATE, GIT_ERROR_SSH, "invalid or unknown remote ssh hostkey",
         WG_FAULT_MACHINE},
        {-1, GIT_ERROR_SSL, "the SSL certificate is invalid", WG_FAULT_MACHINE},
        {-1, GIT_ERROR_INDEXER, "packfile trailer mismatch", WG_FAULT_REPOSITORY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert_eq(wg_fetch_fault(cases[i].rc, cases[i].error_class, cases[i].message),
                     cases[i].fault, "%s", cases[i].message);
    }
}

Test(repo_location, kinds_and_what_is_shown) {
    static const struct {
        const char *location, *shown;
        enum wg_location_kind kind;
    } cases[] = {
        {"https://user:token@host/a.git", "https://host/a.git", WG_LOCATION_HTTPS},
        {"HTTPS://token@host/a@b", "HTTPS://host/a@b", WG_LOCATION_HTTPS},
        {"https://u:p@ss@host/a", "https://host/a", WG_LOCATION_HTTPS},
        {"ssh://git:pw@host:22/a", "ssh://git@host:22/a", WG_LOCATION_SSH},
        {"git@host:a/b.git", "git@host:a/b.git", WG_LOCATION_SSH},
        {"host:a", "host:a", WG_LOCATION_SSH},
        {"./a:b@c", "./a:b@c", WG_LOCATION_PATH},
        {"/srv/a@b/c", "/srv/a@b/c", WG_LOCATION_PATH},
        {"file:///srv/a", "file:///srv/a", WG_LOCATION_PATH},
        {"git://u:p@host/a", "git://host/a", WG_LOCATION_OTHER},
        {"/srv/\xff", "/srv/\xef\xbf\xbd", WG_LOCATION_PATH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        WG_CLEANUP(wg_freep) char *shown = wg_location_shown(cases[i].location);
        cr_assert_str_eq(shown, cases[i].shown, "got %s", shown);
        cr_assert_eq(wg_location_kind(cases[i].location), cases[i].kind, "%s", cases[i].location);
    }
}

Test(repo_location, shows_passwords_to_one_host_only) {
    cr_assert(wg_location_has_host("https://github.com/a/b.git", "github.com"));
    cr_assert(wg_location_has_host("HTTPS://GitHub.com", "github.com"));
    cr_assert(wg_location_has_host("https://host:8443/a", "host:8443"));
    static const char *const others[] = {"http://github.com/a",
                                         "https://github.com.evil.example/a",
                                         "https://evil.example/github.com",
                                         "https://github.com@evil.example/a",
                                         "https://evil.example?@github.com/a",
                                         "https://evil.example#@github.com/a",
                                         "https://evil.example\\@github.com/a",
                                         "https://github.com:8443/a",
                                         "https://evil.example@github.com/a",
                                         "https:///a",
                                         "ssh://github.com/a"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        cr_assert_not(wg_location_has_host(others[i], "github.com"), "%s", others[i]);
    }
}

/* ---- the wire ---- */

Test(repo_location, reads_from_hosts_that_are_listed) {
    static const char hosts[] = "github.com, git.example.edu";
    static const char *const good[] = {"https://github.com/a/b", "HTTPS://GitHub.com:443/a",
                                       "https://u:p@git.example.edu/a", "git@github.com:a/b.git",
                                       "ssh://git@git.example.edu:22/a"};
    static const char *const bad[] = {"https://github.com.evil.example/a",
                                      "https://github.com@evil.example/a",
                                      "https://evil.example?@github.com/a",
                                      "https://evil.example#@github.com/a",
                                      "https://evil.example\\@github.com/a",
                                      "https://evil.example\\.github.com/a",
                                      "https://github.com:x@evil.example/a",
                                      "https://github.com%2eevil.example/a",
                                      "git@evil.example:github.com/a",
                                      "github.com@evil.example:a",
                                      "https:///github.com",
                                      "git://github.com/a",
                                      "/srv/github.com",
                                      "file:///srv/a"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        cr_assert(wg_location_is_allowed(good[i], hosts), "%s", good[i]);
        cr_assert(wg_location_is_allowed(good[i], " "), "an empty list allows everything");
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bool is_known = strncmp(bad[i], "git://", 6) == 0; /* refused for its scheme elsewhere */
        cr_assert_eq(wg_location_is_allowed(bad[i], hosts), is_known, "%s", bad[i]);
    }
    cr_assert(wg_location_is_allowed("/srv/a", "github.com file"));
    cr_assert_not(wg_location_is_allowed("https://file.example/a", "file"));
}

Test(repo_location, other_peoples_words_lose_what_is_secret) {
    static const struct {
        const char *text, *location, *token, *scrubbed;
    } cases[] = {
        {"no host ada:pw in URL https://ada:pw@h/a", "https://ada:pw@h/a", NULL,
         "no host *** in URL https://***@h/a"},
        {"bad pw", "https://ada:pw@h/a", NULL, "bad ***"},
        {"https://tok@h/a: not found", "https://tok@h/a", NULL, "https://***@h/a: not found"},
        {"git@h failed", "git@h:a", NULL, "git@h failed"},
        {"ssh://git:pw@h", "ssh://git:pw@h/a", NULL, "ssh://git:***@h"},
        {"sent s3cr3t twice: s3cr3t", "https://h/a", "s3cr3t", "sent *** twice: ***"},
        {"nothing", "/srv/a", "", "nothing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        WG_CLEANUP(wg_freep)
        char *got = wg_location_scrub(cases[i].text, cases[i].location, cases[i].token);
        cr_assert_str_eq(got, cases[i].scrubbed, "got %s", got);
    }
}

Test(repo, reads_from_no_host_that_is_not_listed) {
    make_repo(false);
    commit("main", "vector_add.hip", "x", NULL);
    setenv("WAVEGRADE_GIT_HOSTS", "github.com", 1);
    WG_CLEANUP(wg_freep)
    char *sentence =
        wg_strf("repositories are read from github.com only, and %s is none of these", repo_path);
    expect_answer(request_for(NULL, NULL), WG_VERDICT_FETCH_ERROR, sentence);
    setenv("WAVEGRADE_GIT_HOSTS", "github.com file", 1);
    expect_file(request_for(NULL, NULL), "vector_add.hip", "x");
    unsetenv("WAVEGRADE_GIT_HOSTS");
}

Test(repo_wire, accepts_no_broken_answer) {
    struct wg_submission sent = {.verdict = WG_VERDICT_PASS,
                                 .repository = wg_strdup("r"),
                                 .ref = wg_strdup("main"),
                                 .commit = "0123456789abcdef0123456789abcdef01234567",
                                 .commit_time_s = -5,
                                 .path = wg_strdup("a/b")};
    wg_buf_add(&sent.source, "x\0y", 3);
    WG_CLEANUP(wg_buf_done) struct wg_buf bytes = {0};
    wg_wire_put_answer(&bytes, WG_OK, NULL, &sent);
    struct wg_submission got = {0};
    struct wg_err err = {0};
    enum wg_code code;
    cr_assert(wg_wire_get_answer(&bytes, &code, &err, &got));
    cr_assert_eq(got.commit_time_s, -5);
    cr_assert_eq(got.source.len, 3);
    cr_assert_str_eq(got.path, "a/b");
    wg_submission_done(&got);
    /* every truncation, and every byte spoilt, either fails or gives a complete answer */
    for (size_t cut = 0; cut < bytes.len; cut++) {
        struct wg_buf part = {.data = bytes.data, .len = cut};
        cr_assert_not(wg_wire_get_answer(&part, &code, &err, &got), "%zu bytes", cut);
    }
    for (size_t at = 0; at < bytes.len; at++) {
        for (int flip = 1; flip < 256; flip += 37) {
            bytes.data[at] = (char)(bytes.data[at] ^ flip);
            if (wg_wire_get_answer(&bytes, &code, &err, &got) && code == WG_OK) {
                wg_submission_done(&got);
            }
            bytes.data[at] = (char)(bytes.data[at] ^ flip);
        }
    }
    wg_submission_done(&sent);
}

Test(repo_wire, passes_errors) {
    WG_CLEANUP(wg_buf_done) struct wg_buf bytes = {0};
    struct wg_err sent = {.code = WG_EIO, .sys_errno = 5, .msg = "fetch x: it broke"}, got = {0};
    wg_wire_put_answer(&bytes, WG_EIO, &sent, NULL);
    struct wg_submission unused = {0};
    enum wg_code code;
    cr_assert(wg_wire_get_answer(&bytes, &code, &got, &unused));
    cr_assert_eq(code, WG_EIO);
    cr_assert_eq(got.code, WG_EIO);
    cr_assert_eq(got.sys_errno, 5);
    cr_assert_str_eq(got.msg, "fetch x: it broke");
}

/* ---- plain folders ---- */

static void put_file(const char *path, const char *text) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *full = wg_path_join(repo_path, path);
    WG_CLEANUP(wg_freep) char *folder = wg_strdup(full);
    *strrchr(folder, '/') = '\0';
    cr_assert_eq(wg_folder_make(folder, 0755, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_file_write(full, text, strlen(text), 0644, &err), WG_OK, "%s", err.msg);
}

static void put_link(const char *path, const char *target) {
    WG_CLEANUP(wg_freep) char *full = wg_path_join(repo_path, path);
    unlink(full);
    cr_assert_eq(symlink(target, full), 0);
}

static void expect_folder(struct wg_repo_request request, enum wg_verdict verdict,
                          const char *text) {
    WG_CLEANUP(wg_submission_done) struct wg_submission got = {0};
    struct wg_err err = {0};
    cr_assert_eq(wg_repo_read_folder(&request, &got, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(got.verdict, verdict, "%s: %s", wg_verdict_name(got.verdict), got.sentence);
    const char *said = verdict == WG_VERDICT_PASS ? wg_buf_str(&got.source) : got.sentence;
    cr_assert_str_eq(said, text, "got:  %s\nwant: %s", said, text);
    cr_assert_eq(got.file_index, verdict == WG_VERDICT_PASS ? 0 : -1);
    cr_assert_str_eq(got.commit, "");
}

Test(repo, folder_is_read_as_it_lies) {
    put_file("vector_add.hip", "x");
    expect_folder(request_for(NULL, NULL), WG_VERDICT_PASS, "x");
    put_file("hw1/vector_add.hip", "y");
    expect_folder(request_for(NULL, "hw1/"), WG_VERDICT_PASS, "y");
    struct wg_repo_request request = request_for(NULL, NULL);
    WG_CLEANUP(wg_freep) char *file = wg_path_join(repo_path, "vector_add.hip");
    request.location = file;
    expect_folder(request, WG_VERDICT_PASS, "x");
    put_file("mine.hip", "z");
    WG_CLEANUP(wg_freep) char *mine = wg_path_join(repo_path, "mine.hip");
    request.location = mine;
    expect_folder(request, WG_VERDICT_PASS, "z");
    request.files = two_files;
    request.file_count = 2;
    expect_folder(request, WG_VERDICT_MISSING_FILE,
                  "mine.hip is not the name of an assignment's file: say which assignment is meant "
                  "with --assignment");
    struct wg_submission unused = {0};
    struct wg_err err = {0};
    request.ref = "main";
    cr_assert_eq(wg_repo_read_folder(&request, &unused, &err), WG_EINVAL);
}

Test(repo, folder_explains_what_is_missing) {
    put_file("src/vector_add.hip", "x");
    put_file(".git/vector_add.hip", "x");
    expect_folder(request_for(NULL, NULL), WG_VERDICT_MISSING_FILE,
                  "vector_add.hip is not in the root of the folder; found src/vector_add.hip: name "
                  "the folder with --folder src");
    expect_folder(request_for(NULL, "src/vector_add.hip"), WG_VERDICT_PASS, "x");
    put_file("VECTOR_ADD.hip", "x");
    expect_folder(
        request_for(NULL, NULL), WG_VERDICT_MISSING_FILE,
        "the file is called VECTOR_ADD.hip and has to be called vector_add.hip (upper and "
        "lower case matter): rename it");
    struct wg_repo_request request = request_for(NULL, NULL);
    request.location = "/nonexistent/x";
    expect_folder(request, WG_VERDICT_FETCH_ERROR, "there is no folder /nonexistent/x");
}

Test(repo, folder_says_what_was_not_searched) {
    put_file("1/2/3/4/5/6/7/8/vector_add.hip", "x");
    expect_folder(
        request_for(NULL, NULL), WG_VERDICT_MISSING_FILE,
        "there is no vector_add.hip in the root of the folder, nor in those of its folders "
        "that were searched, which are not all: name the right one with --folder, or add "
        "it");
    WG_CLEANUP(wg_freep) char *deep = wg_path_join(repo_path, "1");
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_remove(deep, &err), WG_OK);
    put_file(".hidden/vector_add.hip", "x");
    expect_folder(
        request_for(NULL, NULL), WG_VERDICT_MISSING_FILE,
        "there is no vector_add.hip in the root of the folder, nor in any of its folders, "
        "hidden ones aside: add it");
    put_file(".git/HEAD", "x");
    put_file("lab1/.git/HEAD", "x");
    put_file("lab1/vector_add.hip", "x");
    expect_folder(
        request_for(NULL, NULL), WG_VERDICT_MISSING_FILE,
        "there is no vector_add.hip in the root of the folder; lab1 is a repository in the "
        "repository (a submodule), whose files are not handed in with it: remove "
        "lab1/.git, then git rm --cached lab1, git add lab1, commit and push");
}

Test(repo, folder_is_hostile_too) {
    put_file("src/real.hip", "real");
    put_link("vector_add.hip", "src/real.hip");
    expect_folder(request_for(NULL, NULL), WG_VERDICT_PASS, "real");
    put_link("vector_add.hip", "/etc/passwd");
    expect_folder(request_for(NULL, NULL), WG_VERDICT_MISSING_FILE,
                  "vector_add.hip is a symbolic link that leads out of the folder: use the file "
                  "itself");
    put_link("vector_add.hip", "vector_add.hip");
    expect_folder(request_for(NULL, NULL), WG_VERDICT_MISSING_FILE,
                  "vector_add.hip is a symbolic link that leads in circles: use the file itself");
    WG_CLEANUP(wg_freep) char *fifo = wg_path_join(repo_path, "vector_add.hip");
    cr_assert(unlink(fifo) == 0 && mkfifo(fifo, 0600) == 0);
    expect_folder(request_for(NULL, NULL), WG_VERDICT_MISSING_FILE,
                  "vector_add.hip is no ordinary file, and has to be a file");
    cr_assert(unlink(fifo) == 0 && mkdir(fifo, 0700) == 0);
    expect_folder(request_for(NULL, NULL), WG_VERDICT_MISSING_FILE,
                  "vector_add.hip is a folder, and has to be a file");
    cr_assert_eq(rmdir(fifo), 0);
    put_file("vector_add.hip", LFS_POINTER);
    expect_folder(
        request_for(NULL, NULL), WG_VERDICT_MISSING_FILE,
        "vector_add.hip is only a Git LFS pointer: run git lfs pull to get the file, and git "
        "lfs untrack before it is handed in");
    struct wg_repo_request request = request_for(NULL, NULL);
    request.limit_file_bytes = 10;
    put_file("vector_add.hip", "0123456789a");
    expect_folder(request, WG_VERDICT_MISSING_FILE,
                  "vector_add.hip has 11 bytes, more than the 10 that a source file may have");
    put_file("vector_add.hip", "");
    expect_folder(request, WG_VERDICT_PASS, "");
}
