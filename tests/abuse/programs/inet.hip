// Connects to the network.
static void attack_once() {
    const uint8_t here[16] = {2, 0, {PORT} >> 8, {PORT} & 255, 127, 0, 0, 1};
    long fd = sys(SYS_socket, 2, 1, 0);
    TRY("tcp", fd < 0 ? fd : sys(SYS_connect, fd, here, 16));
    TRY("udp", sys(SYS_socket, 2, 2, 0));
    TRY("tcp6", sys(SYS_socket, 10, 1, 0));
    TRY("raw", sys(SYS_socket, 2, 3, 1));
    TRY("netlink", sys(SYS_socket, 16, 3, 0));
    TRY("packet", sys(SYS_socket, 17, 3, 0));
    TRY("vsock", sys(SYS_socket, 40, 1, 0));
    TRY("bluetooth", sys(SYS_socket, 31, 1, 0));
    TRY("alg", sys(SYS_socket, 38, 5, 0));
}
