#include "sandbox/platform/cpu/compiler/clang.h"

#include <stdlib.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/cpu/compiler/diag.h"
#include "sandbox/platform/cpu/compiler/pch.h"
#include "sandbox/platform/cpu/compiler/spawn.h"

/* Both passes. Optimization is asked for, so that clang marks lifetimes and drops optnone, and then
 * not done: lower wants the code as it was written. Loops that never end must not be optimized
 * away, functions that forget to return a value must not run into the next one, and casts between
 * float* and float4* are everyday work in kernels. */
static const char *const common_options[] = {
    "-x",
    "hip",
    "--cuda-host-only",
    "-nogpuinc",
    "-nogpulib",
    "-fuse-cuid=none",
    "-emit-llvm",
    "-c",
    "-g",
    "-fPIC",
    "-std=c++17",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-discard-value-names",
    "-fno-strict-aliasing",
    "-fno-finite-loops",
    "-fno-strict-return",
    "-fno-color-diagnostics",
    "-Wuninitialized",
    "-Wconditional-uninitialized",
    "-Wno-unused-command-line-argument",
};

/* An uninitialized float becomes NaN, and lower learns which variables have no initializer. */
static const char *const device_options[] = {
    "-Xclang",
    "-fcuda-is-device",
    "-Xclang",
    "-fcuda-allow-variadic-functions",
    "-ftrivial-auto-var-init=pattern",
};

struct arguments {
    const char *at[64];
    size_t count;
};

static void add(struct arguments *args, const char *argument) {
    args->at[args->count++] = argument;
}

static void add_all(struct arguments *args, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        add(args, list[i]);
    }
}

/* A machine may have HIP headers of its own where clang looks for the C library's. A <hip/...> that
 * ours lack has to be missing there as well, and not be mixed with ours: those folders are put
 * where nothing can be. */
#define NOWHERE(folder)                                                                            \
    "{\"type\": \"directory-remap\", \"name\": \"" folder                                          \
    "\", \"external-contents\": \"/dev/null\"}"
static const char machine_headers[] = "{\"version\": 0, \"roots\": [" NOWHERE(
    "/usr/include/hip") ", " NOWHERE("/usr/local/include/hip") "]}\n";

static char *machine_overlay(const char *folder) {
    return wg_path_join(folder, "machine.yaml");
}

static enum wg_code start_pass(const struct wg_clang_job *job, bool device, pid_t *out,
                               struct wg_err *err) {
    const char *name = device ? "device" : "host";
    WG_CLEANUP(wg_freep)
    char *output =
        job->precompile ? wg_pch_path(job->out, name) : wg_strf("%s/%s.bc", job->out, name);
    WG_CLEANUP(wg_freep) char *log = wg_strf("%s/%s.log", job->out, name);
    struct arguments args = {0};
    add(&args, WG_CLANGXX);
    add_all(&args, common_options, sizeof common_options / sizeof *common_options);
    if (device) {
        add_all(&args, device_options, sizeof device_options / sizeof *device_options);
    }
    add(&args, "-isystem");
    add(&args, job->pch || job->precompile ? WG_PCH_INCLUDE : job->include);
    WG_CLEANUP(wg_freep) char *machine = machine_overlay(job->out);
    add(&args, "-ivfsoverlay");
    add(&args, machine);
    if (job->overlay) {
        add(&args, "-ivfsoverlay");
        add(&args, job->overlay);
    }
    if (job->pch) {
        static const char *const use[] = {"-Xclang", "-fno-validate-pch", "-include-pch"};
        add_all(&args, use, sizeof use / sizeof *use);
        add(&args, device ? job->pch->device : job->pch->host);
    } else {
        /* hipcc too has __device__ and malloc before the first line; clang's own wrappers of
         * <algorithm> and <new> rely on it. */
        add(&args, "-include");
        add(&args, "hip/detail/platform.h");
    }
    if (job->precompile) {
        static const char *const make[] = {"-Xclang", "-emit-pch", "-include", "hip/hip_runtime.h"};
        add_all(&args, make, sizeof make / sizeof *make);
    }
    WG_CLEANUP(wg_freep) char *includes = wg_strf("%s/includes.d", job->out);
    if (!device && !job->precompile) { /* for the grader: which headers are used */
        add_all(&args, (const char *const[]){"-MD", "-MF", includes}, 3);
    }
    add(&args, "-o");
    add(&args, output);
    add(&args, "--");
    add(&args, job->source);
    return wg_spawn(args.at, log, out, err);
}

enum wg_code wg_clang_start(struct wg_clang_job *job, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *machine = machine_overlay(job->out);
    enum wg_code code =
        wg_file_write(machine, machine_headers, sizeof machine_headers - 1, 0600, err);
    if (code == WG_OK && (job->pch || job->precompile)) {
        code = wg_pch_write_overlay(job->out, job->include, &job->overlay, err);
    }
    code = code ? code : start_pass(job, true, &job->device, err);
    return code ? code : start_pass(job, false, &job->host, err);
}

static enum wg_code read_log(const struct wg_clang_job *job, const char *name, struct wg_buf *out,
                             struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_strf("%s/%s.log", job->out, name);
    return wg_file_read(path, (size_t)64 << 20, out, err);
}

enum wg_code wg_clang_finish(struct wg_clang_job *job, bool *compiled, struct wg_err *err) {
    int host = wg_spawn_wait(job->host);
    int device = wg_spawn_wait(job->device);
    free(job->overlay);
    job->overlay = NULL;
    WG_CLEANUP(wg_buf_done) struct wg_buf host_log = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf device_log = {0};
    enum wg_code code = read_log(job, "host", &host_log, err);
    code = code ? code : read_log(job, "device", &device_log, err);
    if (code) {
        return code;
    }
    const char *folders[2] = {job->include, WG_PCH_INCLUDE};
    wg_diag_hide_folders(folders, 2);
    wg_diag_merge(wg_buf_str(&host_log), host_log.len, wg_buf_str(&device_log), device_log.len);
    if (host > 1 || device > 1) {
        wg_diag_error(job->source, 0, 0, NULL, "the compiler gave up on this file (status %d)",
                      host > 1 ? host : device);
    }
    *compiled = host == 0 && device == 0;
    return WG_OK;
}
