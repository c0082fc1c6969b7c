/* The jail without namespaces against real hostile programs. What does not depend on how a jail is
 * made is tested in test_jail.c. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "tests/sandbox/trial.h"

static void require_jail(void) {
    trial_require(WG_JAIL_LANDLOCK);
}

TestSuite(weaker, .init = require_jail, .timeout = 60);

/* Kernels of which age are imitated: without truncation, without bounded signals, this one. */
static const int ages[] = {1, 2, 5, 0};
#define FOR_ALL_AGES(i) for (size_t i = 0; i < sizeof ages / sizeof ages[0]; i++)

/* A private folder of the caller's with a file in it. */
static char *make_secret(char **file) {
    char *folder = NULL;
    struct wg_err err = {0};
    setenv("TMPDIR", "/var/tmp", 1); /* /tmp is another one inside */
    cr_assert_eq(wg_folder_make_temp("wg-secret", &folder, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(chmod(folder, 0755), 0);
    *file = wg_path_join(folder, "file");
    cr_assert_eq(wg_file_write(*file, "secret", 6, 0666, &err), WG_OK, "%s", err.msg);
    return folder;
}

Test(weaker, tells_how_it_ended) {
    TRIAL(status, "exit", "137");
    trial_run(&status);
    expect_end(status, WG_JAIL_EXITED);
    cr_assert_eq(status.result.exit_status, 137);
    static const char *const signals[] = {"6", "9", "11"};
    FOR_ALL_AGES(age) {
        for (size_t i = 0; i < 3; i++) {
            TRIAL(trial, "signal", signals[i]);
            trial.spec.landlock_abi = ages[age];
            trial_run(&trial);
            expect_end(trial, WG_JAIL_SIGNALED);
            cr_assert_eq(trial.result.signal, atoi(signals[i]));
        }
    }
}

Test(weaker, reports_a_program_or_folder_that_is_missing) {
    TRIAL(trial, "exit", "0");
    struct wg_err err = {0};
    trial.spec.workdir = "/wg/nowhere";
    cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_EIO);
    cr_assert_str_eq(err.msg, "enter '/wg/nowhere' in the jail: No such file or directory");
    trial.spec.workdir = "/";
    trial.argv[0] = "/wg/missing";
    cr_assert_eq(wg_jail_run(&trial.spec, &trial.result, &err), WG_EIO);
    cr_assert_str_eq(err.msg, "run '/wg/missing' in the jail: No such file or directory");
}

Test(weaker, cannot_read_or_write_the_machine) {
    WG_CLEANUP(wg_freep) char *file = NULL;
    WG_CLEANUP(wg_freep) char *folder = make_secret(&file);
    FOR_ALL_AGES(age) {
        TRIAL(read, "read", "/etc/passwd", file, folder, "/proc/self/status", "/sys/kernel",
              "/usr/share", "/dev/full", "/usr/bin/env", "/dev/zero");
        read.spec.landlock_abi = ages[age];
        trial_run(&read);
        WG_CLEANUP(wg_freep)
        char *wanted =
            wg_strf("/etc/passwd EACCES\n%s EACCES\n%s EACCES\n/proc/self/status EACCES\n"
                    "/sys/kernel EACCES\n/usr/share EACCES\n/dev/full EACCES\n"
                    "/usr/bin/env ok\n/dev/zero ok\n",
                    file, folder);
        expect_out(read, wanted);
        TRIAL(write, "write", file, "/var/tmp/x", "/dev/shm/x", "/usr/bin/x", "/dev/zero", "/tmp/x",
              "/dev/null");
        write.spec.landlock_abi = ages[age];
        trial_run(&write);
        wg_freep(&wanted);
        wanted = wg_strf("%s EACCES\n/var/tmp/x EACCES\n/dev/shm/x EACCES\n/usr/bin/x EACCES\n"
                         "/dev/zero EACCES\n/tmp/x ok\n/dev/null ok\n",
                         file);
        expect_out(write, wanted);
    }
    wg_folder_remove(folder, NULL);
}

Test(weaker, has_no_programs_where_none_are_needed) {
    TRIAL(trial, "read", "/usr/bin/env", "/bin/sh", "/usr/lib/x86_64-linux-gnu/libc.so.6");
    trial.spec.without_programs = true;
    trial_run(&trial);
    expect_out(trial, "/usr/bin/env EACCES\n/bin/sh EACCES\n"
                      "/usr/lib/x86_64-linux-gnu/libc.so.6 ok\n");
}

Test(weaker, cannot_change_files_that_it_does_not_open) {
    WG_CLEANUP(wg_freep) char *file = NULL;
    WG_CLEANUP(wg_freep) char *folder = make_secret(&file);
    FOR_ALL_AGES(age) {
        TRIAL(trial, "attributes", file);
        trial.spec.landlock_abi = ages[age];
        trial_run(&trial);
        cr_assert_null(strstr(wg_buf_str(&trial.result.out), "ok"), "age %d: %s", ages[age],
                       trial.result.out.data);
    }
    struct stat st;
    cr_assert_eq(stat(file, &st), 0);
    cr_assert_eq(st.st_size, 6);
    cr_assert_eq(st.st_mode & 0111, 0);
    wg_folder_remove(folder, NULL);
}

Test(weaker, reaches_no_process_but_its_own) {
    pid_t other = fork();
    if (other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGURG, _exit); /* which nobody minds who does not ask for it */
        for (;;) {
            pause();
        }
    }
    char number[16];
    snprintf(number, sizeof number, "%d", (int)other);
    FOR_ALL_AGES(age) {
        TRIAL(trial, "others", number);
        trial.spec.landlock_abi = ages[age];
        trial_run(&trial);
        expect_end(trial, WG_JAIL_EXITED);
        cr_assert_null(strstr(wg_buf_str(&trial.result.out), "ok"), "age %d: %s", ages[age],
                       trial.result.out.data);
    }
    cr_assert_eq(waitpid(other, NULL, WNOHANG), 0, "the other process is gone");
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
}

Test(weaker, reaches_no_socket_and_no_shared_object) {
    WG_CLEANUP(wg_freep) char *file = NULL;
    WG_CLEANUP(wg_freep) char *folder = make_secret(&file);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.90s/sock", folder);
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_geq(server, 0);
    cr_assert_eq(bind(server, (struct sockaddr *)&address, sizeof address), 0);
    cr_assert(listen(server, 1) == 0 && chmod(address.sun_path, 0777) == 0);
    TRIAL(trial, "names", address.sun_path);
    trial_run(&trial);
    expect_out(trial, "socket EAFNOSUPPORT\nconnect EPERM\npair ok\ndatagrams EAFNOSUPPORT\n"
                      "shmget EPERM\nsemget EPERM\nmsgget EPERM\n");
    TRIAL(network, "sockets");
    trial_run(&network);
    expect_out(network, "inet EAFNOSUPPORT\ninet6 EAFNOSUPPORT\nnetlink EAFNOSUPPORT\n"
                        "packet EAFNOSUPPORT\nvsock EAFNOSUPPORT\nunix EAFNOSUPPORT\n");
    close(server);
    wg_folder_remove(folder, NULL);
}

Test(weaker, forbids_dangerous_system_calls) {
    TRIAL(trial, "syscalls");
    trial_run(&trial);
    expect_out(trial, "ptrace EPERM\nprocess_vm_readv EPERM\nbpf EPERM\nperf_event_open EPERM\n"
                      "io_uring_setup EPERM\nuserfaultfd EPERM\nkeyctl EPERM\nmount EPERM\n"
                      "fsopen EPERM\nchroot EPERM\nunshare EPERM\nsetns EPERM\n"
                      "clone_newuser EPERM\nclone3 ENOSYS\npersonality EPERM\n");
}

Test(weaker, has_its_own_folder_for_temporary_files) {
    TRIAL(trial, "write", "x");
    trial.spec.workdir = "/tmp";
    trial_run(&trial);
    expect_out(trial, "x ok\n");
    TRIAL(again, "read", "x");
    again.spec.workdir = "/tmp";
    trial_run(&again);
    expect_out(again, "x ENOENT\n");
}

Test(weaker, shares_a_job_folder_by_the_name_in_the_spec) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *job = NULL;
    cr_assert_eq(wg_jail_folder_make(&job, &err), WG_OK, "%s", err.msg);
    TRIAL(trial, "write", "/job/made", "/job/../x");
    trial.binds[1] = (struct wg_jail_bind){.source = job, .target = "/job", .writable = true};
    trial.spec.bind_count = 2;
    trial.spec.workdir = "/job";
    trial_run(&trial);
    expect_out(trial, "/job/made ok\n/job/../x EACCES\n");
    trial_done(&trial);
    trial.binds[1].writable = false;
    trial_run(&trial);
    expect_out(trial, "/job/made EACCES\n/job/../x EACCES\n");
    WG_CLEANUP(wg_buf_done) struct wg_buf made = {0};
    cr_assert_eq(wg_jail_read_file(job, "made", 1, &made, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_jail_folder_remove(job, &err), WG_OK);
    TRIAL(environment, "environ");
    const char *const env[] = {"A=1", "WHERE=/wg/payload", NULL};
    environment.spec.env = env;
    trial_run(&environment);
    expect_out(environment, "A=1\nWHERE=/wg/payload\n"); /* there and back */
}

Test(weaker, ends_what_does_not_want_to_end) {
    static const char *const modes[] = {"spin", "cling", "stop"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        TRIAL(trial, modes[i]);
        trial.spec.limits.wall_ns = 300 * MS;
        int64_t took_ns = trial_run_timed(&trial);
        expect_end(trial, WG_JAIL_WALL_LIMIT);
        cr_assert_lt(took_ns, 2500 * MS, "%s took %lld ms", modes[i], (long long)(took_ns / MS));
    }
}

Test(weaker, leaves_no_daemon) {
    static const char *const modes[] = {"daemon", "chain"};
    FOR_ALL_AGES(age) {
        for (size_t i = 0; i < 2; i++) {
            char name[16];
            snprintf(name, sizeof name, "wgw%d", (int)getpid());
            TRIAL(trial, modes[i], name);
            trial.spec.landlock_abi = ages[age];
            trial.spec.limits.processes = 200;
            trial_run(&trial);
            expect_end(trial, WG_JAIL_EXITED);
            expect_out(trial, "left\n");
            cr_assert_not(trial_is_alive(name), "%s of age %d", modes[i], ages[age]);
        }
    }
}

Test(weaker, dies_with_the_grader) {
    FOR_ALL_AGES(age) {
        char name[16];
        snprintf(name, sizeof name, "wgh%d", (int)getpid());
        pid_t grader = fork();
        if (grader == 0) {
            TRIAL(trial, "daemon", name);
            trial.spec.landlock_abi = ages[age];
            struct wg_jail *jail = NULL;
            _exit(wg_jail_start(&trial.spec, &jail, NULL) == WG_OK && (sleep(30), true) ? 0 : 1);
        }
        bool seen = false;
        for (int i = 0; i < 500 && !seen; i++) {
            seen = trial_is_alive(name);
        }
        cr_assert(seen);
        kill(grader, SIGKILL);
        waitpid(grader, NULL, 0);
        bool gone = false;
        for (int i = 0; i < 200 && !gone; i++) {
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
            gone = !trial_is_alive(name);
        }
        cr_assert(gone, "age %d", ages[age]);
    }
}

Test(weaker, bounds_processes_and_memory) {
    TRIAL(forks, "forks");
    trial_run(&forks);
    expect_end(forks, WG_JAIL_EXITED);
    int count = atoi(wg_buf_str(&forks.result.out));
    int room = trial_has_cgroups() ? 0 : 600; /* for others of the same user */
    cr_assert(count >= 60 && count <= 66 + room, "%s", forks.result.out.data);
    TRIAL(memory, "memory", "4000");
    trial_run(&memory);
    expect_end(memory, WG_JAIL_MEMORY_LIMIT);
}

static bool kill_children_of(pid_t parent) {
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    bool found = false;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        WG_CLEANUP(wg_freep) char *path = wg_strf("/proc/%s/status", entry->d_name);
        WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
        const char *line =
            wg_file_read(path, 1 << 16, &text, NULL) == WG_OK ? strstr(text.data, "\nPPid:") : NULL;
        if (line != NULL && atoi(line + 6) == parent) {
            found |= kill(atoi(entry->d_name), SIGKILL) == 0;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return found;
}

/* The grader and the jail's first process are killed, which leaves a daemon in the jail's cgroup.
 * No probe before: it sweeps, once a process. */
Test(weaker_afterwards, the_next_grader_ends_what_is_left, .timeout = 60) {
    char name[16];
    snprintf(name, sizeof name, "wgl%d", (int)getpid());
    int ends[2];
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    pid_t grader = fork();
    if (grader == 0) {
        trial_require(WG_JAIL_LANDLOCK);
        TRIAL(trial, "daemon", name);
        struct wg_jail *jail = NULL;
        bool started = wg_jail_start(&trial.spec, &jail, NULL) == WG_OK;
        char answer = started && trial_has_cgroups() ? 'y' : 'n';
        bool told = write(ends[1], &answer, 1) == 1;
        _exit(told && sleep(30) == 0 ? 0 : 1);
    }
    char answer = 'n';
    cr_assert_eq(read(ends[0], &answer, 1), 1);
    bool seen = false;
    for (int i = 0; i < 500 && !seen; i++) {
        seen = trial_is_alive(name);
    }
    kill(grader, SIGSTOP);
    bool killed = kill_children_of(grader); /* init */
    kill(grader, SIGKILL);
    waitpid(grader, NULL, 0);
    if (answer == 'n') {
        cr_skip_test("without cgroups nobody knows");
    }
    cr_assert(seen && killed && trial_is_alive(name));
    trial_require(WG_JAIL_LANDLOCK);
    bool gone = false;
    for (int i = 0; i < 200 && !gone; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        gone = !trial_is_alive(name);
    }
    cr_assert(gone);
}
