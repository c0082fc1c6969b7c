/* Which device there is. The vendor's runtime answers, and it answers in a jail: what works there
 * is what submissions will find, and a library that hangs or crashes does it to itself. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/paths.h"
#include "grader/base/text.h"
#include "sandbox/platform/needs.h"

enum { ANSWER_BYTES = 16384, PROBE_S = 30, NO_DEVICE = 1 };

static struct {
    pthread_mutex_t lock;
    char *platform; /* that was asked for; NULL: none yet */
    enum wg_code code;
    struct wg_err err;
    struct wg_device device;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The next cell of a line with tabs, cleaned and cut. */
static void take_cell(const char **line, char *out, size_t size) {
    size_t len = strcspn(*line, "\t\n");
    WG_CLEANUP(wg_freep) char *clean = wg_text_clean(*line, len, size - 1);
    snprintf(out, size, "%s", clean);
    *line += len + ((*line)[len] == '\t');
}

/* CUDA's 13020 is 13.2, HIP's 60200000 is 6.2. */
static void format_version(const char *platform, const char *cell, char *out, size_t size) {
    long number = strtol(cell, NULL, 10);
    bool is_cuda = strcmp(platform, "nvidia") == 0;
    long major = is_cuda ? number / 1000 : number / 10000000;
    long minor = is_cuda ? number % 1000 / 10 : number / 100000 % 100;
    snprintf(out, size, number > 0 ? "%s %ld.%ld" : "", is_cuda ? "CUDA" : "HIP", major, minor);
}

/* "INDEX ARCH ADDRESS DRIVER RUNTIME NAME", with tabs. */
static void parse(const char *platform, const char *line, struct wg_device *out) {
    char cell[64];
    take_cell(&line, cell, sizeof cell);
    take_cell(&line, out->arch, sizeof out->arch);
    take_cell(&line, out->address, sizeof out->address);
    take_cell(&line, cell, sizeof cell);
    format_version(platform, cell, out->driver, sizeof out->driver);
    take_cell(&line, cell, sizeof cell);
    format_version(platform, cell, out->runtime, sizeof out->runtime);
    take_cell(&line, out->name, sizeof out->name);
}

/* The driver's own number says more than the API version that it supports. */
static void read_driver_version(const char *platform, struct wg_device *out) {
    WG_CLEANUP(wg_freep)
    char *path =
        wg_strf("/sys/module/%s/version", strcmp(platform, "amd") == 0 ? "amdgpu" : platform);
    WG_CLEANUP(wg_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
    char text[sizeof out->driver];
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (len > 1) {
        text[len] = '\0';
        const char *cell = text;
        take_cell(&cell, out->driver, sizeof out->driver);
    }
}

static enum wg_code judge(const char *platform, const struct wg_jail_result *run,
                          struct wg_device *out, struct wg_err *err) {
    if (run->end == WG_JAIL_EXITED && run->exit_status == 0) {
        parse(platform, wg_buf_str(&run->out), out);
        read_driver_version(platform, out);
        return WG_OK;
    }
    if (run->end == WG_JAIL_EXITED && run->exit_status == NO_DEVICE) {
        return wg_fail(err, WG_EUNSUPPORTED,
                       "the %s runtime finds no device; is the driver loaded and as new as the "
                       "toolkit? Or use --platform cpu",
                       platform);
    }
    WG_CLEANUP(wg_freep)
    char *words = wg_text_clean(wg_buf_str(&run->errout), run->errout.len, 150);
    words[strcspn(words, "\n")] = '\0';
    return wg_fail(err, WG_EUNSUPPORTED, "the %s runtime does not work here: %s", platform,
                   words[0] == '\0' ? "it ended without an answer" : words);
}

static enum wg_code ask(const char *platform, struct wg_device *out, struct wg_err *err) {
    const struct wg_needs *needs = wg_needs_of_run(platform);
    WG_CLEANUP(wg_freep) char *harness = wg_strf("/wg/libexec/%s/harness", platform);
    const char *const argv[] = {harness, "--probe", NULL};
    struct wg_jail_bind binds[1 + WG_NEEDS_MAX] = {
        {.source = wg_paths_libexec(), .target = "/wg/libexec"}};
    memcpy(binds + 1, needs->binds, needs->bind_count * sizeof binds[0]);
    const struct wg_jail_spec spec = {
        .argv = argv,
        .env = needs->env,
        .binds = binds,
        .bind_count = 1 + needs->bind_count,
        .workdir = "/tmp",
        .limits = {.wall_ns = (int64_t)PROBE_S * 1000000000,
                   .cpu_s = PROBE_S,
                   .memory_bytes = (int64_t)2 << 30,
                   .file_bytes = 1 << 20,
                   .tmpfs_bytes = 1 << 20,
                   .output_bytes = ANSWER_BYTES,
                   .processes = 64},
    };
    struct wg_jail_result run = {0};
    enum wg_code code = wg_jail_run(&spec, &run, err);
    if (code == WG_OK) {
        code = judge(platform, &run, out, err);
        wg_jail_result_done(&run);
    }
    return code;
}

enum wg_code wg_device_find(const char *platform, const struct wg_device **out,
                            struct wg_err *err) {
    pthread_mutex_lock(&known.lock);
    if (!known.platform || strcmp(known.platform, platform) != 0) {
        free(known.platform);
        known.platform = wg_strdup(platform);
        known.device = (struct wg_device){0};
        known.code = ask(platform, &known.device, &known.err);
    }
    enum wg_code code = known.code;
    if (code != WG_OK && err) {
        *err = known.err;
    }
    *out = &known.device;
    pthread_mutex_unlock(&known.lock);
    return code;
}
