#include "grader/build/compile.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/text.h"
#include "sandbox/platform/needs.h"

/* What a compiler may use. Address space is limited too, where no cgroup counts memory: clang
 * reserves little more than it touches. */
static const int64_t compiler_memory_bytes = (int64_t)2 << 30;
static const int64_t compiler_file_bytes = (int64_t)128 << 20;
static const int64_t compiler_tmpfs_bytes = (int64_t)256 << 20;
static const int64_t compiler_output_bytes = (int64_t)4 << 20;
/* Less than this is no room for a compiler; with less than that, a compiler that says so is right.
 */
static const uint64_t disk_full_bytes = (uint64_t)1 << 20;
static const uint64_t disk_tight_bytes = (uint64_t)256 << 20;
enum { COMPILER_PROCESSES = 64, DISK_FULL_FILES = 4 };

enum wg_code wg_compile_make_job(const char *file_name, const void *source, size_t len, char **out,
                                 struct wg_err *err) {
    if (strchr(file_name, '/') != NULL || file_name[0] == '.' || file_name[0] == '\0') {
        return wg_fail(err, WG_EINVAL, "'%s' is not a plain file name", file_name);
    }
    WG_CLEANUP(wg_freep) char *folder = NULL;
    enum wg_code code = wg_jail_folder_make(&folder, err);
    if (code != WG_OK) {
        return code;
    }
    WG_CLEANUP(wg_freep) char *source_folder = wg_path_join(folder, "src");
    WG_CLEANUP(wg_freep) char *file = wg_path_join(source_folder, file_name);
    code = wg_folder_make(source_folder, 0755, err);
    if (code == WG_OK) {
        code = wg_file_write(file, source, len, 0644, err);
    }
    if (code == WG_OK) {
        code = wg_jail_give(source_folder, err);
    }
    if (code == WG_OK) {
        code = wg_jail_give(file, err);
    }
    if (code != WG_OK) {
        struct wg_err ignored = {0};
        (void)wg_jail_folder_remove(folder, &ignored);
        return code;
    }
    *out = WG_TAKE(&folder);
    return WG_OK;
}

/* What compilers read of a platform's share folder; a platform may lack some. */
enum { SHARED_FOLDERS = 3 };
struct shared_folder {
    const char *name;
    char *source, *target;
};

/* A compiler without room fails like one that does not like its input, and has often removed by the
 * time we look what did not fit. Its words alone prove nothing: a source can print any. */
static bool ran_out_of_disk(const char *folder, const struct wg_jail_result *run) {
    struct statvfs disk;
    if ((run->end == WG_JAIL_EXITED && run->exit_status == 0) || statvfs(folder, &disk) != 0) {
        return false;
    }
    uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    bool says_so = strstr(wg_buf_str(&run->errout), "No space left on device") != NULL;
    return free_bytes < disk_full_bytes || (disk.f_files > 0 && disk.f_favail < DISK_FULL_FILES) ||
           (says_so && free_bytes < disk_tight_bytes);
}

enum wg_code wg_compile_run(const char *platform, int64_t wall_s, const char *const *argv,
                            const char *folder, struct wg_jail_result *out, struct wg_err *err) {
    const struct wg_needs *needs = wg_needs_of_compiler(platform);
    const char *env[4 + WG_NEEDS_MAX] = {"PATH=/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp",
                                         "LC_ALL=C.UTF-8"};
    memcpy(env + 4, needs->env, sizeof needs->env);
    /* Not all of share/: the references beside the headers are not for #include. */
    WG_CLEANUP(wg_freep) char *tools = wg_path_join(wg_paths_libexec(), platform);
    WG_CLEANUP(wg_freep) char *tools_inside = wg_path_join("/wg/libexec", platform);
    WG_CLEANUP(wg_freep) char *share = wg_path_join(wg_paths_share(), platform);
    WG_CLEANUP(wg_freep) char *share_inside = wg_path_join("/wg/share", platform);
    struct shared_folder shared[SHARED_FOLDERS] = {
        {.name = "include"}, {.name = "pch"}, {.name = "bitcode"}};
    struct wg_jail_bind binds[2 + SHARED_FOLDERS + WG_NEEDS_MAX] = {
        {.source = folder, .target = "/job", .writable = true},
    };
    size_t bind_count = 1;
    if (wg_file_is_folder(tools)) {
        binds[bind_count++] = (struct wg_jail_bind){.source = tools, .target = tools_inside};
    }
    for (size_t i = 0; i < SHARED_FOLDERS; i++) {
        shared[i].source = wg_path_join(share, shared[i].name);
        shared[i].target = wg_path_join(share_inside, shared[i].name);
        if (wg_file_is_folder(shared[i].source)) {
            binds[bind_count++] =
                (struct wg_jail_bind){.source = shared[i].source, .target = shared[i].target};
        }
    }
    memcpy(binds + bind_count, needs->binds, needs->bind_count * sizeof binds[0]);
    bind_count += needs->bind_count;
    const struct wg_jail_spec spec = {
        .argv = argv,
        .env = env,
        .binds = binds,
        .bind_count = bind_count,
        .workdir = "/job/src",
        .limits = {.wall_ns = wall_s * 1000000000,
                   .cpu_s = 2 * wall_s,
                   .memory_bytes = compiler_memory_bytes,
                   .file_bytes = compiler_file_bytes,
                   .tmpfs_bytes = compiler_tmpfs_bytes,
                   .output_bytes = compiler_output_bytes,
                   .processes = COMPILER_PROCESSES,
                   .limit_address_space = true},
    };
    enum wg_code code = wg_jail_run(&spec, out, err);
    for (size_t i = 0; i < SHARED_FOLDERS; i++) {
        free(shared[i].source);
        free(shared[i].target);
    }
    if (code == WG_OK && ran_out_of_disk(folder, out)) {
        wg_jail_result_done(out);
        errno = ENOSPC;
        return wg_fail(err, WG_EIO, "compile in '%s'", folder);
    }
    return code;
}

static char *join_kernels(const struct wg_manifest *manifest) {
    struct wg_buf text = {0};
    for (size_t i = 0; i < manifest->kernel_count; i++) {
        wg_buf_printf(&text, "%s%s", i == 0 ? "" : ",", manifest->kernels[i]);
    }
    return text.data == NULL ? wg_strdup("") : text.data;
}

/* "ptr ptr f32 i32": the lowered parameters. */
static char *lowered_signature(const struct wg_manifest *manifest) {
    static const char *const names[] = {
        [WG_TYPE_I32] = "i32", [WG_TYPE_U32] = "u32", [WG_TYPE_I64] = "i64", [WG_TYPE_U64] = "u64",
        [WG_TYPE_F32] = "f32", [WG_TYPE_F64] = "f64", [WG_TYPE_I8] = "i8",   [WG_TYPE_U8] = "u8",
    };
    struct wg_buf text = {0};
    for (size_t i = 0; i < manifest->arg_count; i++) {
        const struct wg_manifest_arg *arg = &manifest->args[i];
        wg_buf_printf(&text, "%s%s", i == 0 ? "" : " ",
                      arg->kind == WG_ARG_BUFFER ? "ptr" : names[arg->type]);
    }
    return text.data == NULL ? wg_strdup("") : text.data;
}

void wg_compile_argv_make(const struct wg_build_target *target, const struct wg_manifest *manifest,
                          const char *file_name, struct wg_compile_argv *out) {
    *out = (struct wg_compile_argv){
        .program = wg_strf("/wg/libexec/%s/compile", target->platform),
        .kernels = manifest != NULL ? join_kernels(manifest) : NULL,
        .signature = manifest != NULL ? lowered_signature(manifest) : NULL,
    };
    size_t count = 0;
    const char **argv = out->argv;
    argv[count++] = out->program;
    argv[count++] = "--source";
    argv[count++] = file_name;
    argv[count++] = "--out";
    argv[count++] = "/job";
    if (target->arches != NULL) {
        argv[count++] = "--arch";
        argv[count++] = target->arches;
    }
    if (target->facts_only || manifest == NULL) { /* no entry to look for */
        argv[count++] = "--facts";
        return;
    }
    argv[count++] = "--launcher";
    argv[count++] = manifest->launcher;
    argv[count++] = "--kernels";
    argv[count++] = out->kernels;
    argv[count++] = "--signature";
    argv[count++] = out->signature;
}

void wg_compile_argv_done(struct wg_compile_argv *argv) {
    free(argv->program);
    free(argv->kernels);
    free(argv->signature);
    *argv = (struct wg_compile_argv){0};
}

/* The next word of a line: *at moves behind it. */
static size_t next_word(const char *text, size_t len, size_t *at, const char **word) {
    while (*at < len && text[*at] == ' ') {
        ++*at;
    }
    size_t start = *at;
    while (*at < len && text[*at] != ' ' && text[*at] != '\n') {
        ++*at;
    }
    *word = text + start;
    return *at - start;
}

bool wg_compile_parse_entry(const char *text, size_t len, struct wg_build *out) {
    size_t at = 0;
    const char *kind = NULL;
    const char *symbol = NULL;
    const char *name = NULL;
    size_t kind_len = next_word(text, len, &at, &kind);
    size_t symbol_len = next_word(text, len, &at, &symbol);
    size_t name_len = next_word(text, len, &at, &name);
    bool is_launcher = kind_len == 8 && memcmp(kind, "launcher", 8) == 0;
    bool is_kernel = kind_len == 6 && memcmp(kind, "kernel", 6) == 0;
    if ((!is_launcher && !is_kernel) || symbol_len == 0 || symbol_len >= sizeof out->entry_symbol ||
        name_len == 0) {
        return false;
    }
    for (size_t i = 0; i < symbol_len; i++) {
        if (symbol[i] == '\0' || !(isalnum((unsigned char)symbol[i]) || strchr("_.$", symbol[i]))) {
            return false;
        }
    }
    out->entry_kind = is_launcher ? WG_ENTRY_LAUNCHER : WG_ENTRY_KERNEL;
    memcpy(out->entry_symbol, symbol, symbol_len);
    out->entry_symbol[symbol_len] = '\0';
    out->entry_name = wg_text_clean(name, name_len, 200);
    return true;
}
