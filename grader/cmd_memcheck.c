/* A memory checker for any HIP program: compiles the file with its own main for the cpu platform,
 * runs it in checked mode and reports what the checker found. Compiler and program both run inside
 * the jail; the program sees no file but itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/text.h"
#include "grader/check/report.h"
#include "grader/commands.h"
#include "sandbox/jail/jail.h"
#include "sandbox/platform/report.h"

#define SOURCE_LIMIT_BYTES ((size_t)1 << 20)
#define MAX_ARGUMENTS      64
#define BUILD_LIMIT_S      60
#define RUN_LIMIT_S        120
#define MEMORY_LIMIT_GIB   4
#define OUTPUT_LIMIT_MIB   4
/* What libexec/cpu/run ends with when the program was fine but the checker was not. */
#define STATUS_OF_FINDINGS 97

static const struct wg_option options[] = {
    {.name = "warp-size",
     .kind = WG_OPTION_CHOICE,
     .argument = "LANES",
     WG_OPTION_AT(warp_size),
     .choices = wg_warp_choices,
     .help = "32 or 64 lanes a wave (64 if not given)"},
    {.name = "verbose",
     .letter = 'v',
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(verbose),
     .help = "every finding in full, and the counted memory traffic"},
    {.name = "quiet",
     .letter = 'q',
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(quiet),
     .help = "the verdict only, no progress"},
    {0},
};

static const char *const examples[] = {
    "wavegrade memcheck saxpy.hip",
    "compile saxpy.hip, run its main, name the faulty lines",
    "wavegrade memcheck saxpy.hip -- 4096 --verify",
    "the same, with arguments for the program",
    NULL,
};

struct memcheck {
    const struct wg_grading_options *options;
    const char *name; /* of the file, without folders */
    char *job;        /* the folder that the jail sees as /job */
    int report_fd;
    struct wg_result *result;
    struct wg_cmd_progress progress;
};

static void memcheck_done(struct memcheck *memcheck) {
    if (memcheck->job) {
        wg_jail_folder_remove(memcheck->job, NULL);
        free(memcheck->job);
    }
    wg_closep(&memcheck->report_fd);
    wg_result_free(memcheck->result);
}

static enum wg_code put_source(struct memcheck *memcheck, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(memcheck->job, memcheck->name);
    enum wg_code code = wg_file_write(path, memcheck->result->submission.source,
                                      strlen(memcheck->result->submission.source), 0600, err);
    return code == WG_OK ? wg_jail_give(path, err) : code;
}

static struct wg_jail_limits limits_of(int64_t wall_s) {
    return (struct wg_jail_limits){
        .wall_ns = wall_s * 1000000000,
        .cpu_s = wall_s * 4,
        .memory_bytes = (int64_t)MEMORY_LIMIT_GIB << 30,
        .file_bytes = (int64_t)256 << 20,
        .tmpfs_bytes = (int64_t)256 << 20,
        .output_bytes = (int64_t)OUTPUT_LIMIT_MIB << 20,
        .processes = 256,
    };
}

static enum wg_code run_in_jail(const struct memcheck *memcheck, const char *const *argv,
                                const char *const *env, bool building, struct wg_jail_result *out,
                                struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *tools = wg_path_join(wg_paths_libexec(), "cpu");
    WG_CLEANUP(wg_freep) char *headers = wg_path_join(wg_paths_share(), "cpu/include");
    WG_CLEANUP(wg_freep) char *precompiled = wg_path_join(wg_paths_share(), "cpu/pch");
    const struct wg_jail_bind binds[] = {
        {.source = tools, .target = "/wg/libexec/cpu"},
        {.source = headers, .target = "/wg/share/cpu/include"},
        {.source = memcheck->job, .target = "/job", .writable = building},
        /* Saves time, where it was made. */
        {.source = precompiled, .target = "/wg/share/cpu/pch"},
    };
    size_t bind_count = sizeof binds / sizeof binds[0];
    bind_count -= !wg_file_is_folder(precompiled);
    const struct wg_jail_fd fd = {.source = memcheck->report_fd, .target = 6};
    const struct wg_jail_spec spec = {
        .argv = argv,
        .env = env,
        .binds = binds,
        .bind_count = bind_count,
        .fds = &fd,
        .fd_count = building ? 0 : 1,
        .workdir = "/job",
        .limits = limits_of(building ? BUILD_LIMIT_S : RUN_LIMIT_S),
    };
    return wg_jail_run(&spec, out, err);
}

/* Compiler warnings and errors, and the program's own output, are the user's: shown as they came,
 * but harmless. */
static void relay(FILE *to, const struct wg_buf *text) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_terminal(&clean, wg_buf_str(text), text->len, true);
    fputs(wg_buf_str(&clean), to);
    if (clean.len && clean.data[clean.len - 1] != '\n') {
        fputc('\n', to);
    }
}

static enum wg_code compile(struct memcheck *memcheck, struct wg_err *err) {
    const char *const argv[] = {
        "/wg/libexec/cpu/compile", "--source", memcheck->name, "--out", "/job", "--program", NULL};
    const char *const env[] = {"PATH=/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp", "LC_ALL=C.UTF-8",
                               NULL};
    struct wg_jail_result jailed = {0};
    enum wg_code code = run_in_jail(memcheck, argv, env, true, &jailed, err);
    if (code == WG_OK && jailed.end == WG_JAIL_EXITED && jailed.exit_status == 2) {
        code = wg_fail(err, WG_EINTERNAL, "the compiler driver failed: %.180s",
                       wg_buf_str(&jailed.errout));
    }
    if (code == WG_OK) {
        wg_cmd_progress_end(&memcheck->progress);
        relay(stderr, &jailed.errout);
        if (jailed.end != WG_JAIL_EXITED || jailed.exit_status != 0) {
            memcheck->result->verdict = WG_VERDICT_BUILD_ERROR;
            memcheck->result->sentence =
                wg_strdup(jailed.end == WG_JAIL_EXITED ? "It does not compile."
                                                       : "Compiling it takes too much.");
        }
    }
    wg_jail_result_done(&jailed);
    return code;
}

/* Fills findings and counters from what the runtime reported, and the verdict from the errors among
 * them. */
static enum wg_code take_report(struct memcheck *memcheck, struct wg_err *err) {
    struct wg_result *result = memcheck->result;
    struct wg_report *report =
        mmap(NULL, sizeof *report, PROT_READ, MAP_SHARED, memcheck->report_fd, 0);
    if (report == MAP_FAILED) {
        return wg_fail(err, WG_EIO, "map the report");
    }
    struct wg_watch watch;
    struct wg_found_list list = {0};
    struct wg_evidence evidence;
    wg_watch_start(&watch);
    wg_watch_update(&watch, report, true, -1, &list, &evidence);
    wg_found_list_to_result(&list, true, result);
    wg_counters_to_result(NULL, watch.copy, "student", -1, result);
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct wg_result_finding *finding = &result->findings[i];
        enum wg_verdict verdict;
        if (strcmp(finding->severity, "error") == 0 && wg_verdict_parse(finding->kind, &verdict)) {
            result->verdict = wg_verdict_worse(result->verdict, verdict);
        }
    }
    wg_found_list_done(&list);
    wg_watch_done(&watch);
    munmap(report, sizeof *report);
    return WG_OK;
}

/* How the program ended, where that is worth a sentence. */
static char *judge_end(struct wg_result *result, const struct wg_jail_result *jailed) {
    enum wg_verdict verdict = WG_VERDICT_CRASH;
    char *sentence = NULL;
    switch (jailed->end) {
    case WG_JAIL_EXITED:
        if (jailed->exit_status == 0 || jailed->exit_status == STATUS_OF_FINDINGS) {
            return NULL;
        }
        sentence = wg_strf("The program ended with exit status %d.", jailed->exit_status);
        break;
    case WG_JAIL_SIGNALED:
        sentence = wg_strf("The program was ended by signal %d.", jailed->signal);
        break;
    case WG_JAIL_WALL_LIMIT:
    case WG_JAIL_CPU_LIMIT:
    case WG_JAIL_KILLED:
        verdict = WG_VERDICT_TIMEOUT;
        sentence = wg_strf("The program did not end within %d s.", RUN_LIMIT_S);
        break;
    case WG_JAIL_MEMORY_LIMIT:
        verdict = WG_VERDICT_MEMORY_LIMIT;
        sentence = wg_strf("The program used more than %d GiB of memory.", MEMORY_LIMIT_GIB);
        break;
    case WG_JAIL_OUTPUT_LIMIT:
        verdict = WG_VERDICT_OUTPUT_LIMIT;
        sentence = wg_strf("The program printed more than %d MiB.", OUTPUT_LIMIT_MIB);
        break;
    }
    result->verdict = wg_verdict_worse(result->verdict, verdict);
    return sentence;
}

static char *sentence_of(const struct wg_result *result) {
    size_t errors = 0;
    for (size_t i = 0; i < result->finding_count; i++) {
        errors += strcmp(result->findings[i].severity, "error") == 0;
    }
    size_t others = result->finding_count - errors;
    if (errors) {
        return wg_strf("%zu error%s found.", errors, errors == 1 ? "" : "s");
    }
    if (others) {
        return wg_strf("No errors, %zu thing%s to look at.", others, others == 1 ? "" : "s");
    }
    return wg_strdup("No memory errors, races or uninitialized reads.");
}

static enum wg_code execute(struct memcheck *memcheck, const struct wg_line *line,
                            struct wg_err *err) {
    const char *argv[MAX_ARGUMENTS + 3] = {"/wg/libexec/cpu/run", "/job/checked.so"};
    for (size_t i = 0; i < line->rest_count; i++) {
        argv[2 + i] = line->rest[i];
    }
    WG_CLEANUP(wg_freep)
    char *lanes = wg_strf("WG_CPU_WARP_SIZE=%s",
                          memcheck->options->warp_size ? memcheck->options->warp_size : "64");
    const char *const env[] = {"WG_CPU_REPORT_FD=6", lanes, NULL};
    memcheck->report_fd = memfd_create("report", MFD_CLOEXEC);
    if (memcheck->report_fd < 0 ||
        ftruncate(memcheck->report_fd, (off_t)sizeof(struct wg_report)) != 0) {
        return wg_fail(err, WG_EIO, "make a shared file");
    }
    struct wg_jail_result jailed = {0};
    enum wg_code code = run_in_jail(memcheck, argv, env, false, &jailed, err);
    if (code == WG_OK) {
        wg_cmd_progress_end(&memcheck->progress);
        relay(stdout, &jailed.out);
        relay(stderr, &jailed.errout);
        code = take_report(memcheck, err);
    }
    if (code == WG_OK) {
        WG_CLEANUP(wg_freep) char *end = judge_end(memcheck->result, &jailed);
        WG_CLEANUP(wg_freep) char *found = sentence_of(memcheck->result);
        memcheck->result->sentence = end ? wg_strf("%s %s", end, found) : WG_TAKE(&found);
    }
    wg_jail_result_done(&jailed);
    return code;
}

static void put_report(const struct memcheck *memcheck) {
    struct wg_text_style style = wg_cmd_style(STDERR_FILENO);
    style.verbose = memcheck->options->verbose;
    style.brief = memcheck->options->quiet;
    WG_CLEANUP(wg_buf_done) struct wg_buf report = {0};
    wg_export_text(memcheck->result, &style, &report);
    fflush(stdout);
    fputs(wg_buf_str(&report), stderr);
}

static enum wg_code check_file(struct memcheck *memcheck, const struct wg_line *line,
                               struct wg_err *err) {
    const char *path = line->operands[0];
    const char *slash = strrchr(path, '/');
    memcheck->name = slash ? slash + 1 : path;
    if (*memcheck->name == '\0' || *memcheck->name == '-') {
        return wg_fail(err, WG_EINVAL, "'%.100s' is no file name that a compiler takes", path);
    }
    if (line->rest_count > MAX_ARGUMENTS) {
        return wg_fail(err, WG_EINVAL, "at most %d arguments for the program", MAX_ARGUMENTS);
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf source = {0};
    enum wg_code code = wg_file_read(path, SOURCE_LIMIT_BYTES, &source, err);
    if (code != WG_OK) {
        return code;
    }
    memcheck->result->submission.file = wg_strdup(memcheck->name);
    memcheck->result->submission.source = wg_strdup(wg_buf_str(&source));
    code = wg_jail_folder_make(&memcheck->job, err);
    if (code == WG_OK) {
        code = put_source(memcheck, err);
    }
    if (code == WG_OK) {
        wg_cmd_progress_show(&memcheck->progress, "compiling", 0, 0);
        code = compile(memcheck, err);
    }
    if (code == WG_OK && memcheck->result->verdict == WG_VERDICT_PASS) {
        wg_cmd_progress_show(&memcheck->progress, "running", 0, 0);
        code = execute(memcheck, line, err);
    }
    return code;
}

static int run(const struct wg_line *line) {
    struct wg_err err = {0};
    wg_cmd_choose_jail(line->values, WG_JAIL_AUTO);
    WG_CLEANUP(memcheck_done)
    struct memcheck memcheck = {
        .options = line->values, .report_fd = -1, .result = wg_result_new()};
    memcheck.progress = wg_cmd_progress_start(!memcheck.options->quiet);
    enum wg_code code = check_file(&memcheck, line, &err);
    wg_cmd_progress_end(&memcheck.progress);
    if (code != WG_OK) {
        return wg_cmd_fail(&err);
    }
    put_report(&memcheck);
    return memcheck.result->verdict == WG_VERDICT_PASS ? WG_EXIT_PASS : WG_EXIT_SHORT;
}

const struct wg_command wg_cmd_memcheck = {
    .name = "memcheck",
    .summary = "find memory errors and races in any HIP program",
    .operands = "FILE.hip [-- ARGS]",
    .about = "Compiles a self-contained program for the cpu platform, runs its main in checked "
             "mode and names each faulty line, on a machine with no GPU. The program runs "
             "isolated: no network, no files but its own source.",
    .options = options,
    .examples = examples,
    .epilogue = "Exit codes: 0 no errors; 1 errors were found, or the program does not compile or "
                "failed; 2 a fault of this machine; 64 a mistake on the command line.",
    .min_operands = 1,
    .max_operands = 1,
    .takes_rest = true,
    .defaults = &wg_grading_defaults,
    .values_bytes = sizeof(struct wg_grading_options),
    .run = run,
};
