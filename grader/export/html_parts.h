/* Private to the HTML pages: escaping, small elements, and the parts that a page is made of.
 *
 * Every function appends to out. Text in parameters named `text` may come from a student and is
 * escaped; format strings are our own words. */
#ifndef WG_EXPORT_HTML_PARTS_H
#define WG_EXPORT_HTML_PARTS_H

#include "grader/export/html.h"

/* For element content and quoted attribute values. What could deceive a reader (control
 * characters, bidirectional overrides) becomes visible. NULL prints nothing. */
void wg_html_text(struct wg_buf *out, const char *text);
void wg_html_text_n(struct wg_buf *out, const char *text, size_t len);

/* The same with `quoted code` set as code. */
void wg_html_prose(struct wg_buf *out, const char *text);

/* <tag class="classes">text</tag>; nothing when text is NULL or empty. classes may be NULL. */
void wg_html_element(struct wg_buf *out, const char *tag, const char *classes, const char *text);

/* <dt>name</dt><dd>text</dd>; nothing when text is NULL or empty. */
void wg_html_pair(struct wg_buf *out, const char *name, const char *text);

/* JSON inside <script type="application/json">. */
void wg_html_data(struct wg_buf *out, const char *kind, const char *json);

/* "OUT_OF_BOUNDS" as "Out of bounds". */
void wg_html_kind(struct wg_buf *out, const char *kind);

/* A verdict with its sign: "good", "bad", "warn" or "none" is also the class that colours it. */
const char *wg_html_tone(enum wg_verdict verdict);
void wg_html_sign(struct wg_buf *out, const char *tone);
void wg_html_state(struct wg_buf *out, enum wg_verdict verdict);

/* 784512 as "784,512". */
void wg_html_count(struct wg_buf *out, uint64_t count);
/* 0.0035 ms as "3.5 µs"; "–" for what was not measured. */
void wg_html_time(struct wg_buf *out, double ms);
void wg_html_dims(struct wg_buf *out, char *const names[], const int64_t values[], size_t count);
/* "12.5 %" wide inside a track. */
void wg_html_bar(struct wg_buf *out, double share);

/* "reads b_tile[0]: thread (0,4,0) of block (0,0,0)" */
void wg_html_access(struct wg_buf *out, const char *access, const struct wg_result_finding *finding,
                    const struct wg_result_place *place);

/* The page around everything: wg_html_open ... wg_html_close. */
void wg_html_open(const struct wg_html_frame *frame, const char *title, struct wg_buf *out);
void wg_html_close(const struct wg_html_frame *frame, struct wg_buf *out);

/* Sections of a student's page, in order of appearance; each prints nothing, or one sentence, when
 * there is nothing to show. */
void wg_html_findings(const struct wg_result *result, struct wg_buf *out);
void wg_html_cases(const struct wg_result *result, struct wg_buf *out);
void wg_html_timing(const struct wg_result *result, struct wg_buf *out);
void wg_html_traffic(const struct wg_result *result, struct wg_buf *out);
void wg_html_resources(const struct wg_result *result, struct wg_buf *out);

#endif
