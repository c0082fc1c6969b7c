// Loads a BPF program.
static void attack_once() {
    TRY("bpf", sys(321, 5, 0, 0));
    TRY("map", sys(321, 0, 0, 0));
}
