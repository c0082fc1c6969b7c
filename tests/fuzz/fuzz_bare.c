/* The repository reader over a bare repository on disk whose files are bytes of the input: refs,
 * configuration, packs with their indexes, loose objects. An input is a list of files: a byte that
 * chooses the name, a length, the contents. Runs in memory (/dev/shm) where there is one. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/file.h"
#include "grader/repo/reader.h"
#include "tests/fuzz/fuzz.h"

#define PACK "objects/pack/pack-0123456789abcdef0123456789abcdef01234567"

/* tests/fuzz/pack_repository.py knows these by number. */
static const char *const names[] = {
    "HEAD",
    "config",
    "packed-refs",
    "refs/heads/main",
    "refs/heads/other",
    "refs/tags/v1",
    PACK ".pack",
    PACK ".idx",
    "objects/info/alternates",
    "objects/pack/multi-pack-index",
    "objects/info/commit-graph",
    "shallow",
    "commondir",
    "objects/12/3456789abcdef0123456789abcdef012345678",
    "objects/ab/cdefabcdefabcdefabcdefabcdefabcdefabcd",
    "gitdir",
};
static const char *const folders[] = {"refs",         "refs/heads",   "refs/tags",  "objects",
                                      "objects/pack", "objects/info", "objects/12", "objects/ab"};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

static char *top;

static void remove_top(void) {
    struct wg_err ignored;
    (void)wg_folder_remove(top, &ignored);
    free(top);
}

static void make_top(void) {
    if (wg_file_is_folder("/dev/shm")) {
        setenv("TMPDIR", "/dev/shm", 0);
    }
    if (wg_folder_make_temp("wavegrade-fuzz", &top, NULL) != WG_OK) {
        abort();
    }
    atexit(remove_top);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", top, folders[i]);
        mkdir(path, 0700);
    }
    git_libgit2_init();
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, (size_t)1 << 20);
    wg_reader_configure_git(top);
}

static void write_file(const char *name, const void *bytes, size_t len) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", top, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, len) != (ssize_t)len) {
        abort();
    }
    close(fd);
}

static void lay_out(struct fuzz_input *input) {
    static const char head[] = "ref: refs/heads/main\n";
    for (size_t i = 0; i < NAME_COUNT; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", top, names[i]);
        unlink(path);
    }
    write_file("HEAD", head, sizeof head - 1);
    while (input->left > 3) {
        size_t which = fuzz_byte(input) % NAME_COUNT;
        size_t len = 0;
        const uint8_t *bytes = fuzz_bytes(input, fuzz_short(input), &len);
        write_file(names[which], bytes, len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    static const char *const files[] = {"vector_add.hip", "matmul.hip"};
    static const char *const refs[] = {NULL, "main", "v1", "0123"};
    struct fuzz_input input = {bytes, len};
    if (top == NULL) {
        make_top();
    }
    const struct wg_repo_request request = {.location = top,
                                            .ref = refs[fuzz_byte(&input) % 4],
                                            .files = files,
                                            .file_count = 2,
                                            .limit_file_bytes = 1 << 16};
    lay_out(&input);
    struct wg_submission submission = {0};
    struct wg_err err = {0};
    struct wg_reader reader = {
        .request = &request, .workspace = top, .out = &submission, .err = &err};
    if (wg_reader_read(&reader) == WG_OK && submission.verdict != WG_VERDICT_PASS &&
        submission.sentence == NULL) {
        abort();
    }
    git_commit_free(reader.commit);
    git_repository_free(reader.repo);
    wg_submission_done(&submission);
    return 0;
}
