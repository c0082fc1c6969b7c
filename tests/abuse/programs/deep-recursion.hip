// Uses up its stack.
static void attack_once() {
    struct deep {
        static int down(volatile int* x) {
            volatile char room[65536];
            room[0] = (char)*x;
            return down(x) + room[0];
        }
    };
    volatile int x = 1;
    std::printf("%d\n", deep::down(&x));
}
