/* Results as HTML pages: each is one file that needs no other and asks no network for anything.
 *
 * A page can be read without JavaScript; its scripts add charts, sorting and filtering. They are
 * bundled when wavegrade is built (grader/export/report) and lie in share/wavegrade/report. */
#ifndef WG_EXPORT_HTML_H
#define WG_EXPORT_HTML_H

#include <stdbool.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "grader/export/class.h"
#include "grader/result/result.h"

/* What stands before and after the content of every page. {0} is valid: a bare page. */
struct wg_html_frame {
    struct wg_buf head, tail;
};
void wg_html_frame_done(struct wg_html_frame *frame);

/* Errors: WG_EUNSUPPORTED: this wavegrade was built without npm; msg says so. */
enum wg_code wg_html_frame_load(struct wg_html_frame *out, struct wg_err *err);

/* Who a student's page is about; everything may be NULL. Borrowed. */
struct wg_html_about {
    const char *student, *name;
    const char *class_page; /* link back, relative */
};
void wg_export_html(const struct wg_html_frame *frame, const struct wg_result *result,
                    const struct wg_html_about *about, struct wg_buf *out);

void wg_export_html_class(const struct wg_html_frame *frame, const struct wg_class *class,
                          struct wg_buf *out);

/* Takes out of a result what tells whose it is: repository, commit, the folders of the path, what
 * was said about fetching, what the program and the compiler printed, and every comment of the
 * source (students sign them). */
void wg_html_anonymize(struct wg_result *result);

#endif
