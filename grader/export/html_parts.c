/* The small elements of the HTML pages, and their escaping. */
#include "grader/export/html_parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/text.h"

#define ASSET_LIMIT_BYTES (4 << 20)

void wg_html_text_n(struct wg_buf *out, const char *text, size_t len) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_terminal(&clean, text, len, true);
    const char *at = wg_buf_str(&clean);
    while (*at) {
        size_t plain = strcspn(at, "&<>\"'");
        wg_buf_add(out, at, plain);
        at += plain;
        switch (*at) {
        case '&':
            wg_buf_puts(out, "&amp;");
            break;
        case '<':
            wg_buf_puts(out, "&lt;");
            break;
        case '>':
            wg_buf_puts(out, "&gt;");
            break;
        case '"':
            wg_buf_puts(out, "&quot;");
            break;
        case '\'':
            wg_buf_puts(out, "&#39;");
            break;
        default:
            return;
        }
        at++;
    }
}

void wg_html_text(struct wg_buf *out, const char *text) {
    if (text) {
        wg_html_text_n(out, text, strlen(text));
    }
}

void wg_html_prose(struct wg_buf *out, const char *text) {
    while (text && *text) {
        size_t plain = strcspn(text, "`");
        wg_html_text_n(out, text, plain);
        text += plain;
        const char *end = *text ? strchr(text + 1, '`') : NULL;
        if (end) {
            wg_buf_puts(out, "<code>");
            wg_html_text_n(out, text + 1, (size_t)(end - text) - 1);
            wg_buf_puts(out, "</code>");
            text = end + 1;
        } else {
            wg_html_text(out, text);
            return;
        }
    }
}

void wg_html_element(struct wg_buf *out, const char *tag, const char *classes, const char *text) {
    if (!text || !*text) {
        return;
    }
    wg_buf_printf(out, classes ? "<%s class=\"%s\">" : "<%s>", tag, classes);
    wg_html_prose(out, text);
    wg_buf_printf(out, "</%s>\n", tag);
}

void wg_html_pair(struct wg_buf *out, const char *name, const char *text) {
    if (text && *text) {
        wg_buf_printf(out, "<div><dt>%s</dt><dd>", name);
        wg_html_text(out, text);
        wg_buf_puts(out, "</dd></div>\n");
    }
}

/* What makes text look like something else, though it is valid JSON: controls above 0x7e, marks and
 * overrides of writing direction, separators. Its bytes and its code; 0: not one of these. */
static size_t deceptive(const char *at, unsigned *code) {
    const unsigned char *bytes = (const unsigned char *)at;
    *code = bytes[0];
    if (bytes[0] == 0x7f) {
        return 1;
    }
    if (bytes[0] == 0xc2) {
        *code = bytes[1];
        return bytes[1] >= 0x80 && bytes[1] < 0xa0 ? 2 : 0;
    }
    if (bytes[0] != 0xe2 || (bytes[1] != 0x80 && bytes[1] != 0x81) || bytes[2] < 0x80) {
        return 0;
    }
    *code = 0x2000U + (bytes[1] - 0x80U) * 0x40U + (bytes[2] - 0x80U);
    bool is_one = (*code >= 0x200b && *code <= 0x200f) || (*code >= 0x2028 && *code <= 0x202e) ||
                  (*code >= 0x2060 && *code <= 0x206f);
    return is_one ? 3 : 0;
}

void wg_html_data(struct wg_buf *out, const char *kind, const char *json) {
    wg_buf_printf(out, "<script type=\"application/json\" id=\"data\" data-kind=\"%s\">", kind);
    while (*json) {
        unsigned code = '<';
        size_t bytes = *json == '<' ? 1 : deceptive(json, &code);
        if (bytes > 0) {
            wg_buf_printf(out, "\\u%04x", code);
            json += bytes;
            continue;
        }
        /* Tabs and line ends inside JSON are its layout, never part of a string. */
        if (*json != '\t' && *json != '\n') {
            wg_buf_add(out, json, 1);
        }
        json++;
    }
    wg_buf_puts(out, "</script>\n");
}

void wg_html_kind(struct wg_buf *out, const char *kind) {
    WG_CLEANUP(wg_freep) char *words = wg_strdup(kind && *kind ? kind : "finding");
    for (char *c = words; *c; c++) {
        *c = *c == '_' ? ' ' : (char)tolower((unsigned char)*c);
    }
    words[0] = (char)toupper((unsigned char)words[0]);
    wg_html_text(out, words);
}

const char *wg_html_tone(enum wg_verdict verdict) {
    switch (verdict) {
    case WG_VERDICT_PASS:
        return "good";
    case WG_VERDICT_TIMING_SUSPECT:
    case WG_VERDICT_GRADER_ERROR:
        return "warn";
    default:
        return "bad";
    }
}

void wg_html_sign(struct wg_buf *out, const char *tone) {
    const char *sign = strcmp(tone, "good") == 0   ? "\u2713"
                       : strcmp(tone, "bad") == 0  ? "\u2715"
                       : strcmp(tone, "warn") == 0 ? "!"
                                                   : "\u2013";
    wg_buf_printf(out, "<span class=\"sign\" aria-hidden=\"true\">%s</span>", sign);
}

void wg_html_state(struct wg_buf *out, enum wg_verdict verdict) {
    const char *tone = wg_html_tone(verdict);
    wg_buf_printf(out, "<span class=\"state tone-%s\">", tone);
    wg_html_sign(out, tone);
    wg_html_kind(out, wg_verdict_name(verdict));
    wg_buf_puts(out, "</span>");
}

void wg_html_count(struct wg_buf *out, uint64_t count) {
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) {
            wg_buf_puts(out, ",");
        }
        wg_buf_add(out, &digits[i], 1);
    }
}

void wg_html_time(struct wg_buf *out, double ms) {
    if (!isfinite(ms) || ms <= 0) {
        wg_buf_puts(out, "\u2013");
    } else if (ms < 1) {
        wg_buf_printf(out, "%.4g \u00b5s", ms * 1e3);
    } else if (ms < 1000) {
        wg_buf_printf(out, "%.4g ms", ms);
    } else {
        wg_buf_printf(out, "%.4g s", ms / 1e3);
    }
}

void wg_html_dims(struct wg_buf *out, char *const names[], const int64_t values[], size_t count) {
    for (size_t i = 0; i < count; i++) {
        wg_buf_puts(out, i ? " " : "");
        wg_html_text(out, names[i] ? names[i] : "?");
        wg_buf_printf(out, "=%" PRId64, values[i]);
    }
}

void wg_html_bar(struct wg_buf *out, double share) {
    double percent = isfinite(share) ? fmin(fmax(share, 0), 1) * 100 : 0;
    wg_buf_printf(out,
                  "<span class=\"bar\" aria-hidden=\"true\"><i style=\"width:%.3g%%\"></i></span>",
                  percent);
}

void wg_html_access(struct wg_buf *out, const char *access, const struct wg_result_finding *finding,
                    const struct wg_result_place *place) {
    if (access) {
        const char *verb = strcmp(access, "write") == 0  ? "writes"
                           : strcmp(access, "read") == 0 ? "reads"
                                                         : "updates atomically";
        wg_buf_puts(out, verb);
    }
    if (access && finding->object) {
        wg_buf_puts(out, " <code>");
        wg_html_text(out, finding->object);
        if (finding->has_element) {
            wg_buf_printf(out, "[%" PRId64 "]", finding->element);
        }
        wg_buf_puts(out, "</code>");
    }
    if (place->has_thread) {
        wg_buf_printf(out, "%sthread (%u,%u,%u) of block (%u,%u,%u)", access ? ": " : "",
                      place->thread[0], place->thread[1], place->thread[2], place->block[0],
                      place->block[1], place->block[2]);
    }
}

/* ---- The frame ---- */

void wg_html_frame_done(struct wg_html_frame *frame) {
    wg_buf_done(&frame->head);
    wg_buf_done(&frame->tail);
}

static enum wg_code read_asset(const char *name, struct wg_buf *out, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *folder = wg_path_join(wg_paths_share(), "report");
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, name);
    enum wg_code code = wg_file_read(path, ASSET_LIMIT_BYTES, out, err);
    if (code == WG_ENOTFOUND) {
        return wg_fail(err, WG_EUNSUPPORTED,
                       "HTML reports are missing here: there was no npm when wavegrade was built "
                       "(no %s). Install nodejs and npm, run cmake again and build",
                       path);
    }
    return code;
}

enum wg_code wg_html_frame_load(struct wg_html_frame *out, struct wg_err *err) {
    struct wg_html_frame frame = {0};
    enum wg_code code = read_asset("head.html", &frame.head, err);
    code = code ? code : read_asset("tail.html", &frame.tail, err);
    if (code != WG_OK) {
        wg_html_frame_done(&frame);
        return code;
    }
    *out = frame;
    return WG_OK;
}

void wg_html_open(const struct wg_html_frame *frame, const char *title, struct wg_buf *out) {
    wg_buf_puts(out, frame->head.len ? wg_buf_str(&frame->head)
                                     : "<!doctype html>\n<html lang=\"en\">\n<head>\n"
                                       "<meta charset=\"utf-8\">\n");
    wg_html_element(out, "title", NULL, title);
    wg_buf_puts(out, "</head>\n<body>\n"
                     "<a class=\"skip\" href=\"#main\">Skip to the result</a>\n");
}

void wg_html_close(const struct wg_html_frame *frame, struct wg_buf *out) {
    wg_buf_puts(out, frame->tail.len ? wg_buf_str(&frame->tail) : "</body>\n</html>\n");
}
