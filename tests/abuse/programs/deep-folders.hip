// Makes folders in folders, which are hard to remove.
static void attack_once() {
    long depth = 0;
    sys(80, "/tmp");
    while (depth < 3000 && sys(SYS_mkdir, "d", 0300) == 0 && sys(80, "d") == 0) {
        depth++;
    }
    DO("deep", depth);
    sys(80, "/tmp");
}
