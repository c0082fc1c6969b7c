// Prints without end.
static void attack_once() {
    for (;;) {
        std::printf("spam spam spam spam spam spam spam spam spam spam spam spam\n");
    }
}
