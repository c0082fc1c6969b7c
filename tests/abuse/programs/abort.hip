// Aborts.
static void attack_once() {
    std::abort();
}
