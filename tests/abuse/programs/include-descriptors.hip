// Includes what its descriptors are.
#include "/proc/self/fd/0"
#include "/dev/stdin"
#include "/proc/self/fd/3"
#include "/proc/self/environ"
#error END
static void attack_once() {}
