// Includes the references.
#include "{ASSIGNMENT}/reference/tuned.hip"
static void attack_once() {}
