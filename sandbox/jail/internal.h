/* Private to sandbox/jail: what its files share. */
#ifndef WG_JAIL_INTERNAL_H
#define WG_JAIL_INTERNAL_H

#include <signal.h>

#include "sandbox/jail/jail.h"

/* When the caller is root, jails run as this uid and gid. Debian reserves 65000 to 65533 and gives
 * them to no one; systemd's dynamic users end at 65519. */
#define WG_JAIL_UID 65530

#define WG_JAIL_MAX_BINDS 32
#define WG_JAIL_MAX_FDS   16
#define WG_JAIL_MAX_FD    63 /* highest descriptor number a spec may ask for */

/* Where the jail's own first process is, inside. */
#define WG_JAIL_INIT_TARGET "/wg/init"

/* ---- what init (process 1 of the jail) tells the supervisor, one datagram each ---- */

enum wg_init_kind {
    WG_INIT_SETUP_FAILED = 1, /* before exec of bwrap; value = errno, step = enum wg_launch_step */
    WG_INIT_READY,            /* the jail is set up */
    WG_INIT_EXEC_FAILED,      /* value = errno; step = WG_INIT_STEP_FOLDER: not even entered it */
    WG_INIT_ENDED,            /* value = wait status of the command; everything else is gone too */
};

#define WG_INIT_STEP_FOLDER 1

/* Asks init to kill and count everything; whoever does not believe it kills init itself. */
#define WG_INIT_STOP_SIGNAL SIGTERM

struct wg_init_message {
    int32_t kind;
    int32_t value;
    int32_t step;
    int32_t unused;
    int64_t command_cpu_ns; /* of the command and what it waited for */
    int64_t cpu_ns;         /* of everything in the jail */
    int64_t max_rss_bytes;  /* of the largest process */
};

/* ---- channel.c ---- */

/* Ours does not block. */
bool wg_channel_open_pipe(int *ours, int *theirs);
/* The next message, without waiting, and who sent it. */
bool wg_channel_receive(int fd, struct wg_init_message *message, pid_t *sender);

/* ---- cgroup.c ---- */

struct wg_cgroup {
    int version;      /* 1, 2, or 0: none */
    char *folders[2]; /* v1: memory, pids; v2: the one folder, NULL */
    int join_fds[2];  /* writing "0" there moves the writer in; -1: none */
};

/* Nothing made: what wg_cgroup_remove accepts as well. */
#define WG_CGROUP_NONE ((struct wg_cgroup){.join_fds = {-1, -1}})

/* "v1", "v2" or "none (reason)"; decided once. */
const char *wg_cgroup_kind(void);
/* version 0 and success where none can be used. */
enum wg_code wg_cgroup_make(const struct wg_jail_limits *limits, struct wg_cgroup *out,
                            struct wg_err *err);
/* Kills everything in it. */
void wg_cgroup_kill(const struct wg_cgroup *cgroup);

enum wg_cgroup_oom {
    WG_CGROUP_OOM_NONE,
    WG_CGROUP_OOM_OWN,     /* the jail reached its own limit */
    WG_CGROUP_OOM_MACHINE, /* killed although its own limit was never reached */
};
enum wg_cgroup_oom wg_cgroup_oom(const struct wg_cgroup *cgroup);
int64_t wg_cgroup_peak_bytes(const struct wg_cgroup *cgroup); /* 0: not known */
/* Removes the cgroup, which must be empty by then. Frees the contents in any case. */
enum wg_code wg_cgroup_remove(struct wg_cgroup *cgroup, struct wg_err *err);

/* ---- seccomp.c ---- */

/* A new descriptor from which the filter's program can be read. without_namespaces: what namespaces
 * would confine is forbidden as well. */
enum wg_code wg_seccomp_open(bool without_namespaces, int *out, struct wg_err *err);

/* ---- landlock.c ---- */

/* From this version on rulesets bound signals and abstract sockets too, to processes with the same
 * ruleset. */
#define WG_LANDLOCK_ABI_SCOPED 6
#define WG_LANDLOCK_SCOPES     3

/* The kernel's version of the interface, 0: it has none, or Landlock is switched off. */
int wg_landlock_abi(void);

/* ---- tasks.c ---- */

#define WG_TASKS_MAX 256

struct wg_task {
    pid_t id;
    int64_t ran_ns, delay_ns;
};

struct wg_tasks {
    pid_t first; /* process 1 of the jail, as seen from here */
    int64_t looked_ns;
    int64_t charged_ns;   /* from the start to looked_ns, without the time it was not let run */
    int64_t memory_bytes; /* resident at the last look */
    int64_t children_ns;  /* processor time of processes that were over by then */
    size_t count;
    struct wg_task seen[WG_TASKS_MAX];
};

void wg_tasks_start(struct wg_tasks *tasks, pid_t first);
/* Brings all of it up to now. */
void wg_tasks_look(struct wg_tasks *tasks);

/* ---- spec.c ---- */

enum wg_code wg_spec_check(const struct wg_jail_spec *spec, struct wg_err *err);

/* ---- bwrap.c ---- */

/* A bind. In the strong jail as root: a mount source to be made reachable for WG_JAIL_UID before
 * privileges are dropped. In the weaker one: what target means. */
struct wg_stage {
    char *source; /* resolved */
    char *target; /* the weaker jail's only */
    bool is_folder;
};

/* All that the forked child needs, made beforehand: between fork and exec of a program with
 * threads nothing may be allocated. */
struct wg_launch {
    enum wg_jail_kind kind;
    char **argv; /* of bwrap, or of init; then env is the command's, else empty */
    size_t argc;
    char **env;
    size_t env_count;
    struct wg_stage stages[WG_JAIL_MAX_BINDS + 2]; /* all binds, init last */
    size_t stage_count;
    bool as_root; /* the caller is root: stage the mounts and drop to WG_JAIL_UID */
    struct wg_jail_fd fds[WG_JAIL_MAX_FDS + 3]; /* the spec's; filter, ruleset, status */
    size_t fd_count, spec_fd_count;
    int in_fd, out_fd, errout_fd, status_fd;
    int join_fds[2];
};

/* Folder, inside the private mount namespace, where staged sources appear as 0, 1, ... */
#define WG_STAGE_FOLDER "/tmp"

/* Descriptor numbers inside; -1: none. */
struct wg_launch_fds {
    int status, filter, ruleset;
    bool is_scoped; /* the ruleset bounds signals too */
};

/* Fills argv, stages and as_root. */
enum wg_code wg_bwrap_plan(const struct wg_jail_spec *spec, bool has_cgroup,
                           const struct wg_launch_fds *fds, struct wg_launch *out,
                           struct wg_err *err);
/* Fills argv, env, stages and as_root, and makes the ruleset. tmp: what is /tmp for the command,
 * NULL: nothing is. */
enum wg_code wg_landlock_plan(const struct wg_jail_spec *spec, bool has_cgroup, const char *tmp,
                              const struct wg_launch_fds *fds, int *ruleset_fd,
                              struct wg_launch *out, struct wg_err *err);
/* Paths outside become those of the spec again, in what the command has printed. */
void wg_landlock_translate_back(const struct wg_launch *launch, struct wg_buf *text);

/* The folders of the system that a command sees, and where its first program is outside. */
#define WG_SYSTEM_FOLDERS_MAX 8
size_t wg_spec_system_folders(const struct wg_jail_spec *spec,
                              const char *out[WG_SYSTEM_FOLDERS_MAX]);
enum wg_code wg_launch_find_init(char **out, struct wg_err *err);
/* The next word of argv: a copy, or one that becomes launch's own. */
void wg_launch_add(struct wg_launch *launch, const char *word);
void wg_launch_add_owned(struct wg_launch *launch, char *word);
/* init's command line from its numbers on, and the command's program. */
void wg_launch_add_init(struct wg_launch *launch, const struct wg_jail_spec *spec, bool has_cgroup,
                        const struct wg_launch_fds *fds);
void wg_launch_done(struct wg_launch *launch);

/* NULL when bubblewrap is not installed. */
const char *wg_bwrap_program(void);

/* ---- launch.c ---- */

/* Runs in the forked child; never returns. */
_Noreturn void wg_launch_child(const struct wg_launch *launch);
const char *wg_launch_step_words(int step);

#endif
