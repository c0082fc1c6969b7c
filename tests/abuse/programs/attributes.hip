// Changes files without opening them.
static void attack_once() {
    TRY("chmod", sys(90, "{CANARY}", 0777));
    TRY("chown", sys(92, "{CANARY}", 0, 0));
    TRY("truncate", sys(76, "{CANARY}", 0));
    TRY("unlink", sys(87, "{CANARY}"));
    TRY("utime", sys(280, AT_CWD, "{CANARY}", 0, 0));
    TRY("xattr", sys(188, "{CANARY}", "user.x", "x", 1, 0));
}
