/* What the tests of both jails share: a spec that runs the payload with generous limits; tests
 * change what they are about. Failing to run at all fails the test. */
#ifndef WG_TEST_TRIAL_H
#define WG_TEST_TRIAL_H

#include <criterion/criterion.h>

#include "grader/base/cleanup.h"
#include "sandbox/jail/jail.h"

#define MS       ((int64_t)1000000)
#define MIB      ((int64_t)1 << 20)
#define PAYLOAD  "/wg/payload"
#define MAX_ARGS 12

struct trial {
    struct wg_jail_spec spec;
    const char *argv[MAX_ARGS + 2];
    struct wg_jail_bind binds[4];
    struct wg_jail_fd fds[4];
    struct wg_jail_result result;
};

/* Which jail trials run in from now on. Skips, or fails where it must work, if it cannot. */
void trial_require(enum wg_jail_kind kind);
bool trial_has_cgroups(void);
/* The program that trials run, beside the test. */
const char *trial_payload(void);

void trial_init(struct trial *trial, const char *mode, ...);
void trial_run(struct trial *trial);
int64_t trial_run_timed(struct trial *trial); /* how long it took */
void trial_done(struct trial *trial);

/* Is a process with this name alive? */
bool trial_is_alive(const char *name);

#define expect_end(trial, wanted)                                                                  \
    cr_assert_eq((trial).result.end, wanted, "end %d, exit %d, signal %d, out '%s', err '%s'",     \
                 (int)(trial).result.end, (trial).result.exit_status, (trial).result.signal,       \
                 wg_buf_str(&(trial).result.out), wg_buf_str(&(trial).result.errout))
#define expect_out(trial, wanted)                                                                  \
    cr_assert_str_eq(wg_buf_str(&(trial).result.out), wanted, "out '%s', err '%s'",                \
                     wg_buf_str(&(trial).result.out), wg_buf_str(&(trial).result.errout))

#define TRIAL(name, ...)                                                                           \
    WG_CLEANUP(trial_done) struct trial name;                                                      \
    trial_init(&name, __VA_ARGS__, NULL)

#endif
