// What stands before each program of programs/: a right kernel, and system calls without the C
// library, whose functions a submission may not import. A program defines attack_once(); where one
// of its TRYs succeeds that must not, no kernel is run and the verdict cannot be PASS.
#include <hip/hip_runtime.h>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

__global__ void sum(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

template <typename... T> static long sys(long number, T... values) {
    long v[6] = {(long)values...};
    long result;
    register long d asm("r10") = v[3];
    register long e asm("r8") = v[4];
    register long f asm("r9") = v[5];
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(v[0]), "S"(v[1]), "d"(v[2]), "r"(d), "r"(e), "r"(f)
                 : "rcx", "r11", "memory");
    return result;
}

enum {
    SYS_read = 0, SYS_write = 1, SYS_open = 2, SYS_close = 3, SYS_mmap = 9, SYS_ioctl = 16, SYS_pause = 34,
    SYS_getpid = 39, SYS_socket = 41, SYS_connect = 42, SYS_sendto = 44, SYS_fork = 57, SYS_execve = 59,
    SYS_exit = 60, SYS_wait4 = 61, SYS_kill = 62, SYS_fcntl = 72, SYS_ftruncate = 77, SYS_mkdir = 83,
    SYS_symlink = 88, SYS_ptrace = 101, SYS_setsid = 112, SYS_prctl = 157, SYS_exit_group = 231
};
static const int READ = 0, WRITE = 1 | 0100, AT_CWD = -100;

static bool escaped;

// Must fail.
#define TRY(what, call)                                                                            \
    do {                                                                                           \
        long tried = (call);                                                                       \
        escaped |= tried >= 0;                                                                     \
        std::printf("%s: %ld\n", what, tried);                                                     \
    } while (0)
// Only worth knowing.
#define DO(what, call) std::printf("%s: %ld\n", what, (long)(call))

static long get(const char* path) {
    char bytes[64] = {0};
    long fd = sys(SYS_open, path, READ | 04000, 0);
    return fd < 0 ? fd : sys(SYS_read, fd, bytes, sizeof bytes - 1);
}

static long put(const char* path) {
    long fd = sys(SYS_open, path, WRITE, 0666);
    return fd < 0 ? fd : sys(SYS_write, fd, "owned", 5);
}

static void attack_once();

extern "C" void attack(const float* a, const float* b, float* c, int n) {
    static bool done;
    if (!done) {
        done = true;
        sys(SYS_prctl, 15, "{NAME}", 0, 0, 0); // the process's name, which descendants inherit
        attack_once();
    }
    if (!escaped) {
        sum<<<(n + 255) / 256, 256>>>(a, b, c, n);
    }
}
#line 1 "attack.hip"
