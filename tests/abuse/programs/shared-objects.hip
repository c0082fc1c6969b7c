// Leaves shared memory and message queues behind.
static void attack_once() {
    long id = sys(29, {PID}, 1 << 20, 01000 | 0666);
    DO("shmget", id);
    DO("msgget", sys(68, {PID}, 01000 | 0666));
    DO("semget", sys(64, {PID}, 8, 01000 | 0666));
    DO("mq_open", sys(240, "wgabuse", 0102, 0600, 0));
}
