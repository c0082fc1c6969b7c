// Connects to sockets of the machine by path and by abstract name.
static void attack_once() {
    struct { uint16_t family; char path[108]; } address = {1, "{SOCKET}"}, abstract = {1, "\0{ABSTRACT}"};
    long fd = sys(SYS_socket, 1, 1, 0);
    TRY("path", fd < 0 ? fd : sys(SYS_connect, fd, &address, sizeof address));
    TRY("abstract", fd < 0 ? fd : sys(SYS_connect, fd, &abstract, 2 + 1 + sizeof "{ABSTRACT}" - 1));
    int pair[2];
    long made = sys(53, 1, 2, 0, pair);
    TRY("datagram", made < 0 ? made : sys(SYS_sendto, pair[0], "x", 1, 0, &address, sizeof address));
}
