/* nvcc's diagnostics in the shape that clang's have, so that one parser serves all platforms:
 * "FILE(LINE): error: ..." becomes "FILE:LINE:COLUMN: error: ...". */
#ifndef WG_NVIDIA_WORDS_H
#define WG_NVIDIA_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Prints a log of nvcc on standard error. True when it names an error in the source. */
bool wg_words_print(const char *log, size_t len, const char *source);

/* Likewise for what the linker said. */
bool wg_words_print_link(const char *log, size_t len, const char *source);

#endif
