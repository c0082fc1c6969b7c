// Makes device nodes of its own.
static void attack_once() {
    TRY("block", sys(133, "/tmp/disk", 0060666, 8 << 8));
    TRY("char", sys(133, "/tmp/mem", 0020666, (1 << 8) | 1));
    TRY("zero", sys(133, "/tmp/kfd", 0020666, (235 << 8)));
}
