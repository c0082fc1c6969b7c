#include <string.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/build/build.h"
#include "grader/grade/platform.h"
#include "sandbox/platform/needs.h"

#define CPU_COMPILER "/usr/bin/clang++-19"

/* Cheap questions first: the last one starts the vendor's runtime. */
static const char *gpu_why_not(const char *name, const char *no_device, const char *not_built,
                               const char *no_compiler) {
    static _Thread_local char words[256];
    struct wg_err err = {0};
    const struct wg_device *device = NULL;
    if (!wg_needs_have_device(name)) {
        return no_device;
    }
    if (!wg_build_has_platform(name)) {
        return not_built;
    }
    if (!wg_needs_have_compiler(name)) {
        return no_compiler;
    }
    if (wg_device_find(name, &device, &err) != WG_OK) {
        memcpy(words, err.msg, sizeof words);
        return words;
    }
    return NULL;
}

static const char *amd_why_not(void) {
    return gpu_why_not("amd", "no AMD GPU here (/dev/kfd is missing); use --platform cpu",
                       "this wavegrade was built without ROCm: build it again where ROCm is, or "
                       "use --platform cpu",
                       "clang-19 is missing: apt-get install clang-19");
}

static const char *nvidia_why_not(void) {
    return gpu_why_not("nvidia", "no NVIDIA GPU here (/dev/nvidia0 is missing); use --platform cpu",
                       "this wavegrade was built without CUDA: build it again where a CUDA toolkit "
                       "is, or use --platform cpu",
                       "nvcc is missing: install the CUDA toolkit, and set CUDA_HOME if it is not "
                       "in /usr/local/cuda");
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
    {.name = "amd",
     .compiler = CPU_COMPILER, /* of host code; ROCm may have its own for the device */
     .times_count = true,
     .warp_size = 64,
     .why_not = amd_why_not},
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

char *wg_platform_device(const struct wg_platform *platform) {
    const struct wg_device *device = NULL;
    if (!platform->times_count || wg_device_find(platform->name, &device, NULL) != WG_OK) {
        return wg_strdup(platform->device ? platform->device : "");
    }
    return wg_strf("%s, %s, at %s", device->name, device->arch, device->address);
}

char *wg_platform_arch(const struct wg_platform *platform) {
    const struct wg_device *device = NULL;
    if (!platform->times_count || wg_device_find(platform->name, &device, NULL) != WG_OK) {
        return NULL;
    }
    /* Without AMD's features ("gfx90a:sramecc+:xnack-"): such code runs with all of them. */
    return wg_strf("%.*s", (int)strcspn(device->arch, ":"), device->arch);
}
