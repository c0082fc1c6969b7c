/* The system call filter, on top of the namespaces: it takes away what has no use in a compiler or
 * a kernel, and has been a way out of sandboxes before.
 *
 * A list of what is forbidden, and not of what is allowed: student code links against any C++
 * runtime, and a call that fails for no visible reason would be our fault. What the namespaces
 * already confine (files, processes, signals) is left alone. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "sandbox/jail/internal.h"

static const int forbidden[] = {
    /* other processes' memory and descriptors */
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kcmp),
    /* large, young or privileged kernel interfaces */
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(lookup_dcookie),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    SCMP_SYS(migrate_pages),
    SCMP_SYS(move_pages),
    SCMP_SYS(mbind),
    SCMP_SYS(set_mempolicy),
    SCMP_SYS(vhangup),
    SCMP_SYS(quotactl),
    SCMP_SYS(quotactl_fd),
    SCMP_SYS(nfsservctl),
    SCMP_SYS(syslog),
    SCMP_SYS(acct),
    SCMP_SYS(uselib),
    SCMP_SYS(personality),
    SCMP_SYS(memfd_secret),
    SCMP_SYS(landlock_create_ruleset),
    /* mounts and namespaces */
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(open_tree),
    SCMP_SYS(move_mount),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount),
    SCMP_SYS(fspick),
    SCMP_SYS(mount_setattr),
    SCMP_SYS(name_to_handle_at),
    SCMP_SYS(open_by_handle_at),
    /* the machine */
    SCMP_SYS(reboot),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
};

/* What namespaces confine and Landlock does not: attributes of files that are not open, objects
 * and processes that are known by number, clocks' and signals' back doors. */
static const int forbidden_without_namespaces[] = {
    SCMP_SYS(truncate),
    SCMP_SYS(chmod),
    SCMP_SYS(fchmod),
    SCMP_SYS(fchmodat),
    SCMP_SYS(chown),
    SCMP_SYS(lchown),
    SCMP_SYS(fchown),
    SCMP_SYS(fchownat),
    SCMP_SYS(setxattr),
    SCMP_SYS(lsetxattr),
    SCMP_SYS(fsetxattr),
    SCMP_SYS(removexattr),
    SCMP_SYS(lremovexattr),
    SCMP_SYS(fremovexattr),
    SCMP_SYS(utime),
    SCMP_SYS(utimes),
    SCMP_SYS(futimesat),
    SCMP_SYS(utimensat),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(shmget),
    SCMP_SYS(shmat),
    SCMP_SYS(shmctl),
    SCMP_SYS(semget),
    SCMP_SYS(semop),
    SCMP_SYS(semtimedop),
    SCMP_SYS(semctl),
    SCMP_SYS(msgget),
    SCMP_SYS(msgsnd),
    SCMP_SYS(msgrcv),
    SCMP_SYS(msgctl),
    SCMP_SYS(mq_open),
    SCMP_SYS(mq_unlink),
    SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(process_mrelease),
    SCMP_SYS(setpriority),
    SCMP_SYS(ioprio_set),
    SCMP_SYS(inotify_init),
    SCMP_SYS(inotify_init1),
};

/* Those that name a process have to name the caller as 0. */
static const int forbidden_on_others[] = {
    SCMP_SYS(prlimit64),          SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setparam),
    SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setattr),
};

static int add_all(scmp_filter_ctx filter, const int *calls, size_t count) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), calls[i], 0);
    }
    return rc;
}

static int add_rules_without_namespaces(scmp_filter_ctx filter) {
    int rc = add_all(filter, forbidden_without_namespaces,
                     sizeof forbidden_without_namespaces / sizeof forbidden_without_namespaces[0]);
    for (size_t i = 0; rc == 0 && i < sizeof forbidden_on_others / sizeof forbidden_on_others[0];
         i++) {
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), forbidden_on_others[i], 1,
                              SCMP_A0(SCMP_CMP_NE, 0));
    }
    /* Descriptors whose signals go to a process of one's choice. */
    static const uint64_t owners[] = {F_SETOWN, F_SETOWN_EX};
    for (size_t i = 0; rc == 0 && i < sizeof owners / sizeof owners[0]; i++) {
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(fcntl), 1,
                              SCMP_A1(SCMP_CMP_EQ, owners[i]));
    }
    /* A path, or an abstract name, reaches the sockets of the user's session. Pairs are harmless
     * but for datagrams, which may be sent to any name. */
    if (rc == 0) {
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 0);
    }
    static const uint64_t unconnected[] = {SOCK_DGRAM, SOCK_RAW, SOCK_RDM};
    for (size_t i = 0; rc == 0 && i < sizeof unconnected / sizeof unconnected[0]; i++) {
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socketpair), 1,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, 15, unconnected[i]));
    }
    return rc;
}

/* A list of what is forbidden knows nothing of calls that are younger than it. To a program they
 * look as on an older kernel. */
static int add_young_calls(scmp_filter_ctx filter) {
    enum { FIRST = 451, LAST = 511 };
    int rc = 0;
    for (int call = FIRST; rc == 0 && call <= LAST; call++) {
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), call, 0);
    }
    return rc;
}

static int add_rules(scmp_filter_ctx filter, bool without_namespaces) {
    int failed = add_all(filter, forbidden, sizeof forbidden / sizeof forbidden[0]);
    if (failed == 0) {
        failed = add_young_calls(filter);
    }
    if (failed == 0 && without_namespaces) {
        failed = add_rules_without_namespaces(filter);
    }
    if (failed != 0) {
        return failed;
    }
    /* clone3 keeps its flags in memory, where a filter cannot look: with ENOSYS the C library falls
     * back to clone, whose flags it can see. */
    int rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    static const uint64_t namespaces[] = {CLONE_NEWNS,  CLONE_NEWUTS, CLONE_NEWIPC,   CLONE_NEWUSER,
                                          CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWCGROUP};
    for (size_t i = 0; rc == 0 && i < sizeof namespaces / sizeof namespaces[0]; i++) {
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces[i], namespaces[i]));
    }
    if (rc == 0 && !without_namespaces) {
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                              SCMP_A0(SCMP_CMP_NE, AF_UNIX));
    }
    return rc;
}

/* The program is the same for every jail of a kind: made once. */
static struct program {
    pthread_once_t once;
    int rc;
    char bytes[16384];
    size_t len;
} programs[2] = {{.once = PTHREAD_ONCE_INIT}, {.once = PTHREAD_ONCE_INIT}};

static void make_program(struct program *program, bool without_namespaces) {
    WG_CLEANUP(wg_closep) int fd = memfd_create("wg-seccomp", MFD_CLOEXEC);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (filter == NULL || fd < 0) {
        program->rc = -ENOMEM;
        seccomp_release(filter);
        return;
    }
    /* 32-bit and x32 calls have other numbers: a process that tries them dies. */
    program->rc = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (program->rc == 0) {
        program->rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    }
    if (program->rc == 0) {
        program->rc = add_rules(filter, without_namespaces);
    }
    if (program->rc == 0) {
        program->rc = seccomp_export_bpf(filter, fd);
    }
    seccomp_release(filter);
    if (program->rc == 0) {
        ssize_t len = pread(fd, program->bytes, sizeof program->bytes, 0);
        program->rc = len <= 0 || (size_t)len == sizeof program->bytes ? -EMSGSIZE : 0;
        program->len = (size_t)len;
    }
}

static void make_usual(void) {
    make_program(&programs[false], false);
}

static void make_stricter(void) {
    make_program(&programs[true], true);
}

enum wg_code wg_seccomp_open(bool without_namespaces, int *out, struct wg_err *err) {
    struct program *program = &programs[without_namespaces];
    pthread_once(&program->once, without_namespaces ? make_stricter : make_usual);
    if (program->rc != 0) {
        errno = -program->rc;
        return wg_fail(err, WG_EIO, "make the system call filter (libseccomp)");
    }
    int fd = memfd_create("wg-seccomp", MFD_CLOEXEC);
    if (fd < 0 || write(fd, program->bytes, program->len) != (ssize_t)program->len ||
        lseek(fd, 0, SEEK_SET) != 0) {
        enum wg_code code = wg_fail(err, WG_EIO, "store the system call filter");
        wg_closep(&fd);
        return code;
    }
    *out = fd;
    return WG_OK;
}
