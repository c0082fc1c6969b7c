#include "grader/batch/slurm_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"

/* A scheduler looks at its queue about once a second and a task costs it about as much to start:
 * with a few items a task, each taking seconds, that is lost in the noise. More than some ten make
 * the last task of the class a long one, and more is lost when a task dies. */
#define CHUNK_LEAST 4
#define CHUNK_MOST  16
#define TASKS_AIM   32
/* Slurm's MaxArraySize is 1001 where nobody changed it. */
#define TASKS_MOST 1000

#define TRY_MOST   1000000
#define ROUND_HEAD "wavegrade slurm round 1\n"

/* ---- Numbers ---- */

/* A decimal number at *at, which moves past it; false: there is none. */
static bool take_number(const char **at, uint64_t most, uint64_t *out) {
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(*at, &end, 10);
    if (errno != 0 || number > most) {
        return false;
    }
    *at = end;
    *out = number;
    return true;
}

/* ---- Rounds ---- */

size_t wg_slurm_chunk_size(size_t items, size_t wanted) {
    size_t chunk = wanted;
    if (chunk == 0) {
        chunk = items / TASKS_AIM;
        chunk = chunk < CHUNK_LEAST ? CHUNK_LEAST : chunk > CHUNK_MOST ? CHUNK_MOST : chunk;
    }
    size_t least = (items + TASKS_MOST - 1) / TASKS_MOST;
    return chunk < least ? least : chunk;
}

void wg_slurm_round_make(size_t number, int try, const size_t *indices, size_t count, size_t chunk,
                         struct wg_slurm_round *out) {
    size_t tasks = (count + chunk - 1) / chunk;
    *out = (struct wg_slurm_round){
        .number = number,
        .try = try,
        .indices = wg_calloc(count ? count : 1, sizeof *indices),
        .count = count,
        .first = wg_calloc(tasks + 1, sizeof *out->first),
        .tasks = tasks,
    };
    memcpy(out->indices, indices, count * sizeof *indices);
    /* As equal as they get: 10 items by 4 are 4, 3, 3 and not 4, 4, 2. */
    for (size_t task = 0; task <= tasks && tasks > 0; task++) {
        out->first[task] = count * task / tasks;
    }
}

void wg_slurm_round_put(const struct wg_slurm_round *round, struct wg_buf *out) {
    wg_buf_printf(out, ROUND_HEAD "try %d\n", round->try);
    for (size_t task = 0; task < round->tasks; task++) {
        for (size_t i = round->first[task]; i < round->first[task + 1]; i++) {
            wg_buf_printf(out, "%s%zu", i == round->first[task] ? "" : " ", round->indices[i]);
        }
        wg_buf_puts(out, "\n");
    }
}

/* One task's line: numbers and single spaces. */
static bool take_task(const char **at, size_t item_count, struct wg_slurm_round *round) {
    for (;;) {
        uint64_t index = 0;
        if (!take_number(at, item_count ? item_count - 1 : 0, &index) || item_count == 0) {
            return false;
        }
        round->indices = wg_realloc(round->indices, round->count + 1, sizeof *round->indices);
        round->indices[round->count++] = (size_t)index;
        if (**at != ' ') {
            break;
        }
        ++*at;
    }
    round->tasks++;
    round->first = wg_realloc(round->first, round->tasks + 1, sizeof *round->first);
    round->first[round->tasks] = round->count;
    return *(*at)++ == '\n';
}

enum wg_code wg_slurm_round_parse(const char *text, size_t number, size_t item_count,
                                  struct wg_slurm_round *out, struct wg_err *err) {
    struct wg_slurm_round round = {.number = number, .first = wg_calloc(1, sizeof *round.first)};
    const char *at = text;
    uint64_t try = 0;
    bool good = strncmp(at, ROUND_HEAD "try ", strlen(ROUND_HEAD "try ")) == 0;
    if (good) {
        at += strlen(ROUND_HEAD "try ");
        good = take_number(&at, TRY_MOST, &try) && *at == '\n';
        at += good;
        round.try = (int)try;
    }
    while (good && *at != '\0') {
        good = take_task(&at, item_count, &round);
    }
    if (!good) {
        wg_slurm_round_done(&round);
        return wg_fail(err, WG_EPARSE, "round %zu of the batch is not as it was written", number);
    }
    *out = round;
    return WG_OK;
}

void wg_slurm_round_done(struct wg_slurm_round *round) {
    free(round->indices);
    free(round->first);
    *round = (struct wg_slurm_round){0};
}

char *wg_slurm_job_name(const char *batch, size_t round) {
    return wg_strf("wavegrade-%s-r%zu", batch, round);
}

/* ---- Submitting ---- */

/* Ours to say, and what changes how sbatch works or what it prints. Long names may be shortened by
 * the user, as getopt allows: anything that could stand for one of these is refused. */
static const char *const refused[] = {
    "--array",   "--output", "--error",    "--input",     "--open-mode", "--parsable",
    "--wrap",    "--wait",   "--chdir",    "--name",      "--export",    "--clusters",
    "--nodes",   "--ntasks", "--job-name", "--test-only", "--help",      "--usage",
    "--version", "--uid",    "--gid",      NULL,
};
static const char refused_letters[] = "aoeiWDJMNnhuV";

static bool is_refused(const char *option) {
    if (option[1] != '-') {
        return strchr(refused_letters, option[1]) != NULL;
    }
    size_t len = strcspn(option, "=");
    for (const char *const *name = refused; *name; name++) {
        /* "--export-file" begins like "--export"; "--arr" is short for "--array". */
        size_t shorter = strlen(*name) < len ? strlen(*name) : len;
        if (strncmp(*name, option, shorter) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_plain(const char *text) {
    for (const char *c = text; *c; c++) {
        if (iscntrl((unsigned char)*c)) {
            return false;
        }
    }
    return *text != '\0';
}

enum wg_code wg_slurm_check_options(const struct wg_batch_slurm *slurm, struct wg_err *err) {
    const char *const named[][2] = {{"--partition", slurm->partition},
                                    {"--gres", slurm->gres},
                                    {"--time", slurm->time},
                                    {"--account", slurm->account}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        const char *value = named[i][1];
        if (value && (!is_plain(value) || strchr(value, ' ') || value[0] == '-')) {
            return wg_fail(err, WG_EINVAL, "%s '%.60s' cannot be", named[i][0], value);
        }
    }
    for (size_t i = 0; i < slurm->extra_count; i++) {
        const char *option = slurm->extra[i];
        if (option[0] != '-' || option[1] == '\0' || strcmp(option, "--") == 0 ||
            !is_plain(option)) {
            return wg_fail(err, WG_EINVAL,
                           "what follows -- are options of sbatch, each in one word, such as "
                           "--mem=8G; '%.60s' is none",
                           option);
        }
        if (is_refused(option)) {
            return wg_fail(err, WG_EINVAL,
                           "the option '%.60s' of sbatch is wavegrade's own to set, or would hide "
                           "what it has to see",
                           option);
        }
    }
    return WG_OK;
}

/* In single quotes for a POSIX shell. */
static void put_quoted(struct wg_buf *out, const char *text) {
    wg_buf_puts(out, "'");
    for (const char *c = text; *c; c++) {
        if (*c == '\'') {
            wg_buf_puts(out, "'\\''");
        } else {
            wg_buf_add(out, c, 1);
        }
    }
    wg_buf_puts(out, "'");
}

void wg_slurm_script(const char *program, const char *jail, const char *spool, size_t round,
                     struct wg_buf *out) {
    /* exec: Slurm's signals then reach the program itself. */
    wg_buf_puts(out, "#!/bin/sh\nexec ");
    put_quoted(out, program);
    wg_buf_puts(out, " slurm-task ");
    if (jail) {
        wg_buf_puts(out, "--jail ");
        put_quoted(out, jail);
        wg_buf_puts(out, " ");
    }
    put_quoted(out, spool);
    wg_buf_printf(out, " %zu\n", round);
}

bool wg_slurm_parse_submitted(const char *text, uint64_t *job) {
    const char *at = text;
    uint64_t number = 0;
    if (!take_number(&at, UINT32_MAX, &number) || number == 0 ||
        (*at != '\n' && *at != ';' && *at != '\0')) {
        return false;
    }
    *job = number;
    return true;
}

/* ---- Options that are kept ---- */

#define OPTIONS_HEAD "wavegrade slurm options 1\n"

static void put_option(struct wg_buf *out, const char *name, const char *value) {
    if (value) {
        wg_buf_printf(out, "%s=%s\n", name, value);
    }
}

void wg_slurm_options_put(const struct wg_batch_slurm *slurm, struct wg_buf *out) {
    wg_buf_puts(out, OPTIONS_HEAD);
    put_option(out, "partition", slurm->partition);
    put_option(out, "gres", slurm->gres);
    put_option(out, "time", slurm->time);
    put_option(out, "account", slurm->account);
    put_option(out, "jail", slurm->jail);
    for (size_t i = 0; i < slurm->extra_count; i++) {
        put_option(out, "sbatch", slurm->extra[i]);
    }
    wg_buf_printf(out, "chunk=%zu\n", slurm->chunk);
}

/* The value of "NAME=VALUE" if that is the name; NULL otherwise. */
static const char *value_of(const char *line, const char *name) {
    size_t len = strlen(name);
    return strncmp(line, name, len) == 0 && line[len] == '=' ? line + len + 1 : NULL;
}

static bool take_option(struct wg_slurm_options *out, const char *line) {
    struct wg_batch_slurm *slurm = &out->slurm;
    struct {
        const char *name, **field;
    } const texts[] = {{"partition", &slurm->partition},
                       {"gres", &slurm->gres},
                       {"time", &slurm->time},
                       {"account", &slurm->account},
                       {"jail", &slurm->jail}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *value = value_of(line, texts[i].name);
        if (value) {
            *texts[i].field = value;
            return true;
        }
    }
    const char *extra = value_of(line, "sbatch");
    if (extra) {
        out->extra = wg_realloc(out->extra, slurm->extra_count + 1, sizeof *out->extra);
        out->extra[slurm->extra_count++] = extra;
        slurm->extra = out->extra;
        return true;
    }
    uint64_t chunk = 0;
    const char *digits = value_of(line, "chunk");
    bool good = digits && take_number(&digits, SIZE_MAX, &chunk) && *digits == '\0';
    slurm->chunk = (size_t)chunk;
    return good;
}

enum wg_code wg_slurm_options_parse(const char *text, struct wg_slurm_options *out,
                                    struct wg_err *err) {
    struct wg_slurm_options options = {.text = wg_strdup(text)};
    bool good = strncmp(text, OPTIONS_HEAD, strlen(OPTIONS_HEAD)) == 0;
    char *rest = options.text + (good ? strlen(OPTIONS_HEAD) : 0);
    for (char *line; good && (line = strsep(&rest, "\n"));) {
        good = *line == '\0' || take_option(&options, line);
    }
    if (!good) {
        wg_slurm_options_done(&options);
        return wg_fail(err, WG_EPARSE,
                       "the batch's options for Slurm are not as they were written");
    }
    *out = options;
    return WG_OK;
}

void wg_slurm_options_done(struct wg_slurm_options *options) {
    free(options->text);
    free(options->extra);
    *options = (struct wg_slurm_options){0};
}

/* ---- The queue ---- */

static const char *const waiting_states[] = {
    "PENDING",      "CONFIGURING",   "REQUEUED",     "REQUEUE_FED",
    "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT", NULL};
/* PREEMPTED stands for a moment while a task is put back into the queue; the engine waits a little
 * before it believes an end. */
static const char *const ended_states[] = {"COMPLETED",     "CANCELLED", "FAILED",    "TIMEOUT",
                                           "NODE_FAIL",     "PREEMPTED", "BOOT_FAIL", "DEADLINE",
                                           "OUT_OF_MEMORY", "REVOKED",   NULL};

static bool is_one_of(const char *word, const char *const *list) {
    for (; *list; list++) {
        if (strcmp(word, *list) == 0) {
            return true;
        }
    }
    return false;
}

/* Unknown words (COMPLETING, SUSPENDED, what a newer Slurm brings) stand for a task that still has
 * something to do: it leaves the queue when it has not. */
static enum wg_slurm_phase phase_of(const char *state) {
    return is_one_of(state, waiting_states) ? WG_SLURM_WAITING
           : is_one_of(state, ended_states) ? WG_SLURM_ENDED
                                            : WG_SLURM_RUNNING;
}

enum { FIELDS = 6 };

/* Cuts a line in place. The last field (the reason) may hold anything. */
static bool cut_fields(char *line, char *fields[FIELDS]) {
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = line;
        if (i < FIELDS - 1) {
            line = strchr(line, '|');
            if (!line) {
                return false;
            }
            *line++ = '\0';
        }
    }
    return true;
}

static bool whole_number(const char *text, uint64_t most, uint64_t *out) {
    return take_number(&text, most, out) && *text == '\0';
}

static void copy_word(char *out, size_t bytes, const char *text) {
    bool nothing = strcmp(text, "None") == 0 || strcmp(text, "n/a") == 0 ||
                   strcmp(text, "N/A") == 0 || strcmp(text, "(null)") == 0;
    snprintf(out, bytes, "%s", nothing ? "" : text);
}

/* "N/A", "0-3", "4,6-9%2": several tasks that have one record. */
static bool is_task_list(const char *text) {
    return strcmp(text, "N/A") == 0 || (isdigit((unsigned char)text[0]) && strpbrk(text, "-,") &&
                                        text[strspn(text, "0123456789-,%")] == '\0');
}

/* False: the line is none of squeue's. *ours is false for a job of somebody else. */
static bool parse_line(char *line, const char *prefix, struct wg_slurm_task *out, bool *ours) {
    char *field[FIELDS];
    if (!cut_fields(line, field)) {
        return false;
    }
    uint64_t round = 0, job = 0, task = 0;
    *ours = strncmp(field[0], prefix, strlen(prefix)) == 0;
    if (!*ours) {
        return true;
    }
    bool is_rest = is_task_list(field[2]);
    if (!whole_number(field[0] + strlen(prefix), UINT32_MAX, &round) ||
        !whole_number(field[1], UINT32_MAX, &job) || field[3][0] == '\0' ||
        (!is_rest && !whole_number(field[2], UINT32_MAX, &task))) {
        return false;
    }
    *out = (struct wg_slurm_task){
        .round = (size_t)round, .job = job, .task = (size_t)task, .is_rest = is_rest};
    out->phase = phase_of(field[3]);
    copy_word(out->state, sizeof out->state, field[3]);
    copy_word(out->host, sizeof out->host, field[4]);
    copy_word(out->reason, sizeof out->reason, field[5]);
    return true;
}

enum wg_code wg_slurm_queue_parse(const char *text, const char *batch, struct wg_slurm_queue *out,
                                  struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *prefix = wg_strf("wavegrade-%s-r", batch);
    WG_CLEANUP(wg_freep) char *copy = wg_strdup(text);
    struct wg_slurm_queue queue = {0};
    char *rest = copy;
    for (char *line; (line = strsep(&rest, "\n"));) {
        struct wg_slurm_task task;
        bool ours = false;
        if (*line == '\0') {
            continue;
        }
        const char *original = text + (line - copy);
        if (!parse_line(line, prefix, &task, &ours)) {
            wg_slurm_queue_done(&queue);
            return wg_fail(err, WG_EPARSE, "squeue says '%.*s', which is not what was asked for",
                           (int)strcspn(original, "\n"), original);
        }
        if (ours) {
            queue.tasks = wg_realloc(queue.tasks, queue.count + 1, sizeof *queue.tasks);
            queue.tasks[queue.count++] = task;
        }
    }
    *out = queue;
    return WG_OK;
}

void wg_slurm_queue_done(struct wg_slurm_queue *queue) {
    free(queue->tasks);
    *queue = (struct wg_slurm_queue){0};
}

const char *wg_slurm_state_words(const char *state) {
    static const struct {
        const char *state, *words;
    } known[] = {
        {"CANCELLED", "was cancelled"},
        {"TIMEOUT", "ran into its time limit (give more with --time, or fewer submissions a task "
                    "with --chunk)"},
        {"DEADLINE", "was ended at its deadline"},
        {"NODE_FAIL", "lost its machine and was not put back into the queue"},
        {"BOOT_FAIL", "got a machine that did not start"},
        {"PREEMPTED", "was preempted and not put back into the queue"},
        {"OUT_OF_MEMORY", "ran out of memory (give more with -- --mem=...)"},
        {"FAILED", "failed on its machine"},
        {"REVOKED", "was taken over by another cluster"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(state, known[i].state) == 0) {
            return known[i].words;
        }
    }
    return "ended without a result";
}

bool wg_slurm_first_gpu(const char *list, char out[16]) {
    uint64_t first = 0;
    const char *at = list;
    if (!take_number(&at, 9999, &first) || (*at != '\0' && *at != ',' && *at != '-')) {
        return false;
    }
    snprintf(out, 16, "%u", (unsigned)first);
    return true;
}
