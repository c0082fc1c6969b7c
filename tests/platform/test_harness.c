/* The harness as the parent sees it: the build without a device, its own process, real descriptors.
 * The goldens of the bundled assignments are checked on the way, against another computation. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/harness/protocol.h"

#define FILE_BYTES ((size_t)1 << 20)

static struct {
    pid_t pid;
    int socket;
    unsigned char *given, *taken;
} harness;

/* The descriptor at a number out of the way of 3 to 5, so that dup2 overwrites none of ours. */
static int lift(int fd) {
    int lifted = fcntl(fd, F_DUPFD, 20);
    close(fd);
    return lifted;
}

static void start(const char *library) {
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    int files[2] = {memfd_create("given", 0), memfd_create("taken", 0)};
    unsigned char *maps[2];
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(ftruncate(files[i], (off_t)FILE_BYTES), 0);
        maps[i] = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, files[i], 0);
        cr_assert_neq((void *)maps[i], MAP_FAILED);
        files[i] = lift(files[i]);
    }
    harness.given = maps[0];
    harness.taken = maps[1];
    harness.socket = pair[0];
    harness.pid = fork();
    if (harness.pid == 0) {
        int control = lift(pair[1]);
        dup2(control, WG_FD_CONTROL);
        dup2(files[0], WG_FD_GIVEN);
        dup2(files[1], WG_FD_TAKEN);
        close_range(6, ~0U, 0);
        execl(WG_TEST_HARNESS, "harness", library, library, WG_TEST_PROBE, (char *)NULL);
        _exit(127);
    }
    close(pair[1]);
    close(files[0]);
    close(files[1]);
}

/* Exit status of the harness, which must be about to end. */
static int finish(void) {
    int status = 0;
    cr_assert_eq(waitpid(harness.pid, &status, 0), harness.pid);
    munmap(harness.given, FILE_BYTES);
    munmap(harness.taken, FILE_BYTES);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void stop(void) {
    close(harness.socket);
    cr_assert_eq(finish(), 0);
}

static struct wg_reply ask(const struct wg_request *request) {
    struct wg_reply reply = {0};
    cr_assert_eq(send(harness.socket, request, sizeof *request, MSG_NOSIGNAL),
                 (ssize_t)sizeof *request);
    cr_assert_eq(recv(harness.socket, &reply, sizeof reply, 0), (ssize_t)sizeof reply);
    cr_assert_eq(reply.magic, WG_PROTOCOL_MAGIC);
    cr_assert_eq(reply.op, request->op);
    return reply;
}

static struct wg_request request_for(enum wg_op op) {
    return (struct wg_request){.magic = WG_PROTOCOL_MAGIC, .op = op};
}

static struct wg_reply load(const char *symbol) {
    struct wg_request request = request_for(WG_OP_LOAD);
    request.entry_kind = WG_ENTRY_GOLDEN;
    strncpy(request.symbol, symbol, sizeof request.symbol - 1);
    return ask(&request);
}

static void start_with(const char *library, const char *symbol) {
    start(library);
    struct wg_reply reply = load(symbol);
    cr_assert_eq(reply.status, WG_STATUS_OK, "%s", reply.text);
}

static void add_buffer(struct wg_request *request, enum wg_type type, size_t offset, size_t bytes) {
    request->args[request->arg_count++] = (struct wg_arg){
        .kind = WG_ARG_BUFFER, .type = (uint8_t)type, .offset = offset, .bytes = bytes};
}

static void add_int(struct wg_request *request, enum wg_type type, int64_t value) {
    request->args[request->arg_count++] =
        (struct wg_arg){.kind = WG_ARG_SCALAR, .type = (uint8_t)type, .value.i = value};
}

static void add_float(struct wg_request *request, enum wg_type type, double value) {
    request->args[request->arg_count++] =
        (struct wg_arg){.kind = WG_ARG_SCALAR, .type = (uint8_t)type, .value.f = value};
}

static uint32_t status_of(const struct wg_request *request) {
    return ask(request).status;
}

/* ---- Loading ---- */

Test(harness, loads_once_and_says_what_it_is) {
    start(WG_TEST_PROBE);
    struct wg_reply reply = load("no_such_entry");
    cr_assert_eq(reply.status, WG_STATUS_LOAD_FAILED);
    cr_assert_not_null(strstr(reply.text, "no_such_entry"), "%s", reply.text);
    reply = load("probe_slow");
    cr_assert_eq(reply.status, WG_STATUS_OK);
    cr_assert_str_eq(reply.text, "host");
    cr_assert_eq(load("probe_slow").status, WG_STATUS_BAD_REQUEST);
    stop();
}

Test(harness, says_why_a_library_cannot_be_loaded) {
    start("/nonexistent/library.so");
    struct wg_reply reply = load("golden");
    cr_assert_eq(reply.status, WG_STATUS_LOAD_FAILED);
    cr_assert_not_null(strstr(reply.text, "/nonexistent/library.so"), "%s", reply.text);
    stop();
}

Test(harness, refuses_what_it_does_not_know) {
    start(WG_TEST_PROBE);
    struct wg_request request = request_for(WG_OP_RUN);
    cr_assert_eq(status_of(&request), WG_STATUS_BAD_REQUEST, "nothing is loaded");
    request.magic++;
    cr_assert_eq(status_of(&request), WG_STATUS_BAD_REQUEST, "magic");
    request = request_for((enum wg_op)99);
    cr_assert_eq(status_of(&request), WG_STATUS_BAD_REQUEST, "operation");
    request = request_for(WG_OP_LOAD);
    request.subject = WG_SUBJECT_COUNT;
    cr_assert_eq(status_of(&request), WG_STATUS_BAD_REQUEST, "subject");
    request = request_for(WG_OP_LOAD);
    request.entry_kind = WG_ENTRY_KERNEL;
    strcpy(request.symbol, "probe_slow");
    cr_assert_eq(status_of(&request), WG_STATUS_BAD_REQUEST, "a kernel on the host");
    request.entry_kind = WG_ENTRY_GOLDEN;
    memset(request.symbol, 'x', sizeof request.symbol);
    cr_assert_eq(status_of(&request), WG_STATUS_BAD_REQUEST, "endless symbol");
    stop();
}

/* ---- Arguments ---- */

Test(harness, passes_every_scalar_type) {
    start_with(WG_TEST_PROBE, "probe_scalars");
    struct wg_request request = request_for(WG_OP_RUN);
    add_buffer(&request, WG_TYPE_F64, 256, 64);
    add_int(&request, WG_TYPE_I8, -100);
    add_int(&request, WG_TYPE_U8, 200);
    add_int(&request, WG_TYPE_I32, -2000000000);
    add_int(&request, WG_TYPE_U32, 4000000000);
    add_int(&request, WG_TYPE_I64, -(INT64_C(1) << 50));
    add_int(&request, WG_TYPE_U64, INT64_C(1) << 52);
    add_float(&request, WG_TYPE_F32, 0.5);
    add_float(&request, WG_TYPE_F64, 1e300);
    cr_assert_eq(status_of(&request), WG_STATUS_OK);
    const double want[8] = {-100, 200, -2e9, 4e9, -0x1p50, 0x1p52, 0.5, 1e300};
    cr_assert_arr_eq(harness.taken + 256, want, sizeof want);
    stop();
}

static struct wg_request buffers_request(uint32_t flags) {
    struct wg_request request = request_for(WG_OP_RUN);
    add_buffer(&request, WG_TYPE_U8, 0, 100);
    request.args[0].guard_bytes = 256;
    add_buffer(&request, WG_TYPE_U64, 4096, 32);
    request.flags = flags;
    return request;
}

Test(harness, copies_whole_images_in_and_out) {
    start_with(WG_TEST_PROBE, "probe_buffers");
    for (int i = 0; i < 612; i++) {
        harness.given[i] = (unsigned char)(i * 7);
    }
    memset(harness.given + 4096, 0, 32);
    struct wg_request request = buffers_request(0);
    cr_assert_eq(status_of(&request), WG_STATUS_OK);
    const uint64_t *seen = (const uint64_t *)(void *)(harness.taken + 4096);
    cr_assert_eq(seen[1], harness.given[256]);
    cr_assert_eq(seen[2], harness.given[255]);
    cr_assert_eq(seen[3], 1);
    cr_assert_arr_eq(harness.taken, harness.given, 612);
    stop();
}

Test(harness, keeps_addresses_until_fresh_ones_are_asked_for) {
    start_with(WG_TEST_PROBE, "probe_buffers");
    const uint64_t *seen = (const uint64_t *)(void *)(harness.taken + 4096);
    struct wg_request same = buffers_request(0);
    struct wg_request fresh = buffers_request(WG_REQUEST_FRESH);
    struct wg_request other = buffers_request(0);
    other.args[0].bytes = 200;
    cr_assert_eq(status_of(&same), WG_STATUS_OK);
    uint64_t first = seen[0];
    cr_assert_eq(status_of(&other), WG_STATUS_OK);
    cr_assert_neq(seen[0], first);
    cr_assert_eq(status_of(&same), WG_STATUS_OK);
    cr_assert_eq(seen[0], first, "a case of another size in between changed the address");
    cr_assert_eq(status_of(&fresh), WG_STATUS_OK);
    cr_assert_neq(seen[0], first);
    uint64_t second = seen[0];
    cr_assert_eq(status_of(&same), WG_STATUS_OK);
    cr_assert_eq(seen[0], second);
    stop();
}

Test(harness, leaves_undefined_buffers_alone) {
    start_with(WG_TEST_PROBE, "probe_buffers");
    memset(harness.given + 4096, 0x55, 32);
    struct wg_request request = buffers_request(WG_REQUEST_FRESH);
    request.args[1].flags = WG_ARG_UNDEFINED;
    cr_assert_eq(status_of(&request), WG_STATUS_OK);
    const uint64_t *seen = (const uint64_t *)(void *)(harness.taken + 4096);
    cr_assert_eq(seen[3], 1, "the image was copied in");
    stop();
}

static void expect_bad(struct wg_request request, const char *what) {
    cr_expect_eq(status_of(&request), WG_STATUS_BAD_REQUEST, "%s", what);
}

Test(harness, refuses_buffers_outside_the_files) {
    start_with(WG_TEST_PROBE, "probe_buffers");
    struct wg_request request = buffers_request(0);
    request.args[0].offset = FILE_BYTES - 600;
    expect_bad(request, "guard behind reaches over the end");
    request.args[0].offset = UINT64_MAX - 10;
    expect_bad(request, "offset");
    request = buffers_request(0);
    request.args[0].bytes = UINT64_MAX - 100;
    expect_bad(request, "size");
    request.args[0].bytes = 0;
    expect_bad(request, "nothing");
    request = buffers_request(0);
    request.args[0].guard_bytes = UINT64_MAX - 255;
    expect_bad(request, "guard");
    request.args[0].guard_bytes = 100;
    expect_bad(request, "guard that spoils the alignment");
    request = buffers_request(0);
    request.args[0].type = 77;
    expect_bad(request, "type of an element");
    request = buffers_request(0);
    request.args[0].kind = 3;
    expect_bad(request, "kind");
    request = buffers_request(0);
    add_int(&request, (enum wg_type)0, 1);
    expect_bad(request, "type of a scalar");
    request = buffers_request(0);
    request.arg_count = WG_MAX_ARGS + 1;
    expect_bad(request, "count");
    request = buffers_request(0);
    cr_assert_eq(status_of(&request), WG_STATUS_OK, "and goes on after that");
    stop();
}

/* ---- Timing ---- */

static void load_probe(void) {
    struct wg_request request = request_for(WG_OP_LOAD);
    request.subject = WG_SUBJECT_PROBE;
    request.entry_kind = WG_ENTRY_GOLDEN;
    strcpy(request.symbol, "wg_probe");
    struct wg_reply reply = ask(&request);
    cr_assert_eq(reply.status, WG_STATUS_OK, "%s", reply.text);
}

/* One buffer of a double between guards. */
static struct wg_request stage_request(void) {
    struct wg_request request = request_for(WG_OP_STAGE);
    add_buffer(&request, WG_TYPE_F64, 0, 8);
    request.args[0].guard_bytes = 256;
    request.args[0].flags = WG_ARG_POISON;
    return request;
}

static struct wg_request take_request(uint64_t offset, uint64_t bytes, uint64_t to) {
    struct wg_request request = request_for(WG_OP_TAKE);
    request.range_count = 1;
    request.ranges[0] = (struct wg_range){.offset = offset, .bytes = bytes, .to = to};
    return request;
}

Test(harness, measures_a_staged_call_once) {
    start_with(WG_TEST_PROBE, "probe_slow");
    load_probe();
    struct wg_request stage = stage_request();
    struct wg_request call = request_for(WG_OP_TIME);
    cr_assert_eq(status_of(&call), WG_STATUS_BAD_REQUEST, "nothing is staged");
    cr_assert_eq(status_of(&stage), WG_STATUS_OK);
    struct wg_reply reply = ask(&call);
    cr_assert_eq(reply.status, WG_STATUS_OK);
    cr_assert(reply.event_ms >= 20 && reply.event_ms < 5000, "%g ms", reply.event_ms);
    cr_assert_eq(status_of(&call), WG_STATUS_BAD_REQUEST, "the same call again");

    struct wg_request take = take_request(0, 520, 4096);
    cr_assert_eq(status_of(&take), WG_STATUS_OK);
    cr_assert_eq(harness.taken[4096], WG_POISON_BYTE, "guard in front");
    cr_assert_eq(*(const double *)(void *)(harness.taken + 4096 + 256), 1, "made by the call");
    cr_assert_eq(harness.taken[4096 + 264], WG_POISON_BYTE, "guard behind");
    stop();
}

Test(harness, fills_and_keeps_sets_apart) {
    start_with(WG_TEST_PROBE, "probe_slow");
    load_probe();
    struct wg_request stage = stage_request();
    stage.args[0].flags |= WG_ARG_FILL;
    stage.args[0].seed = 7;
    cr_assert_eq(status_of(&stage), WG_STATUS_OK);
    stage.args[0].seed = 9;
    stage.set = 1;
    cr_assert_eq(status_of(&stage), WG_STATUS_OK);
    struct wg_request take = take_request(256, 8, 0);
    cr_assert_eq(status_of(&take), WG_STATUS_OK);
    cr_assert_eq(*(const double *)(void *)harness.taken, 7);
    take.set = 1;
    cr_assert_eq(status_of(&take), WG_STATUS_OK);
    cr_assert_eq(*(const double *)(void *)harness.taken, 9);
    stage.flags = WG_REQUEST_ALONE;
    cr_assert_eq(status_of(&stage), WG_STATUS_OK);
    take.set = 0;
    cr_assert_eq(status_of(&take), WG_STATUS_BAD_REQUEST, "a set that was given back");
    stop();
}

Test(harness, refuses_to_take_what_is_not_there) {
    start_with(WG_TEST_PROBE, "probe_slow");
    struct wg_request stage = stage_request();
    expect_bad(stage, "without the probe");
    load_probe();
    cr_assert_eq(status_of(&stage), WG_STATUS_OK);
    expect_bad(take_request(513, 8, 0), "behind the buffer");
    expect_bad(take_request(UINT64_MAX - 3, 8, 0), "offset");
    expect_bad(take_request(0, 520, FILE_BYTES - 519), "behind the file");
    struct wg_request take = take_request(0, 8, 0);
    take.ranges[0].arg = 1;
    expect_bad(take, "no such argument");
    take = take_request(0, 8, 0);
    take.set = WG_MAX_SETS;
    expect_bad(take, "no such set");
    take = take_request(0, 8, 0);
    take.range_count = WG_MAX_RANGES + 1;
    expect_bad(take, "too many");
    stage.set = WG_MAX_SETS;
    expect_bad(stage, "no such set to stage");
    stop();
}

/* ---- The end ---- */

Test(harness, ends_when_asked) {
    start(WG_TEST_PROBE);
    struct wg_request request = request_for(WG_OP_QUIT);
    cr_assert_eq(send(harness.socket, &request, sizeof request, 0), (ssize_t)sizeof request);
    cr_assert_eq(finish(), 0);
    close(harness.socket);
}

Test(harness, ends_on_a_message_of_another_size) {
    start(WG_TEST_PROBE);
    cr_assert_eq(send(harness.socket, "hello", 5, 0), 5);
    cr_assert_eq(finish(), 70);
    close(harness.socket);
}

Test(harness, gives_no_answer_after_an_exit_of_the_entry) {
    start_with(WG_TEST_PROBE, "probe_exit");
    struct wg_request request = request_for(WG_OP_RUN);
    struct wg_reply reply;
    add_buffer(&request, WG_TYPE_F64, 0, 8);
    cr_assert_eq(send(harness.socket, &request, sizeof request, 0), (ssize_t)sizeof request);
    cr_assert_eq(recv(harness.socket, &reply, sizeof reply, 0), 0);
    cr_assert_eq(finish(), 0);
    close(harness.socket);
}

/* ---- Goldens ---- */

static double input_at(size_t i) {
    return (double)(float)(sin((double)i * 12.9898) * 43758.5453);
}

static float *fill(size_t offset, size_t count, size_t salt) {
    float *values = (float *)(void *)(harness.given + offset);
    for (size_t i = 0; i < count; i++) {
        double x = input_at(i + salt);
        values[i] = (float)(x - floor(x) - 0.5);
    }
    return values;
}

Test(golden, vector_add_is_the_float_sum) {
    enum { N = 1009, A = 0, B = 8192, C = 16384, MAGNITUDE = 32768 };
    start_with(WG_TEST_GOLDEN_VECTOR_ADD, "golden");
    const float *a = fill(A, N, 1);
    const float *b = fill(B, N, 5000);
    struct wg_request request = request_for(WG_OP_RUN);
    add_buffer(&request, WG_TYPE_F32, A, N * sizeof(float));
    add_buffer(&request, WG_TYPE_F32, B, N * sizeof(float));
    add_buffer(&request, WG_TYPE_F64, C, N * sizeof(double));
    add_buffer(&request, WG_TYPE_F64, MAGNITUDE, N * sizeof(double));
    add_int(&request, WG_TYPE_I32, N);
    cr_assert_eq(status_of(&request), WG_STATUS_OK);
    const double *c = (const double *)(void *)(harness.taken + C);
    for (int i = 0; i < N; i++) {
        cr_assert_eq((float)c[i], a[i] + b[i], "element %d", i);
    }
    stop();
}

Test(golden, matmul_is_the_product) {
    enum { M = 7, N = 13, K = 29, A = 0, B = 8192, C = 16384, MAGNITUDE = 32768 };
    start_with(WG_TEST_GOLDEN_MATMUL, "golden");
    const float *a = fill(A, M * K, 1);
    const float *b = fill(B, K * N, 5000);
    struct wg_request request = request_for(WG_OP_RUN);
    add_buffer(&request, WG_TYPE_F32, A, M * K * sizeof(float));
    add_buffer(&request, WG_TYPE_F32, B, K * N * sizeof(float));
    add_buffer(&request, WG_TYPE_F64, C, M * N * sizeof(double));
    add_buffer(&request, WG_TYPE_F64, MAGNITUDE, M * N * sizeof(double));
    add_int(&request, WG_TYPE_I32, M);
    add_int(&request, WG_TYPE_I32, N);
    add_int(&request, WG_TYPE_I32, K);
    cr_assert_eq(status_of(&request), WG_STATUS_OK);
    const double *c = (const double *)(void *)(harness.taken + C);
    const double *magnitude = (const double *)(void *)(harness.taken + MAGNITUDE);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            long double sum = 0;
            long double absolute = 0;
            for (int p = K - 1; p >= 0; p--) {
                long double product = (long double)a[i * K + p] * (long double)b[p * N + j];
                sum += product;
                absolute += fabsl(product);
            }
            cr_assert_float_eq(c[i * N + j], (double)sum, 1e-14, "element %d,%d", i, j);
            cr_assert_float_eq(magnitude[i * N + j], (double)absolute, 1e-14, "element %d,%d", i,
                               j);
        }
    }
    stop();
}
