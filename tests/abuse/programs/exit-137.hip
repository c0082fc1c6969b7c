// Ends as if it had been killed for memory.
static void attack_once() {
    sys(SYS_exit_group, 137);
}
