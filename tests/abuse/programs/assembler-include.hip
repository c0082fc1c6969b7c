// Reads a file of the machine through the assembler, as a source.
asm(".include \"{CANARY}\"");
static void attack_once() {}
