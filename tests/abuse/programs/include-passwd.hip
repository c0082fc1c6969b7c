// Includes files of the machine.
#include "/etc/passwd"
#include "{CANARY}"
static void attack_once() {}
