// Macros that expand to a thousand million tokens.
#define X0 1,
#define X1 X0 X0 X0 X0 X0 X0 X0 X0
#define X2 X1 X1 X1 X1 X1 X1 X1 X1
#define X3 X2 X2 X2 X2 X2 X2 X2 X2
#define X4 X3 X3 X3 X3 X3 X3 X3 X3
#define X5 X4 X4 X4 X4 X4 X4 X4 X4
#define X6 X5 X5 X5 X5 X5 X5 X5 X5
#define X7 X6 X6 X6 X6 X6 X6 X6 X6
#define X8 X7 X7 X7 X7 X7 X7 X7 X7
#define X9 X8 X8 X8 X8 X8 X8 X8 X8
#define X10 X9 X9 X9 X9 X9 X9 X9 X9
static const char all[] = {X10};
static void attack_once() { std::printf("%d\n", all[0]); }
