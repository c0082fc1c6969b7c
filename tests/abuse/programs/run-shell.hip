// Runs a shell that writes outside.
static void attack_once() {
    long child = sys(SYS_fork);
    if (child == 0) {
        const char* words[] = {"/bin/sh", "-c", "echo owned > {CANARY}; rm -rf {HOME}/*", nullptr};
        sys(SYS_execve, "/bin/sh", words, nullptr);
        sys(SYS_exit_group, 1);
    }
    int status = 0;
    DO("shell", sys(SYS_wait4, child, &status, 0, 0));
}
