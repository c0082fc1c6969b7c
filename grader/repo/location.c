#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/repo/internal.h"

#define SHOWN_LIMIT 500

static bool has_scheme(const char *location, const char *scheme) {
    return strncasecmp(location, scheme, strlen(scheme)) == 0;
}

enum wg_location_kind wg_location_kind(const char *location) {
    if (has_scheme(location, "https://")) {
        return WG_LOCATION_HTTPS;
    }
    if (has_scheme(location, "ssh://") || has_scheme(location, "git+ssh://")) {
        return WG_LOCATION_SSH;
    }
    if (has_scheme(location, "file://")) {
        return WG_LOCATION_PATH;
    }
    if (strstr(location, "://") != NULL) {
        return WG_LOCATION_OTHER;
    }
    /* git's own rule for user@host:path: a colon before the first slash, and no such file. */
    size_t colon = strcspn(location, ":"), slash = strcspn(location, "/");
    if (location[colon] == ':' && colon > 0 && colon < slash && !wg_file_exists(location)) {
        return WG_LOCATION_SSH;
    }
    return WG_LOCATION_PATH;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

char *wg_location_path(const char *location) {
    if (!has_scheme(location, "file://")) {
        return wg_strdup(location);
    }
    const char *path = location + strlen("file://");
    if (has_scheme(path, "localhost/")) {
        path += strlen("localhost");
    }
    char *decoded = wg_strdup(path), *to = decoded;
    for (const char *from = path; *from != '\0'; from++) {
        int high = from[0] == '%' ? hex_digit(from[1]) : -1;
        int low = high >= 0 ? hex_digit(from[2]) : -1;
        if (low >= 0 && high * 16 + low != 0) {
            *to++ = (char)(high * 16 + low);
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return decoded;
}

char *wg_location_shown(const char *location) {
    WG_CLEANUP(wg_buf_done) struct wg_buf shown = {0};
    const char *scheme_end = strstr(location, "://");
    const char *authority = scheme_end == NULL ? location : scheme_end + 3;
    size_t len = strcspn(authority, "/");
    const char *at = memrchr(authority, '@', len);
    bool is_ssh = wg_location_kind(location) == WG_LOCATION_SSH;
    if (at == NULL || (scheme_end == NULL && !is_ssh)) {
        return wg_text_clean(location, strlen(location), SHOWN_LIMIT);
    }
    wg_buf_add(&shown, location, (size_t)(authority - location));
    if (is_ssh) { /* the user is part of the address ("git"); a password is not */
        wg_buf_add(&shown, authority, strcspn(authority, ":@"));
        wg_buf_puts(&shown, "@");
    }
    wg_buf_puts(&shown, at + 1);
    return wg_text_clean(shown.data, shown.len, SHOWN_LIMIT);
}

bool wg_location_has_host(const char *url, const char *host) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:";
    if (!has_scheme(url, "https://")) {
        return false;
    }
    const char *authority = url + strlen("https://");
    size_t len = strspn(authority, plain);
    return (authority[len] == '/' || authority[len] == '\0') && len == strlen(host) && len > 0 &&
           strncasecmp(authority, host, len) == 0;
}

char *wg_folder_normalize(const char *folder) {
    WG_CLEANUP(wg_buf_done) struct wg_buf out = {0};
    wg_buf_puts(&out, "");
    for (const char *part = folder == NULL ? "" : folder; *part != '\0';) {
        size_t len = strcspn(part, "/");
        if (len == 2 && part[0] == '.' && part[1] == '.') {
            return NULL;
        }
        if (len > 0 && !(len == 1 && part[0] == '.')) {
            wg_buf_puts(&out, out.len > 0 ? "/" : "");
            wg_buf_add(&out, part, len);
        }
        part += len;
        part += strspn(part, "/");
    }
    return WG_TAKE(&out.data);
}
