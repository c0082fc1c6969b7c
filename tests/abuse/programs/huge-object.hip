// An object of a gigabyte.
static volatile char large[1 << 30] = {1};
static void attack_once() { std::printf("%d\n", large[7]); }
