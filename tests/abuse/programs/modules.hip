// Loads kernel modules, swaps, reboots, reads the kernel log.
static void attack_once() {
    TRY("init_module", sys(175, "x", 1, ""));
    TRY("finit_module", sys(313, 0, "", 0));
    TRY("delete_module", sys(176, "ext4", 0));
    TRY("kexec", sys(246, 0, 0, 0, 0));
    TRY("reboot", sys(169, 0xfee1dead, 672274793, 0x1234567, 0));
    TRY("swapoff", sys(168, "/swapfile"));
    TRY("acct", sys(163, "/tmp/x"));
    TRY("syslog", sys(103, 3, 0, 0));
    TRY("quotactl", sys(179, 0, 0, 0, 0));
}
