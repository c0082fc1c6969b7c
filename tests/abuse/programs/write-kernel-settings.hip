// Writes settings of the kernel.
static void attack_once() {
    TRY("core_pattern", put("/proc/sys/kernel/core_pattern"));
    TRY("modprobe", put("/proc/sys/kernel/modprobe"));
    TRY("sysrq", put("/proc/sysrq-trigger"));
    TRY("oom", put("/proc/1/oom_score_adj"));
    TRY("uevent", put("/sys/kernel/uevent_helper"));
    TRY("cgroup", put("/sys/fs/cgroup/cgroup.procs"));
}
