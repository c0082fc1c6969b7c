#include "sandbox/platform/cpu/compiler/link.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/cpu/compiler/diag.h"
#include "sandbox/platform/cpu/compiler/spawn.h"

/* The runtime libraries themselves, not the development files of one compiler version: they are on
 * every machine and need no search through gcc's folders. */
static const char *const system_libraries[] = {"-l:libstdc++.so.6",   "-l:libm.so.6",
                                               "-l:libgcc_s.so.1",    "-l:libc.so.6",
                                               "-l:libc_nonshared.a", "-l:ld-linux-x86-64.so.2"};
static const char *const library_folders[] = {"-L/usr/lib/x86_64-linux-gnu",
                                              "-L/lib/x86_64-linux-gnu", "-L/usr/lib64", "-L/lib64",
                                              "-L/usr/lib"};

enum wg_code wg_link_start(const char *const *objects, size_t object_count, const char *runtime,
                           const char *output, pid_t *out, struct wg_err *err) {
    static const char *const options[] = {
        WG_LLD,
        "-shared",
        "-z",
        "now",
        "-z",
        "relro",
        "--no-undefined",
        "--no-dependent-libraries", /* which objects can ask for */
        "--eh-frame-hdr",           /* or no exception is ever caught */
        "--hash-style=gnu",
        "--build-id=none",
        "--threads=1",
        "--color-diagnostics=never",
        "--error-limit=0",
        "--no-demangle",
    };
    const char *args[64];
    size_t count = 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        args[count++] = options[i];
    }
    for (size_t i = 0; i < sizeof library_folders / sizeof *library_folders; i++) {
        args[count++] = library_folders[i];
    }
    for (size_t i = 0; i < object_count; i++) {
        args[count++] = objects[i];
    }
    args[count++] = runtime;
    for (size_t i = 0; i < sizeof system_libraries / sizeof *system_libraries; i++) {
        args[count++] = system_libraries[i];
    }
    args[count++] = "-o";
    args[count++] = output;
    args[count] = NULL;
    WG_CLEANUP(wg_freep) char *log = wg_strf("%s.log", output);
    return wg_spawn(args, log, out, err);
}

/* The Itanium ABI's demangler, from the C++ runtime library. */
char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* Where an object uses a symbol; false when it does not. */
static bool find_use(const char *object, const char *symbol, char *file, size_t file_size,
                     unsigned *line, unsigned *column) {
    WG_CLEANUP(wg_freep) char *path = wg_strf("%s.uses", object);
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    size_t length = strlen(symbol);
    if (wg_file_read(path, (size_t)64 << 20, &text, NULL)) {
        return false;
    }
    for (const char *at = wg_buf_str(&text); at && *at;
         at = strchr(at, '\n'), at = at ? at + 1 : NULL) {
        if (strncmp(at, symbol, length) == 0 && at[length] == ' ') {
            char *end = NULL;
            *line = (unsigned)strtoul(at + length, &end, 10);
            *column = (unsigned)strtoul(end, &end, 10);
            snprintf(file, file_size, "%.*s", (int)strcspn(end + 1, "\n"), end + 1);
            return true;
        }
    }
    return false;
}

static void say_undefined(const char *const *objects, size_t object_count, const char *source,
                          const char *symbol) {
    char file[4096];
    unsigned line = 0;
    unsigned column = 0;
    bool found = false;
    for (size_t i = 0; i < object_count && !found; i++) {
        found = find_use(objects[i], symbol, file, sizeof file, &line, &column);
    }
    bool known = found && line > 0;
    int status = 0;
    WG_CLEANUP(wg_freep) char *name = __cxa_demangle(symbol, NULL, NULL, &status);
    wg_diag_error(known ? file : source, known ? line : 0, column, NULL,
                  "'%s' is declared but defined nowhere", name ? name : symbol);
}

/* What a file can make the linker complain about, by assembly and attributes; a full disk is no
 * student's fault. Cuts text at the end of the line. */
static const char *find_complaint(char *text) {
    static const char mark[] = "error: ";
    static const char *const ours[] = {"No space left", "cannot open", "failed to write"};
    char *found = strstr(text, mark);
    if (found == NULL) {
        return NULL;
    }
    found += strlen(mark);
    found[strcspn(found, "\r\n")] = '\0';
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (strstr(found, ours[i]) != NULL) {
            return NULL;
        }
    }
    return found;
}

bool wg_link_explain(const char *const *objects, size_t object_count, const char *source,
                     const char *output, struct wg_err *err) {
    static const char mark[] = "undefined symbol: ";
    WG_CLEANUP(wg_freep) char *path = wg_strf("%s.log", output);
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    if (wg_file_read(path, (size_t)64 << 20, &text, err)) {
        return false;
    }
    size_t told = 0;
    const char *at = wg_buf_str(&text);
    while ((at = strstr(at, mark)) != NULL) {
        at += strlen(mark);
        WG_CLEANUP(wg_freep) char *symbol = wg_strf("%.*s", (int)strcspn(at, "\r\n"), at);
        if (told++ < 20) {
            say_undefined(objects, object_count, source, symbol);
        }
    }
    const char *complaint = told == 0 && text.len > 0 ? find_complaint(text.data) : NULL;
    if (complaint != NULL) {
        wg_diag_error(source, 0, 0, NULL, "the linker refuses it: %.200s", complaint);
        return true;
    }
    if (told == 0) {
        wg_fail(err, WG_EINTERNAL, "the linker failed: %.200s", wg_buf_str(&text));
    }
    return told > 0;
}
