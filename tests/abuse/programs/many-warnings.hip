// A flood of warnings.
#define W1 do { int unused; if (unused = 1) {} } while (0);
#define W10 W1 W1 W1 W1 W1 W1 W1 W1 W1 W1
#define W100 W10 W10 W10 W10 W10 W10 W10 W10 W10 W10
#define W1000 W100 W100 W100 W100 W100 W100 W100 W100 W100 W100
static void attack_once() { W1000 W1000 W1000 W1000 W1000 }
