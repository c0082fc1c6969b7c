/* What this machine can do, found out by trying wherever that is possible; what is missing is named
 * together with the package that brings it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/commands.h"
#include "grader/grade/platform.h"
#include "grader/manifest/manifest.h"
#include "sandbox/jail/jail.h"

#define SOURCE_LIMIT_BYTES ((size_t)1 << 20)

static const struct wg_option options[] = {
    {.name = "quiet",
     .letter = 'q',
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(quiet),
     .help = "only what is missing"},
    {0},
};

static const char *const examples[] = {
    "wavegrade doctor",
    "after installing, or when a result says GRADER_ERROR",
    NULL,
};

struct doctor {
    struct wg_buf report;
    bool quiet;
    bool has_gpu; /* some platform with a GPU works: the cpu platform is not needed then */
    size_t missing;
};

enum state { GOOD, ABSENT, MISSING }; /* ABSENT: not there, and not needed */

static void heading(struct doctor *doctor, const char *title) {
    if (!doctor->quiet) {
        wg_buf_printf(&doctor->report, "%s%s\n", doctor->report.len ? "\n" : "", title);
    }
}

static void say(struct doctor *doctor, enum state state, const char *what, const char *text) {
    static const char *const words[] = {[GOOD] = "ok", [ABSENT] = "no", [MISSING] = "MISSING"};
    doctor->missing += state == MISSING;
    if (!doctor->quiet || state == MISSING) {
        wg_buf_printf(&doctor->report, *text ? "  %-8s %-28s %s\n" : "  %-8s %s%s\n", words[state],
                      what, text);
    }
}

/* What lacks without harm where a GPU does the work. */
static enum state lacking(const struct doctor *doctor, bool for_cpu_only) {
    return for_cpu_only && doctor->has_gpu ? ABSENT : MISSING;
}

static void look_at_programs(struct doctor *doctor) {
    static const struct {
        const char *paths[2], *role, *package;
        bool for_cpu_only;
    } programs[] = {
        {{"/usr/bin/clang++-19"}, "compiles HIP for the cpu platform", "clang-19", true},
        {{"/usr/bin/ld.lld-19"}, "links for the cpu platform", "lld-19", true},
        {{"/usr/bin/clang-19", "/usr/bin/gcc"}, "compiles golden.c", "clang-19", false},
        {{"/usr/bin/bwrap", "/usr/local/bin/bwrap"}, "isolates", "bubblewrap", false},
    };
    heading(doctor, "Programs");
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        const char *const *paths = programs[i].paths;
        bool second = access(paths[0], X_OK) != 0 && paths[1] && access(paths[1], X_OK) == 0;
        const char *path = paths[second];
        bool there = access(path, X_OK) == 0;
        WG_CLEANUP(wg_freep)
        char *text = there
                         ? wg_strdup(programs[i].role)
                         : wg_strf("%s: apt-get install %s", programs[i].role, programs[i].package);
        say(doctor, there ? GOOD : lacking(doctor, programs[i].for_cpu_only), path, text);
    }
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
    const struct wg_jail_abilities *jail = wg_jail_probe();
    heading(doctor, "Isolation, tried");
    if (jail->missing) {
        say(doctor, MISSING, "sandbox", jail->missing);
    }
    say(doctor, jail->bubblewrap ? GOOD : MISSING, "bubblewrap namespaces",
        jail->bubblewrap ? "a command ran isolated" : "apt-get install bubblewrap");
    say(doctor, jail->seccomp ? GOOD : MISSING, "seccomp filter",
        jail->seccomp ? "system calls can be filtered" : "the kernel lacks CONFIG_SECCOMP_FILTER");
    say(doctor, jail->landlock ? GOOD : ABSENT, "landlock, the weaker jail",
        jail->landlock ? "a command ran confined" : jail->landlock_missing);
    bool grouped = jail->cgroup && strncmp(jail->cgroup, "none", 4) != 0;
    say(doctor, grouped ? GOOD : ABSENT, "cgroups",
        grouped ? jail->cgroup : "limits are set with rlimits instead");
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

static int run(const struct wg_line *line) {
    struct doctor doctor = {.quiet = ((const struct wg_grading_options *)line->values)->quiet};
    wg_jail_choose(WG_JAIL_AUTO);
    struct wg_cmd_progress progress = wg_cmd_progress_start(!doctor.quiet);
    wg_cmd_progress_show(&progress, "looking around", 0, 0);
    doctor.has_gpu = has_gpu();
    look_at_programs(&doctor);
    look_at_parts(&doctor);
    look_at_jail(&doctor);
    look_at_platforms(&doctor);
    try_everything(&doctor);
    wg_cmd_progress_end(&progress);
    if (doctor.missing) {
        wg_buf_printf(&doctor.report, "\n%zu thing%s missing; grading needs %s.\n", doctor.missing,
                      doctor.missing == 1 ? " is" : "s are", doctor.missing == 1 ? "it" : "them");
    } else if (!doctor.quiet) {
        wg_buf_puts(&doctor.report, "\nThis machine can grade.\n");
    }
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
