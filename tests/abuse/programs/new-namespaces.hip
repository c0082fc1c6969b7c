// Makes namespaces, which would give it capabilities.
static void attack_once() {
    const long kinds[] = {0x10000000, 0x20000, 0x40000000, 0x20000000, 0x08000000, 0x04000000, 0x02000000};
    for (long kind : kinds) {
        TRY("unshare", sys(272, kind));
        long child = sys(56, kind | 17, 0, 0, 0, 0);
        if (child == 0) {
            sys(SYS_exit_group, 0);
        }
        TRY("clone", child);
    }
    TRY("clone3", sys(435, 0, 0));
}
