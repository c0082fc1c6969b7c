/* The repository reader's answers (it has handled hostile bytes), and its requests. What is
 * understood is written again and has to mean the same. */
#include "grader/repo/internal.h"
#include "tests/fuzz/fuzz.h"

static void read_answer(const struct wg_buf *bytes) {
    struct wg_submission got = {0};
    struct wg_err err = {0};
    enum wg_code code = WG_OK;
    if (!wg_wire_get_answer(bytes, &code, &err, &got)) {
        return;
    }
    struct wg_buf again = {0};
    struct wg_submission twin = {0};
    enum wg_code twin_code = WG_OK;
    wg_wire_put_answer(&again, code, &err, &got);
    if (!wg_wire_get_answer(&again, &twin_code, &err, &twin) || twin_code != code ||
        twin.source.len != got.source.len) {
        abort();
    }
    wg_buf_done(&again);
    wg_submission_done(&twin);
    wg_submission_done(&got);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct fuzz_input input = {bytes, len};
    bool is_answer = fuzz_byte(&input) % 2 == 0;
    struct wg_buf message = {0};
    wg_buf_add(&message, input.at, input.left);
    if (is_answer) {
        read_answer(&message);
    } else {
        struct wg_wire_request request = {0};
        (void)wg_wire_get_request(&message, &request);
        wg_wire_request_done(&request);
    }
    wg_buf_done(&message);
    return 0;
}
