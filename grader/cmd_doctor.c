/* What this machine can do, found out by trying wherever that is possible; what is missing is named
 * together with the package that brings it. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/commands.h"
#include "grader/grade/platform.h"
#include "grader/manifest/manifest.h"
#include "grader/result/json_write.h"
#include "sandbox/jail/jail.h"

#define SOURCE_LIMIT_BYTES ((size_t)1 << 20)

static const struct wg_option options[] = {
    {.name = "quiet",
     .letter = 'q',
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(quiet),
     .help = "only what is missing"},
    {.name = "format",
     .kind = WG_OPTION_CHOICE,
     .argument = "NAME",
     WG_OPTION_AT(format),
     .choices = wg_plain_format_choices,
     .help = "text (default) or json"},
    {0},
};

static const char *const examples[] = {
    "wavegrade doctor",
    "after installing, or when a result says GRADER_ERROR",
    "wavegrade doctor --format json",
    "the same for a program",
    NULL,
};

struct doctor {
    struct wg_buf report;
    struct cJSON *json;   /* NULL: text is wanted */
    struct cJSON *things; /* an array in it */
    const char *heading;
    bool quiet;
    bool has_gpu; /* some platform with a GPU works: the cpu platform is not needed then */
    size_t missing;
};

enum state { GOOD, ABSENT, MISSING }; /* ABSENT: not there, and not needed */

static void heading(struct doctor *doctor, const char *title) {
    doctor->heading = title;
    if (!doctor->quiet && !doctor->json) {
        wg_buf_printf(&doctor->report, "%s%s\n", doctor->report.len ? "\n" : "", title);
    }
}

static void say(struct doctor *doctor, enum state state, const char *what, const char *text) {
    static const char *const words[] = {[GOOD] = "ok", [ABSENT] = "no", [MISSING] = "MISSING"};
    static const char *const names[] = {[GOOD] = "ok", [ABSENT] = "absent", [MISSING] = "missing"};
    doctor->missing += state == MISSING;
    if (doctor->json) {
        struct cJSON *thing = wg_json_append_object(doctor->things);
        wg_json_add_string(thing, "group", doctor->heading);
        wg_json_add_string(thing, "name", what);
        wg_json_add_string(thing, "state", names[state]);
        wg_json_add_string(thing, "text", text);
    } else if (!doctor->quiet || state == MISSING) {
        wg_buf_printf(&doctor->report, *text ? "  %-8s %-28s %s\n" : "  %-8s %s%s\n", words[state],
                      what, text);
    }
}

/* What lacks without harm where a GPU does the work. */
static enum state lacking(const struct doctor *doctor, bool for_cpu_only) {
    return for_cpu_only && doctor->has_gpu ? ABSENT : MISSING;
}

/* ---- Programs: each does what it is for, once ---- */

#define C_SOURCE   "int answer(void) { return 42; }\n"
#define HIP_SOURCE "__attribute__((device)) int twice(int x) { return 2 * x; }\n"

/* True when it ended well; what it says goes nowhere. */
static bool run_program(const char *const *argv) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    char *const env[] = {(char *)(uintptr_t)"PATH=/usr/bin:/bin", NULL};
    pid_t pid = 0;
    int status = -1;
    int failed = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, env);
    posix_spawn_file_actions_destroy(&actions);
    while (!failed && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return !failed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void look_at_program(struct doctor *doctor, const char *const *argv, bool for_cpu_only,
                            const char *role, const char *package) {
    bool there = access(argv[0], X_OK) == 0;
    bool works = there && run_program(argv);
    WG_CLEANUP(wg_freep)
    char *text = works   ? wg_strdup(role)
                 : there ? wg_strf("%s, but fails: apt-get install --reinstall %s", role, package)
                         : wg_strf("%s: apt-get install %s", role, package);
    say(doctor, works ? GOOD : lacking(doctor, for_cpu_only), argv[0], text);
}

static void try_programs(struct doctor *doctor, const char *folder) {
    WG_CLEANUP(wg_freep) char *c = wg_path_join(folder, "a.c");
    WG_CLEANUP(wg_freep) char *hip = wg_path_join(folder, "a.hip");
    WG_CLEANUP(wg_freep) char *object = wg_path_join(folder, "a.o");
    WG_CLEANUP(wg_freep) char *library = wg_path_join(folder, "a.so");
    struct wg_err err = {0};
    if (wg_file_write(c, C_SOURCE, sizeof C_SOURCE - 1, 0600, &err) != WG_OK ||
        wg_file_write(hip, HIP_SOURCE, sizeof HIP_SOURCE - 1, 0600, &err) != WG_OK) {
        say(doctor, MISSING, "temporary files", err.msg);
        return;
    }
    bool has_clang = access("/usr/bin/clang-19", X_OK) == 0;
    const char *const compile_hip[] = {"/usr/bin/clang++-19",
                                       "-x",
                                       "hip",
                                       "--cuda-host-only",
                                       "-nogpuinc",
                                       "-nogpulib",
                                       "-c",
                                       hip,
                                       "-o",
                                       object,
                                       NULL};
    const char *const compile_c[] = {
        has_clang ? "/usr/bin/clang-19" : "/usr/bin/gcc", "-fPIC", "-c", c, "-o", object, NULL};
    const char *const link[] = {"/usr/bin/ld.lld-19", "-shared", object, "-o", library, NULL};
    const char *const isolate[] = {access("/usr/bin/bwrap", X_OK) == 0 ? "/usr/bin/bwrap"
                                                                       : "/usr/local/bin/bwrap",
                                   "--version", NULL};
    look_at_program(doctor, compile_hip, true, "compiles HIP for the cpu platform", "clang-19");
    look_at_program(doctor, compile_c, false, "compiles golden.c", "clang-19");
    look_at_program(doctor, link, true, "links for the cpu platform", "lld-19");
    look_at_program(doctor, isolate, false, "isolates", "bubblewrap");
}

static void look_at_programs(struct doctor *doctor) {
    WG_CLEANUP(wg_freep) char *folder = NULL;
    struct wg_err err = {0};
    heading(doctor, "Programs, tried");
    if (wg_folder_make_temp("wavegrade-doctor", &folder, &err) != WG_OK) {
        say(doctor, MISSING, "temporary folder", err.msg);
        return;
    }
    try_programs(doctor, folder);
    wg_folder_remove(folder, NULL);
}

static void look_at_parts(struct doctor *doctor) {
    static const struct {
        bool shared;
        const char *name;
    } parts[] = {
        {false, "cpu/compile"},  {false, "cpu/harness"},
        {false, "cpu/run"},      {false, "cpu/libwghip.so"},
        {false, "host/harness"}, {true, "cpu/include/hip/hip_runtime.h"},
        {true, "assignments"},   {true, "reference"},
    };
    heading(doctor, "Parts of wavegrade");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *root = parts[i].shared ? wg_paths_share() : wg_paths_libexec();
        WG_CLEANUP(wg_freep) char *path = wg_path_join(root, parts[i].name);
        bool there = wg_file_exists(path) || wg_file_is_folder(path);
        WG_CLEANUP(wg_freep)
        char *text = there ? NULL : wg_strf("install wavegrade again: no %s", path);
        bool for_cpu_only = strncmp(parts[i].name, "cpu/", 4) == 0;
        say(doctor, there ? GOOD : lacking(doctor, for_cpu_only), parts[i].name, text ? text : "");
    }
}

static void look_at_jail(struct doctor *doctor) {
    struct wg_jail_trial trials[WG_JAIL_TRIALS_MAX];
    size_t count = wg_jail_try(trials);
    heading(doctor, "Isolation, tried");
    for (size_t i = 0; i < count; i++) {
        enum state state = trials[i].works ? GOOD : trials[i].required ? MISSING : ABSENT;
        say(doctor, state, trials[i].name, trials[i].text);
    }
}

static bool has_gpu(void) {
    size_t count = 0;
    const struct wg_platform *platforms = wg_platform_list(&count);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = platforms[i].times_count && !platforms[i].why_not();
    }
    return found;
}

static void look_at_platforms(struct doctor *doctor) {
    size_t count = 0;
    const struct wg_platform *platforms = wg_platform_list(&count);
    heading(doctor, "Platforms and devices");
    for (size_t i = 0; i < count; i++) {
        const char *why_not = platforms[i].why_not();
        WG_CLEANUP(wg_freep) char *device = why_not ? NULL : wg_platform_device(&platforms[i]);
        /* Only a machine on which no platform works lacks something. */
        enum state state = !why_not                   ? GOOD
                           : platforms[i].times_count ? ABSENT
                                                      : lacking(doctor, true);
        say(doctor, state, platforms[i].name, why_not ? why_not : device);
    }
}

/* The proof: a reference of the first bundled assignment goes through everything as a hand-in. */
static enum wg_code try_pipeline(struct wg_result **out, struct wg_err *err) {
    struct wg_manifest **all = NULL;
    size_t count = 0;
    enum wg_code code = wg_manifest_load_all(&all, &count, err);
    if (code != WG_OK) {
        return code;
    }
    WG_CLEANUP(wg_freep) char *folder = NULL;
    WG_CLEANUP(wg_buf_done) struct wg_buf source = {0};
    if (count == 0) {
        code = wg_fail(err, WG_ENOTFOUND, "no bundled assignment to try it with");
    } else {
        WG_CLEANUP(wg_freep) char *path = wg_path_join(all[0]->reference_folder, "naive.hip");
        code = wg_file_read(path, SOURCE_LIMIT_BYTES, &source, err);
    }
    if (code == WG_OK) {
        code = wg_folder_make_temp("wavegrade-doctor", &folder, err);
    }
    if (code == WG_OK) {
        WG_CLEANUP(wg_freep) char *copy = wg_path_join(folder, all[0]->file);
        code = wg_file_write(copy, source.data, source.len, 0600, err);
        struct wg_grade_request request = {.location = folder,
                                           .is_folder = true,
                                           .assignment = all[0]->id,
                                           .platform = "auto",
                                           .checked = true};
        code = code == WG_OK ? wg_grade(&request, out, err) : code;
        wg_folder_remove(folder, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        wg_manifest_free(all[i]);
    }
    free((void *)all);
    return code;
}

static void try_everything(struct doctor *doctor) {
    struct wg_err err = {0};
    struct wg_result *result = NULL;
    heading(doctor, "A kernel through the whole pipeline, tried");
    if (try_pipeline(&result, &err) != WG_OK) {
        say(doctor, MISSING, "compile, run, check", err.msg);
        return;
    }
    bool good = result->verdict == WG_VERDICT_PASS;
    double total_ms = result->stage_count ? result->stages[result->stage_count - 1].wall_ms : 0;
    WG_CLEANUP(wg_freep)
    char *text = good ? wg_strf("%zu cases right in %.1f s", result->case_count, total_ms / 1e3)
                      : wg_strf("%s: %s", wg_verdict_name(result->verdict),
                                result->sentence ? result->sentence : "");
    say(doctor, good ? GOOD : MISSING, "compile, run, check", text);
    wg_result_free(result);
}

static void look_around(struct doctor *doctor) {
    doctor->has_gpu = has_gpu();
    look_at_programs(doctor);
    look_at_parts(doctor);
    look_at_jail(doctor);
    look_at_platforms(doctor);
    try_everything(doctor);
}

static void conclude(struct doctor *doctor) {
    if (doctor->json) {
        wg_json_add_bool(doctor->json, "can_grade", doctor->missing == 0);
        wg_json_add_uint(doctor->json, "missing_count", doctor->missing);
        wg_json_print(doctor->json, true, &doctor->report);
    } else if (doctor->missing) {
        wg_buf_printf(&doctor->report, "\n%zu thing%s missing; grading needs %s.\n",
                      doctor->missing, doctor->missing == 1 ? " is" : "s are",
                      doctor->missing == 1 ? "it" : "them");
    } else if (!doctor->quiet) {
        wg_buf_puts(&doctor->report, "\nThis machine can grade.\n");
    }
}

static int run(const struct wg_line *line) {
    const struct wg_grading_options *values = line->values;
    struct doctor doctor = {.quiet = values->quiet};
    if (strcmp(values->format, "json") == 0) {
        doctor.json = wg_json_new_object();
        wg_json_add_string(doctor.json, "schema", "wavegrade/doctor/v1");
        doctor.things = wg_json_add_array(doctor.json, "things");
    }
    wg_jail_choose(WG_JAIL_AUTO);
    struct wg_cmd_progress progress = wg_cmd_progress_start(!doctor.quiet);
    wg_cmd_progress_show(&progress, "looking around", 0, 0);
    look_around(&doctor);
    wg_cmd_progress_end(&progress);
    conclude(&doctor);
    struct wg_err err = {0};
    int status = doctor.missing ? WG_EXIT_FAULT : WG_EXIT_PASS;
    if (wg_cmd_print(&doctor.report, &err) != WG_OK) {
        status = WG_EXIT_FAULT;
        wg_cmd_fail(&err);
    }
    wg_buf_done(&doctor.report);
    return status;
}

const struct wg_command wg_cmd_doctor = {
    .name = "doctor",
    .summary = "what this machine can do, and what is missing",
    .operands = "",
    .options = options,
    .examples = examples,
    .epilogue = "Exit codes: 0 this machine can grade; 2 something is missing.",
    .defaults = &wg_grading_defaults,
    .values_bytes = sizeof(struct wg_grading_options),
    .run = run,
};
