// Crashes before main.
static int early = [] { return *(volatile int*)8; }();
static void attack_once() {
    std::printf("%d\n", early);
}
