// Asks for a program interpreter and libraries of its own.
extern "C" const char interpreter[] __attribute__((section(".interp"), used)) = "/tmp/owned";
asm(".pushsection .note.owned,\"a\"\n.string \"x\"\n.popsection");
asm(".symver attack,attack@OWNED_1");
static void attack_once() {}
