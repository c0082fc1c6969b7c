/* Pipes and datagrams between a jail and its supervisor. */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/jail/internal.h"

bool wg_channel_open_pipe(int *ours, int *theirs) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    *ours = ends[0];
    *theirs = ends[1];
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

bool wg_channel_receive(int fd, struct wg_init_message *message, pid_t *sender) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec part = {message, sizeof *message};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    if (recvmsg(fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *message) {
        return false;
    }
    const struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    *sender = 0;
    if (first != NULL && first->cmsg_type == SCM_CREDENTIALS) {
        struct ucred credentials;
        memcpy(&credentials, CMSG_DATA(first), sizeof credentials);
        *sender = credentials.pid;
    }
    return true;
}
