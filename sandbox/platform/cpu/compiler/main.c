/* compile: turns one HIP source file into libraries that run on the cpu platform.
 *
 *   compile --source vector_add.hip --out /job --launcher vector_add --kernels vector_add,vadd
 *           --signature "ptr ptr ptr i32"
 *
 * It leaves student.so (plain), checked.so (instrumented) and entry.txt in the output folder, and
 * runs inside the jail, since compilers are attack surface. Exit status: 0 done, 1 the source is at
 * fault and the diagnostics say how, 2 the machine or this program is.
 *
 * Work is spread over processes: two clang passes, then host, plain and checked objects, each in a
 * fork that inherits the modules as they were read, then two links. */
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "sandbox/platform/cpu/compiler/clang.h"
#include "sandbox/platform/cpu/compiler/debuginfo.h"
#include "sandbox/platform/cpu/compiler/device.h"
#include "sandbox/platform/cpu/compiler/diag.h"
#include "sandbox/platform/cpu/compiler/emit.h"
#include "sandbox/platform/cpu/compiler/entry.h"
#include "sandbox/platform/cpu/compiler/link.h"
#include "sandbox/platform/cpu/compiler/pch.h"
#include "sandbox/platform/cpu/compiler/site.h"
#include "sandbox/platform/cpu/compiler/spawn.h"

enum { EXIT_FINE, EXIT_STUDENT, EXIT_OURS, EXIT_USAGE = 64 };

enum { MAX_NAMES = 32 };

struct options {
    const char *source, *out, *include, *launcher;
    bool include_given;
    const char *kernels[MAX_NAMES], *types[MAX_NAMES];
    size_t kernel_count, type_count;
    bool program;           /* the file's own main is what runs */
    const char *precompile; /* parse the headers ahead of time into this folder */
    bool times, dump_sites;
};

/* Names of the files in the output folder, all heap. */
struct paths {
    char *host_object, *plain_object, *checked_object, *plain, *checked, *entry, *runtime;
};

/* ---- Options and paths ---------------------------------------------------------------------- */

static size_t split(char *text, const char *separators, const char **out) {
    size_t count = 0;
    char *state = NULL;
    for (char *word = strtok_r(text, separators, &state); word && count < MAX_NAMES;
         word = strtok_r(NULL, separators, &state)) {
        out[count++] = word;
    }
    return count;
}

static bool parse(int argc, char **argv, struct options *out) {
    static const struct option known[] = {
        {"source", required_argument, NULL, 's'},
        {"out", required_argument, NULL, 'o'},
        {"include", required_argument, NULL, 'i'},
        {"launcher", required_argument, NULL, 'l'},
        {"kernels", required_argument, NULL, 'k'},
        {"signature", required_argument, NULL, 'g'},
        {"program", no_argument, NULL, 'p'},
        {"times", no_argument, NULL, 't'},
        {"dump-sites", no_argument, NULL, 'd'},
        {"precompile", required_argument, NULL, 'c'},
        {NULL, 0, NULL, 0},
    };
    int option = 0;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 's':
            out->source = optarg;
            break;
        case 'o':
            out->out = optarg;
            break;
        case 'i':
            out->include = optarg;
            break;
        case 'l':
            out->launcher = optarg;
            break;
        case 'k':
            out->kernel_count = split(optarg, ",", out->kernels);
            break;
        case 'g':
            out->type_count = split(optarg, " ,", out->types);
            break;
        case 'p':
            out->program = true;
            break;
        case 't':
            out->times = true;
            break;
        case 'c':
            out->precompile = optarg;
            break;
        case 'd':
            out->dump_sites = true;
            break;
        default:
            return false;
        }
    }
    if (out->precompile) {
        return optind == argc && !out->source;
    }
    bool has_entry = out->launcher || out->kernel_count > 0;
    return optind == argc && out->source && out->out && (out->program || has_entry);
}

/* Folder of this executable. */
static char *own_folder(void) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    return wg_strf("%.*s", slash ? (int)(slash - path) : 0, path);
}

/* The headers or what was made of them, seen from libexec/wavegrade/cpu (an installation or build
 * tree) or from /wg/libexec/cpu (inside the jail). */
static char *find_share(const char *folder, const char *name) {
    static const char *const places[] = {"../../../share/wavegrade/cpu", "../../share/cpu"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        WG_CLEANUP(wg_freep) char *path = wg_strf("%s/%s/%s", folder, places[i], name);
        char *real = realpath(path, NULL);
        if (real) {
            return real;
        }
    }
    return NULL;
}

static struct paths make_paths(const struct options *options, const char *folder) {
    return (struct paths){
        .host_object = wg_path_join(options->out, "host.o"),
        .plain_object = wg_path_join(options->out, "device.o"),
        .checked_object = wg_path_join(options->out, "checked.o"),
        .plain = wg_path_join(options->out, "student.so"),
        .checked = wg_path_join(options->out, "checked.so"),
        .entry = wg_path_join(options->out, "entry.txt"),
        .runtime = wg_path_join(folder, "libwghip.so"),
    };
}

static void paths_done(struct paths *paths) {
    free(paths->host_object);
    free(paths->plain_object);
    free(paths->checked_object);
    free(paths->plain);
    free(paths->checked);
    free(paths->entry);
    free(paths->runtime);
}

static void report_time(const struct options *options, const char *what, int64_t *since_ns) {
    int64_t now = wg_clock_mono_ns();
    if (options->times) {
        fprintf(stderr, "time: %-8s %7.1f ms\n", what, (double)(now - *since_ns) / 1e6);
    }
    *since_ns = now;
}

/* ---- Objects -------------------------------------------------------------------------------- */

enum object { OBJECT_HOST, OBJECT_PLAIN, OBJECT_CHECKED, OBJECT_COUNT };

struct work {
    const struct options *options;
    const struct paths *paths;
    struct wg_program *program;
    const char *exported;
};

static enum wg_code make_object(const struct work *work, enum object object, struct wg_err *err) {
    struct wg_program *program = work->program;
    if (object == OBJECT_HOST) {
        enum wg_code code = wg_host_lower(program, work->exported, work->options->program, err);
        return code ? code
                    : wg_emit_object(&program->host, WG_EFFORT_FAST, work->paths->host_object, err);
    }
    bool checked = object == OBJECT_CHECKED;
    wg_site_set_dump(checked && work->options->dump_sites ? stdout : NULL);
    enum wg_code code = wg_device_lower(program, checked, err);
    if (code) {
        return code;
    }
    return wg_emit_object(&program->device, checked ? WG_EFFORT_FAST : WG_EFFORT_FULL,
                          checked ? work->paths->checked_object : work->paths->plain_object, err);
}

/* An unsupported construct is the student's to change; anything else is ours. */
static int tell(const struct work *work, enum wg_code code, const struct wg_err *err) {
    if (code == WG_EUNSUPPORTED) {
        wg_diag_error(work->options->source, 0, 0, NULL, "%s", err->msg);
        return EXIT_STUDENT;
    }
    wg_diag_failure(err->msg);
    return EXIT_OURS;
}

static void make_object_and_exit(const struct work *work, enum object object) {
    struct wg_err err = {0};
    int64_t since = wg_clock_mono_ns();
    enum wg_code code = make_object(work, object, &err);
    static const char *const names[] = {"host", "plain", "checked"};
    report_time(work->options, names[object], &since);
    int status = code ? tell(work, code, &err) : EXIT_FINE;
    fflush(NULL);
    _exit(status); /* the modules are not worth freeing */
}

static int make_objects(const struct work *work) {
    pid_t children[OBJECT_COUNT];
    fflush(NULL);
    for (int object = 0; object < OBJECT_COUNT; object++) {
        children[object] = fork();
        if (children[object] == 0) {
            make_object_and_exit(work, (enum object)object);
        }
        if (children[object] < 0) {
            wg_diag_failure("fork failed");
            return EXIT_OURS;
        }
    }
    int worst = EXIT_FINE;
    for (int object = 0; object < OBJECT_COUNT; object++) {
        int status = wg_spawn_wait(children[object]);
        if (status == 128 + SIGXFSZ) {
            wg_diag_error(work->options->source, 0, 0, NULL,
                          "the compiled program is too large: look for very large arrays with "
                          "initializers");
            status = EXIT_STUDENT;
        } else if (status > 128) {
            wg_diag_failure("lowering crashed");
            status = EXIT_OURS;
        }
        worst = status > worst ? status : worst;
    }
    return worst;
}

static int link_both(const struct work *work) {
    const char *objects[2][2] = {{work->paths->host_object, work->paths->plain_object},
                                 {work->paths->host_object, work->paths->checked_object}};
    const char *outputs[2] = {work->paths->plain, work->paths->checked};
    pid_t links[2] = {0};
    struct wg_err err = {0};
    for (int i = 0; i < 2; i++) {
        enum wg_code code =
            wg_link_start(objects[i], 2, work->paths->runtime, outputs[i], &links[i], &err);
        if (code) {
            return tell(work, code, &err);
        }
    }
    int plain = wg_spawn_wait(links[0]);
    int checked = wg_spawn_wait(links[1]);
    if (plain == 0 && checked == 0) {
        return EXIT_FINE;
    }
    int bad = plain != 0 ? 0 : 1;
    if (wg_link_explain(objects[bad], 2, work->options->source, outputs[bad], &err)) {
        return EXIT_STUDENT;
    }
    wg_diag_failure(err.msg);
    return EXIT_OURS;
}

/* ---- The whole ------------------------------------------------------------------------------ */

static int write_entry(const struct paths *paths, const struct wg_entry *entry) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep)
    char *text =
        wg_strf("%s %s %s\n", entry->is_kernel ? "kernel" : "launcher", entry->symbol, entry->name);
    if (wg_file_write(paths->entry, text, strlen(text), 0644, &err)) {
        wg_diag_failure(err.msg);
        return EXIT_OURS;
    }
    return EXIT_FINE;
}

static int find_entry(const struct options *options, const struct paths *paths,
                      const struct wg_program *program, struct wg_entry *entry) {
    const struct wg_entry_wanted wanted = {
        .source = options->source,
        .launcher = options->launcher,
        .kernels = options->kernels,
        .kernel_count = options->kernel_count,
        .types = options->types,
        .type_count = options->type_count,
    };
    if (!options->program) {
        return wg_entry_find(program, &wanted, entry) ? write_entry(paths, entry) : EXIT_STUDENT;
    }
    LLVMValueRef function = LLVMGetNamedFunction(program->host.module, "main");
    if (!function || LLVMIsDeclaration(function)) {
        wg_diag_error(options->source, 0, 0, NULL, "the file has no main function");
        return EXIT_STUDENT;
    }
    return EXIT_FINE;
}

static enum wg_code load(const struct options *options, struct wg_program *program,
                         struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *host = wg_path_join(options->out, "host.bc");
    WG_CLEANUP(wg_freep) char *device = wg_path_join(options->out, "device.bc");
    enum wg_code code = wg_ir_load(host, &program->host, err);
    code = code ? code : wg_ir_load(device, &program->device, err);
    return code ? code : wg_program_read(program, err);
}

/* Headers parsed ahead of time, if there are any and they may be used. */
static bool find_pch(const struct options *options, const char *folder, struct wg_pch *out) {
    WG_CLEANUP(wg_freep) char *path = options->include_given ? NULL : find_share(folder, "pch");
    if (!path || !wg_pch_fits(options->source) || !wg_pch_find(path, out)) {
        return false;
    }
    wg_debug_add_header_folder(WG_PCH_INCLUDE);
    return true;
}

static int precompile(const struct options *options) {
    struct wg_err err = {0};
    bool compiled = false;
    enum wg_code code = wg_folder_make(options->precompile, 0755, &err);
    struct wg_clang_job job = {.source = WG_PCH_SOURCE,
                               .include = options->include,
                               .out = options->precompile,
                               .precompile = true};
    code = code ? code : wg_clang_start(&job, &err);
    code = code ? code : wg_clang_finish(&job, &compiled, &err);
    if (!code && compiled) {
        code = wg_pch_write_stamp(options->precompile, &err);
    }
    if (code) {
        wg_diag_failure(err.msg);
    }
    return code || !compiled ? EXIT_OURS : EXIT_FINE;
}

static int compile(const struct options *options, const char *folder) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_program_done) struct wg_program program = {0};
    WG_CLEANUP(wg_entry_done) struct wg_entry entry = {0};
    WG_CLEANUP(wg_pch_done) struct wg_pch pch = {0};
    WG_CLEANUP(paths_done) struct paths paths = make_paths(options, folder);
    struct work work = {.options = options, .paths = &paths, .program = &program};
    struct wg_clang_job job = {
        .source = options->source, .include = options->include, .out = options->out};
    int64_t since = wg_clock_mono_ns();
    bool compiled = false;
    job.pch = find_pch(options, folder, &pch) ? &pch : NULL;
    enum wg_code code = wg_clang_start(&job, &err);
    code = code ? code : wg_clang_finish(&job, &compiled, &err);
    report_time(options, "clang", &since);
    if (!code && !compiled) {
        return EXIT_STUDENT;
    }
    code = code ? code : load(options, &program, &err);
    if (code) {
        return tell(&work, code, &err);
    }
    int status = find_entry(options, &paths, &program, &entry);
    if (status != EXIT_FINE || !wg_device_accept(&program)) {
        return status != EXIT_FINE ? status : EXIT_STUDENT;
    }
    work.exported = entry.symbol;
    code = wg_device_prepare(&program, &err);
    if (code) {
        return tell(&work, code, &err);
    }
    report_time(options, "read", &since);
    status = make_objects(&work);
    report_time(options, "objects", &since);
    if (status == EXIT_FINE) {
        status = link_both(&work);
        report_time(options, "link", &since);
    }
    return status;
}

int main(int argc, char **argv) {
    struct options options = {0};
    if (!parse(argc, argv, &options)) {
        fputs(
            "usage: compile --source FILE --out FOLDER [--include FOLDER]\n"
            "               (--launcher NAME | --kernels A,B | both) --signature \"ptr i32 ...\"\n"
            "               | --program   [--times] [--dump-sites]\n",
            stderr);
        return EXIT_USAGE;
    }
    WG_CLEANUP(wg_freep) char *folder = own_folder();
    options.include_given = options.include != NULL;
    WG_CLEANUP(wg_freep)
    char *include =
        options.include ? realpath(options.include, NULL) : find_share(folder, "include");
    if (!include) {
        wg_diag_failure("the HIP headers were not found: the installation is broken");
        return EXIT_OURS;
    }
    options.include = include;
    wg_debug_add_header_folder(include);
    return options.precompile ? precompile(&options) : compile(&options, folder);
}
