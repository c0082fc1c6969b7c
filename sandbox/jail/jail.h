/* Runs one untrusted command isolated from the machine, the network and the rest of the files.
 *
 * A sandbox is data: fill a struct wg_jail_spec, which is validated and then applied. The spec and
 * everything it points to stay the caller's. A result owns its captured output; wg_jail_result_done
 * frees it. What the command does is an answer (struct wg_jail_result); only a machine that cannot
 * isolate, or runs out of something of ours, is an error. wg_paths_init must have been called.
 *
 * There are two jails. The strong one has namespaces of its own, through bubblewrap. Where no
 * ordinary user may make those, the weaker one confines the command in place, with Landlock: it
 * opens no file and reaches no socket and no process but its own, though it can see that files
 * exist, and /tmp is a folder without a limit on its size. Paths inside mean the same in both: in
 * the weaker one argv, the environment's values and workdir are translated. */
#ifndef WG_JAIL_H
#define WG_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"

/* A host path made visible inside. Source must exist; symbolic links in it are resolved first. */
struct wg_jail_bind {
    const char *source;
    const char *target; /* absolute, below a folder that the jail makes itself */
    bool writable;
    bool device; /* a device node, usable inside; both paths are below /dev */
};

/* A descriptor of ours that the command gets under a fixed number (3 or above). All others are
 * closed. */
struct wg_jail_fd {
    int source;
    int target;
};

enum wg_jail_kind {
    WG_JAIL_DEFAULT,  /* what wg_jail_choose says */
    WG_JAIL_STRONG,   /* bubblewrap */
    WG_JAIL_LANDLOCK, /* the weaker one */
    WG_JAIL_AUTO,     /* the weaker one where the strong one does not work */
};

struct wg_jail_limits {
    int64_t wall_ns;          /* the whole tree is killed after this, see wg_jail_charged */
    int64_t cpu_s;            /* RLIMIT_CPU of each process, at least 1 */
    int64_t memory_bytes;     /* of all processes together; without cgroups by looking at them
                                 now and then; 0 = no limit */
    int64_t file_bytes;       /* RLIMIT_FSIZE */
    int64_t tmpfs_bytes;      /* size of /tmp inside; 0: there is none */
    int64_t output_bytes;     /* stdout + stderr kept; more is OUTPUT_LIMIT */
    int processes;            /* pids in the jail, threads included */
    bool limit_address_space; /* RLIMIT_AS = memory_bytes when no cgroup is available */
};

struct wg_jail_spec {
    const char *const *argv; /* argv[0] is a path inside the jail; NULL-terminated */
    const char *const *env;  /* the whole environment, "NAME=value"; NULL-terminated; may be NULL */
    const struct wg_jail_bind *binds; /* beside /usr and the loader paths, which are always there */
    size_t bind_count;
    const struct wg_jail_fd *fds;
    size_t fd_count;
    const char *workdir;   /* absolute, inside */
    bool without_programs; /* for what starts no other program: no /usr/bin, no /usr/include */
    struct wg_jail_limits limits;
    enum wg_jail_kind kind;
    int landlock_abi; /* for tests: as if the kernel knew no newer one; 0: what it knows */
};

enum wg_jail_end {
    WG_JAIL_EXITED,   /* exit_status */
    WG_JAIL_SIGNALED, /* signal */
    WG_JAIL_WALL_LIMIT,
    WG_JAIL_CPU_LIMIT,
    WG_JAIL_MEMORY_LIMIT, /* from the cgroup's own counter or seen, never guessed from an exit code
                           */
    WG_JAIL_OUTPUT_LIMIT,
    WG_JAIL_KILLED, /* by wg_jail_kill */
};

struct wg_jail_result {
    enum wg_jail_end end;
    int exit_status;
    int signal;
    int64_t wall_ns;
    int64_t cpu_ns;        /* user + system of the whole tree */
    int64_t max_rss_bytes; /* largest process */
    struct wg_buf out;     /* standard output, at most output_bytes */
    struct wg_buf errout;  /* standard error, likewise */
};

struct wg_jail; /* a running jail */

/* What this machine offers, found by trying it, cached for the process. Strings are static. Running
 * does not need a probe first: it fails with WG_EUNSUPPORTED and the same sentence. */
struct wg_jail_abilities {
    bool bubblewrap; /* a command ran in the strong jail */
    bool landlock;   /* a command ran in the weaker one */
    bool seccomp;
    int landlock_abi;             /* of the kernel; 0: none */
    const char *cgroup;           /* "v1", "v2", "none (...reason...)" */
    const char *missing;          /* for the strong jail: NULL, or a sentence that names the
                                     mechanism and the package */
    const char *landlock_missing; /* likewise for the weaker one */
};
const struct wg_jail_abilities *wg_jail_probe(void);

/* Each mechanism that the jails rest on, tried: for a person who wants to know what is wrong. */
#define WG_JAIL_TRIALS_MAX 12
struct wg_jail_trial {
    const char *name;
    bool works;
    bool required;  /* for the strong jail */
    char text[320]; /* what was seen, or what to do */
};
/* Fills as many as it returns. Takes a fraction of a second. */
size_t wg_jail_try(struct wg_jail_trial all[WG_JAIL_TRIALS_MAX]);

/* Which jail those get whose spec leaves it open; WG_JAIL_STRONG if never called. Once, before the
 * first one. */
void wg_jail_choose(enum wg_jail_kind kind);
/* WG_JAIL_STRONG or WG_JAIL_LANDLOCK: which one that is. Probes where it was WG_JAIL_AUTO. */
enum wg_jail_kind wg_jail_chosen(void);

/* A private folder for one job, made so that the jail's uid may enter it; the caller removes it
 * with wg_jail_folder_remove. *out is owned by the caller. */
enum wg_code wg_jail_folder_make(char **out, struct wg_err *err);
enum wg_code wg_jail_folder_remove(const char *path, struct wg_err *err);

/* Makes a file written by us (in a job folder) the jail's own, so that it can read or write it. */
enum wg_code wg_jail_give(const char *path, struct wg_err *err);

/* Reads a regular file that jailed code made: no symbolic links anywhere below folder, bounded.
 * Errors: WG_ENOTFOUND, WG_ELIMIT, WG_EPROTO (not a regular file). */
enum wg_code wg_jail_read_file(const char *folder, const char *name, size_t limit_bytes,
                               struct wg_buf *out, struct wg_err *err);

/* Runs to the end. */
enum wg_code wg_jail_run(const struct wg_jail_spec *spec, struct wg_jail_result *out,
                         struct wg_err *err);

/* Starts and returns; output is collected and limits are enforced by a thread of the jail's own, so
 * the caller may talk to the command over its descriptors. */
enum wg_code wg_jail_start(const struct wg_jail_spec *spec, struct wg_jail **out,
                           struct wg_err *err);

/* How long the command has had, up to when that was last looked at (a fraction of a second ago).
 * Not charged is time in which the machine was too busy to let it run. The wall limit is on this
 * time, with one on the clock far behind it, whose end is an error: such a machine can judge no
 * one. */
struct wg_jail_time {
    int64_t charged_ns;
    int64_t until_ns; /* of the monotonic clock */
};
struct wg_jail_time wg_jail_charged(struct wg_jail *jail);
/* On the clock, for a limit of limit_ns on time that is charged. */
int64_t wg_jail_patience_ns(int64_t limit_ns);
/* Sets *err to what a caller says whose patience is at its end, and returns its code. */
enum wg_code wg_jail_fail_busy(struct wg_err *err);

void wg_jail_kill(struct wg_jail *jail);
/* True once the command is gone; never blocks. */
bool wg_jail_ended(struct wg_jail *jail);
/* Waits for the end (limits still hold), fills *out and frees jail. */
enum wg_code wg_jail_finish(struct wg_jail *jail, struct wg_jail_result *out, struct wg_err *err);

void wg_jail_result_done(struct wg_jail_result *result);

#endif
