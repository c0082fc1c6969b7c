#include "grader/build/libraries.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/build/source.h"

/* headers: folders end in '/', other words are beginnings of file names. */
static const struct family {
    const char *name; /* in policy.libraries */
    const char *headers, *functions;
} families[] = {
    {"blas", "rocblas hipblas cublas nvblas cblas.h clblas",
     "rocblas_ hipblas cublas cblas_ sgemm_ dgemm_"},
    {"primitives", "thrust/ cub/ hipcub/ rocprim/ rocthrust/", ""},
    {"templates", "cutlass/ cute/ ck/ ck_tile/ rocwmma/ composable_kernel/", ""},
    {"random", "hiprand rocrand curand", "hiprand rocrand curand"},
    {"fft", "hipfft rocfft cufft fftw3", "hipfft rocfft cufft fftw"},
    {"sparse", "hipsparse rocsparse cusparse", "hipsparse rocsparse cusparse"},
    {"solver", "hipsolver rocsolver cusolver rocalution", "hipsolver rocsolver cusolver"},
    {"deep_learning", "miopen/ cudnn hiptensor cutensor migraphx/", "miopen cudnn hiptensor"},
};

static bool starts_with_one(const char *text, size_t len, const char *words) {
    while (*words != '\0') {
        size_t word_len = strcspn(words, " ");
        if (len >= word_len && memcmp(text, words, word_len) == 0) {
            return true;
        }
        words += word_len + (words[word_len] == ' ');
    }
    return false;
}

/* Any part of a path may be the library's folder; *rest is the path from there on. */
static const struct family *family_of_header(const char *path, size_t len, const char **rest) {
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        for (size_t at = 0; at < len; at++) {
            bool is_part = at == 0 || path[at - 1] == '/';
            if (is_part && starts_with_one(path + at, len - at, families[i].headers)) {
                *rest = path + at;
                return &families[i];
            }
        }
    }
    return NULL;
}

static const struct family *family_of_function(const char *name, size_t len) {
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (starts_with_one(name, len, families[i].functions)) {
            return &families[i];
        }
    }
    return NULL;
}

static bool is_allowed(const struct wg_manifest *manifest, const struct family *family) {
    for (size_t i = 0; i < manifest->library_count; i++) {
        if (strcmp(manifest->libraries[i], family->name) == 0) {
            return true;
        }
    }
    return false;
}

static char *in_words(const char *file_name, int line, const char *what, size_t len) {
    WG_CLEANUP(wg_freep) char *clean = wg_text_clean(what, len, 100);
    WG_CLEANUP(wg_freep) char *place = line > 0 ? wg_strf(", line %d,", line) : wg_strdup("");
    return wg_strf("%s%s uses %s: this assignment asks for kernels of your own, and not for a "
                   "library's",
                   file_name, place, clean);
}

/* The next path of a rule for make; blanks in it are escaped. */
static size_t next_path(const char **at) {
    while (isspace((unsigned char)**at) || (**at == '\\' && (*at)[1] == '\n')) {
        ++*at;
    }
    size_t len = 0;
    while ((*at)[len] != '\0' && !isspace((unsigned char)(*at)[len])) {
        len += (*at)[len] == '\\' && (*at)[len + 1] == ' ' ? 2 : 1;
    }
    return len;
}

static char *refuse_included(const struct wg_manifest *manifest, const char *file_name,
                             const char *source, size_t source_len, const char *includes) {
    const char *colon = strstr(includes, ": ");
    const char *at = colon != NULL ? colon + 1 : includes + strlen(includes);
    for (size_t len = next_path(&at); len > 0; at += len, len = next_path(&at)) {
        const char *rest = NULL;
        const struct family *family = family_of_header(at, len, &rest);
        if (family != NULL && !is_allowed(manifest, family)) {
            size_t rest_len = (size_t)(at + len - rest);
            WG_CLEANUP(wg_freep) char *header = wg_strf("%.*s", (int)rest_len, rest);
            return in_words(file_name, wg_source_find_include(source, source_len, header), rest,
                            rest_len);
        }
    }
    return NULL;
}

/* "'cublas_v2.h' file not found", "'cublasSgemm' is declared but defined nowhere": the word in the
 * first quotes. */
static char *refuse_missing(const struct wg_manifest *manifest, const char *file_name,
                            const struct wg_diagnostic *diagnostic) {
    static const char *const marks[] = {"file not found", "No such file", "cannot open source",
                                        "defined nowhere", "undeclared"};
    bool is_missing = false;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        is_missing = is_missing || strstr(diagnostic->message, marks[i]) != NULL;
    }
    size_t start = strcspn(diagnostic->message, "'\"");
    const char *word = diagnostic->message + start + (diagnostic->message[start] != '\0');
    size_t len = strcspn(word, "'\"");
    const char *rest = NULL;
    const struct family *family = family_of_header(word, len, &rest);
    family = family != NULL ? family : family_of_function(word, len);
    if (!is_missing || family == NULL || is_allowed(manifest, family)) {
        return NULL;
    }
    bool is_there = diagnostic->file != NULL && strcmp(diagnostic->file, file_name) == 0;
    return in_words(file_name, is_there ? diagnostic->line : 0, word, len);
}

char *wg_libraries_refuse(const struct wg_manifest *manifest, const char *file_name,
                          const char *source, size_t len, const char *includes,
                          const struct wg_diagnostic *diagnostics, size_t diagnostic_count) {
    char *sentence = refuse_included(manifest, file_name, source, len, includes);
    for (size_t i = 0; sentence == NULL && i < diagnostic_count; i++) {
        if (strcmp(diagnostics[i].severity, "error") == 0) {
            sentence = refuse_missing(manifest, file_name, &diagnostics[i]);
        }
    }
    return sentence;
}
