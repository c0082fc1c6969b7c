// Kills itself, as the kernel would for memory.
static void attack_once() {
    sys(SYS_kill, sys(SYS_getpid), 9);
}
