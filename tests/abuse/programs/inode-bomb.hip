// Makes files without end.
static void attack_once() {
    long count = 0;
    for (; count < 1000000; count++) {
        char name[32];
        std::snprintf(name, sizeof name, "/tmp/%ld", count);
        if (sys(SYS_mkdir, name, 0700) < 0) {
            break;
        }
    }
    DO("folders", count);
    escaped |= count > 100000;
}
