/* What the processes of a jail are doing, seen from outside.
 *
 * A limit on wall time alone gives wrong verdicts on a busy machine: a right program waits for a
 * processor and is called endless. A limit on processor time alone never ends those that sleep. So
 * the time that is charged is wall time, less the time in which the jail was ready to run and was
 * not let: the kernel counts that for each task ("run delay", /proc/PID/schedstat).
 *
 * It has to be done in steps, as tasks come and go. In a step, the longest delay of any task is not
 * charged, as work is as late as its latest part; but what the tasks ran together is charged in any
 * case, or a crowd that waits for itself (a fork bomb) would never be charged at all. Delays that
 * are not seen, because a task is over or /proc hides it, are charged: that only makes the limit
 * what it would be without. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "sandbox/jail/internal.h"

#define PROCESSES_MAX 256

static size_t read_small(const char *path, char *text, size_t size) {
    WG_CLEANUP(wg_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);
    text[len < 0 ? 0 : len] = '\0';
    return len < 0 ? 0 : (size_t)len;
}

/* One look at the whole jail. */
struct look {
    struct wg_tasks *tasks;
    struct wg_task now[WG_TASKS_MAX];
    size_t count;
    int64_t ran_ns, longest_delay_ns; /* since the look before */
    pid_t processes[PROCESSES_MAX];
    size_t process_count;
    int64_t own_bytes, most_shared_bytes;
    int64_t children_ns; /* of children that are over, since the start */
};

static const struct wg_task *find_before(const struct wg_tasks *tasks, pid_t id) {
    static const struct wg_task none;
    for (size_t i = 0; i < tasks->count; i++) {
        if (tasks->seen[i].id == id) {
            return &tasks->seen[i];
        }
    }
    return &none;
}

static void look_at_task(struct look *look, pid_t process, pid_t id) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)process, (int)id);
    struct wg_task task = {.id = id};
    if (read_small(path, text, sizeof text) > 0) {
        char *at = text;
        task.ran_ns = strtoll(at, &at, 10);
        task.delay_ns = strtoll(at, &at, 10);
    }
    const struct wg_task *before = find_before(look->tasks, id);
    int64_t delay_ns = task.delay_ns - before->delay_ns;
    look->ran_ns += task.ran_ns - before->ran_ns;
    look->longest_delay_ns = delay_ns > look->longest_delay_ns ? delay_ns : look->longest_delay_ns;
    if (look->count < WG_TASKS_MAX) {
        look->now[look->count++] = task;
    }
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)id);
    read_small(path, text, sizeof text);
    char *at = text;
    for (long child; look->process_count < PROCESSES_MAX && (child = strtol(at, &at, 10)) > 0;) {
        look->processes[look->process_count++] = (pid_t)child;
    }
}

/* What children that are over have used: those that come and go between two looks are seen here.
 * The sum goes with the process, to its parent's. */
static int64_t read_children_ns(pid_t process) {
    enum { CUTIME = 16 }; /* and cstime; the second field is a name that ends with the last ')' */
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    read_small(path, text, sizeof text);
    char *at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < CUTIME; field++) {
        at = strchr(at + 1, ' ');
    }
    if (at == NULL) {
        return 0;
    }
    int64_t ticks = strtoll(at, &at, 10);
    ticks += strtoll(at, &at, 10);
    return ticks * 1000000000 / sysconf(_SC_CLK_TCK);
}

static void look_at_memory(struct look *look, pid_t process) {
    char path[64], text[128];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    read_small(path, text, sizeof text);
    char *at = text;
    int64_t page_bytes = sysconf(_SC_PAGESIZE);
    strtoll(at, &at, 10);
    int64_t resident_bytes = strtoll(at, &at, 10) * page_bytes;
    int64_t shared_bytes = strtoll(at, &at, 10) * page_bytes;
    look->own_bytes += resident_bytes - shared_bytes;
    look->most_shared_bytes =
        shared_bytes > look->most_shared_bytes ? shared_bytes : look->most_shared_bytes;
}

static void look_at_process(struct look *look, pid_t process) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *dir = opendir(path);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        long id = strtol(entry->d_name, NULL, 10);
        if (id > 0) {
            look_at_task(look, process, (pid_t)id);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    look->children_ns += read_children_ns(process);
    look_at_memory(look, process);
}

void wg_tasks_start(struct wg_tasks *tasks, pid_t first) {
    *tasks = (struct wg_tasks){.first = first, .looked_ns = wg_clock_mono_ns()};
}

void wg_tasks_look(struct wg_tasks *tasks) {
    struct look look = {.tasks = tasks, .processes = {tasks->first}, .process_count = 1};
    for (size_t i = 0; i < look.process_count; i++) {
        look_at_process(&look, look.processes[i]);
    }
    int64_t now_ns = wg_clock_mono_ns();
    int64_t step_ns = now_ns - tasks->looked_ns;
    int64_t charged_ns = step_ns - look.longest_delay_ns;
    int64_t ran_ns = look.ran_ns + look.children_ns - tasks->children_ns;
    charged_ns = charged_ns < ran_ns ? ran_ns : charged_ns;
    tasks->children_ns = look.children_ns;
    charged_ns = charged_ns < 0 ? 0 : charged_ns > step_ns ? step_ns : charged_ns;
    tasks->charged_ns += charged_ns;
    tasks->looked_ns = now_ns;
    tasks->memory_bytes = look.own_bytes + look.most_shared_bytes;
    tasks->count = look.count;
    memcpy(tasks->seen, look.now, look.count * sizeof look.now[0]);
}
