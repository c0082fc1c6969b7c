/* The start of the library: environment, report, signal handlers; and the end: what was found, for
 * people, when no parent listens. */
#include <execinfo.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/platform/cpu/runtime/runtime.h"
#include "sandbox/platform/cpu/runtime/sched.h"

struct wg_config wg_config = {.warp_size = 64, .workers = 1};

/* Was it the submission that called exit()? Then it is still on the stack. */
static void note_exit(void) {
    enum { FRAMES = 64 };
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);
    for (int i = 0; i < count; i++) {
        if (wg_module_holds_code(frames[i])) {
            wg_report->host_exit = 1;
        }
    }
}

void wg_config_watch_exit(void) {
    static bool watching;
    if (!watching) {
        watching = true;
        atexit(note_exit);
        at_quick_exit(note_exit);
    }
}

/* These two skip atexit handlers, so they are noted here: the loader finds them before the C
 * library's. */
_Noreturn void _exit(int status) {
    note_exit();
    wg_report_print();
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

_Noreturn void _Exit(int status) {
    _exit(status);
}

static const char *take_variable(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static uint32_t processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return 1;
    }
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : (uint32_t)count;
}

static void read_environment(void) {
    const char *value = take_variable("WG_CPU_BLOCK_ORDER");
    if (value != NULL && strcmp(value, "down") == 0) {
        wg_config.block_order = WG_BLOCKS_DOWN;
    } else if (value != NULL && strncmp(value, "shuffle:", 8) == 0) {
        wg_config.block_order = WG_BLOCKS_SHUFFLED;
        wg_config.shuffle_seed = strtoull(value + 8, NULL, 0);
    }
    value = take_variable("WG_CPU_THREAD_ORDER");
    wg_config.threads_down = value != NULL && strcmp(value, "down") == 0;
    value = take_variable("WG_CPU_WARP_SIZE");
    wg_config.warp_size = value != NULL && strcmp(value, "32") == 0 ? 32 : 64;
    value = take_variable("WG_CPU_WORKERS");
    long workers = value == NULL ? (long)processors() : strtol(value, NULL, 10);
    wg_config.workers = workers < 1                ? 1
                        : workers > WG_MAX_WORKERS ? WG_MAX_WORKERS
                                                   : (uint32_t)workers;
}

static __attribute__((constructor(101))) void start(void) {
    read_environment();
    const char *value = take_variable("WG_CPU_REPORT_FD");
    wg_report_open(value == NULL ? -1 : (int)strtol(value, NULL, 10));
    static const char *const names[] = {"WG_CPU_BLOCK_ORDER", "WG_CPU_THREAD_ORDER",
                                        "WG_CPU_WARP_SIZE", "WG_CPU_WORKERS", "WG_CPU_REPORT_FD"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsetenv(names[i]);
    }
    wg_fault_install();
    /* Last of all: destructors of the submission may still do wrong. */
    atexit(wg_report_print);
}
