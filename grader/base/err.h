/* Errors of our own: what it means when wavegrade itself could not do something.
 *
 * A verdict about a student is never an error (see verdict.h). A function that can fail returns an
 * enum wg_code and takes a struct wg_err as its last parameter; the caller owns the struct, and it
 * is set once, where the failure happens. */
#ifndef WG_BASE_ERR_H
#define WG_BASE_ERR_H

enum wg_code {
    WG_OK = 0,
    WG_EIO,          /* the operating system refused: sys_errno says why */
    WG_ENOMEM,       /* no memory */
    WG_EINVAL,       /* the caller or the command line asked for something impossible */
    WG_EPARSE,       /* a file that an instructor wrote (manifest, roster) is malformed */
    WG_ENOTFOUND,    /* a thing that was named does not exist */
    WG_ELIMIT,       /* a limit of ours was reached */
    WG_EUNSUPPORTED, /* this machine lacks a mechanism: msg names it and its package */
    WG_EPROTO,       /* the sandboxed process broke the protocol */
    WG_EINTERNAL,    /* a bug of ours */
};

struct wg_err {
    enum wg_code code;
    int sys_errno;
    char msg[256]; /* a sentence without final period; object and cause */
};

/* Fills *err (err may be NULL) and returns code, so that failing is one line. With code WG_EIO the
 * current errno is kept and its text appended. */
enum wg_code wg_fail(struct wg_err *err, enum wg_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A short name of the kind of failure, for JSON: "io", "parse", ... Never NULL. */
const char *wg_code_name(enum wg_code code);

#endif
