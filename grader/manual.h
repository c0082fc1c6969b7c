/* Manual pages and shell completion, made from the same option tables as --help.
 *
 * Each appends to a buffer that the caller owns. */
#ifndef WG_MANUAL_H
#define WG_MANUAL_H

#include <stddef.h>

#include "grader/base/buf.h"
#include "grader/options.h"

/* The page of one command, in the man macros: wavegrade-COMMAND(1). */
void wg_manual_command(const struct wg_command *command, struct wg_buf *out);

/* wavegrade(1): what commands there are, and what they share. */
void wg_manual_program(const struct wg_command *const *commands, size_t count, struct wg_buf *out);

/* A completion script for bash, to be sourced; for zsh, to lie in $fpath as _wavegrade. */
void wg_completion_bash(const struct wg_command *const *commands, size_t count, struct wg_buf *out);
void wg_completion_zsh(const struct wg_command *const *commands, size_t count, struct wg_buf *out);

#endif
