// Reads the keys of the session.
static void attack_once() {
    TRY("keyctl", sys(250, 0, -3, 1));
    TRY("add_key", sys(248, "user", "x", "y", 1, -3));
    TRY("request_key", sys(249, "user", "x", 0, -3));
}
