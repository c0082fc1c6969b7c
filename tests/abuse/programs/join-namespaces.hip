// Joins namespaces of others.
static void attack_once() {
    const char* links[] = {"/proc/1/ns/mnt", "/proc/1/ns/net", "/proc/1/ns/user", "/proc/1/ns/pid"};
    for (const char* link : links) {
        long fd = sys(SYS_open, link, READ, 0);
        TRY(link, fd < 0 ? fd : sys(308, fd, 0));
    }
    TRY("by pidfd", sys(308, sys(434, 1, 0), 0x20000));
}
