#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/repo/internal.h"

#define SHOWN_LIMIT    500
#define LOCATION_LIMIT 4096
#define REF_LIMIT      1024

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

/* Where user, host and path part; a URL in whose authority anything is unusual has none. */
static bool find_host(const char *location, const char **host, size_t *len) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    const char *scheme_end = strstr(location, "://");
    const char *authority = scheme_end == NULL ? location : scheme_end + 3;
    size_t all = strcspn(authority, scheme_end == NULL ? ":" : "/");
    const char *at = memrchr(authority, '@', all);
    *host = at == NULL ? authority : at + 1;
    *len = strspn(*host, plain);
    size_t end = (size_t)(*host - authority) + *len;
    /* Left of '@' a backslash, '#' or '?' would make another part the host for some parsers. */
    size_t user_len = at == NULL ? 0 : (size_t)(at - authority);
    for (size_t i = 0; i < user_len; i++) {
        if (strchr("\\#?@", authority[i]) != NULL) {
            return false;
        }
    }
    if (authority[end] == ':' && scheme_end != NULL) { /* a port */
        end += 1 + strspn(authority + end + 1, "0123456789");
    }
    return *len > 0 && end == all;
}

bool wg_location_is_allowed(const char *location, const char *hosts) {
    static const char separators[] = ", \t\n";
    const char *host = "file";
    size_t len = strlen(host);
    if (hosts == NULL || hosts[strspn(hosts, separators)] == '\0') {
        return true;
    }
    if (wg_location_kind(location) != WG_LOCATION_PATH && !find_host(location, &host, &len)) {
        return false;
    }
    for (const char *word = hosts; *word != '\0';) {
        word += strspn(word, separators);
        size_t word_len = strcspn(word, separators);
        if (word_len == len && strncasecmp(word, host, len) == 0) {
            return true;
        }
        word += word_len;
    }
    return false;
}

static void put_without(struct wg_buf *out, const char *text, const char *secret, size_t len) {
    for (const char *found; len > 0 && (found = memmem(text, strlen(text), secret, len)) != NULL;) {
        wg_buf_add(out, text, (size_t)(found - text));
        wg_buf_puts(out, "***");
        text = found + len;
    }
    wg_buf_puts(out, text);
}

char *wg_location_scrub(const char *text, const char *location, const char *token) {
    const char *scheme_end = strstr(location, "://");
    const char *authority = scheme_end == NULL ? location : scheme_end + 3;
    const char *at = memrchr(authority, '@', strcspn(authority, "/"));
    const char *colon = at == NULL ? NULL : memchr(authority, ':', (size_t)(at - authority));
    WG_CLEANUP(wg_buf_done) struct wg_buf first = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf second = {0};
    /* https: the user alone may be a token as well. */
    bool is_https = wg_location_kind(location) == WG_LOCATION_HTTPS;
    const char *secret = at == NULL ? "" : is_https || colon == NULL ? authority : colon + 1;
    size_t len = at == NULL || (!is_https && colon == NULL) ? 0 : (size_t)(at - secret);
    put_without(&first, text, secret, len);
    if (colon != NULL) {
        put_without(&second, wg_buf_str(&first), colon + 1, (size_t)(at - colon - 1));
    } else {
        wg_buf_puts(&second, wg_buf_str(&first));
    }
    wg_buf_clear(&first);
    put_without(&first, wg_buf_str(&second), token == NULL ? "" : token,
                token == NULL ? 0 : strlen(token));
    return wg_strdup(wg_buf_str(&first));
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

void wg_folder_drop_file(const struct wg_repo_request *request, char *folder) {
    char *slash = strrchr(folder, '/');
    char *name = slash == NULL ? folder : slash + 1;
    for (size_t i = 0; i < request->file_count; i++) {
        if (strcmp(name, request->files[i]) == 0) {
            (slash == NULL ? folder : slash)[0] = '\0';
            return;
        }
    }
}

/* ---- what makes no sense ---- */

static bool has_control(const char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) {
            return true;
        }
    }
    return false;
}

/* "github.com/ada/lab1": a name with a dot, and a path behind it. */
static bool lacks_scheme(const char *location) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    size_t len = strspn(location, plain);
    const char *dot = memchr(location, '.', len);
    return location[len] == '/' && location[len + 1] != '\0' && dot != NULL && dot > location &&
           !(len > 4 && strncasecmp(location + len - 4, ".git", 4) == 0);
}

static bool has_long_name(const char *path) {
    for (size_t len; *path != '\0'; path += len + strspn(path + len, "/")) {
        len = strcspn(path, "/");
        if (len > NAME_MAX) {
            return true;
        }
    }
    return false;
}

/* NULL: nothing is wrong. */
static const char *path_mistake(const char *location) {
    WG_CLEANUP(wg_freep) char *path = wg_location_path(location);
    if (wg_file_exists(path)) {
        return NULL;
    }
    return has_long_name(path)      ? "a name in it is longer than a file's can be"
           : has_control(path)      ? "there are control characters in it"
           : lacks_scheme(location) ? "there is no such folder here; if it is an address, https:// "
                                      "is missing in front"
                                    : NULL;
}

static const char *address_mistake(const char *location) {
    const char *scheme_end = strstr(location, "://");
    const char *host = NULL;
    size_t len = 0;
    if (has_control(location) || strchr(location, ' ') != NULL) {
        return "there are spaces or control characters in it";
    }
    if (scheme_end == NULL) {
        const char *colon = strchr(location, ':');
        return strcspn(location, "@") + 1 == (size_t)(colon - location) ? "it names no host"
               : colon[1] == '\0' ? "it names no repository of the host"
                                  : NULL;
    }
    (void)find_host(location, &host, &len);
    return len == 0 && strcspn(scheme_end + 3, "/") == 0 ? "it names no host" : NULL;
}

static bool is_windows_path(const char *location) {
    return isalpha((unsigned char)location[0]) && location[1] == ':' &&
           (location[2] == '\\' || location[2] == '/') && !wg_file_exists(location);
}

/* "ext::sh -c ...": git would run a program for it. */
static bool is_helper(const char *location) {
    size_t len = strcspn(location, ":/");
    return len > 0 && strncmp(location + len, "::", 2) == 0 && !wg_file_exists(location);
}

enum wg_code wg_location_check(const char *location, struct wg_err *err) {
    if (location == NULL || location[0] == '\0') {
        return wg_fail(err, WG_EINVAL, "no repository was named");
    }
    if (strlen(location) > LOCATION_LIMIT) {
        return wg_fail(err, WG_EINVAL, "the name of the repository is too long");
    }
    const char *mistake =
        is_windows_path(location) ? "that is a path of Windows; give the repository's address, "
                                    "https://..., or a path of this machine"
        : is_helper(location) ? "remote helpers are not run; use https://, ssh:// or user@host:path"
        : wg_location_kind(location) == WG_LOCATION_PATH ? path_mistake(location)
                                                         : address_mistake(location);
    if (mistake != NULL) {
        WG_CLEANUP(wg_freep) char *shown = wg_location_shown(location);
        return wg_fail(err, WG_EINVAL, "'%.100s' can be no repository: %s", shown, mistake);
    }
    return WG_OK;
}

enum wg_code wg_location_check_ref(const char *ref, struct wg_err *err) {
    if (ref != NULL && ref[0] == '\0') {
        return wg_fail(err, WG_EINVAL,
                       "the ref is empty: name a branch, tag or commit, or leave it away");
    }
    return ref != NULL && strlen(ref) > REF_LIMIT
               ? wg_fail(err, WG_EINVAL, "the name of the ref is too long")
               : WG_OK;
}

enum wg_code wg_location_check_folder(const char *folder, struct wg_err *err) {
    return folder != NULL && wg_path_climbs(folder)
               ? wg_fail(err, WG_EINVAL,
                         "the folder '%.100s' leads out of the repository: name it from the top, "
                         "without '..'",
                         folder)
               : WG_OK;
}
