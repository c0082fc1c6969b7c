/* What starting and burying a jail costs: 100 launches of /usr/bin/true in each kind, and as many
 * without one. Wall time on a busy machine says more about the others: the least of it, and the
 * processor time of all processes involved, are what to compare. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "grader/base/clock.h"
#include "grader/base/paths.h"
#include "sandbox/jail/jail.h"

enum { LAUNCHES = 100 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double cpu_ms(void) {
    double sum = 0;
    const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        getrusage(whose[i], &usage);
        sum += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
    }
    return sum;
}

static bool launch_plain(void) {
    char program[] = "/usr/bin/true";
    char *const argv[] = {program, NULL};
    char *const env[] = {NULL};
    pid_t pid = 0;
    int status = 1;
    return posix_spawn(&pid, program, NULL, NULL, argv, env) == 0 &&
           waitpid(pid, &status, 0) == pid && status == 0;
}

static bool launch_in(enum wg_jail_kind kind) {
    const char *const argv[] = {"/usr/bin/true", NULL};
    const struct wg_jail_spec spec = {
        .argv = argv,
        .workdir = "/tmp",
        .kind = kind,
        .without_programs = false, /* as in a build, which has more to mount than a run */
        .limits = {.wall_ns = 60000000000,
                   .cpu_s = 10,
                   .memory_bytes = 1 << 28,
                   .file_bytes = 1 << 20,
                   .tmpfs_bytes = 1 << 20,
                   .output_bytes = 4096,
                   .processes = 16},
    };
    struct wg_jail_result result = {0};
    struct wg_err err = {0};
    bool good = wg_jail_run(&spec, &result, &err) == WG_OK && result.end == WG_JAIL_EXITED;
    if (!good) {
        fprintf(stderr, "%s\n", err.msg);
    }
    wg_jail_result_done(&result);
    return good;
}

static void measure(const char *words, int kind) {
    double took_ms[LAUNCHES];
    double cpu_before_ms = cpu_ms();
    for (int i = 0; i < LAUNCHES; i++) {
        int64_t start_ns = wg_clock_mono_ns();
        if (!(kind < 0 ? launch_plain() : launch_in((enum wg_jail_kind)kind))) {
            printf("%-28s does not work here\n", words);
            return;
        }
        took_ms[i] = (double)(wg_clock_mono_ns() - start_ns) / 1e6;
    }
    double cpu = (cpu_ms() - cpu_before_ms) / LAUNCHES;
    qsort(took_ms, LAUNCHES, sizeof took_ms[0], by_size);
    printf("%-28s %8.2f %8.2f %8.2f %8.2f\n", words, took_ms[LAUNCHES / 2], took_ms[0],
           took_ms[LAUNCHES * 9 / 10], cpu);
}

int main(void) {
    struct wg_err err = {0};
    if (wg_paths_init(&err) != WG_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    printf("%-28s %8s %8s %8s %8s\n", "ms, of 100 launches", "median", "least", "90%", "CPU");
    measure("without a jail", -1);
    measure("strong jail", WG_JAIL_STRONG);
    measure("weaker jail (Landlock)", WG_JAIL_LANDLOCK);
    return 0;
}
