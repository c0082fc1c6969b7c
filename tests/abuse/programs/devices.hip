// Opens device nodes: memory, disks, consoles, other jobs' GPUs.
static void attack_once() {
    const char* nodes[] = {"/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/nvme0n1", "/dev/console",
                           "/dev/tty", "/dev/fuse", "/dev/kvm", "/dev/kfd", "/dev/dri/renderD128",
                           "/dev/dri/renderD129", "/dev/nvidia0", "/dev/nvidia1", "/dev/nvidiactl"};
    for (const char* node : nodes) {
        TRY(node, sys(SYS_open, node, 2, 0));
    }
}
