// Silences the compiler and asks for libraries.
#pragma clang system_header
#pragma GCC diagnostic ignored "-Wall"
#pragma comment(lib, "/etc/passwd")
#pragma clang attribute push(__attribute__((section(".init_array"))), apply_to = variable(is_global))
#pragma clang attribute pop
#pragma weak attack
static void attack_once() {}
