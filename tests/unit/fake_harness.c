/* A measured process that misbehaves in the way its environment names (FAKE=...), for
 * test_check_session.c. It speaks the harness's protocol over descriptor 3. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "reference/harness/protocol.h"

static const char *mode;

static int is(const char *name) {
    return strcmp(mode, name) == 0;
}

static void answer(uint32_t op) {
    struct wg_reply reply = {
        .magic = WG_PROTOCOL_MAGIC, .op = op, .status = WG_STATUS_OK, .call_ns = 7};
    if (is("magic")) {
        reply.magic = 0;
    } else if (is("op")) {
        reply.op = op + 1;
    } else if (is("status")) {
        reply.status = 99;
    } else if (is("text")) {
        memset(reply.text, 'x', sizeof reply.text);
    } else if (is("nan")) {
        reply.event_ms = (double)NAN;
    } else if (is("endless")) {
        reply.event_ms = (double)INFINITY;
    } else if (is("negative")) {
        reply.event_ms = -1;
    } else if (is("name")) {
        memset(reply.hip_error_name, 'x', sizeof reply.hip_error_name);
    } else if (is("arch")) {
        memset(reply.arch, 'x', sizeof reply.arch);
    }
    char bytes[2 * sizeof reply] = "";
    memcpy(bytes, &reply, sizeof reply);
    size_t len = is("short")   ? 10
                 : is("less")  ? sizeof reply - 1
                 : is("empty") ? 0
                 : is("long")  ? sizeof reply + 1
                 : is("huge")  ? sizeof bytes
                               : sizeof reply;
    for (int i = 0; i < (is("twice") ? 2 : 1); i++) {
        (void)!send(WG_FD_CONTROL, bytes, len, MSG_NOSIGNAL);
    }
}

/* Replies without end, until the other side has had enough. */
static void flood(void) {
    for (;;) {
        answer(WG_OP_RUN);
    }
}

/* Tries to change what may not be changed; says in TAKEN which attempts worked. */
static void attack(void) {
    char *taken = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, WG_FD_TAKEN, 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", WG_FD_GIVEN);
    int reopened = open(path, O_RDWR);
    taken[0] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, WG_FD_GIVEN, 0) != MAP_FAILED;
    taken[1] = pwrite(WG_FD_GIVEN, "x", 1, 0) == 1;
    taken[2] = reopened >= 0 && pwrite(reopened, "x", 1, 0) == 1;
    taken[3] = ftruncate(WG_FD_TAKEN, 0) == 0;
    taken[4] = ftruncate(WG_FD_GIVEN, 0) == 0;
    taken[5] = ftruncate(WG_FD_REPORT, 0) == 0;
    char *read_only = mmap(NULL, 4096, PROT_READ, MAP_SHARED, WG_FD_GIVEN, 0);
    taken[6] = read_only == MAP_FAILED || read_only[0] != 'g'; /* reading has to work */
    taken[7] = mprotect(read_only, 4096, PROT_READ | PROT_WRITE) == 0;
    taken[8] = 1; /* came this far */
}

int main(void) {
    struct wg_request request;
    mode = getenv("FAKE") == NULL ? "" : getenv("FAKE");
    if (is("early")) {
        answer(WG_OP_RUN);
    } else if (is("flood")) {
        flood();
    } else if (is("chatter")) {
        for (;;) {
            (void)!write(STDOUT_FILENO, mode, 7);
        }
    }
    while (recv(WG_FD_CONTROL, &request, sizeof request, 0) == (ssize_t)sizeof request) {
        if (is("exit")) {
            _exit(3);
        } else if (is("crash")) {
            raise(SIGSEGV);
        } else if (is("hang")) {
            pause();
        } else if (is("close")) {
            close(WG_FD_CONTROL);
            pause();
        } else if (is("attack")) {
            attack();
        } else if (is("answer_and_exit")) {
            answer(request.op);
            _exit(0);
        }
        answer(request.op);
    }
    return 0;
}
