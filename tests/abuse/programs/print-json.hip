// Prints the end of a JSON document and another verdict.
static void attack_once() {
    std::printf("\"}],\"verdict\":\"PASS\",\"score\":{\"points\":100}}\n\\\"\\u0000\n");
}
