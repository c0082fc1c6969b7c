#include "sandbox/platform/needs.h"

#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/choose.h"

enum { AMD, NVIDIA, PLATFORM_COUNT };
static const char *const names[PLATFORM_COUNT] = {"amd", "nvidia"};

static struct {
    pthread_once_t once;
    struct wg_needs compiler[PLATFORM_COUNT], run[PLATFORM_COUNT];
    bool have_compiler[PLATFORM_COUNT], have_device[PLATFORM_COUNT];
    char *compiler_program[PLATFORM_COUNT];
} found = {.once = PTHREAD_ONCE_INIT};

/* By wg_needs_choose_device, before `found` is filled; NULL: the first. */
static char *chosen[PLATFORM_COUNT];

static void add(struct wg_needs *needs, struct wg_jail_bind bind) {
    if (needs->bind_count < WG_NEEDS_MAX) {
        needs->binds[needs->bind_count++] = bind;
    }
}

static void add_env(struct wg_needs *needs, const char *value) {
    size_t count = 0;
    while (needs->env[count] != NULL) {
        count++;
    }
    if (count + 1 < WG_NEEDS_MAX) {
        needs->env[count] = value;
    }
}

static void add_device(struct wg_needs *needs, const char *path) {
    if (wg_file_exists(path)) {
        add(needs, (struct wg_jail_bind){.source = path, .target = path, .device = true});
    }
}

/* The first path that fits a pattern; heap, NULL: none. */
static char *first_match(const char *pattern) {
    glob_t matches;
    if (glob(pattern, 0, NULL, &matches) != 0) {
        return NULL;
    }
    char *path = wg_strdup(matches.gl_pathv[0]);
    globfree(&matches);
    return path;
}

/* The first folder of the list that has the named file; heap, NULL: none. Entries may be NULL. */
static char *folder_with(const char *const *folders, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        WG_CLEANUP(wg_freep) char *path = folders[i] ? wg_path_join(folders[i], name) : NULL;
        if (path && wg_file_exists(path)) {
            return wg_strdup(folders[i]);
        }
    }
    return NULL;
}

/* ---- nvidia --------------------------------------------------------------------------------- */

/* Where jails have the toolkit and the driver, wherever they lie outside. The harness has the first
 * in its run path (reference/harness). */
#define CUDA_INSIDE           "/wg/cuda"
#define CUDA_LIBRARIES_INSIDE "/wg/cuda/lib64"
#define DRIVER_INSIDE         "/wg/driver"

static void find_cuda(void) {
    static const char *const library_names[] = {"lib64", "targets/x86_64-linux/lib", "lib"};
    const char *const places[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
                                  "/opt/cuda"};
    char *cuda = folder_with(places, sizeof places / sizeof places[0], "bin/nvcc");
    /* A distribution's package lies in /usr, which jails have. */
    char *nvcc = wg_path_join(cuda ? cuda : "/usr", "bin/nvcc");
    found.have_compiler[NVIDIA] = wg_file_exists(nvcc);
    found.compiler_program[NVIDIA] = nvcc;
    if (!cuda) {
        return;
    }
    add(&found.compiler[NVIDIA], (struct wg_jail_bind){.source = cuda, .target = CUDA_INSIDE});
    add_env(&found.compiler[NVIDIA], "CUDA_HOME=" CUDA_INSIDE);
    for (size_t i = 0; i < sizeof library_names / sizeof library_names[0]; i++) {
        char *libraries = wg_path_join(cuda, library_names[i]);
        if (wg_file_is_folder(libraries)) {
            add(&found.run[NVIDIA],
                (struct wg_jail_bind){.source = libraries, .target = CUDA_LIBRARIES_INSIDE});
            return;
        }
        free(libraries);
    }
}

/* One device; the others do not exist in the jail. */
static void find_nvidia_device(void) {
    /* Containers get the driver that fits the machine's kernel in the first two. Those below
     * /usr/lib are in jails anyway. */
    static const char *const folders[] = {
        "/usr/local/nvidia/lib64",
        "/usr/local/nvidia/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/usr/local/lib64",
        "/usr/local/lib",
        "/usr/local/lib/x86_64-linux-gnu",
        "/run/opengl-driver/lib",
    };
    struct wg_needs *run = &found.run[NVIDIA];
    char *device = chosen[NVIDIA] ? chosen[NVIDIA] : first_match("/dev/nvidia[0-9]*");
    if (device) {
        found.have_device[NVIDIA] = true;
        add_device(run, device);
        add_device(run, "/dev/nvidiactl");
        add_device(run, "/dev/nvidia-uvm");
    }
    WG_CLEANUP(wg_freep)
    char *driver = folder_with(folders, sizeof folders / sizeof folders[0], "libcuda.so.1");
    if (driver && strncmp(driver, "/usr/lib", 8) != 0) {
        add(run, (struct wg_jail_bind){.source = WG_TAKE(&driver), .target = DRIVER_INSIDE});
        add_env(run, "LD_LIBRARY_PATH=" DRIVER_INSIDE);
    }
    /* Nothing is compiled at run time, so there is nothing to keep either. */
    add_env(run, "CUDA_CACHE_DISABLE=1");
}

/* ---- amd ------------------------------------------------------------------------------------ */

static void find_amd(void) {
    static const struct wg_jail_bind rocm = {.source = "/opt/rocm", .target = "/opt/rocm"};
    bool have_rocm = wg_file_is_folder(rocm.source);
    if (have_rocm) {
        add(&found.compiler[AMD], rocm);
        add(&found.run[AMD], rocm);
    }
    found.have_compiler[AMD] = true; /* clang, as on the cpu platform */
    char *render = chosen[AMD] ? chosen[AMD] : first_match("/dev/dri/renderD*");
    if (render && wg_file_exists("/dev/kfd")) {
        found.have_device[AMD] = true;
        add_device(&found.run[AMD], "/dev/kfd");
        add_device(&found.run[AMD], render);
        /* Where the runtime finds out which devices there are, and what renderDN belongs to. */
        add(&found.run[AMD],
            (struct wg_jail_bind){.source = "/sys/devices", .target = "/sys/devices"});
        add(&found.run[AMD],
            (struct wg_jail_bind){.source = "/sys/dev/char", .target = "/sys/dev/char"});
    }
}

/* ---- the interface -------------------------------------------------------------------------- */

static void find_all(void) {
    find_amd();
    find_cuda();
    find_nvidia_device();
}

static int index_of(const char *platform) {
    for (int i = 0; i < PLATFORM_COUNT; i++) {
        if (strcmp(platform, names[i]) == 0) {
            pthread_once(&found.once, find_all);
            return i;
        }
    }
    return -1;
}

enum wg_code wg_needs_choose_device(const char *platform, const char *wanted, struct wg_err *err) {
    struct wg_gpu gpus[WG_CHOOSE_MOST];
    const struct wg_gpu *gpu = NULL;
    size_t count = wg_choose_list(&wg_choose_machine, gpus);
    enum wg_code code = wg_choose_find(gpus, count, platform, wanted, &gpu, err);
    if (code == WG_OK) {
        chosen[strcmp(gpu->platform, names[AMD]) == 0 ? AMD : NVIDIA] =
            wg_path_join(wg_choose_machine.dev, gpu->node);
    }
    return code;
}

static const struct wg_needs nothing;

const struct wg_needs *wg_needs_of_compiler(const char *platform) {
    int i = index_of(platform);
    return i < 0 ? &nothing : &found.compiler[i];
}

const struct wg_needs *wg_needs_of_run(const char *platform) {
    int i = index_of(platform);
    return i < 0 ? &nothing : &found.run[i];
}

bool wg_needs_have_device(const char *platform) {
    int i = index_of(platform);
    return i < 0 || found.have_device[i];
}

bool wg_needs_have_compiler(const char *platform) {
    int i = index_of(platform);
    return i < 0 || found.have_compiler[i];
}

const char *wg_needs_compiler_program(const char *platform) {
    int i = index_of(platform);
    return i < 0 ? NULL : found.compiler_program[i];
}
