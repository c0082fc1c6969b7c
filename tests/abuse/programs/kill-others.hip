// Signals every process there is, and its parent.
static void attack_once() {
    DO("all", sys(SYS_kill, -1, 9)); // what it reaches, the runner looks at
    DO("parent", sys(SYS_kill, sys(110), 9));
    DO("init", sys(SYS_kill, 1, 9));
    TRY("grader", sys(SYS_kill, {PID}, 9));
    TRY("grader's thread", sys(234, {PID}, {PID}, 9));
    TRY("limits", sys(302, {PID}, 4, (const long[]){0, 0}, 0));
}
