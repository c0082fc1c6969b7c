/* Results for people and programs: one function a format, all fed by the same struct wg_result.
 *
 * Each appends to a buffer that the caller owns. Student-made text is escaped for the format. */
#ifndef WG_EXPORT_H
#define WG_EXPORT_H

#include <stdbool.h>

#include "grader/base/buf.h"
#include "grader/result/result.h"

struct wg_text_style {
    int columns;  /* of the terminal; used from 40 to 100 */
    bool color;   /* escape sequences are welcome */
    bool unicode; /* the reader's locale is UTF-8 */
    bool verbose; /* everything that is known, not only what matters */
    bool brief;   /* the verdict line only */
};

/* The report that a student reads. */
void wg_export_text(const struct wg_result *result, const struct wg_text_style *style,
                    struct wg_buf *out);

#endif
