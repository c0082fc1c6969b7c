#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/export/page.h"

static const char *const ink_codes[] = {
    [WG_INK_PLAIN] = "",         [WG_INK_BOLD] = "\x1b[1m",   [WG_INK_DIM] = "\x1b[2m",
    [WG_INK_RED] = "\x1b[1;31m", [WG_INK_GREEN] = "\x1b[32m", [WG_INK_YELLOW] = "\x1b[33m",
};

static void put_inked(const struct wg_page *page, enum wg_ink ink, const char *clean) {
    bool inked = page->style->color && ink != WG_INK_PLAIN && *clean;
    wg_buf_puts(page->out, inked ? ink_codes[ink] : "");
    wg_buf_puts(page->out, clean);
    wg_buf_puts(page->out, inked ? "\x1b[0m" : "");
}

/* A reader without UTF-8 sees '?' for every other character instead of two or three wrong ones. */
static void escape(const struct wg_page *page, const char *text, size_t len, struct wg_buf *out) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_terminal(&clean, text, len, false);
    if (page->style->unicode) {
        wg_buf_add(out, wg_buf_str(&clean), clean.len);
        return;
    }
    for (const char *c = wg_buf_str(&clean); *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < 0x80) {
            wg_buf_add(out, c, 1);
        } else if (byte >= 0xc0) {
            wg_buf_puts(out, "?");
        }
    }
}

static int width_of_clean(const char *text) {
    int width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

int wg_page_width(const char *text, size_t len) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_terminal(&clean, text, len, false);
    return width_of_clean(wg_buf_str(&clean));
}

void wg_page_put(const struct wg_page *page, enum wg_ink ink, const char *fmt, ...) {
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    put_inked(page, ink, text);
}

void wg_page_quote(const struct wg_page *page, enum wg_ink ink, const char *text) {
    if (!text) {
        return;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    escape(page, text, strlen(text), &clean);
    put_inked(page, ink, wg_buf_str(&clean));
}

void wg_page_newline(const struct wg_page *page) {
    wg_buf_puts(page->out, "\n");
}

/* One output line: as many words as fit, at least one. Returns what is left. */
static const char *put_line(const struct wg_page *page, int room, enum wg_ink ink,
                            const char *text) {
    WG_CLEANUP(wg_buf_done) struct wg_buf line = {0};
    int used = 0;
    while (*text && *text != '\n') {
        size_t blanks = strspn(text, " ");
        size_t len = strcspn(text + blanks, " \n");
        if (len == 0) {
            text += blanks;
            break;
        }
        WG_CLEANUP(wg_buf_done) struct wg_buf word = {0};
        escape(page, text + blanks, len, &word);
        int width = width_of_clean(wg_buf_str(&word));
        if (used && used + 1 + width > room) {
            break;
        }
        wg_buf_printf(&line, "%s%s", used ? " " : "", wg_buf_str(&word));
        used += width + (used ? 1 : 0);
        text += blanks + len;
    }
    put_inked(page, ink, wg_buf_str(&line));
    wg_page_newline(page);
    return text + strspn(text, " ");
}

/* The cursor stands at column `indent` already. */
static void put_lines(const struct wg_page *page, int indent, enum wg_ink ink, const char *text) {
    text = put_line(page, page->columns - indent, ink, text);
    while (*text) {
        text += *text == '\n';
        wg_buf_printf(page->out, "%*s", indent, "");
        text = put_line(page, page->columns - indent, ink, text);
    }
}

void wg_page_paragraph(const struct wg_page *page, int indent, enum wg_ink ink, const char *text) {
    text = text ? text + strspn(text, " \n") : "";
    if (*text) {
        wg_buf_printf(page->out, "%*s", indent, "");
        put_lines(page, indent, ink, text);
    }
}

void wg_page_item(const struct wg_page *page, enum wg_ink mark_ink, const char *mark,
                  const char *text) {
    wg_page_put(page, mark_ink, "  %s ", mark);
    put_lines(page, 3 + width_of_clean(mark), WG_INK_PLAIN, text);
}

void wg_page_heading(const struct wg_page *page, const char *title, const char *beside) {
    wg_page_newline(page);
    wg_page_put(page, WG_INK_BOLD, "%s", title);
    if (beside) {
        wg_page_put(page, WG_INK_PLAIN, "  ");
        wg_page_quote(page, WG_INK_PLAIN, beside);
    }
    wg_page_newline(page);
}

void wg_page_dims(struct wg_buf *out, char *const names[], const int64_t values[], size_t count,
                  const char *between) {
    for (size_t i = 0; i < count; i++) {
        wg_buf_printf(out, "%s%s=%" PRId64, i ? between : "", names[i] ? names[i] : "?", values[i]);
    }
}
