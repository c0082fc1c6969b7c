/* The jail against real hostile programs (payload.c), as whichever user runs the tests. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "tests/sandbox/trial.h"

static void require_jail(void) {
    trial_require(WG_JAIL_STRONG);
}

TestSuite(jail, .init = require_jail, .timeout = 60);

/* ---- how it ends ---- */

Test(jail, tells_exit_status_from_signal) {
    static const char *const statuses[] = {"0", "1", "7", "137", "255"};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        TRIAL(trial, "exit", statuses[i]);
        trial_run(&trial);
        expect_end(trial, WG_JAIL_EXITED);
        cr_assert_eq(trial.result.exit_status, atoi(statuses[i]));
    }
    static const int signals[] = {SIGSEGV, SIGKILL, SIGABRT, SIGPIPE, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        char text[8];
        snprintf(text, sizeof text, "%d", signals[i]);
        TRIAL(trial, "signal", text);
        trial_run(&trial);
        expect_end(trial, WG_JAIL_SIGNALED);
        cr_assert_eq(trial.result.signal, signals[i]);
    }
}

Test(jail, reports_a_program_that_cannot_run) {
    TRIAL(trial, "exit", "0");
    trial.argv[0] = "/wg/missing";
    struct wg_err err = {0};
    cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_EIO);
    cr_assert_eq(err.sys_errno, ENOENT);
    cr_assert_str_eq(err.msg, "run '/wg/missing' in the jail: No such file or directory");
}

Test(jail, reports_a_missing_source_and_folder) {
    struct wg_err err = {0};
    TRIAL(trial, "exit", "0");
    trial.binds[1] =
        (struct wg_jail_bind){.source = "/nonexistent/x", .target = "/job", .writable = true};
    trial.spec.bind_count = 2;
    cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_ENOTFOUND);
    trial.spec.bind_count = 1;
    trial.spec.workdir = "/job";
    cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_EINTERNAL);
    cr_assert(strstr(err.msg, "/job") != NULL, "%s", err.msg);
}

Test(jail, counts_time_and_memory) {
    TRIAL(trial, "memory", "100");
    trial_run(&trial);
    expect_end(trial, WG_JAIL_EXITED);
    expect_out(trial, "took 100 MiB\n");
    cr_assert_gt(trial.result.cpu_ns, 0);
    cr_assert_gt(trial.result.wall_ns, 0);
    cr_assert_geq(trial.result.max_rss_bytes, 100 * MIB);
    cr_assert_lt(trial.result.max_rss_bytes, 120 * MIB);
}

Test(jail, rejects_impossible_specs) {
    struct wg_err err = {0};
    static const char *const targets[] = {"/",      "/usr/x", "/etc/passwd", "/wg/../etc", "wg",
                                          "/wg//x", "/wg/",   "/proc/1",     "/wg/init"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        TRIAL(trial, "exit", "0");
        trial.binds[0].target = targets[i];
        cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_EINVAL, "%s", targets[i]);
    }
    static const struct wg_jail_bind devices[] = {
        {.source = "/etc/passwd", .target = "/dev/passwd", .device = true},
        {.source = "/dev/full", .target = "/wg/full", .device = true},
        {.source = "/dev/full", .target = "/dev/../etc/full", .device = true},
        {.source = "/dev/full", .target = "/dev/full"},
        {.source = "/dev", .target = "/dev/all", .device = true},
        {.source = "/sys/devices", .target = "/sys/devices", .writable = true},
        {.source = "/tmp", .target = "/sys/devices"},
        {.source = "/sys/kernel", .target = "/sys/kernel"},
    };
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        TRIAL(trial, "exit", "0");
        trial.binds[1] = devices[i];
        trial.spec.bind_count = 2;
        cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_EINVAL, "device %zu", i);
    }
    TRIAL(trial, "exit", "0");
    trial.spec.fd_count = 1;
    trial.fds[0] = (struct wg_jail_fd){0, 2};
    cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_EINVAL);
    trial.fds[0] = (struct wg_jail_fd){999, 3};
    cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_EINVAL);
    trial.spec.fd_count = 0;
    trial.spec.limits.wall_ns = 0;
    cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_EINVAL);
    const char *const bad_env[] = {"NOVALUE", NULL};
    trial.spec.limits.wall_ns = 1;
    trial.spec.env = bad_env;
    cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_EINVAL);
}

/* ---- what it cannot see or touch ---- */

Test(jail, cannot_read_the_machine) {
    WG_CLEANUP(wg_freep) char *secret = NULL;
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_make_temp("wg-secret", &secret, &err), WG_OK);
    TRIAL(trial, "read", "/etc/shadow", "/etc/passwd", "/root", "/home", secret, "/sys/kernel",
          "/usr/share", "/usr/local");
    trial_run(&trial);
    rmdir(secret);
    WG_CLEANUP(wg_freep)
    char *wanted = wg_strf("/etc/shadow ENOENT\n/etc/passwd ENOENT\n/root ENOENT\n/home ENOENT\n"
                           "%s ENOENT\n/sys/kernel ENOENT\n/usr/share ENOENT\n/usr/local ENOENT\n",
                           secret);
    expect_out(trial, wanted);
}

Test(jail, has_only_the_devices_it_is_given) {
    TRIAL(without, "read", "/dev/full", "/dev/zero");
    trial_run(&without);
    expect_out(without, "/dev/full ENOENT\n/dev/zero ok\n");
    TRIAL(with, "read", "/dev/full", "/dev/zero");
    with.binds[1] =
        (struct wg_jail_bind){.source = "/dev/full", .target = "/dev/full", .device = true};
    with.spec.bind_count = 2;
    trial_run(&with);
    expect_out(with, "/dev/full ok\n/dev/zero ok\n");
}

Test(jail, reads_the_tree_of_devices_when_given) {
    TRIAL(with, "read", "/sys/devices/system/cpu/online", "/sys/kernel");
    with.binds[1] = (struct wg_jail_bind){.source = "/sys/devices", .target = "/sys/devices"};
    with.spec.bind_count = 2;
    trial_run(&with);
    expect_out(with, "/sys/devices/system/cpu/online ok\n/sys/kernel ENOENT\n");
}

Test(jail, has_no_programs_where_none_are_needed) {
    TRIAL(trial, "read", "/usr/bin/env", "/bin/sh", "/usr/include/stdio.h",
          "/usr/lib/x86_64-linux-gnu/libc.so.6");
    trial.spec.without_programs = true;
    trial_run(&trial);
    expect_out(trial, "/usr/bin/env ENOENT\n/bin/sh ENOENT\n/usr/include/stdio.h ENOENT\n"
                      "/usr/lib/x86_64-linux-gnu/libc.so.6 ok\n");
}

Test(jail, cannot_read_process_1) {
    setenv("WG_TEST_SECRET", "hidden", 1);
    TRIAL(trial, "read", "/proc/1/environ", "/proc/1/mem", "/proc/1/maps", "/proc/1/root/x");
    trial_run(&trial);
    expect_out(trial, "/proc/1/environ EACCES\n/proc/1/mem EACCES\n/proc/1/maps EACCES\n"
                      "/proc/1/root/x EACCES\n");
}

Test(jail, has_only_the_environment_it_is_given) {
    setenv("WG_TEST_SECRET", "hidden", 1);
    TRIAL(trial, "environ");
    const char *const env[] = {"A=1", "LD_PRELOAD=", "B=x=y z", NULL};
    trial.spec.env = env;
    trial_run(&trial);
    const char *out = wg_buf_str(&trial.result.out);
    cr_assert(strstr(out, "A=1\n") != NULL, "%s", out);
    cr_assert(strstr(out, "B=x=y z\n") != NULL, "%s", out);
    cr_assert_null(strstr(out, "SECRET"), "%s", out);
    size_t lines = 0;
    for (const char *at = out; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    cr_assert_eq(lines, 4, "%s", out); /* ours and bubblewrap's PWD */
}

Test(jail, cannot_write_outside) {
    TRIAL(trial, "write", "/x", "/usr/bin/x", "/dev/x", "/etc/x", "/wg/x",
          "/proc/sys/kernel/core_pattern", "/tmp/x", "/dev/null");
    trial_run(&trial);
    expect_out(trial, "/x EROFS\n/usr/bin/x EROFS\n/dev/x EROFS\n/etc/x EROFS\n/wg/x EROFS\n"
                      "/proc/sys/kernel/core_pattern EACCES\n/tmp/x ok\n/dev/null ok\n");
}

Test(jail, has_no_network) {
    TRIAL(trial, "sockets");
    trial_run(&trial);
    expect_out(trial, "inet EAFNOSUPPORT\ninet6 EAFNOSUPPORT\nnetlink EAFNOSUPPORT\n"
                      "packet EAFNOSUPPORT\nvsock EAFNOSUPPORT\nunix ok\n");
}

Test(jail, sees_only_itself) {
    TRIAL(trial, "pids");
    trial_run(&trial);
    expect_out(trial, "2\n");
    TRIAL(identity, "identity");
    trial_run(&identity);
    expect_out(identity, "root 0 nnp 1 host jail stdin empty core EACCES\n");
}

Test(jail, has_no_inherited_descriptors) {
    int leak = open("/etc/passwd", O_RDONLY); /* without O_CLOEXEC, on purpose */
    cr_assert_geq(leak, 0);
    TRIAL(trial, "list", "/proc/self/fd");
    trial_run(&trial);
    expect_out(trial, "0 1 2 = 3\n");
    close(leak);
}

Test(jail, forbids_dangerous_system_calls) {
    TRIAL(trial, "syscalls");
    trial_run(&trial);
    expect_out(trial, "ptrace EPERM\nprocess_vm_readv EPERM\nbpf EPERM\nperf_event_open EPERM\n"
                      "io_uring_setup EPERM\nuserfaultfd EPERM\nkeyctl EPERM\nmount EPERM\n"
                      "fsopen EPERM\nchroot EPERM\nunshare EPERM\nsetns EPERM\n"
                      "clone_newuser EPERM\nclone3 ENOSYS\npersonality EPERM\n");
    TRIAL(x32, "x32");
    trial_run(&x32);
    expect_end(x32, WG_JAIL_SIGNALED);
    cr_assert_eq(x32.result.signal, SIGSYS);
}

/* ---- limits ---- */

Test(jail, ends_at_the_wall_limit) {
    static const char *const modes[] = {"spin", "cling", "stop"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        TRIAL(trial, modes[i]);
        trial.spec.limits.wall_ns = 300 * MS;
        int64_t took_ns = trial_run_timed(&trial);
        expect_end(trial, WG_JAIL_WALL_LIMIT);
        cr_assert_geq(took_ns, 300 * MS, "%s", modes[i]);
        cr_assert_lt(took_ns, 5000 * MS, "%s took %lld ms", modes[i], (long long)(took_ns / MS));
        if (i == 0) {
            cr_assert_gt(trial.result.cpu_ns, 20 * MS, "the time of a killed tree is lost");
        }
    }
}

/* Others that leave a jail a tenth of the one processor that there is. */
enum { RIVALS = 9 };
static pid_t rivals[RIVALS];

static void start_rivals(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    for (int i = 0; i < RIVALS; i++) {
        rivals[i] = fork();
        if (rivals[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (volatile int forever = 1; forever;) {
            }
        }
    }
}

static void stop_rivals(void) {
    for (int i = 0; i < RIVALS; i++) {
        kill(rivals[i], SIGKILL);
        waitpid(rivals[i], NULL, 0);
    }
}

/* A right program on a busy machine must not be called endless. */
Test(jail, charges_no_time_in_which_others_ran) {
    start_rivals();
    TRIAL(trial, "work", "300");
    trial.spec.limits.wall_ns = 500 * MS;
    int64_t took_ns = trial_run_timed(&trial);
    stop_rivals();
    expect_end(trial, WG_JAIL_EXITED);
    expect_out(trial, "done\n");
    cr_assert_gt(took_ns, 550 * MS, "the rivals were none: %lld ms", (long long)(took_ns / MS));
}

Test(jail, charges_sleep_and_what_waits_for_itself) {
    static const char *const modes[] = {"cling", "crowd"};
    start_rivals();
    for (size_t i = 0; i < 2; i++) {
        /* Without rivals the crowd has the processor, and is charged for all of it. */
        if (i == 1) {
            stop_rivals();
        }
        TRIAL(trial, modes[i]);
        trial.spec.limits.wall_ns = 500 * MS;
        int64_t took_ns = trial_run_timed(&trial);
        expect_end(trial, WG_JAIL_WALL_LIMIT);
        cr_assert_lt(took_ns, 5000 * MS, "%s took %lld ms", modes[i], (long long)(took_ns / MS));
    }
}

Test(jail, ends_at_the_cpu_limit) {
    TRIAL(trial, "spin"); /* ignores SIGXCPU */
    trial.spec.limits.cpu_s = 1;
    trial_run(&trial);
    expect_end(trial, WG_JAIL_CPU_LIMIT);
    cr_assert_lt(trial.result.cpu_ns, 4000 * MS);
}

Test(jail, ends_floods) {
    static const char *const streams[] = {"1", "2"};
    for (size_t i = 0; i < 2; i++) {
        TRIAL(trial, "flood", streams[i]);
        int64_t took_ns = trial_run_timed(&trial);
        expect_end(trial, WG_JAIL_OUTPUT_LIMIT);
        cr_assert_eq(trial.result.out.len + trial.result.errout.len, 65536);
        cr_assert_lt(took_ns, 2000 * MS);
    }
}

Test(jail, keeps_output_up_to_the_limit) {
    TRIAL(just, "print", "65536");
    trial_run(&just);
    expect_end(just, WG_JAIL_EXITED);
    cr_assert_eq(just.result.out.len, 65536);
    TRIAL(more, "print", "65537");
    trial_run(&more);
    expect_end(more, WG_JAIL_OUTPUT_LIMIT);
}

Test(jail, bounds_memory) {
    TRIAL(trial, "memory", "4000");
    trial.spec.limits.memory_bytes = 100 * MIB;
    trial.spec.limits.limit_address_space = true;
    trial_run(&trial);
    if (trial_has_cgroups()) {
        expect_end(trial, WG_JAIL_MEMORY_LIMIT);
    } else {
        expect_out(trial, "mmap ENOMEM\n");
    }
    TRIAL(unlimited, "memory", "4000"); /* address space, that is: then somebody looks */
    unlimited.spec.limits.memory_bytes = 100 * MIB;
    trial_run(&unlimited);
    expect_end(unlimited, WG_JAIL_MEMORY_LIMIT);
    TRIAL(fits, "memory", "60");
    fits.spec.limits.memory_bytes = 100 * MIB;
    trial_run(&fits);
    expect_end(fits, WG_JAIL_EXITED);
}

Test(jail, lets_address_space_be_reserved) {
    TRIAL(trial, "reserve", "20000");
    trial_run(&trial);
    expect_out(trial, "ok\n");
}

Test(jail, bounds_processes_and_threads) {
    static const char *const modes[] = {"forks", "threads"};
    for (size_t i = 0; i < 2; i++) {
        TRIAL(trial, modes[i]);
        trial.spec.limits.processes = 20;
        trial_run(&trial);
        expect_end(trial, WG_JAIL_EXITED);
        expect_out(trial, "19 EAGAIN\n"); /* and itself */
    }
}

Test(jail, bounds_files) {
    TRIAL(temporary, "fill", "/tmp/x");
    trial_run(&temporary);
    expect_out(temporary, "4194304 ENOSPC\n");
    TRIAL(large, "fill", "/tmp/x");
    large.spec.limits.file_bytes = MIB;
    trial_run(&large);
    expect_out(large, "1048576 EFBIG\n");
    TRIAL(none, "fill", "/tmp/x");
    none.spec.limits.tmpfs_bytes = 0;
    trial_run(&none);
    expect_out(none, "0 ENOENT\n");
}

Test(jail, leaves_no_daemon) {
    char name[16];
    snprintf(name, sizeof name, "wgd%d", (int)getpid());
    TRIAL(trial, "daemon", name);
    int64_t took_ns = trial_run_timed(&trial);
    expect_end(trial, WG_JAIL_EXITED);
    expect_out(trial, "left\n");
    cr_assert_lt(took_ns, 2000 * MS);
    cr_assert_not(trial_is_alive(name));
}

/* ---- descriptors and folders ---- */

Test(jail, talks_over_a_socket_pair) {
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    TRIAL(trial, "echo");
    trial.fds[0] = (struct wg_jail_fd){pair[1], 3};
    trial.spec.fd_count = 1;
    struct wg_err err = {0};
    struct wg_jail *jail = NULL;
    cr_assert_eq(wg_jail_start(&trial.spec, &jail, &err), WG_OK, "%s", err.msg);
    close(pair[1]);
    for (int i = 0; i < 3; i++) {
        char packet[16] = {0};
        cr_assert_eq(send(pair[0], "hello", 5, 0), 5);
        cr_assert_eq(recv(pair[0], packet, sizeof packet, 0), 5);
        cr_assert_str_eq(packet, "HELLO");
    }
    cr_assert_not(wg_jail_ended(jail));
    shutdown(pair[0], SHUT_WR);
    char byte;
    cr_assert_eq(recv(pair[0], &byte, 1, 0), 0, "the end of the command does not close its socket");
    cr_assert_eq(wg_jail_finish(jail, &trial.result, &err), WG_OK, "%s", err.msg);
    expect_end(trial, WG_JAIL_EXITED);
    cr_assert_eq(trial.result.exit_status, 0);
    close(pair[0]);
}

Test(jail, places_descriptors_that_cross) {
    int memory = memfd_create("wg-test", MFD_CLOEXEC);
    cr_assert_eq(ftruncate(memory, 4096), 0);
    cr_assert_eq(pwrite(memory, "a", 1, 0), 1);
    int low = fcntl(memory, F_DUPFD, 3), other = open("/dev/null", O_RDONLY);
    cr_assert(low <= 60 && other <= 60);
    TRIAL(trial, "shared", "60");
    /* each one's target is another's source */
    trial.fds[0] = (struct wg_jail_fd){other, low};
    trial.fds[1] = (struct wg_jail_fd){low, other};
    trial.fds[2] = (struct wg_jail_fd){low, 60};
    trial.spec.fd_count = 3;
    trial_run(&trial);
    expect_end(trial, WG_JAIL_EXITED);
    cr_assert_eq(trial.result.exit_status, 0);
    char byte = 0;
    cr_assert_eq(pread(memory, &byte, 1, 1), 1);
    cr_assert_eq(byte, 'b');
}

Test(jail, is_not_held_up_by_a_stolen_pipe) {
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    TRIAL(trial, "give_stdout");
    trial.fds[0] = (struct wg_jail_fd){pair[1], 3};
    trial.spec.fd_count = 1;
    int64_t took_ns = trial_run_timed(&trial);
    expect_end(trial, WG_JAIL_EXITED);
    expect_out(trial, "ok\n");
    cr_assert_lt(took_ns, 2000 * MS);
}

Test(jail, shares_a_job_folder) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *job = NULL;
    cr_assert_eq(wg_jail_folder_make(&job, &err), WG_OK, "%s", err.msg);
    struct stat st;
    cr_assert(stat(job, &st) == 0 && (st.st_mode & 0777) == 0700);
    WG_CLEANUP(wg_freep) char *input = wg_path_join(job, "input");
    cr_assert_eq(wg_file_write(input, "data", 4, 0600, &err), WG_OK);
    cr_assert_eq(wg_jail_give(input, &err), WG_OK, "%s", err.msg);
    TRIAL(trial, "read", "/job/input");
    trial.binds[1] = (struct wg_jail_bind){.source = job, .target = "/job", .writable = true};
    trial.spec.bind_count = 2;
    trial.spec.workdir = "/job";
    trial_run(&trial);
    expect_out(trial, "/job/input ok\n");
    trial_done(&trial);
    trial.argv[1] = "write";
    trial.argv[2] = "made";
    trial_run(&trial);
    expect_out(trial, "made ok\n");
    trial_done(&trial);
    trial.binds[1].writable = false;
    trial_run(&trial);
    expect_out(trial, "made EROFS\n");
    trial.binds[1].writable = true;
    WG_CLEANUP(wg_buf_done) struct wg_buf made = {0};
    cr_assert_eq(wg_jail_read_file(job, "made", 1, &made, &err), WG_OK, "%s", err.msg);
    cr_assert_str_eq(made.data, "x");
    trial_done(&trial);
    trial.argv[1] = "tree";
    trial.argv[2] = "/job";
    trial_run(&trial);
    cr_assert_eq(trial.result.exit_status, 0);
    cr_assert_eq(wg_jail_folder_remove(job, &err), WG_OK, "%s", err.msg);
    cr_assert_not(wg_file_exists(job));
}

Test(jail, read_file_is_not_fooled) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *job = NULL;
    cr_assert_eq(wg_jail_folder_make(&job, &err), WG_OK);
    WG_CLEANUP(wg_freep) char *link = wg_path_join(job, "link");
    WG_CLEANUP(wg_freep) char *folder_link = wg_path_join(job, "folder_link");
    WG_CLEANUP(wg_freep) char *fifo = wg_path_join(job, "fifo");
    WG_CLEANUP(wg_freep) char *huge = wg_path_join(job, "huge");
    cr_assert(symlink("/etc/passwd", link) == 0 && symlink("/etc", folder_link) == 0 &&
              mkfifo(fifo, 0600) == 0);
    int fd = open(huge, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    cr_assert_eq(ftruncate(fd, (off_t)1 << 40), 0);
    close(fd);
    WG_CLEANUP(wg_buf_done) struct wg_buf out = {0};
    cr_assert_eq(wg_jail_read_file(job, "link", 1 << 20, &out, &err), WG_EPROTO);
    cr_assert_eq(wg_jail_read_file(job, "folder_link/passwd", 1 << 20, &out, &err), WG_EPROTO);
    cr_assert_eq(wg_jail_read_file(job, "../../etc/passwd", 1 << 20, &out, &err), WG_EPROTO);
    cr_assert_eq(wg_jail_read_file(job, "fifo", 1 << 20, &out, &err), WG_EPROTO);
    cr_assert_eq(wg_jail_read_file(job, ".", 1 << 20, &out, &err), WG_EPROTO);
    cr_assert_eq(wg_jail_read_file(job, "huge", 1 << 20, &out, &err), WG_ELIMIT);
    cr_assert_eq(wg_jail_read_file(job, "none", 1 << 20, &out, &err), WG_ENOTFOUND);
    cr_assert_eq(out.len, 0);
    cr_assert_eq(wg_jail_folder_remove(job, &err), WG_OK, "%s", err.msg);
}

/* A checkout in /root, or any folder that the jail's user may not enter. */
Test(jail, binds_from_below_locked_folders) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *locked = NULL; /* 0700 and the caller's own */
    cr_assert_eq(wg_folder_make_temp("wg-locked", &locked, &err), WG_OK);
    WG_CLEANUP(wg_freep) char *inner = wg_path_join(locked, "inner");
    WG_CLEANUP(wg_freep) char *file = wg_path_join(inner, "file");
    cr_assert_eq(wg_folder_make(inner, 0755, &err), WG_OK);
    cr_assert_eq(wg_file_write(file, "x", 1, 0644, &err), WG_OK);
    TRIAL(trial, "read", "/wg/folder/file", "/wg/file");
    trial.binds[1] = (struct wg_jail_bind){.source = inner, .target = "/wg/folder"};
    trial.binds[2] = (struct wg_jail_bind){.source = file, .target = "/wg/file"};
    trial.spec.bind_count = 3;
    trial_run(&trial);
    expect_out(trial, "/wg/folder/file ok\n/wg/file ok\n");
    cr_assert_eq(wg_folder_remove(locked, &err), WG_OK);
}

/* ---- several, and what they leave ---- */

Test(jail, two_run_at_once_and_can_be_killed) {
    struct wg_err err = {0};
    TRIAL(first, "cling");
    TRIAL(second, "cling");
    struct wg_jail *a = NULL, *b = NULL;
    cr_assert_eq(wg_jail_start(&first.spec, &a, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_jail_start(&second.spec, &b, &err), WG_OK, "%s", err.msg);
    cr_assert_not(wg_jail_ended(a));
    cr_assert_not(wg_jail_ended(b));
    wg_jail_kill(a);
    cr_assert_eq(wg_jail_finish(a, &first.result, &err), WG_OK, "%s", err.msg);
    expect_end(first, WG_JAIL_KILLED);
    cr_assert_not(wg_jail_ended(b));
    wg_jail_kill(b);
    for (int i = 0; i < 2000 && !wg_jail_ended(b); i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    cr_assert(wg_jail_ended(b));
    cr_assert_eq(wg_jail_finish(b, &second.result, &err), WG_OK, "%s", err.msg);
    expect_end(second, WG_JAIL_KILLED);
}

/* Counts descriptors, mounts and cgroups that carry our name. */
static void count_traces(size_t counts[3]) {
    WG_CLEANUP(wg_buf_done) struct wg_buf mounts = {0};
    cr_assert_eq(wg_file_read("/proc/self/mounts", 1 << 22, &mounts, NULL), WG_OK);
    counts[0] = counts[1] = counts[2] = 0;
    for (const char *at = mounts.data; (at = strchr(at, '\n')) != NULL; at++) {
        counts[0]++;
    }
    DIR *dir = opendir("/proc/self/fd");
    while (dir != NULL && readdir(dir) != NULL) {
        counts[1]++;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    WG_CLEANUP(wg_freep)
    char *command =
        wg_strf("find /sys/fs/cgroup -name 'wavegrade-%d-*' 2>/dev/null | wc -l", (int)getpid());
    FILE *found = popen(command, "r"); /* NOLINT(bugprone-command-processor): fixed text */
    cr_assert(found != NULL && fscanf(found, "%zu", &counts[2]) == 1);
    pclose(found);
}

Test(jail, leaves_nothing_behind) {
    size_t before[3], after[3];
    count_traces(before);
    for (int i = 0; i < 5; i++) {
        TRIAL(trial, i == 0 ? "flood" : "exit", "1");
        trial_run(&trial);
    }
    TRIAL(broken, "exit", "0");
    broken.spec.workdir = "/missing";
    struct wg_err err = {0};
    cr_assert_neq(wg_jail_run(&broken.spec, &broken.result, &err), WG_OK);
    count_traces(after);
    cr_assert_eq(after[0], before[0], "mounts: %zu, then %zu", before[0], after[0]);
    cr_assert_eq(after[1], before[1], "descriptors: %zu, then %zu", before[1], after[1]);
    cr_assert_eq(after[2], 0, "%zu cgroups are left", after[2]);
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left");
}

Test(jail, dies_with_the_grader) {
    char name[16];
    snprintf(name, sizeof name, "wgg%d", (int)getpid());
    pid_t grader = fork();
    if (grader == 0) {
        TRIAL(trial, "daemon", name);
        trial.argv[1] = "daemon";
        struct wg_jail *jail = NULL;
        _exit(wg_jail_start(&trial.spec, &jail, NULL) == WG_OK && (sleep(30), true) ? 0 : 1);
    }
    /* the daemon lives for a tenth of a second, until the command returns */
    bool seen = false;
    for (int i = 0; i < 500 && !seen; i++) {
        seen = trial_is_alive(name);
    }
    cr_assert(seen);
    kill(grader, SIGKILL);
    waitpid(grader, NULL, 0);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    cr_assert_not(trial_is_alive(name));
}

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

Test(jail, starts_quickly) {
    enum { HALF = 20, RUNS = 2 * HALF + 1 };
    int64_t took_ns[RUNS];
    for (int i = 0; i < RUNS; i++) {
        TRIAL(trial, "exit", "0");
        took_ns[i] = trial_run_timed(&trial);
    }
    qsort(took_ns, RUNS, sizeof took_ns[0], by_size);
    fprintf(stderr, "a jail takes %.1f ms (median of %d)\n", (double)took_ns[HALF] / 1e6, RUNS);
    cr_assert_lt(took_ns[HALF], 400 * MS); /* loose: the machine may be busy */
}
