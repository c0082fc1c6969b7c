// Locks all memory that it has.
static void attack_once() {
    TRY("mlockall", sys(151, 7));
}
