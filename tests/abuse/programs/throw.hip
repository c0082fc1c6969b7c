// Throws what nobody catches.
static void attack_once() {
    throw 1;
}
