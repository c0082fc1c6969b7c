/* Grading a class: from a roster to a store that holds a result for every row. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/temp.h"
#include "grader/base/text.h"
#include "grader/batch/prepare.h"
#include "grader/batch/spool.h"
#include "grader/batch_show.h"
#include "grader/commands.h"
#include "grader/grade/platform.h"

enum { TRIES = 2, PROBLEMS_MOST = 30 };

struct batch_options {
    const char *assignment, *jobs, *platform, *device, *warp_size, *jail, *store, *spool, *only,
        *since, *deadline, *late, *engine, *template, *ssh_key;
    const char *partition, *gres, *time, *account, *chunk;
    bool resume, regrade, dry_run, skip_bad_rows, no_timing, no_checked, facts, submit_only, quiet;
    bool has_seed;
    uint64_t seed;
};
static const struct batch_options defaults = {
    .platform = "auto", .late = "before", .engine = "local"};
static const char *const engines[] = {"local", "slurm", NULL};
static const char *const late_choices[] = {"before", "mark", NULL};

/* clang-format off */
static const struct wg_option options[] = {
#define AT(field) .offset = offsetof(struct batch_options, field)
#define TEXT(option, word, field, words)                                                           \
    {.name = option, .kind = WG_OPTION_STRING, .argument = word, AT(field), .help = words}
#define FLAG(option, field, words)                                                                 \
    {.name = option, .kind = WG_OPTION_FLAG, AT(field), .help = words}
    TEXT("store", "FILE", store, "where results are kept; otherwise ROSTER with .db"),
    TEXT("assignment", "NAME", assignment, "for rows that name none; else recognized from the file"),
    TEXT("only", "ID,ID", only, "these students and no others"),
    FLAG("regrade", regrade, "also what has not changed since it was graded"),
    FLAG("resume", resume, "go on with the batch that was broken off"),
    FLAG("dry-run", dry_run, "show the rows and what is known; grade nothing"),
    TEXT("deadline", "TIME", deadline, "2026-11-30T18:00: the last commit by then"),
    {.name = "late", .kind = WG_OPTION_CHOICE, .argument = "HOW", AT(late), .choices = late_choices,
     .help = "before (that commit) or mark (the newest, as late)"},
    TEXT("since", "TIME", since, "leave out whose newest commit is older"),
    TEXT("jobs", "N", jobs, "submissions at a time; otherwise one a processor"),
    {.name = "platform", .kind = WG_OPTION_CHOICE, .argument = "NAME", AT(platform),
     .choices = wg_platform_choices, .help = "auto, cpu, amd or nvidia"},
    TEXT("device", "GPU", device, "which of several GPUs: index, UUID or PCI address"),
    {.name = "warp-size", .kind = WG_OPTION_CHOICE, .argument = "LANES", AT(warp_size),
     .choices = wg_warp_choices, .help = "32 or 64 lanes a wave (cpu platform)"},
    {.name = "jail", .kind = WG_OPTION_CHOICE, .argument = "NAME", AT(jail),
     .choices = wg_jail_choices, .help = "strong (default), landlock or auto"},
    {.name = "seed", .kind = WG_OPTION_SEED, .argument = "N", AT(seed),
     .given_offset = offsetof(struct batch_options, has_seed),
     .help = "of everybody's inputs; otherwise a fresh one"},
    FLAG("no-timing", no_timing, "skip the timed sizes (always, where times are emulated)"),
    FLAG("no-checked", no_checked, "skip the search for memory errors and races"),
    FLAG("facts", facts, "what an AMD GPU's compiler makes of each kernel, too"),
    TEXT("repository-template", "URL", template, "of rows without one: .../hw1-{github_username}"),
    FLAG("skip-bad-rows", skip_bad_rows, "grade the others; otherwise a bad row stops it all"),
    TEXT("ssh-key", "FILE", ssh_key, "private key for ssh URLs; otherwise the agent's"),
    {.name = "engine", .kind = WG_OPTION_CHOICE, .argument = "NAME", AT(engine), .choices = engines,
     .help = "local or slurm"},
    TEXT("partition", "NAME", partition, "slurm: as for sbatch"),
    TEXT("gres", "WHAT", gres, "slurm: gpu:1, as for sbatch"),
    TEXT("time", "TIME", time, "slurm: limit of one task, as for sbatch"),
    TEXT("account", "NAME", account, "slurm: as for sbatch"),
    TEXT("chunk", "N", chunk, "slurm: submissions a task"),
    TEXT("spool", "FOLDER", spool, "slurm: a folder that all nodes see"),
    FLAG("submit-only", submit_only, "slurm: do not wait; --resume collects"),
    {.name = "quiet", .letter = 'q', .kind = WG_OPTION_FLAG, AT(quiet), .help = "no progress"},
#undef AT
    {0},
};
/* clang-format on */

static const char *const examples[] = {
    "wavegrade batch class.csv --assignment matmul --deadline 2026-11-30T18:00",
    "everybody's last commit by then; run it again later for what has changed",
    "wavegrade batch --resume --store class.db",
    "after Ctrl-C, a crash or a power cut",
    "wavegrade batch class.csv --engine slurm --partition gpu --gres gpu:1 -- --qos=low",
    "on a cluster; what follows -- goes to sbatch",
    NULL,
};

/* ---- Signals ---- */

static volatile sig_atomic_t stop;
static volatile sig_atomic_t is_on_cluster;

/* The batch ends what it is at and says how to go on; whoever cannot wait says so again. */
static void on_signal(int number) {
    static const char first[] =
        "\nstopping: what is running now is finished first; Ctrl-C again stops at once\n";
    int saved = errno;
    (void)number;
    if (stop == 0 && !is_on_cluster) {
        (void)!write(STDERR_FILENO, first, sizeof first - 1);
    }
    stop = stop + 1;
    errno = saved;
}

static void catch_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &action, NULL);
        }
    }
}

/* ---- What is wanted ---- */

static enum wg_code parse_count(const char *name, const char *text, long most, long *out,
                                struct wg_err *err) {
    char *end = NULL;
    *out = 0;
    if (text == NULL) {
        return WG_OK;
    }
    errno = 0;
    *out = strtol(text, &end, 10);
    if (errno != 0 || *end != '\0' || text[0] < '0' || text[0] > '9' || *out < 1 || *out > most) {
        return wg_fail(err, WG_EINVAL, "--%s takes a number from 1 to %ld, not '%.40s'", name, most,
                       text);
    }
    return WG_OK;
}

static enum wg_code parse_time(const char *name, const char *text, bool end_of_day, int64_t *out,
                               struct wg_err *err) {
    if (text != NULL && !wg_clock_parse(text, end_of_day, out)) {
        return wg_fail(err, WG_EINVAL,
                       "--%s takes a time like 2026-11-30T18:00 (this machine's zone) or "
                       "2026-11-30T18:00+01:00, not '%.40s'",
                       name, text);
    }
    return WG_OK;
}

static enum wg_code choose_platform(const struct batch_options *wanted,
                                    const struct wg_platform **out, struct wg_err *err) {
    const struct wg_grading_options grading = {
        .platform = wanted->platform, .device = wanted->device, .jail = wanted->jail};
    bool is_local = strcmp(wanted->engine, "local") == 0;
    wg_cmd_choose_jail(&grading, WG_JAIL_STRONG);
    if (!is_local) {
        /* The nodes have what this machine may lack. */
        size_t count = 0;
        const struct wg_platform *all = wg_platform_list(&count);
        for (size_t i = 0; i < count; i++) {
            if (strcmp(all[i].name, wanted->platform) == 0) {
                *out = &all[i];
                return WG_OK;
            }
        }
        return wg_fail(err, WG_EINVAL,
                       "--engine slurm needs to be told the nodes' --platform: "
                       "cpu, amd or nvidia");
    }
    enum wg_code code = wg_cmd_choose_device(&grading, err);
    return code != WG_OK ? code : wg_platform_pick(wanted->platform, out, err);
}

static enum wg_code make_wishes(const struct batch_options *wanted, struct wg_batch_wishes *out,
                                struct wg_err *err) {
    const struct wg_platform *platform = NULL;
    enum wg_code code = choose_platform(wanted, &platform, err);
    if (code != WG_OK || platform == NULL) {
        return code;
    }
    /* const is cast away for a struct that also owns strings elsewhere: prepare copies them. */
    *out = (struct wg_batch_wishes){
        .settings = {.platform = (char *)(uintptr_t)platform->name,
                     .device = (char *)(uintptr_t)wanted->device,
                     .ssh_key = (char *)(uintptr_t)wanted->ssh_key,
                     .seed = wanted->has_seed ? wanted->seed : 0,
                     .timing = !wanted->no_timing && platform->times_count,
                     .checked = !wanted->no_checked,
                     .facts = wanted->facts,
                     .warp_size = wanted->warp_size != NULL ? atoi(wanted->warp_size) : 0,
                     .mark_late = strcmp(wanted->late, "mark") == 0},
        .assignment = wanted->assignment,
        .only = wanted->only,
        .regrade = wanted->regrade,
    };
    code = parse_time("deadline", wanted->deadline, true, &out->settings.deadline_s, err);
    return code != WG_OK ? code
                         : parse_time("since", wanted->since, false, &out->settings.since_s, err);
}

/* Heap: class.csv becomes class.db. */
static char *store_path(const struct batch_options *wanted, const char *roster) {
    if (wanted->store != NULL || roster == NULL) {
        return wanted->store != NULL ? wg_strdup(wanted->store) : NULL;
    }
    size_t len = strlen(roster);
    bool is_csv = len > 4 && strcasecmp(roster + len - 4, ".csv") == 0;
    return wg_strf("%.*s.db", (int)(is_csv ? len - 4 : len), roster);
}

/* Heap, absolute: repositories are named relative to it. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    WG_CLEANUP(wg_freep)
    char *folder = slash == NULL ? wg_strdup(".") : wg_strf("%.*s", (int)(slash - path + 1), path);
    char *whole = realpath(folder, NULL);
    return whole != NULL ? whole : WG_TAKE(&folder);
}

static char *spool_path(const struct batch_options *wanted, const char *store, const char *id) {
    WG_CLEANUP(wg_freep) char *whole = realpath(store, NULL);
    WG_CLEANUP(wg_freep) char *given = wanted->spool != NULL ? realpath(wanted->spool, NULL) : NULL;
    if (wanted->spool != NULL) {
        return wg_strf("%s/%s", given != NULL ? given : wanted->spool, id);
    }
    return wg_strf("%s.spool/%s", whole != NULL ? whole : store, id);
}

/* ---- The roster ---- */

static enum wg_code read_roster(const struct batch_options *wanted, const char *path,
                                struct wg_roster *out, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_err why = {0};
    enum wg_code code = wg_file_read(path, WG_ROSTER_LIMIT_BYTES, &text, err);
    if (code != WG_OK) {
        return code;
    }
    code = wg_roster_parse(wg_buf_str(&text), text.len, wanted->template, out, &why);
    if (code != WG_OK) {
        wg_fail(err, WG_EINVAL, "%.60s: %.180s", path, why.msg);
    }
    return code;
}

/* False when the batch must not begin. */
static bool accept_roster(const struct batch_options *wanted, const char *path,
                          struct wg_roster *roster) {
    for (size_t i = 0; i < roster->problem_count && i < PROBLEMS_MOST; i++) {
        WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
        wg_text_terminal(&text, roster->problems[i].text, strlen(roster->problems[i].text), false);
        fprintf(stderr, "%s:%zu: %s\n", path, roster->problems[i].line, wg_buf_str(&text));
    }
    if (roster->problem_count > PROBLEMS_MOST) {
        fprintf(stderr, "and %zu more\n", roster->problem_count - PROBLEMS_MOST);
    }
    if (roster->problem_count == 0 || wanted->skip_bad_rows) {
        return true;
    }
    fprintf(stderr,
            "wavegrade: %zu bad row%s; nothing was graded. Correct the roster, or leave them out "
            "with --skip-bad-rows\n",
            roster->problem_count, roster->problem_count == 1 ? "" : "s");
    return false;
}

/* ---- Running ---- */

struct batch {
    const struct batch_options *wanted;
    const char *const *sbatch_arguments;
    size_t sbatch_argument_count;
    char *path; /* of the store */
    struct wg_store *store;
    struct wg_batch_plan plan;
    long jobs, chunk; /* 0: not given */
    bool is_slurm;
    struct wg_slurm_options kept; /* of a batch that is resumed */
    int lock;
};

static void batch_done(struct batch *batch) {
    wg_batch_plan_done(&batch->plan);
    wg_slurm_options_done(&batch->kept);
    wg_store_close(batch->store);
    free(batch->path);
    wg_closep(&batch->lock);
}

static size_t count_state(const struct wg_batch_drive *drive, bool open) {
    size_t count = 0;
    for (size_t i = 0; i < drive->plan->count; i++) {
        const struct wg_batch_row *row = &drive->rows[i];
        bool failed = row->state == WG_BATCH_DONE && row->verdict == WG_VERDICT_GRADER_ERROR;
        count += (open ? row->state == WG_BATCH_OPEN : failed) ? 1 : 0;
    }
    return count;
}

/* What is not graded yet may be so because it waits or runs on the cluster, without us. */
static void put_slurm_jobs(const struct batch *batch, size_t open, struct wg_buf *out) {
    WG_CLEANUP(wg_freep)
    char *jobs = batch->is_slurm && open > 0 ? wg_batch_slurm_jobs(batch->plan.spool) : NULL;
    if (jobs != NULL) {
        wg_buf_printf(out,
                      "What Slurm was given goes on without this program; --resume collects it. To "
                      "cancel it: scancel %s\n",
                      jobs);
    }
}

/* A batch with rows that were not graded stays open: --resume is for these. */
static int conclude(struct batch *batch, const struct wg_batch_drive *drive,
                    const struct wg_batch_show *show) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_text_style style = wg_cmd_style(STDOUT_FILENO);
    size_t open = count_state(drive, true), failed = count_state(drive, false);
    bool is_complete = open == 0 && failed == 0;
    if (is_complete) {
        if (wg_store_batch_finish(batch->store, batch->plan.id, &err) != WG_OK) {
            wg_cmd_fail(&err);
        } else {
            wg_batch_spool_remove(batch->plan.spool);
        }
    }
    wg_batch_summarize(drive, batch->path, show, &style, &text);
    if (!is_complete) {
        wg_buf_printf(&text,
                      "%zu of %zu rows are not graded. To go on: wavegrade batch --resume "
                      "--store %s\n",
                      open + failed, drive->plan->count, batch->path);
        put_slurm_jobs(batch, open, &text);
    }
    if (wg_cmd_print(&text, &err) != WG_OK) {
        wg_cmd_fail(&err);
        return WG_EXIT_FAULT;
    }
    return is_complete ? WG_EXIT_PASS : WG_EXIT_FAULT;
}

/* What was said on this command line, else what the batch was started with. */
static enum wg_code choose_slurm(const struct batch *batch, size_t chunk,
                                 struct wg_batch_slurm *out, struct wg_err *err) {
    const struct batch_options *wanted = batch->wanted;
    const struct wg_batch_slurm *kept = &batch->kept.slurm;
    *out = (struct wg_batch_slurm){
        .partition = wanted->partition != NULL ? wanted->partition : kept->partition,
        .gres = wanted->gres != NULL ? wanted->gres : kept->gres,
        .time = wanted->time != NULL ? wanted->time : kept->time,
        .account = wanted->account != NULL ? wanted->account : kept->account,
        .jail = wanted->jail != NULL ? wanted->jail : kept->jail,
        .extra = batch->sbatch_argument_count > 0 ? batch->sbatch_arguments : kept->extra,
        .extra_count =
            batch->sbatch_argument_count > 0 ? batch->sbatch_argument_count : kept->extra_count,
        .chunk = chunk > 0 ? chunk : kept->chunk,
        .wait = !wanted->submit_only,
    };
    return wg_slurm_options_save(batch->plan.spool, out, err);
}

static int drive_batch(struct batch *batch) {
    struct wg_err err = {0};
    struct wg_batch_slurm slurm;
    if (batch->is_slurm && choose_slurm(batch, (size_t)batch->chunk, &slurm, &err) != WG_OK) {
        return wg_cmd_fail(&err);
    }
    is_on_cluster = batch->is_slurm;
    struct wg_batch_show show;
    struct wg_batch_drive drive = {.plan = &batch->plan,
                                   .store = batch->store,
                                   .jobs = (int)batch->jobs,
                                   /* Slurm puts back what its nodes failed at. What was cancelled
                                      or ran out of time is for people to decide on. */
                                   .tries = batch->is_slurm ? 1 : TRIES,
                                   .slurm = batch->is_slurm ? &slurm : NULL,
                                   .watch = wg_batch_show_watch(&show),
                                   .stop = &stop};
    enum wg_code code = wg_batch_drive_start(&drive, &err);
    if (code == WG_OK) {
        catch_signals();
        wg_batch_show_start(&show, &drive, batch->wanted->quiet);
        code = wg_batch_drive_run(&drive, &err);
        wg_batch_show_end(&show);
        wg_temp_sweep(); /* of workers that were killed */
    }
    int status = code == WG_OK ? conclude(batch, &drive, &show) : WG_EXIT_FAULT;
    if (code != WG_OK) {
        wg_cmd_fail(&err);
        fprintf(stderr, "To go on: wavegrade batch --resume --store %s\n", batch->path);
    }
    wg_batch_drive_done(&drive);
    return status;
}

static int resume(struct batch *batch) {
    struct wg_err err = {0};
    if (batch->path == NULL) {
        wg_fail(&err, WG_EINVAL, "--resume needs the roster or --store FILE");
        return wg_cmd_fail(&err);
    }
    const struct wg_grading_options grading = {.jail = batch->wanted->jail};
    wg_cmd_choose_jail(&grading, WG_JAIL_STRONG);
    if (wg_store_open(batch->path, WG_STORE_WRITE, &batch->store, &err) != WG_OK ||
        wg_batch_spool_resume(batch->store, &batch->plan, &batch->lock, &err) != WG_OK) {
        return wg_cmd_fail(&err);
    }
    enum wg_code code = wg_slurm_options_load(batch->plan.spool, &batch->kept, &err);
    batch->is_slurm = code == WG_OK;
    return code == WG_OK || code == WG_ENOTFOUND ? drive_batch(batch) : wg_cmd_fail(&err);
}

/* ---- A new batch ---- */

static void put_cell(struct wg_buf *out, const char *text, const char *none) {
    text = text != NULL && text[0] != '\0' ? text : none;
    wg_text_terminal(out, text, strlen(text), false);
}

static int show_plan(const struct wg_batch_plan *plan) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_err err = {0};
    size_t known = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct wg_batch_item *item = &plan->items[i];
        put_cell(&text, item->student, "");
        wg_buf_puts(&text, "  ");
        put_cell(&text, item->repository, "(no repository)");
        if (item->ref != NULL) {
            wg_buf_puts(&text, "  at ");
            put_cell(&text, item->ref, "");
        }
        if (item->folder != NULL) {
            wg_buf_puts(&text, "  in ");
            put_cell(&text, item->folder, "");
        }
        wg_buf_puts(&text, "  ");
        put_cell(&text, item->assignment, "(recognized from the file)");
        if (item->known_commit != NULL) {
            wg_buf_printf(&text, "  %s at commit %.10s", wg_verdict_name(item->known_verdict),
                          item->known_commit);
            known++;
        }
        wg_buf_puts(&text, "\n");
    }
    wg_buf_printf(&text,
                  "%zu rows; %zu are graded already and are graded again only if they have "
                  "changed\n",
                  plan->count, known);
    return wg_cmd_print(&text, &err) == WG_OK ? WG_EXIT_PASS : wg_cmd_fail(&err);
}

/* Made only when there is something to put into it. */
static enum wg_code open_store(struct batch *batch, bool make, struct wg_err *err) {
    enum wg_store_mode mode = batch->wanted->dry_run ? WG_STORE_READ : WG_STORE_CREATE;
    if (batch->store != NULL || (!make && !wg_file_exists(batch->path))) {
        return WG_OK;
    }
    return wg_store_open(batch->path, mode, &batch->store, err);
}

/* The spool first: a batch that the store knows can be resumed. */
static enum wg_code begin(struct batch *batch, struct wg_err *err) {
    enum wg_code code = open_store(batch, true, err);
    code = code != WG_OK ? code : wg_batch_spool_settle(batch->store, err);
    if (code != WG_OK) {
        return code;
    }
    batch->plan.spool = spool_path(batch->wanted, batch->path, batch->plan.id);
    code = wg_batch_plan_write(&batch->plan, err);
    code = code != WG_OK ? code : wg_batch_spool_lock(batch->plan.spool, &batch->lock, err);
    return code != WG_OK
               ? code
               : wg_store_batch_start(batch->store, batch->plan.id, batch->plan.spool, err);
}

static enum wg_code plan_batch(struct batch *batch, const char *roster_path,
                               struct wg_roster *roster, struct wg_err *err) {
    struct wg_batch_wishes wishes = {0};
    WG_CLEANUP(wg_freep) char *folder = folder_of(roster_path);
    enum wg_code code = make_wishes(batch->wanted, &wishes, err);
    wishes.roster_folder = folder;
    code = code != WG_OK ? code : read_roster(batch->wanted, roster_path, roster, err);
    code = code != WG_OK ? code : open_store(batch, false, err);
    code =
        code != WG_OK ? code : wg_batch_prepare(roster, &wishes, batch->store, &batch->plan, err);
    if (code == WG_OK && batch->plan.count == 0 && roster->problem_count == 0) {
        code = wg_fail(err, WG_EINVAL, "%.150s: there are no rows", roster_path);
    }
    return code;
}

static int start(struct batch *batch, const char *roster_path) {
    struct wg_err err = {0};
    struct wg_roster roster = {0};
    enum wg_code code = plan_batch(batch, roster_path, &roster, &err);
    bool is_accepted = code == WG_OK && accept_roster(batch->wanted, roster_path, &roster);
    wg_roster_done(&roster);
    if (code == WG_OK && is_accepted && !batch->wanted->dry_run) {
        code = begin(batch, &err);
    }
    if (code != WG_OK) {
        return wg_cmd_fail(&err);
    }
    if (!is_accepted) {
        return WG_EXIT_USAGE;
    }
    return batch->wanted->dry_run ? show_plan(&batch->plan) : drive_batch(batch);
}

/* Options that another one gives a meaning. A batch that is resumed has both from its start. */
static enum wg_code check_companions(const struct wg_line *line, struct wg_err *err) {
    const struct batch_options *wanted = line->values;
    const struct {
        const char *name;
        bool is_given;
    } of_slurm[] = {
        {"--partition", wanted->partition != NULL},
        {"--gres", wanted->gres != NULL},
        {"--time", wanted->time != NULL},
        {"--account", wanted->account != NULL},
        {"--chunk", wanted->chunk != NULL},
        {"--submit-only", wanted->submit_only},
        {"what follows -- is for sbatch, and", line->rest_count > 0},
    };
    bool is_slurm = strcmp(wanted->engine, "slurm") == 0;
    for (size_t i = 0; !is_slurm && i < sizeof of_slurm / sizeof of_slurm[0]; i++) {
        if (of_slurm[i].is_given) {
            return wg_fail(err, WG_EINVAL, "%s goes with --engine slurm", of_slurm[i].name);
        }
    }
    if (strcmp(wanted->late, "mark") == 0 && wanted->deadline == NULL) {
        return wg_fail(err, WG_EINVAL, "--late mark goes with --deadline TIME: late for what?");
    }
    return WG_OK;
}

static int run(const struct wg_line *line) {
    const struct batch_options *wanted = line->values;
    const char *roster = line->operand_count > 0 ? line->operands[0] : NULL;
    WG_CLEANUP(batch_done)
    struct batch batch = {.wanted = wanted,
                          .sbatch_arguments = line->rest,
                          .sbatch_argument_count = line->rest_count,
                          .path = store_path(wanted, roster),
                          .is_slurm = strcmp(wanted->engine, "slurm") == 0,
                          .lock = -1};
    struct wg_err err = {0};
    if ((!wanted->resume && check_companions(line, &err) != WG_OK) ||
        parse_count("jobs", wanted->jobs, 512, &batch.jobs, &err) != WG_OK ||
        parse_count("chunk", wanted->chunk, 100000, &batch.chunk, &err) != WG_OK) {
        return wg_cmd_fail(&err);
    }
    if (wanted->resume) {
        return resume(&batch);
    }
    if (roster == NULL) {
        wg_fail(&err, WG_EINVAL, "batch needs a roster: wavegrade batch class.csv");
        return wg_cmd_fail(&err);
    }
    return start(&batch, roster);
}

const struct wg_command wg_cmd_batch = {
    .name = "batch",
    .summary = "grade a class from a roster, into a store",
    .operands = "[ROSTER.csv]",
    .options = options,
    .examples = examples,
    .epilogue = "The roster: columns id and repository, and if you like name, ref, folder, "
                "assignment. Exit codes: 0 every row has a result, whatever the verdicts; 2 some "
                "are not graded; 64 a mistake in the roster or on the command line.",
    .max_operands = 1,
    .takes_rest = true,
    .defaults = &defaults,
    .values_bytes = sizeof(struct batch_options),
    .run = run,
};
