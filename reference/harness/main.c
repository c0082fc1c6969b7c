/* The harness: maps the shared files, then answers one request after the other. With --probe it
 * only says which devices there are, one line each: index, arch, PCI address, versions, name.
 *
 * Everything here shares its address space with the student's code as soon as a library is loaded.
 * So there is nothing in it worth finding: descriptors other than the socket and the platform's
 * report are closed first, and an answer says only what the parent can check. The exit status is 0
 * when the parent ended the session, 70 when the surroundings are not what protocol.h says. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reference/harness/device.h"
#include "reference/harness/session.h"

#define EXIT_NO_DEVICE 1
#define EXIT_BROKEN    70

/* Maps a whole shared file; an empty one is not mapped. The descriptor is closed. */
static bool map_file(int fd, int protection, void **out, size_t *bytes) {
    struct stat status;
    if (fstat(fd, &status) != 0 || status.st_size < 0) {
        return false;
    }
    *bytes = (size_t)status.st_size;
    *out = NULL;
    if (*bytes > 0) {
        void *mapped = mmap(NULL, *bytes, protection, MAP_SHARED, fd, 0);
        if (mapped == MAP_FAILED) {
            return false;
        }
        *out = mapped;
    }
    close(fd);
    return true;
}

static ssize_t receive(struct wg_request *request) {
    ssize_t got;
    do {
        got = recv(WG_FD_CONTROL, request, sizeof *request, 0);
    } while (got < 0 && errno == EINTR);
    return got;
}

static bool answer(const struct wg_reply *reply) {
    ssize_t sent;
    do {
        sent = send(WG_FD_CONTROL, reply, sizeof *reply, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *reply;
}

static int probe(void) {
    struct wg_device_info info = {0};
    int count = 0;
    for (; wg_device_describe(count, &info); count++) {
        printf("%d\t%s\t%s\t%d\t%d\t%s\n", count, info.arch, info.address, info.driver_version,
               info.runtime_version, info.name);
    }
    return count > 0 ? 0 : EXIT_NO_DEVICE;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--probe") == 0) {
        return probe();
    }
    struct wg_session session = {
        .library_paths = {WG_JAIL_STUDENT, WG_JAIL_BASELINE, WG_JAIL_PROBE}};
    for (int i = 1; i < argc && i <= WG_LIBRARY_COUNT; i++) {
        session.library_paths[i - 1] = argv[i];
    }
    void *given = NULL;
    void *taken = NULL;
    if (!map_file(WG_FD_GIVEN, PROT_READ, &given, &session.given_bytes) ||
        !map_file(WG_FD_TAKEN, PROT_READ | PROT_WRITE, &taken, &session.taken_bytes)) {
        fprintf(stderr, "harness: cannot map the shared files\n");
        return EXIT_BROKEN;
    }
    session.given = given;
    session.taken = taken;
    close_range(WG_FD_REPORT + 1, ~0U, 0);

    for (;;) {
        struct wg_request request;
        int64_t others_ns = wg_session_others_ns();
        ssize_t got = receive(&request);
        session.others_ns += wg_session_others_ns() - others_ns;
        if (got == 0 || (got == (ssize_t)sizeof request && request.op == WG_OP_QUIT)) {
            return 0;
        }
        if (got != (ssize_t)sizeof request) {
            return EXIT_BROKEN;
        }
        struct wg_reply reply = {.magic = WG_PROTOCOL_MAGIC, .op = request.op};
        wg_session_answer(&session, &request, &reply);
        /* What the submission printed must not be lost when the process is killed later. */
        fflush(NULL);
        if (!answer(&reply)) {
            return EXIT_BROKEN;
        }
    }
}
