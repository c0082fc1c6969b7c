/* libexec/wavegrade/repo: reads one request from standard input, answers on standard output.
 *
 * A process of its own, because libgit2 neither gives up on a silent server nor bounds the memory
 * that a hostile pack asks for. It keeps no state: the grader kills it at the time limit and
 * removes the workspace. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/repo/reader.h"

#define REQUEST_LIMIT_BYTES (1 << 20)
#define PATH_CPU_S          ((rlim_t)3)
#define MEMORY_LIMIT_BYTES  ((rlim_t)3 << 30)

static void limit_resources(const struct wg_repo_request *request) {
    /* The pack and its index; a failed write (EFBIG) is then libgit2's to report. */
    rlim_t file_bytes = (rlim_t)request->limit_fetch_bytes * 2 + (1 << 20);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){file_bytes, file_bytes});
    /* libgit2 never ends on some objects that are cut off. Nothing is transferred or unpacked from
     * a path, so that seconds are plenty there. The grader knows the signal. */
    bool is_path = wg_location_kind(request->location) == WG_LOCATION_PATH;
    rlim_t cpu_s = is_path ? PATH_CPU_S : (rlim_t)(request->limit_wall_ns / 1000000000) + 1;
    setrlimit(RLIMIT_CPU, &(struct rlimit){cpu_s, cpu_s + 5});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes */
    setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES});
#endif
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
    wg_reader_configure_git(wire.workspace);
    if (wg_location_kind(wire.request.location) == WG_LOCATION_PATH) {
        WG_CLEANUP(wg_freep) char *path = wg_location_path(wire.request.location);
        wg_reader_confine(path);
    }

    struct wg_err err = {0};
    struct wg_submission submission = {0};
    struct wg_reader reader = {
        .request = &wire.request, .workspace = wire.workspace, .out = &submission, .err = &err};
    enum wg_code code = wg_reader_read(&reader);
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
