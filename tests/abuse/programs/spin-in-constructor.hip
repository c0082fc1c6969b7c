// Never comes to main.
static int early = [] {
    for (;;) {
        sys(24); // sched_yield
    }
    return 1;
}();
static void attack_once() {
    std::printf("%d\n", early);
}
