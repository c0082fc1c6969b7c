#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/text.h"
#include "grader/grade/environment.h"
#include "sandbox/jail/jail.h"
#include "sandbox/platform/needs.h"

/* The value behind the first line that starts with `key`, without quotes, heap; NULL: none. */
static char *find_value(const char *text, const char *key, const char *separators) {
    size_t key_len = strlen(key);
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        if (strncmp(line, key, key_len) == 0) {
            const char *value = line + key_len;
            value += strspn(value, separators);
            const char *end = line + len;
            while (end > value && (end[-1] == '"' || end[-1] == ' ')) {
                end--;
            }
            return wg_text_clean(value, (size_t)(end - value), 200);
        }
        line += len + (line[len] == '\n');
    }
    return NULL;
}

static char *value_in_file(const char *path, const char *key, const char *separators) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    /* /proc files say size 0 and /proc/cpuinfo is long on large machines; the first kilobytes
     * hold what is wanted. */
    WG_CLEANUP(wg_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
    char bytes[4096];
    ssize_t got = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (got <= 0) {
        return NULL;
    }
    wg_buf_add(&text, bytes, (size_t)got);
    return find_value(wg_buf_str(&text), key, separators);
}

static char *describe_system(void) {
    struct utsname kernel = {0};
    WG_CLEANUP(wg_freep) char *name = value_in_file("/etc/os-release", "PRETTY_NAME", "=\"");
    if (uname(&kernel) != 0) {
        return WG_TAKE(&name);
    }
    return wg_strf("%s, Linux %s", name ? name : "unknown distribution", kernel.release);
}

/* The line of `program --version` that tells: the first, or nvcc's "Cuda compilation tools, release
 * 13.0, V13.0.88". Our own compiler, not student code: no jail. */
static char *ask_version(const char *program) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return NULL;
    }
    char *const argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)"--version", NULL};
    char *const env[] = {(char *)(uintptr_t)"LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    pid_t pid = 0;
    int failed = posix_spawn(&pid, program, &actions, NULL, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char text[512];
    size_t len = 0;
    while (!failed && len < sizeof text) {
        ssize_t got = read(ends[0], text + len, sizeof text - len);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        len += (size_t)got;
    }
    close(ends[0]);
    while (!failed && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    const char *start = memmem(text, len, "Cuda compilation tools", 22);
    start = start ? start : text;
    const char *newline = memchr(start, '\n', len - (size_t)(start - text));
    return newline ? wg_text_clean(start, (size_t)(newline - start), 200) : NULL;
}

/* Asking takes as long as a small compilation, so the answer is kept beside what identifies the
 * program's file; a new file is asked again. */
static char *compiler_version(const char *program) {
    struct stat info;
    const char *cache = NULL;
    if (!program || stat(program, &info) != 0) {
        return NULL;
    }
    if (wg_paths_cache(&cache, NULL) != WG_OK) {
        return ask_version(program);
    }
    WG_CLEANUP(wg_freep) char *path = wg_path_join(cache, "compiler-version");
    WG_CLEANUP(wg_freep)
    char *key = wg_strf("%s %" PRIdMAX " %" PRIdMAX ".%09ld: ", program, (intmax_t)info.st_size,
                        (intmax_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    WG_CLEANUP(wg_buf_done) struct wg_buf known = {0};
    if (wg_file_read(path, 4096, &known, NULL) == WG_OK) {
        char *version = find_value(wg_buf_str(&known), key, "");
        if (version) {
            return version;
        }
    }
    char *version = ask_version(program);
    if (version) {
        WG_CLEANUP(wg_freep) char *line = wg_strf("%s%s\n", key, version);
        wg_file_write(path, line, strlen(line), 0600, NULL); /* only a cache */
    }
    return version;
}

static char *describe_isolation(void) {
    const struct wg_jail_abilities *jail = wg_jail_probe();
    bool is_weaker = wg_jail_chosen() == WG_JAIL_LANDLOCK;
    if (is_weaker ? jail->landlock_missing : jail->missing) {
        return NULL;
    }
    return is_weaker ? wg_strf("weaker: landlock %d without namespaces, seccomp, cgroup %s",
                               jail->landlock_abi, jail->cgroup)
                     : wg_strf("bubblewrap, seccomp, cgroup %s", jail->cgroup);
}

static void set_if_empty(char **field, char *value) {
    if (*field) {
        free(value);
    } else {
        *field = value;
    }
}

static void describe_device(const struct wg_platform *platform, struct wg_result *result) {
    const struct wg_device *device = NULL;
    if (!platform->times_count || platform->why_not() ||
        wg_device_find(platform->name, &device, NULL) != WG_OK) {
        return;
    }
    set_if_empty(&result->environment.device, wg_strdup(device->name));
    set_if_empty(&result->environment.arch, wg_strdup(device->arch));
    set_if_empty(&result->environment.driver_version,
                 *device->driver ? wg_strdup(device->driver) : NULL);
    set_if_empty(&result->environment.runtime_version,
                 *device->runtime ? wg_strdup(device->runtime) : NULL);
}

void wg_environment_fill(const struct wg_platform *platform, struct wg_result *result) {
    set_if_empty(&result->environment.platform, wg_strdup(platform->name));
    describe_device(platform, result);
    set_if_empty(&result->environment.device,
                 platform->device ? wg_strdup(platform->device) : NULL);
    set_if_empty(&result->environment.arch, platform->arch ? wg_strdup(platform->arch) : NULL);
    const char *compiler = wg_needs_compiler_program(platform->name);
    set_if_empty(&result->environment.compiler_version,
                 compiler_version(compiler ? compiler : platform->compiler));
    set_if_empty(&result->environment.cpu, value_in_file("/proc/cpuinfo", "model name", "\t :"));
    set_if_empty(&result->environment.os, describe_system());
    set_if_empty(&result->environment.wavegrade_version, wg_strdup(WG_VERSION));
    set_if_empty(&result->environment.isolation, describe_isolation());
    result->environment.date_s = wg_clock_wall_s();
    if (!result->environment.warp_size) {
        result->environment.warp_size = platform->warp_size;
    }
}
