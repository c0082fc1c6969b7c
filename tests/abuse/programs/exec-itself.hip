// Becomes another program that says it passed (and finds none).
static void attack_once() {
    const char* words[] = {"/bin/echo", "PASS", nullptr};
    sys(SYS_execve, words[0], words, nullptr);
}
