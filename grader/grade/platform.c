#include <string.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/grade/platform.h"

#define CPU_COMPILER "/usr/bin/clang++-19"

static const char *amd_why_not(void) {
    return wg_file_exists("/dev/kfd")
               ? "the amd platform is not built into this version of wavegrade; use --platform cpu"
               : "no AMD GPU here (/dev/kfd is missing), and the amd platform is not built in; use "
                 "--platform cpu";
}

static const char *nvidia_why_not(void) {
    return wg_file_exists("/dev/nvidiactl")
               ? "the nvidia platform is not built into this version of wavegrade; use --platform "
                 "cpu"
               : "no NVIDIA GPU here (/dev/nvidiactl is missing), and the nvidia platform is not "
                 "built in; use --platform cpu";
}

static const char *cpu_why_not(void) {
    static const char *const parts[] = {"cpu/compile", "cpu/harness", "cpu/libwghip.so",
                                        "host/harness"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        WG_CLEANUP(wg_freep) char *path = wg_path_join(wg_paths_libexec(), parts[i]);
        if (!wg_file_exists(path)) {
            return "a part of the cpu platform is missing from libexec/wavegrade: install "
                   "wavegrade again";
        }
    }
    if (access(CPU_COMPILER, X_OK) != 0) {
        return CPU_COMPILER " is missing: apt-get install clang-19";
    }
    return NULL;
}

static const struct wg_platform platforms[] = {
    {.name = "amd", .times_count = true, .warp_size = 64, .why_not = amd_why_not},
    {.name = "nvidia", .times_count = true, .warp_size = 32, .why_not = nvidia_why_not},
    {.name = "cpu",
     .device = "emulated GPU on the CPU",
     .arch = "x86-64",
     .compiler = CPU_COMPILER,
     .warp_size = 64,
     .why_not = cpu_why_not},
};
enum { platform_count = sizeof platforms / sizeof platforms[0] };

const struct wg_platform *wg_platform_list(size_t *count) {
    *count = platform_count;
    return platforms;
}

enum wg_code wg_platform_pick(const char *name, const struct wg_platform **out,
                              struct wg_err *err) {
    bool any = strcmp(name, "auto") == 0;
    const char *why_not = NULL;
    for (size_t i = 0; i < platform_count; i++) {
        if (!any && strcmp(platforms[i].name, name) != 0) {
            continue;
        }
        why_not = platforms[i].why_not();
        if (!why_not) {
            *out = &platforms[i];
            return WG_OK;
        }
    }
    if (!why_not) {
        return wg_fail(err, WG_EINVAL, "no platform '%.60s'", name);
    }
    return wg_fail(err, WG_EUNSUPPORTED, "%s", why_not);
}
