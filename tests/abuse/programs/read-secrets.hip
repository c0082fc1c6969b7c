// Reads secrets of the machine.
static void attack_once() {
    TRY("/etc/shadow", get("/etc/shadow"));
    TRY("/etc/passwd", get("/etc/passwd"));
    TRY("/root", get("/root/.bashrc"));
    TRY("canary", get("{CANARY}"));
    TRY("/proc/kcore", get("/proc/kcore"));
    TRY("/sys", get("/sys/kernel/notes"));
}
