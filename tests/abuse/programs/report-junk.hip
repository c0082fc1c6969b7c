// Fills the shared report with junk.
static void attack_once() {
    long bytes = sys(8, 6, 0, 2);
    char* report = (char*)sys(SYS_mmap, 0, bytes > 0 ? bytes : 4096, 3, 1, 6, 0);
    for (long i = 0; (long)report > 0 && i < bytes; i++) {
        report[i] = (char)(i * 251 + 7);
    }
}
