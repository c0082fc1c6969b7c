// An assembler directive that fills the disk.
asm(".pushsection .data\n.fill 0x7fffffff, 8, 1\n.popsection");
static void attack_once() {}
