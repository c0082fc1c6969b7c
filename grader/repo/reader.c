/* libexec/wavegrade/repo: reads one request from standard input, answers on standard output.
 *
 * A process of its own, because libgit2 neither gives up on a silent server nor bounds the memory
 * that a hostile pack asks for. It keeps no state: the grader kills it at the time limit and
 * removes the workspace.
 *
 * Nothing of the machine's or the user's git configuration is read (it could rewrite URLs, name
 * credential helpers or proxies), nothing is checked out, and so no hook, filter or submodule of
 * the student's is ever run. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/repo/reader.h"

#define REQUEST_LIMIT_BYTES (1 << 20)
#define MEMORY_LIMIT_BYTES  ((rlim_t)3 << 30)
#define OBJECT_LIMIT        2000000
#define CACHE_LIMIT_BYTES   ((ssize_t)64 << 20)

const char *wg_reader_git_words(void) {
    const git_error *last = git_error_last();
    return last == NULL || last->message == NULL ? "unknown error" : last->message;
}

static void limit_resources(const struct wg_repo_request *request) {
    /* The pack and its index; a failed write (EFBIG) is then libgit2's to report. */
    rlim_t file_bytes = (rlim_t)request->limit_fetch_bytes * 2 + (1 << 20);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){file_bytes, file_bytes});
    rlim_t cpu_s = (rlim_t)(request->limit_wall_ns / 1000000000) + 1;
    setrlimit(RLIMIT_CPU, &(struct rlimit){cpu_s, cpu_s});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes */
    setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES});
#endif
}

static void configure_git(const char *workspace) {
    /* One folder only has to stay findable: libgit2 looks for ~/.ssh/known_hosts in the "global"
     * configuration path. The workspace gets a link to the user's .ssh, and nothing else. */
    const char *home = getenv("HOME");
    if (home != NULL && home[0] == '/') {
        WG_CLEANUP(wg_freep) char *ssh = wg_path_join(home, ".ssh");
        WG_CLEANUP(wg_freep) char *link = wg_path_join(workspace, ".ssh");
        symlink(ssh,
                link); /* NOLINT(bugprone-unused-return-value): an ssh fetch tells if it fails */
    }
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_PROGRAMDATA, "");
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_SYSTEM, "");
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_XDG, "");
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_GLOBAL, workspace);
    /* git's refusal of other people's repositories protects against hooks and configured commands,
     * none of which are run here; and graders read repositories that belong to students. */
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    git_libgit2_opts(GIT_OPT_SET_PACK_MAX_OBJECTS, (size_t)OBJECT_LIMIT);
    git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, CACHE_LIMIT_BYTES);
    /* Settings of worktrees that do not matter here, but make libgit2 refuse the repository. */
    const char *extensions[] = {"worktreeconfig"};
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions, (size_t)1);
    const char *file = getenv("SSL_CERT_FILE"), *folder = getenv("SSL_CERT_DIR");
    if (file != NULL || folder != NULL) {
        git_libgit2_opts(GIT_OPT_SET_SSL_CERT_LOCATIONS, file, folder);
    }
}

static enum wg_code read_submission(struct wg_reader *reader) {
    struct wg_submission *out = reader->out;
    out->file_index = -1;
    out->repository = wg_location_shown(reader->request->location);
    enum wg_code code = wg_location_kind(reader->request->location) == WG_LOCATION_PATH
                            ? wg_reader_open_path(reader)
                            : wg_reader_fetch(reader);
    if (code == WG_OK && out->verdict == WG_VERDICT_PASS) {
        code = wg_reader_resolve(reader);
    }
    if (code == WG_OK && out->verdict == WG_VERDICT_PASS) {
        code = wg_reader_find_file(reader);
    }
    return code;
}

int main(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    WG_CLEANUP(wg_buf_done) struct wg_buf bytes = {0};
    char chunk[4096];
    ssize_t got;
    while ((got = read(STDIN_FILENO, chunk, sizeof chunk)) > 0 && bytes.len < REQUEST_LIMIT_BYTES) {
        wg_buf_add(&bytes, chunk, (size_t)got);
    }
    struct wg_wire_request wire = {0};
    if (!wg_wire_get_request(&bytes, &wire)) {
        fprintf(stderr, "this program is part of wavegrade and of no use by itself\n");
        return 64;
    }
    limit_resources(&wire.request);
    git_libgit2_init();
    configure_git(wire.workspace);

    struct wg_err err = {0};
    struct wg_submission submission = {0};
    struct wg_reader reader = {
        .request = &wire.request, .workspace = wire.workspace, .out = &submission, .err = &err};
    enum wg_code code = read_submission(&reader);
    WG_CLEANUP(wg_buf_done) struct wg_buf answer = {0};
    wg_wire_put_answer(&answer, code, &err, &submission);
    bool written = fwrite(answer.data, 1, answer.len, stdout) == answer.len && fflush(stdout) == 0;

    git_commit_free(reader.commit);
    git_repository_free(reader.repo);
    git_libgit2_shutdown();
    wg_submission_done(&submission);
    wg_wire_request_done(&wire);
    return written ? 0 : 1;
}
