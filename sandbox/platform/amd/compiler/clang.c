/* Host code is always read by the clang that our llvm-c belongs to; code objects are made by the
 * compiler that came with ROCm, where one was there when wavegrade was built (WG_AMD_CLANGXX). */
#include "sandbox/platform/amd/compiler/clang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/cpu/compiler/diag.h"
#include "sandbox/platform/cpu/compiler/spawn.h"

#define LOG_LIMIT_BYTES ((size_t)64 << 20)

enum {
    HOST,
    ENTRY,
    FIRST_ARCH,
    PASSES_MAX = FIRST_ARCH + WG_AMD_ARCHES_MAX,
    ARGS_MAX = 48,
    AT_ONCE_MAX = 8
};

static const char reader[] = WG_CLANGXX;
static const char code_maker[] = WG_AMD_CLANGXX;
static const char rocm_option[] = "--rocm-path=" WG_AMD_ROCM;

/* Every run. Debug information gives facts and diagnostics their lines; it changes no code. */
static const char *const common_options[] = {
    "-x",
    "hip",
    "-std=c++17",
    "-fuse-cuid=none",
    rocm_option,
    "-fno-color-diagnostics",
    "-Wno-unused-command-line-argument",
    "-c",
};

/* Both are read by llvm-c, which wants the code as it was written. */
static const char *const read_options[] = {"-nogpulib", "-emit-llvm", "-g",
                                           "-O1",       "-Xclang",    "-disable-llvm-passes"};

/* One thread for the linker: the jail counts them, and machines have many processors. */
static const char *const code_options[] = {
    "--no-gpu-bundle-output", "-O3",
    "-Xoffload-linker",       "--threads=1",
    "-gline-tables-only",     "-Rpass-analysis=kernel-resource-usage"};

struct args {
    const char *at[ARGS_MAX];
    size_t count;
};

struct pass {
    char *output, *log; /* heap */
    pid_t pid;
    int status;
};

static void add(struct args *args, const char *const *options, size_t count) {
    for (size_t i = 0; i < count; i++) {
        args->at[args->count++] = options[i];
    }
}
#define ADD(args, options) add(args, options, sizeof(options) / sizeof *(options))

static enum wg_code start(const struct wg_amd_job *job, size_t index, struct pass *pass,
                          struct wg_err *err) {
    bool reads = index < FIRST_ARCH;
    const char *arch = job->arches[reads ? 0 : index - FIRST_ARCH];
    WG_CLEANUP(wg_freep) char *arch_option = wg_strf("--offload-arch=%s", arch);
    WG_CLEANUP(wg_freep) char *library_option = wg_strf("--rocm-device-lib-path=%s", job->bitcode);
    pass->output = reads ? wg_strf("%s/%s.bc", job->out, index == HOST ? "host" : "device")
                         : wg_strf("%s/%s.co", job->out, arch);
    pass->log = wg_strf("%s.log", pass->output);
    struct args args = {.at = {reads ? reader : code_maker}, .count = 1};
    ADD(&args, common_options);
    if (reads) {
        ADD(&args, read_options);
    } else {
        ADD(&args, code_options);
    }
    WG_CLEANUP(wg_freep) char *includes = wg_strf("%s/includes.d", job->out);
    if (index == HOST) {
        add(&args, (const char *const[]){"--cuda-host-only", "-fPIC", "-MD", "-MF", includes}, 5);
    } else {
        add(&args, (const char *const[]){"--cuda-device-only", arch_option}, 2);
    }
    if (job->bitcode) {
        /* The runtime that goes with the distribution's libraries knows this version. */
        add(&args, (const char *const[]){library_option, "-mcode-object-version=4"}, 2);
    }
    const char *const last[] = {"-isystem", job->include, "-o", pass->output, "--", job->source};
    ADD(&args, last);
    return wg_spawn(args.at, pass->log, &pass->pid, err);
}

static enum wg_code run_all(const struct wg_amd_job *job, struct pass *passes, size_t first,
                            size_t end, struct wg_err *err) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t at_once = processors > AT_ONCE_MAX ? AT_ONCE_MAX
                     : processors > 2         ? (size_t)processors
                                              : 2;
    size_t waited = first;
    enum wg_code code = WG_OK;
    for (size_t next = first; waited < end;) {
        if (next < end && next - waited < at_once && !code) {
            code = start(job, next, &passes[next], err);
            next += code ? 0 : 1;
            end = code ? next : end;
        } else {
            passes[waited].status = wg_spawn_wait(passes[waited].pid);
            waited++;
        }
    }
    return code;
}

static enum wg_code read_log(const struct pass *pass, struct wg_amd_places *places,
                             struct wg_buf *out, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    wg_buf_clear(out);
    enum wg_code code = pass->log ? wg_file_read(pass->log, LOG_LIMIT_BYTES, &text, err) : WG_OK;
    wg_amd_places_take(wg_buf_str(&text), text.len, places, out);
    return code;
}

/* The passes read the same file, so most of it is said by all: the first arch adds what only device
 * code shows, and any other arch is heard when it alone fails. */
static enum wg_code print_words(const struct pass *passes, size_t end, struct wg_amd_places *places,
                                struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf host = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf device = {0};
    enum wg_code code = read_log(&passes[HOST], places, &host, err);
    code = code ? code : read_log(&passes[FIRST_ARCH], places, &device, err);
    bool told = passes[HOST].status != 0 || passes[FIRST_ARCH].status != 0;
    for (size_t i = FIRST_ARCH + 1; i < end && !told && !code; i++) {
        if (passes[i].status != 0) {
            code = read_log(&passes[i], places, &device, err);
            told = true;
        }
    }
    if (!code) {
        wg_diag_merge(wg_buf_str(&host), host.len, wg_buf_str(&device), device.len);
    }
    return code;
}

static void passes_done(struct pass *passes) {
    for (size_t i = 0; i < PASSES_MAX; i++) {
        free(passes[i].output);
        free(passes[i].log);
    }
}

enum wg_code wg_amd_clang_run(const struct wg_amd_job *job, bool *compiled,
                              struct wg_amd_places *places, struct wg_err *err) {
    struct pass passes[PASSES_MAX] = {0};
    size_t first = job->facts_only ? FIRST_ARCH : HOST;
    size_t end = FIRST_ARCH + job->arch_count;
    enum wg_code code = run_all(job, passes, first, end, err);
    code = code ? code : print_words(passes, end, places, err);
    *compiled = true;
    for (size_t i = first; i < end && !code; i++) {
        if (passes[i].status > 1 && *compiled) {
            wg_diag_error(job->source, 0, 0, NULL, "the compiler gave up on this file (status %d)",
                          passes[i].status);
        }
        *compiled = *compiled && passes[i].status == 0;
    }
    passes_done(passes);
    return code;
}
