#include "sandbox/platform/cpu/compiler/pch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"

char *wg_pch_path(const char *folder, const char *pass) {
    return wg_strf("%s/%s.pch", folder, pass);
}

/* What would make the files useless: another compiler, another version of ours. */
static char *identity(void) {
    struct stat info = {0};
    if (stat(WG_CLANGXX, &info) != 0) {
        return NULL;
    }
    return wg_strf("%s %lld %lld.%09ld %s", WG_CLANGXX, (long long)info.st_size,
                   (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec, WG_VERSION);
}

bool wg_pch_find(const char *folder, struct wg_pch *out) {
    WG_CLEANUP(wg_freep) char *stamp = wg_path_join(folder, "stamp");
    WG_CLEANUP(wg_freep) char *wanted = identity();
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    if (!wanted || !wg_file_exists(stamp) || wg_file_read(stamp, 1 << 16, &text, NULL)) {
        return false;
    }
    const char *line = wg_buf_str(&text);
    size_t length = strcspn(line, "\n");
    if (strncmp(line, wanted, length) != 0 || wanted[length] != '\0' || line[length] != '\n') {
        return false;
    }
    *out = (struct wg_pch){
        .host = wg_pch_path(folder, "host"),
        .device = wg_pch_path(folder, "device"),
    };
    return true;
}

void wg_pch_done(struct wg_pch *pch) {
    free(pch->host);
    free(pch->device);
    *pch = (struct wg_pch){0};
}

/* Skips blanks, line ends and comments. */
static const char *skip_space(const char *at) {
    for (;;) {
        if (*at != '\0' && strchr(" \t\r\n\f\v", *at)) {
            at++;
        } else if (strncmp(at, "//", 2) == 0) {
            at += strcspn(at, "\n");
        } else if (strncmp(at, "/*", 2) == 0) {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

bool wg_pch_fits(const char *source) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    if (wg_file_read(source, (size_t)16 << 20, &text, NULL)) {
        return false;
    }
    const char *at = wg_buf_str(&text);
    at += strncmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (;;) {
        at = skip_space(at);
        if (*at != '#') {
            return false;
        }
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, "include", 7) != 0) {
            return false;
        }
        at += 7 + strspn(at + 7, " \t");
        if (strncmp(at, "<hip/hip_runtime.h>", 19) == 0 ||
            strncmp(at, "\"hip/hip_runtime.h\"", 19) == 0) {
            return true;
        }
        size_t length = strcspn(at, ">\r\n");
        if (*at != '<' || at[length] != '>') {
            return false;
        }
        at += length + 1;
    }
}

enum wg_code wg_pch_write_stamp(const char *folder, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *who = identity();
    WG_CLEANUP(wg_freep) char *text = wg_strf("%s\n", who ? who : "");
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, "stamp");
    return wg_file_write(path, text, strlen(text), 0644, err);
}

enum wg_code wg_pch_write_overlay(const char *folder, const char *include, char **path,
                                  struct wg_err *err) {
    if (strcmp(include, WG_PCH_INCLUDE) == 0) {
        *path = NULL;
        return WG_OK;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    wg_buf_puts(&text,
                "{\"version\": 0, \"use-external-names\": false, \"roots\": [{\"type\": "
                "\"directory-remap\", \"name\": \"" WG_PCH_INCLUDE "\", \"external-contents\": \"");
    for (const char *at = include; *at; at++) {
        wg_buf_printf(&text, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    }
    wg_buf_puts(&text, "\"}]}\n");
    *path = wg_path_join(folder, "headers.yaml");
    return wg_file_write(*path, wg_buf_str(&text), text.len, 0600, err);
}
