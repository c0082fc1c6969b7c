// Opens performance counters.
static void attack_once() {
    uint32_t attributes[32] = {1, 128};
    TRY("perf", sys(298, attributes, 0, -1, -1, 0));
    TRY("any", sys(298, attributes, -1, 0, -1, 0));
}
