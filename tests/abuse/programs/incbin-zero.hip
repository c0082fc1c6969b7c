// Reads an endless device through the assembler.
asm(".pushsection .data\n.incbin \"/dev/zero\"\n.popsection");
static void attack_once() {}
