// Changes its root folder.
static void attack_once() {
    DO("mkdir", sys(SYS_mkdir, "/tmp/root", 0700));
    TRY("chroot", sys(161, "/tmp/root"));
    TRY("pivot_root", sys(155, "/tmp/root", "/tmp/root"));
}
