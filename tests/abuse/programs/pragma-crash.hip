// Asks the compiler to crash.
#pragma clang __debug parser_crash
static void attack_once() {}
