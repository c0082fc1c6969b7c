#include "grader/build/build.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/text.h"
#include "grader/base/trust.h"
#include "grader/build/advice.h"
#include "grader/build/cache.h"
#include "grader/build/compile.h"
#include "grader/build/diagnostics.h"
#include "grader/build/gap.h"
#include "grader/build/imports.h"
#include "grader/build/libraries.h"

#define LIBRARY         "student.so"
#define CHECKED_LIBRARY "checked.so"
#define ENTRY           "entry.txt"
#define RESOURCES       "resources.tsv"
#define INCLUDES        "includes.d"
#define WORDS           "words.txt"
#define GOLDEN_LIBRARY  "golden.so"
#define GOLDEN_OUTPUT   "/job/golden.so"

enum {
    LOG_BYTES = 64 * 1024,
    ENTRY_BYTES = 4096,
    RESOURCES_BYTES = 256 * 1024,
    INCLUDES_BYTES = 4 * 1024 * 1024,
    LIBRARY_BYTES = 256 * 1024 * 1024,
    REFERENCE_BYTES = 1024 * 1024,
    EXIT_STUDENT = 1,  /* of the compile tool: the file is at fault */
    EXIT_USAGE = 64,   /* likewise: it was asked for what it cannot do */
    FACTS_WALL_S = 60, /* where no assignment sets a limit */
};

/* Clang's words when it, and not the program around it, gave up on a file. */
static const char *const compiler_crash_words[] = {
    "PLEASE submit a bug report",
    "clang frontend command failed",
    "signal terminated program",         /* gcc's */
    "the compiler gave up on this file", /* our own tools', of one that died */
    "out of memory",
    "LLVM ERROR",
};

void wg_build_done(struct wg_build *build) {
    struct wg_err ignored = {0};
    if (build->folder != NULL) {
        (void)wg_jail_folder_remove(build->folder, &ignored);
    }
    free(build->sentence);
    free(build->folder);
    free(build->library);
    free(build->checked_library);
    free(build->entry_name);
    free(build->resources);
    free(build->command);
    free(build->log);
    wg_diagnostics_free(build->diagnostics, build->diagnostic_count);
    *build = (struct wg_build){0};
}

bool wg_build_has_platform(const char *platform) {
    WG_CLEANUP(wg_freep) char *tool = wg_strf("%s/%s/compile", wg_paths_libexec(), platform);
    return wg_file_exists(tool);
}

static enum wg_code check_platform(const char *platform, struct wg_err *err) {
    if (!wg_build_has_platform(platform)) {
        return wg_fail(err, WG_EUNSUPPORTED,
                       "this installation of wavegrade cannot compile for platform '%.60s': its "
                       "tools were not there when it was built",
                       platform);
    }
    return WG_OK;
}

static void fail_build(struct wg_build *build, char *sentence) {
    build->verdict = WG_VERDICT_BUILD_ERROR;
    build->sentence = sentence;
}

/* As a shell takes it for one word: somebody may paste it. */
static void add_quoted(struct wg_buf *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=.:/@%";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        wg_buf_puts(out, word);
        return;
    }
    wg_buf_puts(out, "'");
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            wg_buf_puts(out, "'\\''");
        } else {
            wg_buf_add(out, word, 1);
        }
    }
    wg_buf_puts(out, "'");
}

/* The command for people: the tool's name, and nothing of where things lie. */
static char *shown_command(const char *const *argv) {
    struct wg_buf text = {0};
    for (; *argv != NULL; argv++) {
        const char *slash = strrchr(*argv, '/');
        wg_buf_puts(&text, text.len == 0 ? "" : " ");
        add_quoted(&text, slash == NULL ? *argv : slash + 1);
    }
    return text.data;
}

/* ---- What a run of the compiler means ---- */

static bool compiler_crashed(const struct wg_jail_result *run) {
    for (size_t i = 0; i < sizeof compiler_crash_words / sizeof compiler_crash_words[0]; i++) {
        if (strstr(wg_buf_str(&run->errout), compiler_crash_words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* An end that the file may have caused, and the machine just as well: somebody or something there
 * killed the compiler. */
static bool may_be_by_chance(const struct wg_jail_result *run) {
    return run->end == WG_JAIL_SIGNALED ||
           (run->end == WG_JAIL_EXITED && run->exit_status != 0 && run->exit_status != EXIT_USAGE &&
            (run->exit_status != EXIT_STUDENT || compiler_crashed(run)));
}

/* A limit that the file made the compiler run into, in words; NULL: none. */
static char *limit_in_words(int64_t wall_s, const char *file_name,
                            const struct wg_jail_result *run) {
    switch (run->end) {
    case WG_JAIL_WALL_LIMIT:
    case WG_JAIL_CPU_LIMIT:
        return wg_strf("%s was still compiling after %lld s: look for templates or macros that "
                       "expand without end, and for very large arrays with initializers",
                       file_name, (long long)wall_s);
    case WG_JAIL_MEMORY_LIMIT:
        return wg_strf("compiling %s takes more memory than there is for it: look for templates or "
                       "macros that expand without end, and for very large arrays",
                       file_name);
    case WG_JAIL_OUTPUT_LIMIT:
        return wg_strf("compiling %s prints more messages than are kept: mend the first errors "
                       "and build again",
                       file_name);
    default:
        return compiler_crashed(run) ? wg_strf("the compiler gave up on %s (too deeply nested, too "
                                               "large, or a fault of the compiler): simplify it",
                                               file_name)
                                     : NULL;
    }
}

/* Nobody's file explains this end: the tool or the machine is at fault. */
static enum wg_code fail_of_ours(const struct wg_jail_result *run, struct wg_err *err) {
    const char *words = wg_buf_str(&run->errout);
    int len = (int)strcspn(words, "\n");
    if (run->end == WG_JAIL_EXITED && run->exit_status == EXIT_USAGE) { /* an arch, most likely */
        return wg_fail(err, WG_EINVAL, "%.*s", len, words);
    }
    if (run->end == WG_JAIL_SIGNALED) {
        return wg_fail(err, WG_EINTERNAL, "the compile tool was ended by signal %d: %.*s",
                       run->signal, len, words);
    }
    return wg_fail(err, WG_EINTERNAL, "the compile tool ended with status %d: %.*s",
                   run->exit_status, len, words);
}

/* The compile tool knows parameters only in their lowered form ("pointer"); where it complains
 * about the entry, the manifest's own line is shown instead. NULL: the complaint is another. */
static char *entry_in_words(const struct wg_manifest *manifest, const char *file_name,
                            const struct wg_diagnostic *first) {
    static const char *const marks[] = {", but is called with (", " was found; write: "};
    for (size_t i = 0; first != NULL && i < sizeof marks / sizeof marks[0]; i++) {
        const char *found = strstr(first->message, marks[i]);
        if (found != NULL) {
            WG_CLEANUP(wg_freep) char *signature = wg_manifest_signature(manifest);
            return wg_strf("%s: %.*s%s; it has to be: extern \"C\" void %s(%s)", file_name,
                           (int)(found - first->message), first->message,
                           i == 1 ? " was found" : "", manifest->launcher, signature);
        }
    }
    return NULL;
}

static char *failure_in_words(const struct wg_manifest *manifest, const char *file_name,
                              const void *source, size_t len, const struct wg_build *build) {
    const struct wg_diagnostic *first =
        wg_diagnostics_first_error(build->diagnostics, build->diagnostic_count);
    char *entry = manifest != NULL ? entry_in_words(manifest, file_name, first) : NULL;
    return entry != NULL ? entry
                         : wg_advice_after_build(file_name, source, len, build->diagnostics,
                                                 build->diagnostic_count);
}

static void keep_words(const char *file_name, const struct wg_jail_result *run,
                       struct wg_build *build) {
    if (run->errout.len > 0) {
        build->log = wg_text_clean(run->errout.data, run->errout.len, LOG_BYTES);
        wg_diagnostics_parse(run->errout.data, run->errout.len, file_name, &build->diagnostics,
                             &build->diagnostic_count);
    }
}

/* A file that jailed code left: it has to be one, and no link to something of ours. */
static char *artefact(const char *folder, const char *name) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, name);
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? WG_TAKE(&path) : NULL;
}

static enum wg_code collect(const struct wg_build_target *target, struct wg_build *build,
                            struct wg_err *err) {
    struct wg_err ignored = {0};
    struct wg_buf resources = {0};
    if (wg_jail_read_file(build->folder, RESOURCES, RESOURCES_BYTES, &resources, &ignored) ==
        WG_OK) {
        build->resources = wg_strdup(wg_buf_str(&resources));
    }
    wg_buf_done(&resources);
    if (target->facts_only) {
        return build->resources != NULL
                   ? WG_OK
                   : wg_fail(err, WG_EINTERNAL, "the compile tool left no facts");
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf entry = {0};
    enum wg_code code = wg_jail_read_file(build->folder, ENTRY, ENTRY_BYTES, &entry, err);
    if (code != WG_OK) {
        return code;
    }
    build->library = artefact(build->folder, LIBRARY);
    build->checked_library = artefact(build->folder, CHECKED_LIBRARY);
    if (build->library == NULL || !wg_compile_parse_entry(entry.data, entry.len, build)) {
        return wg_fail(err, WG_EINTERNAL, "the compile tool left no library or no entry");
    }
    return WG_OK;
}

/* The checked library is made of the same host code. */
static enum wg_code refuse_imports(const struct wg_manifest *manifest, const char *file_name,
                                   const void *source, size_t len, struct wg_build *build,
                                   struct wg_err *err) {
    bool may_load = manifest != NULL && manifest->library_count > 0;
    WG_CLEANUP(wg_buf_done) struct wg_buf library = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf names = {0};
    enum wg_code code = wg_file_read(build->library, LIBRARY_BYTES, &library, err);
    code = code ? code : wg_imports_read(library.data, library.len, &names, err);
    char *sentence =
        code ? NULL : wg_imports_refuse(file_name, source, len, wg_buf_str(&names), may_load);
    if (sentence != NULL) {
        build->verdict = WG_VERDICT_POLICY_VIOLATION;
        build->sentence = sentence;
    }
    return code;
}

/* The file does not compile: its own fault, unless it is this platform that lacks something. */
static void take_refusal(const struct wg_build_target *target, const struct wg_manifest *manifest,
                         const char *file_name, const void *source, size_t len,
                         struct wg_build *build) {
    /* On amd the headers are the vendor's: what they have not, HIP has not. */
    bool is_ours = strcmp(target->platform, "amd") != 0;
    char *gap = is_ours ? wg_gap_in_words(target->platform, file_name, build->diagnostics,
                                          build->diagnostic_count)
                        : NULL;
    fail_build(build, gap ? gap : failure_in_words(manifest, file_name, source, len, build));
    if (gap) {
        build->verdict = WG_VERDICT_GRADER_ERROR;
    }
}

/* True: the submission uses a library that the assignment does not allow. */
static bool refuse_libraries(const struct wg_manifest *manifest, const char *file_name,
                             const void *source, size_t len, struct wg_build *build) {
    WG_CLEANUP(wg_buf_done) struct wg_buf includes = {0};
    struct wg_err ignored = {0};
    if (manifest == NULL || wg_trust_is_off("policy")) {
        return false;
    }
    (void)wg_jail_read_file(build->folder, INCLUDES, INCLUDES_BYTES, &includes, &ignored);
    char *sentence = wg_libraries_refuse(manifest, file_name, source, len, wg_buf_str(&includes),
                                         build->diagnostics, build->diagnostic_count);
    if (sentence == NULL) {
        return false;
    }
    build->verdict = WG_VERDICT_POLICY_VIOLATION;
    build->sentence = sentence;
    return true;
}

/* All that a run of the compiler leaves, by platform: checked builds are the cpu platform's, facts
 * the others'. */
static const char *const *outputs_of(const char *platform) {
    static const char *const emulated[] = {LIBRARY, CHECKED_LIBRARY, ENTRY, INCLUDES, WORDS, NULL};
    static const char *const native[] = {LIBRARY, RESOURCES, ENTRY, INCLUDES, WORDS, NULL};
    return strcmp(platform, "cpu") == 0 ? emulated : native;
}

/* A good run that was kept takes the place of another one; what it means is found out afresh. */
static bool recall_run(const struct wg_build_target *target, const char *key, const char *folder,
                       struct wg_jail_result *run) {
    struct wg_err ignored = {0};
    if (target->cache == NULL ||
        !wg_cache_load(target->cache, key, folder, outputs_of(target->platform)) ||
        wg_jail_read_file(folder, WORDS, LOG_BYTES, &run->errout, &ignored) != WG_OK) {
        return false;
    }
    run->end = WG_JAIL_EXITED;
    return true;
}

static void keep_run(const struct wg_build_target *target, const char *key, const char *folder,
                     const struct wg_jail_result *run) {
    struct wg_err ignored = {0};
    WG_CLEANUP(wg_freep) char *words = wg_path_join(folder, WORDS);
    if (target->cache != NULL && run->end == WG_JAIL_EXITED && run->exit_status == 0 &&
        run->errout.len < LOG_BYTES &&
        wg_file_write(words, wg_buf_str(&run->errout), run->errout.len, 0644, &ignored) == WG_OK) {
        wg_cache_store(target->cache, key, folder, outputs_of(target->platform));
    }
}

/* What comes a second time is no chance. */
static enum wg_code compile(const char *platform, int64_t wall_s, const char *const *argv,
                            const char *folder, struct wg_jail_result *run, struct wg_err *err) {
    enum wg_code code = wg_compile_run(platform, wall_s, argv, folder, run, err);
    if (code == WG_OK && may_be_by_chance(run)) {
        wg_jail_result_done(run);
        code = wg_compile_run(platform, wall_s, argv, folder, run, err);
    }
    return code;
}

static enum wg_code run_compiler(const struct wg_build_target *target, int64_t wall_s,
                                 const void *source, size_t len, const char *const *argv,
                                 const char *folder, struct wg_jail_result *run,
                                 struct wg_err *err) {
    char key[65] = "";
    if (target->cache != NULL) {
        wg_cache_key(target->platform, argv, source, len, key);
    }
    if (recall_run(target, key, folder, run)) {
        return WG_OK;
    }
    wg_jail_result_done(run);
    enum wg_code code = compile(target->platform, wall_s, argv, folder, run, err);
    if (code == WG_OK) {
        keep_run(target, key, folder, run);
    }
    return code;
}

static enum wg_code compile_source(const struct wg_build_target *target,
                                   const struct wg_manifest *manifest, const char *file_name,
                                   const void *source, size_t len, const char *const *argv,
                                   struct wg_build *build, struct wg_err *err) {
    int64_t wall_s = manifest != NULL ? manifest->build_wall_s : FACTS_WALL_S;
    enum wg_code code = wg_compile_make_job(file_name, source, len, &build->folder, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_jail_result run = {0};
    code = run_compiler(target, wall_s, source, len, argv, build->folder, &run, err);
    if (code != WG_OK) {
        wg_jail_result_done(&run);
        return code;
    }
    keep_words(file_name, &run, build);
    char *limit = limit_in_words(wall_s, file_name, &run);
    if (limit != NULL) {
        fail_build(build, limit);
    } else if (run.end == WG_JAIL_EXITED && run.exit_status <= EXIT_STUDENT &&
               refuse_libraries(manifest, file_name, source, len, build)) {
        code = WG_OK;
    } else if (run.end == WG_JAIL_EXITED && run.exit_status == EXIT_STUDENT) {
        take_refusal(target, manifest, file_name, source, len, build);
    } else if (run.end == WG_JAIL_EXITED && run.exit_status == 0) {
        code = collect(target, build, err);
        if (code == WG_OK && build->library != NULL && !wg_trust_is_off("imports")) {
            code = refuse_imports(manifest, file_name, source, len, build, err);
        }
    } else {
        code = fail_of_ours(&run, err);
    }
    wg_jail_result_done(&run);
    return code;
}

enum wg_code wg_build_source(const struct wg_build_target *target,
                             const struct wg_manifest *manifest, const char *file_name,
                             const void *source, size_t source_len, struct wg_build *out,
                             struct wg_err *err) {
    enum wg_code code = check_platform(target->platform, err);
    if (code != WG_OK) {
        return code;
    }
    int64_t start_ns = wg_clock_mono_ns();
    struct wg_build build = {0};
    struct wg_compile_argv compiler;
    wg_compile_argv_make(target, manifest, file_name, &compiler);
    build.command = shown_command(compiler.argv);
    char *unfit = wg_advice_before_build(file_name, source, source_len);
    if (unfit != NULL) {
        fail_build(&build, unfit);
    } else {
        code = compile_source(target, manifest, file_name, source, source_len, compiler.argv,
                              &build, err);
    }
    wg_compile_argv_done(&compiler);
    if (code != WG_OK) {
        wg_build_done(&build);
        return code;
    }
    build.wall_ns = wg_clock_mono_ns() - start_ns;
    *out = build;
    return WG_OK;
}

/* ---- References ---- */

static enum wg_code read_reference(const struct wg_manifest *manifest, const char *file_name,
                                   struct wg_buf *source, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(manifest->reference_folder, file_name);
    return wg_file_read(path, REFERENCE_BYTES, source, err);
}

static enum wg_code blame_assignment(const struct wg_manifest *manifest, const char *file_name,
                                     const struct wg_build *build, struct wg_err *err) {
    return wg_fail(err, WG_EPARSE, "assignment %s: reference %s: %s", manifest->id, file_name,
                   build->sentence);
}

/* From the cache into a job folder of its own. False: not there, and *build has no folder. */
static bool load_cached(const char *key, const char *const *names, struct wg_build *build) {
    struct wg_err ignored = {0};
    WG_CLEANUP(wg_freep) char *folder = NULL;
    if (wg_jail_folder_make(&folder, &ignored) != WG_OK) {
        return false;
    }
    if (!wg_cache_load(NULL, key, folder, names)) {
        (void)wg_jail_folder_remove(folder, &ignored);
        return false;
    }
    build->folder = WG_TAKE(&folder);
    return true;
}

enum wg_code wg_build_reference(const struct wg_build_target *target,
                                const struct wg_manifest *manifest, const char *file_name,
                                struct wg_build *out, struct wg_err *err) {
    /* Checked builds are the cpu platform's, facts the others'. */
    static const char *const emulated[] = {LIBRARY, CHECKED_LIBRARY, ENTRY, NULL};
    static const char *const native[] = {LIBRARY, RESOURCES, ENTRY, NULL};
    const char *const *names = strcmp(target->platform, "cpu") == 0 ? emulated : native;
    WG_CLEANUP(wg_buf_done) struct wg_buf source = {0};
    enum wg_code code = check_platform(target->platform, err);
    if (code == WG_OK) {
        code = read_reference(manifest, file_name, &source, err);
    }
    if (code != WG_OK) {
        return code;
    }
    char key[65];
    struct wg_compile_argv compiler;
    wg_compile_argv_make(target, manifest, file_name, &compiler);
    wg_cache_key(target->platform, compiler.argv, source.data, source.len, key);
    WG_CLEANUP(wg_freep) char *command = shown_command(compiler.argv);
    wg_compile_argv_done(&compiler);

    int64_t start_ns = wg_clock_mono_ns();
    struct wg_build build = {0};
    struct wg_err unusable = {0};
    if (load_cached(key, names, &build) && collect(target, &build, &unusable) == WG_OK) {
        build.command = WG_TAKE(&command);
        build.wall_ns = wg_clock_mono_ns() - start_ns;
        *out = build;
        return WG_OK;
    }
    wg_build_done(&build);
    code = wg_build_source(target, manifest, file_name, source.data, source.len, &build, err);
    if (code == WG_OK && build.verdict != WG_VERDICT_PASS) {
        code = blame_assignment(manifest, file_name, &build, err);
        wg_build_done(&build);
    }
    if (code == WG_OK) {
        wg_cache_store(NULL, key, build.folder, names);
        *out = build;
    }
    return code;
}

/* The reference is plain C and trusted like the manifest beside it; the jail keeps a mistake in it
 * from costing more than this grading. */
static enum wg_code compile_golden(const struct wg_manifest *manifest, const char *const *argv,
                                   const struct wg_buf *source, struct wg_build *build,
                                   struct wg_err *err) {
    enum wg_code code =
        wg_compile_make_job("golden.c", source->data, source->len, &build->folder, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_jail_result run = {0};
    code = compile("cpu", manifest->build_wall_s, argv, build->folder, &run, err);
    if (code != WG_OK) {
        return code;
    }
    keep_words("golden.c", &run, build);
    build->library = artefact(build->folder, GOLDEN_LIBRARY);
    if (run.end != WG_JAIL_EXITED || run.exit_status != 0 || build->library == NULL) {
        build->sentence = wg_advice_after_build("golden.c", source->data, source->len,
                                                build->diagnostics, build->diagnostic_count);
        code = blame_assignment(manifest, "golden.c", build, err);
    }
    wg_jail_result_done(&run);
    return code;
}

/* A machine that grades on a GPU alone may have no clang, but nvcc does not work without gcc. */
static const char *c_compiler(void) {
    static const char clang[] = "/usr/bin/clang-19";
    return wg_file_exists(clang) ? clang : "/usr/bin/gcc";
}

enum wg_code wg_build_golden(const struct wg_manifest *manifest, struct wg_build *out,
                             struct wg_err *err) {
    static const char *const names[] = {GOLDEN_LIBRARY, NULL};
    /* No contraction: products of floats are exact in double, and stay what golden.c says. */
    const char *const argv[] = {c_compiler(), "-std=c17", "-O2", "-ffp-contract=off",
                                "-fPIC",      "-shared",  "-o",  GOLDEN_OUTPUT,
                                "golden.c",   "-lm",      NULL};
    WG_CLEANUP(wg_buf_done) struct wg_buf source = {0};
    enum wg_code code = read_reference(manifest, "golden.c", &source, err);
    if (code != WG_OK) {
        return code;
    }
    char key[65];
    wg_cache_key("cpu", argv, source.data, source.len, key);
    struct wg_build build = {.entry_kind = WG_ENTRY_GOLDEN, .entry_symbol = "golden"};
    int64_t start_ns = wg_clock_mono_ns();
    if (load_cached(key, names, &build)) {
        build.library = artefact(build.folder, GOLDEN_LIBRARY);
    } else {
        code = compile_golden(manifest, argv, &source, &build, err);
        if (code == WG_OK) {
            wg_cache_store(NULL, key, build.folder, names);
        }
    }
    if (code != WG_OK) {
        wg_build_done(&build);
        return code;
    }
    build.entry_name = wg_strdup("golden");
    build.command = shown_command(argv);
    build.wall_ns = wg_clock_mono_ns() - start_ns;
    *out = build;
    return WG_OK;
}
