// Crashes after main.
struct late {
    ~late() { *(volatile int*)8 = 1; }
} late;
static void attack_once() {}
