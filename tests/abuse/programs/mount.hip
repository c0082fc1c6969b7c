// Mounts and unmounts.
static void attack_once() {
    TRY("tmpfs", sys(165, "x", "/tmp", "tmpfs", 0, 0));
    TRY("proc", sys(165, "proc", "/tmp", "proc", 0, 0));
    TRY("remount", sys(165, "x", "/", 0, 32, 0));
    TRY("umount", sys(166, "/usr", 2));
    TRY("umount /", sys(166, "/", 2));
}
