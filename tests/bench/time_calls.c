/* Calls one library through the real harness, without a jail, and prints each call's time: what a
 * profiler sees of the same process can be held against it.
 *   time_calls HARNESS PROBE.so LIBRARY.so SYMBOL CALLS FLUSH_MIB ARGUMENT...
 * An argument is "f32:COUNT" (a buffer) or "i32=VALUE". */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/harness/probe.h"
#include "reference/harness/protocol.h"
#include "sandbox/platform/report.h"

static int control;

static void fail(const char *what) {
    fprintf(stderr, "time_calls: %s\n", what);
    exit(1);
}

static int make_file(size_t bytes) {
    int fd = memfd_create("shared", 0);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) {
        fail("cannot make a shared file");
    }
    int lifted = fcntl(fd, F_DUPFD, 20);
    close(fd);
    return lifted;
}

static void start(char **argv) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0) {
        fail("cannot make a socket");
    }
    int files[3] = {make_file(4096), make_file(4096), make_file(sizeof(struct wg_report))};
    if (fork() == 0) {
        int inside = fcntl(pair[1], F_DUPFD, 20);
        dup2(inside, WG_FD_CONTROL);
        for (int i = 0; i < 3; i++) {
            dup2(files[i], WG_FD_GIVEN + i);
        }
        execl(argv[1], "harness", argv[3], argv[3], argv[2], (char *)NULL);
        _exit(127);
    }
    close(pair[1]);
    control = pair[0];
}

static struct wg_reply ask(struct wg_request *request) {
    struct wg_reply reply = {0};
    request->magic = WG_PROTOCOL_MAGIC;
    if (send(control, request, sizeof *request, 0) != (ssize_t)sizeof *request ||
        recv(control, &reply, sizeof reply, 0) != (ssize_t)sizeof reply) {
        fail("the harness ended");
    }
    if (reply.status != WG_STATUS_OK) {
        fprintf(stderr, "%s %s\n", reply.text, reply.hip_error_name);
        fail("the harness refused");
    }
    return reply;
}

static void load(enum wg_subject subject, const char *symbol) {
    struct wg_request request = {
        .op = WG_OP_LOAD, .subject = subject, .entry_kind = WG_ENTRY_LAUNCHER};
    snprintf(request.symbol, sizeof request.symbol, "%s", symbol);
    (void)ask(&request);
}

static void add_argument(struct wg_request *request, const char *text) {
    struct wg_arg *arg = &request->args[request->arg_count++];
    if (strncmp(text, "f32:", 4) == 0) {
        *arg = (struct wg_arg){.kind = WG_ARG_BUFFER,
                               .type = WG_TYPE_F32,
                               .flags = WG_ARG_POISON | WG_ARG_FILL,
                               .bytes = strtoull(text + 4, NULL, 10) * 4,
                               .seed = 1,
                               .low = -1,
                               .high = 1};
    } else if (strncmp(text, "i32=", 4) == 0) {
        *arg =
            (struct wg_arg){.kind = WG_ARG_SCALAR, .type = WG_TYPE_I32, .value.i = atoll(text + 4)};
    } else {
        fail("an argument is f32:COUNT or i32=VALUE");
    }
}

int main(int argc, char **argv) {
    if (argc < 8) {
        fail("HARNESS PROBE.so LIBRARY.so SYMBOL CALLS FLUSH_MIB ARGUMENT...");
    }
    start(argv);
    load(WG_SUBJECT_PROBE, WG_PROBE_SYMBOL);
    load(WG_SUBJECT_STUDENT, argv[4]);
    struct wg_request stage = {.op = WG_OP_STAGE, .flush_bytes = strtoull(argv[6], NULL, 10) << 20};
    for (int i = 7; i < argc && stage.arg_count < WG_MAX_ARGS; i++) {
        add_argument(&stage, argv[i]);
    }
    for (int i = 0; i < atoi(argv[5]); i++) {
        struct wg_request call = {.op = WG_OP_TIME};
        (void)ask(&stage);
        printf("%.6f\n", ask(&call).event_ms);
    }
    close(control);
    wait(NULL);
    return 0;
}
