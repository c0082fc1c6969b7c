// Sets the clock and the names of the machine.
static void attack_once() {
    const long now[2] = {0, 0};
    TRY("settimeofday", sys(164, now, 0));
    TRY("clock_settime", sys(227, 0, now));
    TRY("adjtimex", sys(159, 0));
    TRY("sethostname", sys(170, "owned", 5));
    TRY("setdomainname", sys(171, "owned", 5));
}
