/* How the bytes of a text file stand for letters: what editors and spreadsheets save other than
 * UTF-8. */
#ifndef WG_BASE_ENCODING_H
#define WG_BASE_ENCODING_H

#include "grader/base/buf.h"
#include "grader/base/err.h"

/* "UTF-16" or "UTF-32", by the mark at the beginning or by where the NUL bytes are; NULL: neither.
 */
const char *wg_encoding_wide(const char *bytes, size_t len);

/* Whether bytes can be a CSV file. what: "the roster", for the sentence. Errors: WG_EPARSE. */
enum wg_code wg_encoding_check_csv(const char *what, const char *bytes, size_t len,
                                   struct wg_err *err);

/* Appends the text as UTF-8. What is not UTF-8 is taken for Latin-1, as a whole: spreadsheets on
 * Windows save CSV in the system's code page, and this gets the letters of Western names right. */
void wg_encoding_to_utf8(struct wg_buf *out, const char *bytes, size_t len);

#endif
