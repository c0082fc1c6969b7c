// Includes an endless device.
#include "/dev/zero"
static void attack_once() {}
