#include "grader/build/advice.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/encoding.h"
#include "grader/base/text.h"
#include "grader/build/diagnostics.h"

enum {
    SOURCE_LIMIT = 1024 * 1024,
    SHOWN_NAMES = 3, /* of the CUDA names in a file */
};

/* ---- Before the build ---- */

static bool starts_with(const char *text, size_t len, const char *prefix) {
    size_t prefix_len = strlen(prefix);
    return len >= prefix_len && memcmp(text, prefix, prefix_len) == 0;
}

static bool is_blank(const char *source, size_t len) {
    size_t i = starts_with(source, len, "\xef\xbb\xbf") ? 3 : 0;
    while (i < len && isspace((unsigned char)source[i])) {
        i++;
    }
    return i == len;
}

/* The compiler warns of a few NUL bytes between words and goes on. */
static bool is_binary(const char *source, size_t len) {
    size_t nuls = 0, controls = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)source[i];
        nuls += c == '\0';
        controls += c != '\0' && c < ' ' && !isspace(c);
    }
    return nuls > 0 && (controls > 0 || nuls > len / 10);
}

char *wg_advice_before_build(const char *file_name, const char *source, size_t len) {
    if (is_blank(source, len)) {
        return wg_strf("%s is empty", file_name);
    }
    if (starts_with(source, len, "version https://git-lfs.github.com/spec/")) {
        return wg_strf("%s is a Git LFS pointer and not the file itself: remove the pattern from "
                       ".gitattributes and commit the source as a plain file",
                       file_name);
    }
    const char *wide = wg_encoding_wide(source, len);
    if (wide != NULL) {
        return wg_strf("%s is saved as %s: save it as UTF-8", file_name, wide);
    }
    if (is_binary(source, len)) {
        return wg_strf("%s is a binary file: hand in the source code", file_name);
    }
    if (len > SOURCE_LIMIT) {
        return wg_strf("%s has %zu bytes; a source file may have at most %d", file_name, len,
                       SOURCE_LIMIT);
    }
    return NULL;
}

/* ---- CUDA in a HIP file ---- */

static const struct {
    const char *cuda, *hip; /* hip NULL: has no place in HIP */
} renamed[] = {
    {"cuda.h", "hip/hip_runtime.h"},
    {"cuda_runtime.h", "hip/hip_runtime.h"},
    {"cuda_runtime_api.h", "hip/hip_runtime_api.h"},
    {"cuda_fp16.h", "hip/hip_fp16.h"},
    {"cuda_bf16.h", "hip/hip_bf16.h"},
    {"cooperative_groups.h", "hip/hip_cooperative_groups.h"},
    {"cublas_v2.h", "hipblas/hipblas.h"},
    {"curand.h", "hiprand/hiprand.h"},
    {"curand_kernel.h", "hiprand/hiprand_kernel.h"},
    {"device_launch_parameters.h", "hip/hip_runtime.h"},
    {"device_functions.h", "hip/hip_runtime.h"},
    {"helper_cuda.h", NULL},
    {"nvtx3/nvToolsExt.h", NULL},
    {"mma.h", NULL},
    {"cudaThreadSynchronize", "hipDeviceSynchronize"},
    {"__nv_bfloat16", "__hip_bfloat16"},
};

char *wg_advice_hip_name(const char *cuda_name, size_t len) {
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
        if (strlen(renamed[i].cuda) == len && memcmp(renamed[i].cuda, cuda_name, len) == 0) {
            return wg_strdup(renamed[i].hip == NULL ? "" : renamed[i].hip);
        }
    }
    bool is_call = len > 4 && memcmp(cuda_name, "cuda", 4) == 0 &&
                   (isupper((unsigned char)cuda_name[4]) || cuda_name[4] == '_');
    return is_call ? wg_strf("hip%.*s", (int)(len - 4), cuda_name + 4) : NULL;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The next name in a line at or after *at: an identifier, or the header in <> or "". *at moves
 * behind it. False at the end of the line. */
static bool next_name(const char *line, size_t len, size_t *at, bool is_include, const char **name,
                      size_t *name_len) {
    size_t i = *at;
    while (i < len && !(is_include ? line[i] == '<' || line[i] == '"' : is_word(line[i]))) {
        i++;
    }
    i += is_include ? 1 : 0;
    size_t start = i;
    while (i < len && (is_include ? line[i] != '>' && line[i] != '"' : is_word(line[i]))) {
        i++;
    }
    *at = i + (is_include ? 1 : 0);
    *name = line + start;
    *name_len = i > start ? i - start : 0;
    return start < len && i > start;
}

static bool line_is_include(const char *line, size_t len) {
    size_t i = 0;
    while (i < len && (line[i] == ' ' || line[i] == '\t')) {
        i++;
    }
    if (i == len || line[i] != '#') {
        return false;
    }
    i++;
    while (i < len && (line[i] == ' ' || line[i] == '\t')) {
        i++;
    }
    return starts_with(line + i, len - i, "include");
}

/* Line `number` (from 1) of the source, without its end. */
static bool line_at(const char *source, size_t len, int number, const char **line,
                    size_t *line_len) {
    const char *end = source + len;
    for (int n = 1; source < end; n++) {
        const char *newline = memchr(source, '\n', (size_t)(end - source));
        const char *stop = newline == NULL ? end : newline;
        if (n == number) {
            *line = source;
            *line_len = (size_t)(stop - source);
            return true;
        }
        source = newline == NULL ? end : newline + 1;
    }
    return false;
}

/* A diagnostic of the student's file, as opposed to one inside a header. */
static bool is_at_student(const struct wg_diagnostic *d, const char *file_name) {
    return d->line > 0 && d->file != NULL && strcmp(d->file, file_name) == 0;
}

static bool is_error(const struct wg_diagnostic *d) {
    return strcmp(d->severity, "error") == 0;
}

/* Adds "line 2: cuda_runtime.h is hip/hip_runtime.h" for each CUDA name of a line. */
static size_t add_cuda_names(const char *line, size_t len, int number, struct wg_buf *out,
                             size_t shown) {
    const char *comment = memmem(line, len, "//", 2);
    len = comment == NULL ? len : (size_t)(comment - line);
    bool is_include = line_is_include(line, len);
    size_t at = 0;
    const char *name = NULL;
    size_t name_len = 0;
    while (shown < SHOWN_NAMES && next_name(line, len, &at, is_include, &name, &name_len)) {
        char *hip = wg_advice_hip_name(name, name_len);
        if (hip != NULL) {
            wg_buf_printf(out, "%sline %d: ", shown == 0 ? "" : "; ", number);
            if (is_include && hip[0] != '\0') {
                wg_buf_printf(out, "include <%s> instead of <%.*s>", hip, (int)name_len, name);
            } else if (hip[0] != '\0') {
                wg_buf_printf(out, "write %s for %.*s", hip, (int)name_len, name);
            } else {
                wg_buf_printf(out, "remove <%.*s>, which HIP does not have", (int)name_len, name);
            }
            shown++;
        }
        free(hip);
        if (is_include) {
            break;
        }
    }
    return shown;
}

/* Does an error speak of CUDA: a CUDA name of its line is in its message? Code that is merely
 * present, for another compiler behind an #ifdef, causes no error. */
static bool error_is_about_cuda(const struct wg_diagnostic *d, const char *file_name,
                                const char *source, size_t len) {
    const char *line = NULL;
    size_t line_len = 0;
    if (!is_at_student(d, file_name) || !line_at(source, len, d->line, &line, &line_len)) {
        return false;
    }
    bool is_include = line_is_include(line, line_len);
    size_t at = 0;
    const char *name = NULL;
    size_t name_len = 0;
    bool found = false;
    while (!found && next_name(line, line_len, &at, is_include, &name, &name_len)) {
        char *hip = wg_advice_hip_name(name, name_len);
        found = hip != NULL && memmem(d->message, strlen(d->message), name, name_len) != NULL;
        free(hip);
    }
    return found;
}

static char *advise_cuda(const char *file_name, const char *source, size_t len,
                         const struct wg_diagnostic *diagnostics, size_t count) {
    bool about_cuda = false;
    for (size_t i = 0; i < count && !about_cuda; i++) {
        about_cuda = is_error(&diagnostics[i]) &&
                     error_is_about_cuda(&diagnostics[i], file_name, source, len);
    }
    if (!about_cuda) {
        return NULL;
    }
    struct wg_buf text = {0};
    wg_buf_printf(&text, "%s is written for CUDA and has to be HIP: ", file_name);
    size_t shown = 0;
    const char *line = NULL;
    size_t line_len = 0;
    /* A missing header ends the compilation, so the calls behind it are looked up in the source. */
    for (int n = 1; shown < SHOWN_NAMES && line_at(source, len, n, &line, &line_len); n++) {
        shown = add_cuda_names(line, line_len, n, &text, shown);
    }
    wg_buf_puts(&text, " (the tool hipify-perl rewrites a whole file)");
    char *clean = wg_text_clean(text.data, text.len, 600);
    wg_buf_done(&text);
    return clean;
}

/* ---- Other causes that are known ---- */

/* Words in the student's line at an error, and what they mean. */
static const struct {
    const char *in_line, *in_message, *advice;
} known[] = {
    {"_sync", "64-bit",
     "the mask of %s must have 64 bits on AMD GPUs, whose waves have up to 64 lanes: write "
     "0xffffffffffffffffull, or use the form without _sync and mask"},
    {"asm", "", "inline assembly is for one kind of GPU only: write it in HIP C++"},
    {"nvcuda", "", "nvcuda is part of CUDA only (rocWMMA is its counterpart in HIP)"},
    {"wmma", "", "wmma is part of CUDA only (rocWMMA is its counterpart in HIP)"},
    {"thrust", "not found", "Thrust is not available here: write the kernel yourself"},
    {"cub/", "not found", "CUB is not available here: write the kernel yourself"},
};

/* The identifier in the line that contains `part`: "__shfl_down_sync" for "_sync". */
static void word_around(const char *line, size_t len, const char *part, char out[64]) {
    const char *found = memmem(line, len, part, strlen(part));
    const char *start = found;
    const char *stop = found + strlen(part);
    while (start > line && is_word(start[-1])) {
        start--;
    }
    while (stop < line + len && is_word(*stop)) {
        stop++;
    }
    size_t word_len = (size_t)(stop - start) < 63 ? (size_t)(stop - start) : 63;
    memcpy(out, start, word_len);
    out[word_len] = '\0';
}

static char *advise_known(const char *file_name, const char *source, size_t len,
                          const struct wg_diagnostic *d) {
    const char *line = NULL;
    size_t line_len = 0;
    if (!is_at_student(d, file_name) || !line_at(source, len, d->line, &line, &line_len)) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (memmem(line, line_len, known[i].in_line, strlen(known[i].in_line)) == NULL ||
            strstr(d->message, known[i].in_message) == NULL) {
            continue;
        }
        const char *hole = strstr(known[i].advice, "%s");
        if (hole == NULL) {
            return wg_strf("line %d: %s", d->line, known[i].advice);
        }
        char word[64];
        word_around(line, line_len, known[i].in_line, word);
        return wg_strf("line %d: %.*s%s%s", d->line, (int)(hole - known[i].advice), known[i].advice,
                       word, hole + 2);
    }
    return NULL;
}

/* #include "tile.h": the repository may have it, but only one file is taken. */
static char *advise_include(const char *file_name, const char *source, size_t len,
                            const struct wg_diagnostic *d) {
    const char *line = NULL;
    size_t line_len = 0;
    if (strstr(d->message, "file not found") == NULL || !is_at_student(d, file_name) ||
        !line_at(source, len, d->line, &line, &line_len)) {
        return NULL;
    }
    size_t at = 0;
    const char *name = NULL;
    size_t name_len = 0;
    if (!line_is_include(line, line_len) ||
        !next_name(line, line_len, &at, true, &name, &name_len)) {
        return NULL;
    }
    char *clean = wg_text_clean(name, name_len, 100);
    char *text = NULL;
    if (starts_with(name, name_len, "hip/")) {
        text = wg_strf("line %d includes <%s>, and HIP has no such header here: correct its name "
                       "(most need <hip/hip_runtime.h> only)",
                       d->line, clean);
    } else if (name[-1] == '"') {
        text = wg_strf("line %d includes \"%s\", but only %s is taken from your work: put what "
                       "is needed from %s into %s",
                       d->line, clean, file_name, clean, file_name);
    } else {
        text = wg_strf("line %d includes <%s>, which is not available here: the standard library "
                       "and the <hip/...> headers are",
                       d->line, clean);
    }
    free(clean);
    return text;
}

static char *first_error_in_words(const char *file_name, const struct wg_diagnostic *d) {
    if (d == NULL) {
        return wg_strf("%s does not compile", file_name);
    }
    if (is_at_student(d, file_name)) {
        return wg_strf("%s does not compile; line %d: %s", file_name, d->line, d->message);
    }
    if (d->file != NULL && d->line > 0) {
        return wg_strf("%s does not compile; in %s, line %d: %s", file_name, d->file, d->line,
                       d->message);
    }
    return wg_strf("%s: %s", file_name, d->message);
}

char *wg_advice_after_build(const char *file_name, const char *source, size_t len,
                            const struct wg_diagnostic *diagnostics, size_t count) {
    char *text = advise_cuda(file_name, source, len, diagnostics, count);
    for (size_t i = 0; text == NULL && i < count && is_error(&diagnostics[i]); i++) {
        text = advise_include(file_name, source, len, &diagnostics[i]);
        if (text == NULL) {
            text = advise_known(file_name, source, len, &diagnostics[i]);
        }
    }
    return text != NULL
               ? text
               : first_error_in_words(file_name, wg_diagnostics_first_error(diagnostics, count));
}
