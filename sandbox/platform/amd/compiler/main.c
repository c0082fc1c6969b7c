/* compile: turns one HIP source file into a library for AMD GPUs. Its command line is that of the
 * cpu platform's compile, and the arches:
 *
 *   compile --source vector_add.hip --out /job --launcher vector_add --kernels vector_add,vadd
 *           --signature "ptr ptr ptr i32" --arch gfx90a,gfx942 [--block 256]
 *   compile --source vector_add.hip --out /job --facts --arch gfx942
 *
 * It leaves student.so, entry.txt and resources.tsv in the output folder, with --facts only the
 * last, and runs inside the jail, since compilers are attack surface. No GPU is needed. Exit
 * status: 0 done, 1 the source is at fault and the diagnostics say how, 2 the machine or this
 * program is. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/amd/compiler/clang.h"
#include "sandbox/platform/amd/compiler/facts.h"
#include "sandbox/platform/amd/compiler/fatbin.h"
#include "sandbox/platform/cpu/compiler/debuginfo.h"
#include "sandbox/platform/cpu/compiler/diag.h"
#include "sandbox/platform/cpu/compiler/emit.h"
#include "sandbox/platform/cpu/compiler/entry.h"
#include "sandbox/platform/cpu/compiler/link.h"
#include "sandbox/platform/cpu/compiler/spawn.h"

enum { EXIT_FINE, EXIT_STUDENT, EXIT_OURS, EXIT_USAGE = 64 };

enum { MAX_NAMES = 32 };

/* Where nobody says for which arch: what most AMD course machines of today have. */
#define DEFAULT_ARCH "gfx942"

struct options {
    struct wg_amd_job job;
    struct wg_entry_wanted wanted;
    const char *kernels[MAX_NAMES], *types[MAX_NAMES];
    int block_threads;
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

/* Each once: code objects are files named after them. */
static void take_arches(struct wg_amd_job *job) {
    const char *given[MAX_NAMES];
    size_t count = split(optarg, ",", given);
    job->arch_count = 0;
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < job->arch_count; k++) {
            known = known || strcmp(job->arches[k], given[i]) == 0;
        }
        if (!known) {
            job->arches[job->arch_count++] = given[i];
        }
    }
    if (job->arch_count == 0) {
        job->arches[job->arch_count++] = optarg; /* which will be found wanting */
    }
}

static bool take_option(int option, struct options *out) {
    switch (option) {
    case 's':
        out->job.source = optarg;
        return true;
    case 'o':
        out->job.out = optarg;
        return true;
    case 'i':
        out->job.include = optarg;
        return true;
    case 'l':
        out->wanted.launcher = optarg;
        return true;
    case 'k':
        out->wanted.kernel_count = split(optarg, ",", out->kernels);
        return true;
    case 'g':
        out->wanted.type_count = split(optarg, " ,", out->types);
        return true;
    case 'a':
        take_arches(&out->job);
        return true;
    case 'b':
        out->block_threads = atoi(optarg);
        return out->block_threads > 0 && out->block_threads <= 1024;
    case 'f':
        out->job.facts_only = true;
        return true;
    default:
        return false;
    }
}

static bool parse(int argc, char **argv, struct options *out) {
    static const struct option known[] = {
        {"source", required_argument, NULL, 's'},  {"out", required_argument, NULL, 'o'},
        {"include", required_argument, NULL, 'i'}, {"launcher", required_argument, NULL, 'l'},
        {"kernels", required_argument, NULL, 'k'}, {"signature", required_argument, NULL, 'g'},
        {"arch", required_argument, NULL, 'a'},    {"block", required_argument, NULL, 'b'},
        {"facts", no_argument, NULL, 'f'},         {NULL, 0, NULL, 0},
    };
    out->job.arches[0] = DEFAULT_ARCH;
    out->job.arch_count = 1;
    out->wanted.kernels = out->kernels;
    out->wanted.types = out->types;
    int option = 0;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (!take_option(option, out)) {
            return false;
        }
    }
    out->wanted.source = out->job.source;
    bool has_entry = out->wanted.launcher || out->wanted.kernel_count > 0;
    return optind == argc && out->job.source && out->job.out && (out->job.facts_only || has_entry);
}

/* Folder of this executable. */
static char *own_folder(void) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    return wg_strf("%.*s", slash ? (int)(slash - path) : 0, path);
}

/* Of share/, seen from libexec/wavegrade/amd (an installation or build tree) or from
 * /wg/libexec/amd (inside the jail). Heap, NULL: not there. */
static char *find_share(const char *folder, const char *name) {
    static const char *const places[] = {"../../../share/wavegrade/amd", "../../share/amd"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        WG_CLEANUP(wg_freep) char *path = wg_strf("%s/%s/%s", folder, places[i], name);
        char *real = realpath(path, NULL);
        if (real) {
            return real;
        }
    }
    return NULL;
}

/* Whether there are device libraries for an arch ("gfx90a:xnack+"), which also keeps strange text
 * out of file names and options. */
static bool is_arch(const char *arch, const char *bitcode) {
    size_t len = strspn(arch, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (strncmp(arch, "gfx", 3) != 0 || (arch[len] != '\0' && arch[len] != ':') ||
        arch[len + strspn(arch + len, ":+-abcdefghijklmnopqrstuvwxyz")] != '\0') {
        return false;
    }
    WG_CLEANUP(wg_freep)
    char *library = wg_strf("%s/oclc_isa_version_%.*s.bc", bitcode, (int)len - 3, arch + 3);
    return wg_file_exists(library);
}

static bool know_arches(const struct wg_amd_job *job, const char *bitcode) {
    for (size_t i = 0; i < job->arch_count; i++) {
        if (!is_arch(job->arches[i], bitcode)) {
            fprintf(stderr,
                    "'%.40s' is no AMD GPU that this installation compiles for; those are named "
                    "like gfx90a, gfx942 or gfx1100\n",
                    job->arches[i]);
            return false;
        }
    }
    return true;
}

/* An unsupported construct is the student's to change; anything else is ours. */
static int tell(const struct options *options, enum wg_code code, const struct wg_err *err) {
    if (code == WG_EUNSUPPORTED) {
        wg_diag_error(options->job.source, 0, 0, NULL, "%s", err->msg);
        return EXIT_STUDENT;
    }
    wg_diag_failure(err->msg);
    return EXIT_OURS;
}

/* ---- Facts ---------------------------------------------------------------------------------- */

static enum wg_code write_facts(const struct options *options, const struct wg_amd_places *places,
                                struct wg_err *err) {
    const struct wg_amd_job *job = &options->job;
    WG_CLEANUP(wg_buf_done) struct wg_buf table = {0};
    enum wg_code code = WG_OK;
    wg_amd_facts_head(&table);
    for (size_t i = 0; i < job->arch_count && !code; i++) {
        WG_CLEANUP(wg_freep) char *path = wg_strf("%s/%s.co", job->out, job->arches[i]);
        code = wg_amd_facts_add(path, job->arches[i], options->block_threads, places, &table, err);
    }
    WG_CLEANUP(wg_freep) char *path = wg_path_join(job->out, "resources.tsv");
    return code ? code : wg_file_write(path, table.data, table.len, 0644, err);
}

/* ---- The library ---------------------------------------------------------------------------- */

/* What wg_entry_find needs to know: each kernel that host code has a handle for. */
static void read_kernels(struct wg_program *program) {
    for (LLVMValueRef global = LLVMGetFirstGlobal(program->host.module); global;
         global = LLVMGetNextGlobal(global)) {
        LLVMValueRef stub = LLVMIsDeclaration(global) ? NULL : LLVMGetInitializer(global);
        stub = stub ? LLVMIsAFunction(stub) : NULL;
        LLVMValueRef body = LLVMGetNamedFunction(program->device.module, wg_ir_name(global));
        if (!stub || !strstr(wg_ir_name(stub), "__device_stub__") || !body) {
            continue;
        }
        program->kernels =
            wg_realloc(program->kernels, program->kernel_count + 1, sizeof *program->kernels);
        program->kernels[program->kernel_count++] = (struct wg_kernel){
            .symbol = wg_strdup(wg_ir_name(global)), .handle = global, .stub = stub, .body = body};
    }
}

static enum wg_code load(const struct options *options, struct wg_program *program,
                         struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *host = wg_path_join(options->job.out, "host.bc");
    WG_CLEANUP(wg_freep) char *device = wg_path_join(options->job.out, "device.bc");
    enum wg_code code = wg_ir_load(host, &program->host, err);
    code = code ? code : wg_ir_load(device, &program->device, err);
    if (!code) {
        read_kernels(program);
    }
    return code;
}

static enum wg_code write_entry(const struct options *options, const struct wg_entry *entry,
                                struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(options->job.out, "entry.txt");
    WG_CLEANUP(wg_freep)
    char *text =
        wg_strf("%s %s %s\n", entry->is_kernel ? "kernel" : "launcher", entry->symbol, entry->name);
    return wg_file_write(path, text, strlen(text), 0644, err);
}

static enum wg_code make_bundle(const struct options *options, struct wg_buf *out,
                                struct wg_err *err) {
    struct wg_amd_image images[WG_AMD_ARCHES_MAX];
    size_t count = options->job.arch_count;
    for (size_t i = 0; i < count; i++) {
        images[i] = (struct wg_amd_image){
            .arch = options->job.arches[i],
            .path = wg_strf("%s/%s.co", options->job.out, options->job.arches[i])};
    }
    enum wg_code code = wg_amd_bundle(images, count, out, err);
    for (size_t i = 0; i < count; i++) {
        free((char *)(uintptr_t)images[i].path);
    }
    return code;
}

static int link_library(const struct options *options, const char *object) {
    struct wg_err err = {0};
    pid_t pid = 0;
    WG_CLEANUP(wg_freep) char *library = wg_path_join(options->job.out, "student.so");
    enum wg_code code = wg_link_start(&object, 1, WG_AMD_RUNTIME, library, &pid, &err);
    if (code) {
        return tell(options, code, &err);
    }
    if (wg_spawn_wait(pid) == 0) {
        return EXIT_FINE;
    }
    if (wg_link_explain(&object, 1, options->job.source, library, &err)) {
        return EXIT_STUDENT;
    }
    wg_diag_failure(err.msg);
    return EXIT_OURS;
}

static int build_library(const struct options *options, struct wg_program *program) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_entry_done) struct wg_entry entry = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf bundle = {0};
    WG_CLEANUP(wg_freep) char *object = wg_path_join(options->job.out, "host.o");
    if (!wg_entry_find(program, &options->wanted, &entry)) {
        return EXIT_STUDENT;
    }
    enum wg_code code = write_entry(options, &entry, &err);
    code = code ? code : make_bundle(options, &bundle, &err);
    code = code ? code : wg_amd_host_finish(&program->host, &bundle, entry.symbol, &err);
    code = code ? code : wg_emit_object(&program->host, WG_EFFORT_FULL, object, &err);
    return code ? tell(options, code, &err) : link_library(options, object);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static int compile(const struct options *options) {
    struct wg_err err = {0};
    bool compiled = false;
    WG_CLEANUP(wg_amd_places_done) struct wg_amd_places places = {0};
    enum wg_code code = wg_amd_clang_run(&options->job, &compiled, &places, &err);
    if (!code && !compiled) {
        return EXIT_STUDENT;
    }
    code = code ? code : write_facts(options, &places, &err);
    if (code || options->job.facts_only) {
        return code ? tell(options, code, &err) : EXIT_FINE;
    }
    struct wg_program program = {0};
    code = load(options, &program, &err);
    int status = code ? tell(options, code, &err) : build_library(options, &program);
    wg_program_done(&program);
    return status;
}

int main(int argc, char **argv) {
    struct options options = {0};
    if (!parse(argc, argv, &options)) {
        fputs(
            "usage: compile --source FILE --out FOLDER [--include FOLDER] [--arch gfx90a,...]\n"
            "               [--block THREADS]\n"
            "               (--launcher NAME | --kernels A,B | both) --signature \"ptr i32 ...\"\n"
            "               | --facts\n",
            stderr);
        return EXIT_USAGE;
    }
    WG_CLEANUP(wg_freep) char *folder = own_folder();
    WG_CLEANUP(wg_freep) char *include = find_share(folder, "include");
    WG_CLEANUP(wg_freep) char *bitcode = find_share(folder, "bitcode");
    if (!options.job.include) {
        options.job.include = include;
    }
    if (!options.job.include) {
        wg_diag_failure("the HIP headers were not found: the installation is broken");
        return EXIT_OURS;
    }
    options.job.bitcode = bitcode;
    if (!know_arches(&options.job, bitcode ? bitcode : WG_AMD_BITCODE)) {
        return EXIT_USAGE;
    }
    wg_debug_add_header_folder(options.job.include);
    return compile(&options);
}
