/* What the jail is tested with: `payload MODE ARGUMENTS` does one forbidden or awkward thing and
 * prints one line about how it went. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static const char *outcome(long rc) {
    return rc >= 0 ? "ok" : strerrorname_np(errno);
}

static void sleep_ms(long ms) {
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

_Noreturn static void sleep_forever(void) {
    for (;;) {
        sleep_ms(100000);
    }
}

static int do_exit(char **args) {
    return atoi(args[0]);
}

static int do_signal(char **args) {
    raise(atoi(args[0]));
    sleep_forever();
}

static int do_environ(char **args) {
    (void)args;
    for (char **e = environ; *e != NULL; e++) {
        printf("%s\n", *e);
    }
    return 0;
}

static int do_read(char **args) {
    for (; *args != NULL; args++) {
        int fd = open(*args, O_RDONLY);
        char byte;
        printf("%s %s\n", *args, outcome(fd < 0 ? fd : read(fd, &byte, 1)));
    }
    return 0;
}

static int do_write(char **args) {
    for (; *args != NULL; args++) {
        int fd = open(*args, O_WRONLY | O_CREAT, 0600);
        printf("%s %s\n", *args, outcome(fd < 0 ? fd : write(fd, "x", 1)));
    }
    return 0;
}

static int do_list(char **args) {
    DIR *dir = opendir(args[0]);
    const struct dirent *entry;
    int count = 0;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(dir)) {
            count++;
            printf("%s ", entry->d_name);
        }
    }
    printf("= %d\n", count);
    return 0;
}

static int do_pids(char **args) {
    (void)args;
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    int count = 0;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        count += atoi(entry->d_name) > 0;
    }
    printf("%d\n", count);
    return 0;
}

static int do_sockets(char **args) {
    (void)args;
    printf("inet %s\n", outcome(socket(AF_INET, SOCK_STREAM, 0)));
    printf("inet6 %s\n", outcome(socket(AF_INET6, SOCK_DGRAM, 0)));
    printf("netlink %s\n", outcome(socket(AF_NETLINK, SOCK_RAW, 0)));
    printf("packet %s\n", outcome(socket(AF_PACKET, SOCK_RAW, 0)));
    printf("vsock %s\n", outcome(socket(AF_VSOCK, SOCK_STREAM, 0)));
    printf("unix %s\n", outcome(socket(AF_UNIX, SOCK_STREAM, 0)));
    return 0;
}

static int do_syscalls(char **args) {
    (void)args;
    printf("ptrace %s\n", outcome(ptrace(PTRACE_TRACEME, 0, NULL, NULL)));
    printf("process_vm_readv %s\n", outcome(syscall(SYS_process_vm_readv, 1, NULL, 0, NULL, 0, 0)));
    printf("bpf %s\n", outcome(syscall(SYS_bpf, 0, NULL, 0)));
    printf("perf_event_open %s\n", outcome(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0)));
    printf("io_uring_setup %s\n", outcome(syscall(SYS_io_uring_setup, 1, NULL)));
    printf("userfaultfd %s\n", outcome(syscall(SYS_userfaultfd, 1)));
    printf("keyctl %s\n", outcome(syscall(SYS_keyctl, 0, 0, 0)));
    printf("mount %s\n", outcome(syscall(SYS_mount, "x", "/tmp", "tmpfs", 0, NULL)));
    printf("fsopen %s\n", outcome(syscall(SYS_fsopen, "tmpfs", 0)));
    printf("chroot %s\n", outcome(syscall(SYS_chroot, "/tmp")));
    printf("unshare %s\n", outcome(syscall(SYS_unshare, CLONE_NEWUSER)));
    printf("setns %s\n", outcome(syscall(SYS_setns, 0, 0)));
    printf("clone_newuser %s\n", outcome(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)));
    printf("clone3 %s\n", outcome(syscall(SYS_clone3, NULL, 0)));
    printf("personality %s\n", outcome(syscall(SYS_personality, 0)));
    return 0;
}

static int do_x32(char **args) {
    (void)args;
    printf("%s\n", outcome(syscall(0x40000000 + SYS_getpid)));
    return 0;
}

static int do_identity(char **args) {
    (void)args;
    struct utsname names;
    uname(&names);
    printf("root %d nnp %d host %s stdin %s core %s\n", getuid() == 0,
           prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), names.nodename,
           getchar() == EOF ? "empty" : "something",
           outcome(open("/proc/sys/kernel/core_pattern", O_WRONLY)));
    return 0;
}

static int do_spin(char **args) {
    (void)args;
    signal(SIGXCPU, SIG_IGN);
    volatile int forever = 1;
    while (forever) {
    }
    return 0;
}

/* Works for so many milliseconds of processor time. */
static int do_work(char **args) {
    clock_t enough = atol(args[0]) * CLOCKS_PER_SEC / 1000;
    while (clock() < enough) {
    }
    printf("done\n");
    return 0;
}

/* Keeps itself from running. */
static int do_crowd(char **args) {
    (void)args;
    for (int i = 0; i < 12; i++) {
        if (fork() == 0) {
            break;
        }
    }
    for (volatile int forever = 1; forever;) {
    }
    return 0;
}

/* Everything a program may do to outlive its welcome. */
static int do_cling(char **args) {
    (void)args;
    for (int i = 1; i < NSIG; i++) {
        signal(i, SIG_IGN);
    }
    for (int fd = 0; fd < 64; fd++) {
        close(fd);
    }
    sleep_forever();
}

static int do_stop(char **args) {
    (void)args;
    raise(SIGSTOP);
    return 3;
}

static int do_daemon(char **args) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            prctl(PR_SET_NAME, args[0]);
            sleep_forever();
        }
        _exit(0);
    }
    sleep_ms(100);
    printf("left\n");
    return 0;
}

static int do_flood(char **args) {
    char block[4096];
    memset(block, 'y', sizeof block);
    for (;;) {
        if (write(atoi(args[0]), block, sizeof block) < 0) {
            return 9;
        }
    }
}

static int do_print(char **args) {
    size_t count = strtoul(args[0], NULL, 10);
    for (size_t i = 0; i < count; i++) {
        putchar('y');
    }
    return 0;
}

static int do_memory(char **args) {
    size_t mib = strtoul(args[0], NULL, 10);
    for (size_t i = 0; i < mib; i++) {
        char *block =
            mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) {
            printf("mmap %s\n", outcome(-1));
            return 4;
        }
        memset(block, (int)i + 1, 1 << 20);
    }
    printf("took %zu MiB\n", mib);
    return 0;
}

static int do_reserve(char **args) {
    size_t gib = strtoul(args[0], NULL, 10);
    void *space =
        mmap(NULL, gib << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    printf("%s\n", outcome(space == MAP_FAILED ? -1 : 0));
    return 0;
}

static int do_forks(char **args) {
    (void)args;
    int count = 0;
    for (;; count++) {
        pid_t child = fork();
        if (child == 0) {
            sleep_forever();
        }
        if (child < 0) {
            break;
        }
    }
    printf("%d %s\n", count, outcome(-1));
    return 0;
}

static void *idle(void *arg) {
    (void)arg;
    sleep_forever();
}

static int do_threads(char **args) {
    (void)args;
    int count = 0, rc = 0;
    for (pthread_t thread; (rc = pthread_create(&thread, NULL, idle, NULL)) == 0;) {
        count++;
    }
    printf("%d %s\n", count, strerrorname_np(rc));
    return 0;
}

static int do_fill(char **args) {
    signal(SIGXFSZ, SIG_IGN);
    int fd = open(args[0], O_WRONLY | O_CREAT, 0600);
    static char block[65536];
    size_t total = 0;
    ssize_t put = 0;
    while (fd >= 0 && total < (size_t)1 << 30 && (put = write(fd, block, sizeof block)) > 0) {
        total += (size_t)put;
    }
    printf("%zu %s\n", total, outcome(fd < 0 ? -1 : put));
    return 0;
}

/* Answers each packet of descriptor 3 with the same bytes in upper case, until the other end
 * closes. */
static int do_echo(char **args) {
    (void)args;
    char packet[64];
    ssize_t got;
    while ((got = recv(3, packet, sizeof packet, 0)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            packet[i] = (char)(packet[i] - ('a' <= packet[i] && packet[i] <= 'z' ? 32 : 0));
        }
        if (send(3, packet, (size_t)got, MSG_NOSIGNAL) != got) {
            return 5;
        }
    }
    return got == 0 ? 0 : 6;
}

/* Leaves a copy of standard output in the socket of descriptor 3. */
static int do_give_stdout(char **args) {
    (void)args;
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte = 'x';
    struct iovec part = {&byte, 1};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(first), &(int){1}, sizeof(int));
    printf("%s\n", outcome(sendmsg(3, &header, 0)));
    return 0;
}

static int do_shared(char **args) {
    char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(args[0]), 0);
    if (memory == MAP_FAILED) {
        return 7;
    }
    memory[1] = (char)(memory[0] + 1);
    return 0;
}

/* What may be done to a process that is not ours. */
static int do_others(char **args) {
    pid_t pid = atoi(args[0]);
    struct rlimit core = {0, 0};
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    siginfo_t info = {.si_code = SI_QUEUE};
    int fd = open("/dev/null", O_RDONLY);
    printf("kill %s\n", outcome(kill(pid, 0)));
    printf("kill_parent %s\n", outcome(kill(getppid(), 0)));
    printf("tgkill %s\n", outcome(syscall(SYS_tgkill, pid, pid, 0)));
    printf("tkill %s\n", outcome(syscall(SYS_tkill, pid, 0)));
    printf("sigqueue %s\n", outcome(syscall(SYS_rt_sigqueueinfo, pid, SIGTERM, &info)));
    printf("pidfd %s\n",
           outcome(syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, pid, 0), 0, NULL, 0)));
    printf("setown %s\n", outcome(fcntl(fd, F_SETOWN, pid)));
    printf("prlimit %s\n", outcome(prlimit(pid, RLIMIT_CORE, &core, NULL)));
    printf("affinity %s\n", outcome(sched_setaffinity(pid, sizeof cpus, &cpus)));
    printf("nice %s\n", outcome(setpriority(PRIO_PROCESS, (id_t)pid, 19)));
    printf("ptrace %s\n", outcome(ptrace(PTRACE_SEIZE, pid, NULL, NULL)));
    kill(-1, SIGURG); /* succeeds whatever it reaches: the test looks who got it */
    return 0;
}

/* What may be done to a file without opening it. */
static int do_attributes(char **args) {
    const char *path = args[0];
    printf("chmod %s\n", outcome(chmod(path, 0777)));
    printf("chown %s\n", outcome(chown(path, getuid(), getgid())));
    printf("utime %s\n", outcome(utimensat(AT_FDCWD, path, NULL, 0)));
    printf("truncate %s\n", outcome(truncate(path, 0)));
    printf("xattr %s\n", outcome(setxattr(path, "user.x", "x", 1, 0)));
    printf("rename %s\n", outcome(rename(path, "/tmp/stolen")));
    printf("link %s\n", outcome(link(path, "/tmp/linked")));
    printf("unlink %s\n", outcome(unlink(path)));
    printf("open_truncate %s\n", outcome(open(path, O_RDONLY | O_TRUNC)));
    return 0;
}

/* Objects that are found by name or number and not by a path. */
static int do_names(char **args) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, args[0], sizeof address.sun_path - 1);
    int pair[2];
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    printf("socket %s\n", outcome(fd));
    printf("connect %s\n",
           outcome(connect(fd < 0 ? 0 : fd, (struct sockaddr *)&address, sizeof address)));
    printf("pair %s\n", outcome(socketpair(AF_UNIX, SOCK_STREAM, 0, pair)));
    printf("datagrams %s\n", outcome(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair)));
    printf("shmget %s\n", outcome(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600)));
    printf("semget %s\n", outcome(semget(IPC_PRIVATE, 1, IPC_CREAT | 0600)));
    printf("msgget %s\n", outcome(msgget(IPC_PRIVATE, IPC_CREAT | 0600)));
    return 0;
}

/* Children that leave children, faster than anybody can look. */
static int do_chain(char **args) {
    for (int i = 0; i < 8; i++) {
        if (fork() == 0) {
            prctl(PR_SET_NAME, args[0]);
            setsid();
            for (;;) {
                if (fork() > 0) {
                    _exit(0);
                }
            }
        }
    }
    sleep_ms(100);
    printf("left\n");
    return 0;
}

static int do_tree(char **args) {
    if (chdir(args[0]) != 0) {
        return 8;
    }
    for (int depth = 0; depth < 1500; depth++) {
        if (mkdir("d", 0700) != 0 || chdir("d") != 0) {
            return 8;
        }
        chmod(".", 0300);
    }
    return 0;
}

static const struct {
    const char *name;
    int (*run)(char **args);
} modes[] = {
    {"exit", do_exit},         {"signal", do_signal},
    {"environ", do_environ},   {"read", do_read},
    {"write", do_write},       {"list", do_list},
    {"pids", do_pids},         {"sockets", do_sockets},
    {"syscalls", do_syscalls}, {"x32", do_x32},
    {"identity", do_identity}, {"spin", do_spin},
    {"work", do_work},         {"crowd", do_crowd},
    {"cling", do_cling},       {"stop", do_stop},
    {"daemon", do_daemon},     {"flood", do_flood},
    {"print", do_print},       {"memory", do_memory},
    {"reserve", do_reserve},   {"forks", do_forks},
    {"threads", do_threads},   {"fill", do_fill},
    {"echo", do_echo},         {"give_stdout", do_give_stdout},
    {"shared", do_shared},     {"tree", do_tree},
    {"others", do_others},     {"attributes", do_attributes},
    {"names", do_names},       {"chain", do_chain},
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) == 0) {
            return modes[i].run(argv + 2);
        }
    }
    fprintf(stderr, "usage: payload MODE [ARGUMENT]...\n");
    return 64;
}
