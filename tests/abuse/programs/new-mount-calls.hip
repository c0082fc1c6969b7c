// Mounts with the newer calls.
static void attack_once() {
    TRY("fsopen", sys(430, "tmpfs", 0));
    TRY("open_tree", sys(428, AT_CWD, "/", 1));
    TRY("move_mount", sys(429, AT_CWD, "/usr", AT_CWD, "/tmp", 0));
    TRY("mount_setattr", sys(442, AT_CWD, "/", 0, 0, 0));
    TRY("open_tree_attr", sys(467, AT_CWD, "/", 1, 0, 0));
}
