// Names files as compilers name lists of options.
#include "@{CANARY}"
#include "-o/tmp/owned"
static void attack_once() {}
