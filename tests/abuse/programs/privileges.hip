// Becomes root.
static void attack_once() {
    TRY("setuid", sys(105, 0) == 0 && get("{CANARY}") >= 0 ? 0 : -1);
    TRY("setgroups", sys(116, 1, (const int[]){0}));
    const uint32_t header[2] = {0x20080522, 0}, all[6] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    TRY("capset", sys(126, header, all));
    TRY("no_new_privs off", sys(SYS_prctl, 38, 0, 0, 0, 0));
    TRY("ambient", sys(SYS_prctl, 47, 2, 21, 0, 0));
    TRY("securebits", sys(SYS_prctl, 28, 0, 0, 0, 0));
    TRY("iopl", sys(172, 3));
    TRY("real time", sys(144, 0, 1, (const int[]){50}));
}
