// Traces its parent.
static void attack_once() {
    long parent = sys(110);
    TRY("seize", sys(SYS_ptrace, 0x4206, parent, 0, 0));
    TRY("attach", sys(SYS_ptrace, 16, 1, 0, 0));
    char byte;
    struct { void* base; size_t length; } here = {&byte, 1}, there = {(void*)0x400000, 1};
    TRY("read memory", sys(310, parent, &here, 1, &there, 1, 0));
    TRY("write memory", sys(311, parent, &here, 1, &there, 1, 0));
    TRY("take descriptor", sys(438, sys(434, parent, 0), 3, 0));
    TRY("kcmp", sys(312, parent, sys(SYS_getpid), 0, 3, 3));
}
