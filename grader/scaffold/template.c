#include "grader/scaffold/template.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"

#define FILE_LIMIT_BYTES ((size_t)1 << 20)
#define DEPTH_LIMIT      16

struct filling {
    const struct wg_word *words;
    size_t word_count;
    int depth;
};

/* The word that starts at text, which points to an '@', or NULL: then the '@' stands for itself. */
static const struct wg_word *word_at(const struct filling *filling, const char *text, size_t len) {
    for (size_t i = 0; i < filling->word_count; i++) {
        size_t name_len = strlen(filling->words[i].name);
        if (len >= name_len + 2 && text[name_len + 1] == '@' &&
            strncmp(text + 1, filling->words[i].name, name_len) == 0) {
            return &filling->words[i];
        }
    }
    return NULL;
}

static void fill(const struct filling *filling, const char *text, size_t len, struct wg_buf *out) {
    for (size_t at = 0; at < len;) {
        const char *next = memchr(text + at, '@', len - at);
        size_t plain = next != NULL ? (size_t)(next - text) - at : len - at;
        wg_buf_add(out, text + at, plain);
        at += plain;
        if (at == len) {
            break;
        }
        const struct wg_word *word = word_at(filling, text + at, len - at);
        if (word != NULL) {
            wg_buf_puts(out, word->value);
            at += strlen(word->name) + 2;
        } else {
            wg_buf_add(out, "@", 1);
            at++;
        }
    }
}

static enum wg_code copy_file(const struct filling *filling, const char *from, const char *to,
                              mode_t mode, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf filled = {0};
    enum wg_code code = wg_file_read(from, FILE_LIMIT_BYTES, &text, err);
    if (code != WG_OK) {
        return code;
    }
    fill(filling, wg_buf_str(&text), text.len, &filled);
    return wg_file_write(to, wg_buf_str(&filled), filled.len, (mode & 0100) != 0 ? 0777 : 0666,
                         err);
}

static enum wg_code copy_folder(const struct filling *filling, const char *from, const char *to,
                                struct wg_err *err);

static enum wg_code copy_entry(const struct filling *filling, const char *from, const char *to,
                               const char *name, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf filled = {0};
    fill(filling, name, strlen(name), &filled);
    WG_CLEANUP(wg_freep) char *source = wg_path_join(from, name);
    WG_CLEANUP(wg_freep) char *target = wg_path_join(to, wg_buf_str(&filled));
    struct stat st;
    if (lstat(source, &st) != 0) {
        return wg_fail(err, WG_EIO, "look at '%s'", source);
    }
    if (S_ISDIR(st.st_mode)) {
        struct filling inner = *filling;
        inner.depth++;
        return copy_folder(&inner, source, target, err);
    }
    return S_ISREG(st.st_mode) ? copy_file(filling, source, target, st.st_mode, err) : WG_OK;
}

static enum wg_code copy_folder(const struct filling *filling, const char *from, const char *to,
                                struct wg_err *err) {
    if (filling->depth > DEPTH_LIMIT) {
        return wg_fail(err, WG_ELIMIT, "folders are nested too deeply at '%s'", from);
    }
    enum wg_code code = wg_folder_make(to, 0777, err);
    DIR *dir = code == WG_OK ? opendir(from) : NULL;
    if (code == WG_OK && dir == NULL) {
        return wg_fail(err, WG_EIO, "open folder '%s'", from);
    }
    while (code == WG_OK) {
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) {
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, ".git") != 0) {
            code = copy_entry(filling, from, to, entry->d_name, err);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return code;
}

enum wg_code wg_template_copy(const char *from, const char *to, const struct wg_word *words,
                              size_t word_count, struct wg_err *err) {
    struct filling filling = {.words = words, .word_count = word_count};
    return copy_folder(&filling, from, to, err);
}
