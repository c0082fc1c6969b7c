/* What exporters of single results share. Private to this folder. */
#ifndef WG_EXPORT_PARTS_H
#define WG_EXPORT_PARTS_H

#include "grader/export/formats.h"

#define WG_EXPORTERS(identifier, name, help)                                                       \
    void wg_format_write_##identifier(const struct wg_result *result,                              \
                                      const struct wg_format_settings *settings,                   \
                                      struct wg_buf *out);
WG_FORMATS(WG_EXPORTERS)
#undef WG_EXPORTERS

/* False: points would be wrong, whatever they were. */
bool wg_export_is_graded(const struct wg_result *result);

/* "Not graded: ...", or the verdict with its sentence; one line, visible characters only. */
char *wg_export_headline(const struct wg_result *result);

/* The text report without colours, at most so many bytes. */
char *wg_export_report(const struct wg_result *result, size_t limit_bytes);

/* On one line, visible characters only; "" for NULL. */
char *wg_export_line(const char *text);

/* For people: the title of a rubric line; never NULL. */
const char *wg_export_title(const struct wg_result_rubric *line);
bool wg_export_is_full(const struct wg_result_rubric *line);

/* All stages together. */
double wg_export_seconds(const struct wg_result *result);

/* For content and quoted attributes of XML 1.0 and HTML; what XML cannot say becomes visible. */
void wg_export_xml(struct wg_buf *out, const char *text);

static inline bool wg_export_is_error(const char *severity) {
    return severity && severity[0] == 'e';
}

#endif
