#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/export/parts.h"

#define LINE_BYTES ((size_t)2000)

const struct wg_format wg_formats[WG_FORMAT_COUNT] = {
#define ENTRY(identifier, format_name, format_help)                                                \
    {.name = format_name, .help = format_help, .write = wg_format_write_##identifier},
    WG_FORMATS(ENTRY)
#undef ENTRY
};

const char *const wg_format_choices[WG_FORMAT_COUNT + 1] = {
#define ENTRY(identifier, format_name, format_help) format_name,
    WG_FORMATS(ENTRY)
#undef ENTRY
};

const struct wg_format *wg_format_find(const char *name) {
    for (size_t i = 0; i < WG_FORMAT_COUNT; i++) {
        if (strcmp(wg_formats[i].name, name) == 0) {
            return &wg_formats[i];
        }
    }
    return NULL;
}

void wg_format_write_text(const struct wg_result *result, const struct wg_format_settings *settings,
                          struct wg_buf *out) {
    wg_export_text(result, &settings->style, out);
}

void wg_format_write_json(const struct wg_result *result, const struct wg_format_settings *settings,
                          struct wg_buf *out) {
    if (settings->with_source) {
        wg_result_to_json_with_source(result, out);
    } else {
        wg_result_to_json(result, out);
    }
}

bool wg_export_is_graded(const struct wg_result *result) {
    return result->verdict != WG_VERDICT_GRADER_ERROR && result->max_points > 0;
}

char *wg_export_line(const char *text) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_terminal(&clean, text ? text : "", text ? strlen(text) : 0, false);
    return wg_text_clean(wg_buf_str(&clean), clean.len, LINE_BYTES);
}

char *wg_export_headline(const struct wg_result *result) {
    static const char not_graded[] = "Not graded";
    WG_CLEANUP(wg_freep) char *sentence = wg_export_line(result->sentence);
    bool is_ours = result->verdict == WG_VERDICT_GRADER_ERROR;
    if (is_ours && strncmp(sentence, not_graded, sizeof not_graded - 1) == 0) {
        return wg_strdup(sentence);
    }
    return wg_strf("%s%s%s", is_ours ? not_graded : wg_verdict_name(result->verdict),
                   *sentence ? ": " : "", sentence);
}

char *wg_export_report(const struct wg_result *result, size_t limit_bytes) {
    WG_CLEANUP(wg_buf_done) struct wg_buf report = {0};
    struct wg_text_style style = {.columns = 100, .unicode = true};
    wg_export_text(result, &style, &report);
    return wg_text_clean(wg_buf_str(&report), report.len, limit_bytes);
}

const char *wg_export_title(const struct wg_result_rubric *line) {
    return line->title ? line->title : line->id ? line->id : "points";
}

bool wg_export_is_full(const struct wg_result_rubric *line) {
    return line->measured && line->points >= line->max_points - 1e-9;
}

double wg_export_seconds(const struct wg_result *result) {
    double sum_ms = 0;
    for (size_t i = 0; i < result->stage_count; i++) {
        sum_ms += isfinite(result->stages[i].wall_ms) ? result->stages[i].wall_ms : 0;
    }
    return sum_ms / 1000;
}

static size_t put_xml_character(struct wg_buf *out, const char *at) {
    static const struct {
        char character;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
        if (*at == entities[i].character) {
            wg_buf_puts(out, entities[i].entity);
            return 1;
        }
    }
    /* U+FFFE and U+FFFF: characters, but not of XML. */
    if (memcmp(at, "\xef\xbf", 2) == 0 && (at[2] == '\xbe' || at[2] == '\xbf')) {
        wg_buf_puts(out, "\xef\xbf\xbd");
        return 3;
    }
    wg_buf_add(out, at, 1);
    return 1;
}

void wg_export_xml(struct wg_buf *out, const char *text) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_terminal(&clean, text ? text : "", text ? strlen(text) : 0, true);
    for (const char *at = wg_buf_str(&clean); *at;) {
        at += put_xml_character(out, at);
    }
}
