// A constant that takes for ever to compute.
constexpr long slow(int n) { return n < 2 ? n : slow(n - 1) + slow(n - 2); }
constexpr long value = slow(60);
static void attack_once() { std::printf("%ld\n", value); }
