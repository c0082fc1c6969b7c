// Reads a file of the machine through the assembler.
asm(".pushsection .data\n.incbin \"{CANARY}\"\n.popsection");
static void attack_once() {}
