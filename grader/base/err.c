#include "grader/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum wg_code wg_fail(struct wg_err *err, enum wg_code code, const char *fmt, ...) {
    int saved = errno;
    if (err == NULL) {
        return code;
    }
    err->code = code;
    err->sys_errno = code == WG_EIO ? saved : 0;

    /* Formatted aside first: an argument may be err->msg itself, when a caller adds context. */
    char msg[sizeof err->msg];
    va_list args;
    va_start(args, fmt);
    int written = vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    if (written < 0) {
        msg[0] = '\0';
    }
    if (code == WG_EIO && saved != 0) {
        size_t used = strlen(msg);
        char text[128];
        snprintf(msg + used, sizeof msg - used, ": %s", strerror_r(saved, text, sizeof text));
    }
    memcpy(err->msg, msg, sizeof msg);
    return code;
}

const char *wg_code_name(enum wg_code code) {
    switch (code) {
    case WG_OK:
        return "ok";
    case WG_EIO:
        return "io";
    case WG_ENOMEM:
        return "memory";
    case WG_EINVAL:
        return "invalid";
    case WG_EPARSE:
        return "parse";
    case WG_ENOTFOUND:
        return "not-found";
    case WG_ELIMIT:
        return "limit";
    case WG_EUNSUPPORTED:
        return "unsupported";
    case WG_EPROTO:
        return "protocol";
    case WG_EINTERNAL:
        return "internal";
    }
    return "unknown";
}
