/* NVIDIA's management library tells the clock, where the driver brought it along; the kernel's file
 * does on AMD's devices. */
#include "sandbox/platform/clocks.h"

#include <ctype.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"

enum { SM_CLOCK = 1, FREQUENCY_BYTES = 64 };

typedef int init_fn(void);
typedef int find_fn(const char *address, void **device);
typedef int clock_fn(void *device, int which, unsigned *mhz);

struct wg_clocks {
    void *library, *device;
    clock_fn *read;
    init_fn *end;
    char *file; /* AMD: in Hz */
};

/* dlsym's void * as a function; ISO C has no cast for it. */
static bool find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool open_nvidia(struct wg_clocks *clocks, const char *address) {
    static const char *const names[] = {"libnvidia-ml.so.1",
                                        "/usr/local/nvidia/lib64/libnvidia-ml.so.1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && clocks->library == NULL; i++) {
        clocks->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    init_fn *init = NULL;
    find_fn *by_address = NULL;
    return clocks->library != NULL && find(clocks->library, "nvmlInit_v2", &init) &&
           find(clocks->library, "nvmlShutdown", &clocks->end) &&
           find(clocks->library, "nvmlDeviceGetHandleByPciBusId_v2", &by_address) &&
           find(clocks->library, "nvmlDeviceGetClockInfo", &clocks->read) && init() == 0 &&
           by_address(address, &clocks->device) == 0;
}

static bool open_amd(struct wg_clocks *clocks, const char *address) {
    WG_CLEANUP(wg_freep)
    char *pattern = wg_strf("/sys/bus/pci/devices/%s/hwmon/hwmon*/freq1_input", address);
    for (char *c = pattern; *c != '\0'; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) {
        return false;
    }
    clocks->file = wg_strdup(found.gl_pathv[0]);
    globfree(&found);
    return true;
}

struct wg_clocks *wg_clocks_open(const char *platform, const char *address) {
    struct wg_clocks *clocks = wg_calloc(1, sizeof *clocks);
    bool is_open = strcmp(platform, "nvidia") == 0 ? open_nvidia(clocks, address)
                   : strcmp(platform, "amd") == 0  ? open_amd(clocks, address)
                                                   : false;
    if (!is_open) {
        wg_clocks_close(clocks);
        return NULL;
    }
    return clocks;
}

unsigned wg_clocks_read(struct wg_clocks *clocks) {
    unsigned mhz = 0;
    if (clocks->file != NULL) {
        WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
        if (wg_file_read(clocks->file, FREQUENCY_BYTES, &text, NULL) != WG_OK) {
            return 0;
        }
        return (unsigned)(strtoull(wg_buf_str(&text), NULL, 10) / 1000000);
    }
    return clocks->read(clocks->device, SM_CLOCK, &mhz) == 0 ? mhz : 0;
}

void wg_clocks_close(struct wg_clocks *clocks) {
    if (clocks == NULL) {
        return;
    }
    if (clocks->device != NULL) {
        (void)clocks->end();
    }
    /* The library stays: those that start threads do not like to be unloaded. */
    free(clocks->file);
    free(clocks);
}
