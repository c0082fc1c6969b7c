// Uses functions that no kernel needs.
#include <unistd.h>
static void attack_once() { std::printf("%d\n", (int)fork()); }
