// Asks what files there are, at compile time.
#if __has_include("/etc/passwd") || __has_include("{CANARY}") || __has_include("/root/.bashrc") || \
    __has_include("{ASSIGNMENT}/reference/golden.c") || __has_include("/wg/share/reference/vector_add/golden.c")
#error ESCAPED
#endif
static void attack_once() {}
