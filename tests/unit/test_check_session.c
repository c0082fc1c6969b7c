/* Sessions with a process that breaks the rules. Needs a machine that can isolate (wg_jail_probe);
 * without one the tests are skipped, and CI's own jail tests fail there. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "grader/base/clock.h"
#include "grader/base/paths.h"
#include "grader/check/session.h"

static struct wg_err err;
static struct wg_session *session;

static struct wg_session *open_session(const char *mode) {
    cr_assert_eq(wg_paths_init(&err), WG_OK, "%s", err.msg);
    if (wg_jail_probe()->missing != NULL) {
        cr_skip_test("no isolation here");
    }
    char variable[64];
    snprintf(variable, sizeof variable, "FAKE=%s", mode);
    const char *const env[] = {variable, NULL};
    const struct wg_session_spec spec = {
        .harness = WG_JAIL_STUDENT,
        .student = WG_FAKE_HARNESS,
        .env = env,
        .shared_bytes = 4096,
        .limits = {.wall_ns = 5000000000,
                   .cpu_s = 5,
                   .memory_bytes = (int64_t)64 << 20,
                   .file_bytes = 1 << 20,
                   .tmpfs_bytes = 1 << 20,
                   .output_bytes = 4096,
                   .processes = 8},
    };
    cr_assert_eq(wg_session_start(&spec, &session, &err), WG_OK, "%s", err.msg);
    wg_session_given(session)[0] = 'g';
    return session;
}

static enum wg_answer ask(int64_t wait_ms, struct wg_reply *reply) {
    struct wg_request request = {.op = WG_OP_RUN};
    return wg_session_ask(session, &request, wg_clock_mono_ns() + wait_ms * 1000000, reply);
}

static struct wg_jail_result finish(void) {
    struct wg_jail_result end = {0};
    cr_assert_eq(wg_session_finish(session, false, &end, &err), WG_OK, "%s", err.msg);
    struct wg_jail_result told = {
        .end = end.end, .exit_status = end.exit_status, .signal = end.signal};
    wg_jail_result_done(&end);
    return told;
}

Test(session, answers_and_ends_when_asked) {
    struct wg_reply reply;
    open_session("");
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_REPLY);
    cr_assert_eq(reply.call_ns, 7);
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_REPLY);
    struct wg_jail_result end = finish();
    cr_assert_eq(end.end, WG_JAIL_EXITED);
    cr_assert_eq(end.exit_status, 0);
}

Test(session, malformed_replies_are_garbled) {
    const char *const modes[] = {"magic", "op",   "status", "text", "name",     "arch",   "nan",
                                 "short", "less", "long",   "huge", "negative", "endless"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct wg_reply reply = {.call_ns = 1234};
        open_session(modes[i]);
        cr_assert_eq(ask(3000, &reply), WG_ANSWER_GARBLED, "%s", modes[i]);
        cr_assert_eq(reply.call_ns, 1234, "the reply is untouched");
        finish();
    }
}

Test(session, a_reply_that_nobody_asked_for_is_garbled) {
    struct wg_reply reply;
    open_session("twice");
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_REPLY);
    /* The second one may still be on its way. */
    const struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_GARBLED);
    finish();
}

static void let_it_work(void) {
    const struct timespec pause = {.tv_nsec = 100000000};
    nanosleep(&pause, NULL);
}

Test(session, what_comes_before_the_question_is_no_answer) {
    const char *const modes[] = {"early", "flood"};
    for (size_t i = 0; i < 2; i++) {
        struct wg_reply reply;
        open_session(modes[i]);
        let_it_work();
        cr_assert_eq(ask(3000, &reply), WG_ANSWER_GARBLED, "%s", modes[i]);
        finish();
    }
}

/* Zero bytes look like the end of the socket, which is what they are taken for. */
Test(session, an_empty_datagram_is_no_reply) {
    struct wg_reply reply;
    open_session("empty");
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_ENDED);
    struct wg_jail_result end = finish();
    cr_assert_eq(end.end, WG_JAIL_EXITED);
}

Test(session, output_without_end_ends_the_process) {
    struct wg_reply reply;
    open_session("chatter");
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_ENDED);
    cr_assert_eq(finish().end, WG_JAIL_OUTPUT_LIMIT);
}

Test(session, ends) {
    struct wg_reply reply;
    open_session("exit");
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_ENDED);
    struct wg_jail_result end = finish();
    cr_assert_eq(end.end, WG_JAIL_EXITED);
    cr_assert_eq(end.exit_status, 3);
    open_session("crash");
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_ENDED);
    end = finish();
    cr_assert_eq(end.end, WG_JAIL_SIGNALED);
    cr_assert_eq(end.signal, 11);
}

Test(session, an_answer_before_the_end_is_still_heard) {
    struct wg_reply reply;
    open_session("answer_and_exit");
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_REPLY);
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_ENDED);
    finish();
}

Test(session, silence_ends_at_the_deadline) {
    struct wg_reply reply;
    open_session("hang");
    int64_t start_ns = wg_clock_mono_ns();
    cr_assert_eq(ask(200, &reply), WG_ANSWER_LATE);
    int64_t took_ms = (wg_clock_mono_ns() - start_ns) / 1000000;
    cr_assert(took_ms >= 190 && took_ms < 1500, "%lld ms", (long long)took_ms);
    struct wg_jail_result end = finish();
    cr_assert_eq(end.end, WG_JAIL_KILLED);
}

Test(session, a_closed_socket_ends_the_process) {
    struct wg_reply reply;
    open_session("close");
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_ENDED);
    struct wg_jail_result end = finish();
    cr_assert_eq(end.end, WG_JAIL_KILLED);
}

Test(session, given_is_read_only_and_no_file_shrinks) {
    struct wg_reply reply;
    open_session("attack");
    cr_assert_eq(ask(3000, &reply), WG_ANSWER_REPLY);
    const uint8_t *taken = wg_session_taken(session);
    cr_assert_eq(taken[8], 1);
    for (int i = 0; i < 8; i++) {
        cr_assert_eq(taken[i], 0, "attempt %d worked", i);
    }
    cr_assert_eq(wg_session_given(session)[0], 'g');
    finish();
}
