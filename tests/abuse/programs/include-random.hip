// Includes random bytes.
#include "/dev/urandom"
static void attack_once() {}
