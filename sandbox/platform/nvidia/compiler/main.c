/* compile: turns one HIP source file into a library for NVIDIA devices. Its command line is that of
 * the cpu platform's compile:
 *
 *   compile --source vector_add.hip --out /job --launcher vector_add --kernels vector_add,vadd
 *           --signature "ptr ptr ptr i32" [--arch sm_90] [--block 256]
 *
 * It leaves student.so, entry.txt and resources.tsv in the output folder, and runs inside the jail,
 * since compilers are attack surface. Exit status: 0 done, 1 the source is at fault and the
 * diagnostics say how, 2 the machine or this program is. */
#include <getopt.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/cpu/compiler/diag.h"
#include "sandbox/platform/nvidia/compiler/entry.h"
#include "sandbox/platform/nvidia/compiler/facts.h"
#include "sandbox/platform/nvidia/compiler/functions.h"
#include "sandbox/platform/nvidia/compiler/nvcc.h"
#include "sandbox/platform/nvidia/compiler/words.h"

enum { EXIT_FINE, EXIT_STUDENT, EXIT_OURS, EXIT_USAGE = 64 };

enum { MAX_NAMES = 32, PTX_MAX = 64 << 20 };

/* When no device is known: the oldest that current toolkits compile for, and its PTX, which the
 * driver of every newer device accepts. */
#define DEFAULT_ARCH "sm_75"

struct options {
    const char *source, *out, *include, *arch;
    unsigned block_threads;
    bool program; /* the file's own main is what runs */
    bool facts;   /* no library and no entry */
    const char *names[MAX_NAMES], *types[MAX_NAMES];
    struct wg_entry_wanted wanted;
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
        {"arch", required_argument, NULL, 'a'},
        {"block", required_argument, NULL, 'b'},
        {"program", no_argument, NULL, 'p'},
        {"facts", no_argument, NULL, 'f'},
        {NULL, 0, NULL, 0},
    };
    *out = (struct options){.arch = DEFAULT_ARCH};
    int option = 0;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 's':
            out->source = out->wanted.source = optarg;
            break;
        case 'o':
            out->out = optarg;
            break;
        case 'i':
            out->include = optarg;
            break;
        case 'l':
            out->wanted.launcher = optarg;
            break;
        case 'k':
            out->wanted.kernel_count = split(optarg, ",", out->names);
            break;
        case 'g':
            out->wanted.type_count = split(optarg, " ,", out->types);
            break;
        case 'a':
            out->arch = optarg;
            break;
        case 'b':
            out->block_threads = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'p':
            out->program = true;
            break;
        case 'f':
            out->facts = true;
            break;
        default:
            return false;
        }
    }
    out->wanted.kernels = out->names;
    out->wanted.types = out->types;
    bool has_entry = out->wanted.launcher || out->wanted.kernel_count > 0;
    /* Words of the command line end up in nvcc's. */
    bool is_plain = out->source && out->source[0] != '-' &&
                    out->arch[strspn(out->arch, "abcdefghijklmnopqrstuvwxyz_,0123456789")] == '\0';
    return optind == argc && is_plain && out->out && (out->program || out->facts || has_entry);
}

/* The headers, seen from libexec/wavegrade/nvidia (an installation or build tree) or from
 * /wg/libexec/nvidia (inside the jail). */
static char *find_include(void) {
    static const char *const places[] = {"../../../share/wavegrade/nvidia/include",
                                         "../../share/nvidia/include"};
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    WG_CLEANUP(wg_freep) char *folder = wg_strf("%.*s", slash ? (int)(slash - path) : 0, path);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        WG_CLEANUP(wg_freep) char *candidate = wg_path_join(folder, places[i]);
        char *real = realpath(candidate, NULL);
        if (real) {
            return real;
        }
    }
    return NULL;
}

/* ---- Stages --------------------------------------------------------------------------------- */

static int fail(const struct wg_err *err) {
    wg_diag_failure(err->msg);
    return EXIT_OURS;
}

/* A tool that failed without naming an error in the source. A tool that died did so over the
 * source, as far as anyone can tell. */
static int fail_silently(const struct options *options, const char *tool, const struct wg_buf *log,
                         int status) {
    const char *words = wg_buf_str(log);
    if (status > 128 || strstr(words, "died due to signal")) {
        wg_diag_error(options->source, 0, 0, NULL, "the compiler gave up on this file (status %d)",
                      status);
        return EXIT_STUDENT;
    }
    struct wg_err err = {0};
    wg_fail(&err, WG_EINTERNAL, "%s failed (status %d): %.180s", tool, status, words);
    return fail(&err);
}

static int run_nvcc(const struct options *options, const struct wg_nvcc *nvcc,
                    struct wg_facts *facts) {
    WG_CLEANUP(wg_buf_done) struct wg_buf log = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf rest = {0};
    struct wg_err err = {0};
    int status = 0;
    if (wg_nvcc_compile(nvcc, options->source, options->include, options->arch, options->out, &log,
                        &status, &err)) {
        return fail(&err);
    }
    wg_facts_read(wg_buf_str(&log), log.len, facts, &rest);
    bool has_error = wg_words_print(wg_buf_str(&rest), rest.len, options->source);
    if (status == 0) {
        return EXIT_FINE;
    }
    return has_error ? EXIT_STUDENT : fail_silently(options, "nvcc", &rest, status);
}

static int run_linker(const struct options *options, const struct wg_nvcc *nvcc) {
    WG_CLEANUP(wg_buf_done) struct wg_buf log = {0};
    struct wg_err err = {0};
    int status = 0;
    if (wg_nvcc_link(nvcc, options->out, &log, &status, &err)) {
        return fail(&err);
    }
    if (status == 0) {
        return EXIT_FINE;
    }
    bool told = wg_words_print_link(wg_buf_str(&log), log.len, options->source);
    return told ? EXIT_STUDENT : fail_silently(options, "the linker", &log, status);
}

static void read_launch_bounds(const struct options *options, struct wg_facts *facts) {
    WG_CLEANUP(wg_freep) char *pattern = wg_path_join(options->out, "keep/*.ptx");
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) {
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        WG_CLEANUP(wg_buf_done) struct wg_buf ptx = {0};
        if (wg_file_read(found.gl_pathv[i], PTX_MAX, &ptx, NULL) == WG_OK) {
            wg_facts_read_bounds(wg_buf_str(&ptx), ptx.len, facts);
        }
    }
    globfree(&found);
}

static int write_resources(const struct options *options, const struct wg_functions *functions,
                           struct wg_facts *facts) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *path = wg_path_join(options->out, "resources.tsv");
    read_launch_bounds(options, facts);
    return wg_facts_write(facts, functions, options->source, options->block_threads, path, &err)
               ? fail(&err)
               : EXIT_FINE;
}

static int choose_entry(const struct options *options, const struct wg_functions *functions,
                        const char *object) {
    struct wg_err err = {0};
    const struct wg_function *entry = wg_entry_find(functions, &options->wanted);
    if (!entry) {
        return EXIT_STUDENT;
    }
    WG_CLEANUP(wg_freep) char *path = wg_path_join(options->out, "entry.txt");
    WG_CLEANUP(wg_freep)
    char *text =
        wg_strf("%s %s %s\n", entry->is_kernel ? "kernel" : "launcher", entry->symbol, entry->name);
    enum wg_code code = wg_functions_export(object, entry->symbol, &err);
    code = code ? code : wg_file_write(path, text, strlen(text), 0644, &err);
    return code ? fail(&err) : EXIT_FINE;
}

/* What nvcc left, made into what the grader wants. */
static int finish(const struct options *options, const struct wg_nvcc *nvcc,
                  struct wg_facts *facts) {
    WG_CLEANUP(wg_freep) char *object = wg_path_join(options->out, "student.o");
    WG_CLEANUP(wg_freep) char *notes = wg_path_join(options->out, "student.su");
    struct wg_functions functions = {0};
    struct wg_err err = {0};
    if (wg_functions_read(object, notes, options->source, wg_facts_is_kernel, facts, &functions,
                          &err)) {
        return fail(&err);
    }
    int status = EXIT_FINE;
    if (!options->program && !options->facts) {
        status = choose_entry(options, &functions, object);
    }
    if (status == EXIT_FINE && !options->facts) {
        status = run_linker(options, nvcc);
    }
    if (status == EXIT_FINE) {
        status = write_resources(options, &functions, facts);
    }
    wg_functions_done(&functions);
    return status;
}

static int compile(const struct options *options) {
    struct wg_nvcc nvcc = {0};
    struct wg_facts facts = {0};
    struct wg_err err = {0};
    if (wg_nvcc_find(&nvcc, &err)) {
        return fail(&err);
    }
    int status = run_nvcc(options, &nvcc, &facts);
    if (status == EXIT_FINE) {
        status = finish(options, &nvcc, &facts);
    }
    wg_facts_done(&facts);
    return status;
}

int main(int argc, char **argv) {
    struct options options;
    if (!parse(argc, argv, &options)) {
        fputs(
            "usage: compile --source FILE --out FOLDER [--include FOLDER]\n"
            "               [--arch sm_80,sm_90] [--block THREADS]\n"
            "               (--launcher NAME | --kernels A,B | both) --signature \"ptr i32 ...\"\n"
            "               | --program\n",
            stderr);
        return EXIT_USAGE;
    }
    char *include = options.include ? realpath(options.include, NULL) : find_include();
    if (!include) {
        wg_diag_failure("the HIP headers were not found: the installation is broken");
        return EXIT_OURS;
    }
    options.include = include;
    return compile(&options);
}
