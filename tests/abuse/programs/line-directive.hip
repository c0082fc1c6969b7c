// Says that its lines are those of another file.
#line 1 "/etc/passwd"
#error here
#line 7 "{CANARY}"
#error and here
static void attack_once() {}
