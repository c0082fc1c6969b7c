/* Everything that compile says on standard error: clang's diagnostics, passed on once, and our own
 * in the same shape. */
#ifndef WG_COMPILER_DIAG_H
#define WG_COMPILER_DIAG_H

#include <stddef.h>

/* Below these folders (borrowed; NULL: none) lie our headers; wg_diag_merge prints their names as
 * students write them, "hip/hip_runtime.h". */
void wg_diag_hide_folders(const char *const *folders, size_t count);

/* Prints what the host pass said, and of what the device pass said only the diagnostics that are
 * new: the two passes read the same file. */
void wg_diag_merge(const char *host, size_t host_len, const char *device, size_t device_len);

/* "FILE:LINE:COL: error: ..." with the source line below. line 0: "FILE: error: ...". column 0:
 * where `at` stands in the line, if it does. */
void wg_diag_error(const char *file, unsigned line, unsigned column, const char *at,
                   const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void wg_diag_warning(const char *file, unsigned line, unsigned column, const char *at,
                     const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void wg_diag_note(const char *file, unsigned line, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* First line of a source file in which a word stands before a parenthesis; 0 when there is none. */
unsigned wg_diag_find_word(const char *file, const char *word);

/* "wavegrade compile: ..." : our own failure. */
void wg_diag_failure(const char *text);

#endif
