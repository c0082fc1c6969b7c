// Runs programs with more rights.
static void attack_once() {
    const char* programs[] = {"/usr/bin/su", "/usr/bin/mount", "/usr/bin/passwd", "/usr/bin/newgrp"};
    for (const char* program : programs) {
        long child = sys(SYS_fork);
        if (child == 0) {
            const char* words[] = {program, "-c", "echo owned > {CANARY}", nullptr};
            sys(SYS_execve, program, words, nullptr);
            sys(SYS_exit_group, 1);
        }
        int status = 0;
        sys(SYS_wait4, child, &status, 0, 0);
        TRY(program, status == 0 ? 0 : -1);
    }
}
