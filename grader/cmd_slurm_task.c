/* Not for people: what the job arrays of `batch --engine slurm` run on the nodes. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "grader/batch/slurm_task.h"
#include "grader/commands.h"

static const struct wg_option options[] = {
    {.name = "jail",
     .kind = WG_OPTION_CHOICE,
     .argument = "NAME",
     WG_OPTION_AT(jail),
     .choices = wg_jail_choices,
     .help = "strong (default), landlock or auto"},
    {0},
};
static const char *const examples[] = {NULL};

static volatile sig_atomic_t stop_asked;

/* Slurm says SIGTERM at the time limit, on cancelling and on preemption, and SIGKILL a little
 * later: there is time to write down what is not done, and none to finish it. */
static void ask_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 2;
}

static bool parse_number(const char *text, size_t *out) {
    char *end = NULL;
    errno = 0;
    *out = strtoul(text, &end, 10);
    return errno == 0 && text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

static int run(const struct wg_line *line) {
    struct wg_err err = {0};
    const char *task_text = getenv("SLURM_ARRAY_TASK_ID");
    size_t round = 0, task = 0;
    if (!task_text || !parse_number(task_text, &task) || !parse_number(line->operands[1], &round)) {
        wg_fail(&err, WG_EINVAL, "slurm-task is run by the job arrays of 'wavegrade batch'");
        return wg_cmd_fail(&err);
    }
    wg_cmd_choose_jail(line->values, WG_JAIL_STRONG);
    const struct sigaction action = {.sa_handler = ask_stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    if (wg_slurm_task_run(line->operands[0], round, task, &stop_asked, &err) != WG_OK) {
        wg_cmd_fail(&err);
        return WG_EXIT_FAULT;
    }
    return stop_asked ? WG_EXIT_FAULT : WG_EXIT_PASS;
}

const struct wg_command wg_cmd_slurm_task = {
    .name = "slurm-task",
    .summary = "grade one task's share of a batch (run by Slurm)",
    .operands = "SPOOL ROUND",
    .options = options,
    .examples = examples,
    .min_operands = 2,
    .max_operands = 2,
    .defaults = &wg_grading_defaults,
    .values_bytes = sizeof(struct wg_grading_options),
    .run = run,
};
