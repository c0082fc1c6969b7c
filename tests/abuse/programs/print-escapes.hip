// Prints terminal escapes and bidirectional overrides.
static void attack_once() {
    std::printf("\033]0;owned\007\033[2J\033[31mPASS\033[0m \xe2\x80\xaeSSAP \x9b" "2J \b\b\b\r PASS\n");
    std::printf("\xff\xfe\xc0\x80 bad UTF-8 \xed\xa0\x80 %c nul\n", 0);
}
