/* A student's page: the verdict at a glance, then what it is made of. */
#include "grader/export/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/export/html_parts.h"
#include "grader/export/parts.h"

/* ---- Head ---- */

static void put_facts(const struct wg_result *result, struct wg_buf *out) {
    wg_buf_puts(out, "<dl class=\"facts\">\n");
    wg_html_pair(out, "File",
                 result->submission.path ? result->submission.path : result->submission.file);
    const char *repository = result->submission.repository;
    if (repository && strcmp(repository, ".") != 0) {
        wg_html_pair(out, result->submission.is_folder ? "Folder" : "Repository", repository);
    }
    if (result->submission.commit && *result->submission.commit) {
        WG_CLEANUP(wg_buf_done) struct wg_buf commit = {0};
        wg_buf_printf(&commit, "%.10s", result->submission.commit);
        if (result->submission.ref) {
            wg_buf_printf(&commit, " (%s)", result->submission.ref);
        }
        if (result->submission.commit_time_s > 0) {
            char date[32];
            wg_clock_format_utc(result->submission.commit_time_s, date);
            wg_buf_printf(&commit, ", %.10s %.5s UTC", date, date + 11);
        }
        wg_html_pair(out, "Commit", wg_buf_str(&commit));
    }
    size_t right = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        right += result->cases[i].verdict == WG_VERDICT_PASS && !result->cases[i].not_run;
    }
    if (result->case_count > 0) {
        WG_CLEANUP(wg_freep) char *cases = wg_strf("%zu of %zu right", right, result->case_count);
        wg_html_pair(out, "Sizes tried", cases);
    }
    const char *platform_name = result->environment.platform;
    bool emulated = platform_name && strcmp(platform_name, "cpu") == 0;
    const char *device = emulated ? "emulated" : result->environment.device;
    WG_CLEANUP(wg_freep)
    char *platform = wg_strf("%s%s%s%s", platform_name ? platform_name : "", device ? " (" : "",
                             device ? device : "", device ? ")" : "");
    wg_html_pair(out, "Platform", platform);
    if (result->environment.date_s > 0) {
        char date[32];
        wg_clock_format_utc(result->environment.date_s, date);
        WG_CLEANUP(wg_freep) char *graded = wg_strf("%.10s %.5s UTC", date, date + 11);
        wg_html_pair(out, "Graded", graded);
    }
    wg_buf_puts(out, "</dl>\n");
}

static void put_points(const struct wg_result *result, struct wg_buf *out) {
    if (result->verdict == WG_VERDICT_GRADER_ERROR) {
        wg_buf_puts(out, "<p class=\"points\"><strong>not graded</strong> costs no points</p>\n");
    } else if (result->max_points > 0) {
        wg_buf_printf(
            out, "<p class=\"points\"><strong>%.4g <span>/ %.4g</span></strong> points%s</p>\n",
            result->points, result->max_points, result->score_complete ? "" : " that count here");
    }
}

/* "vector_add.hip:6: ..." leads to the line. */
static void put_sentence(const struct wg_result *result, struct wg_buf *out) {
    const char *text = result->sentence;
    const char *file = result->submission.file;
    if (!text || !*text) {
        return;
    }
    wg_buf_puts(out, "<p class=\"sentence\">");
    size_t len = file && result->submission.source ? strlen(file) : 0;
    size_t digits = len && strncmp(text, file, len) == 0 && text[len] == ':'
                        ? strspn(text + len + 1, "0123456789")
                        : 0;
    if (digits > 0 && digits < 9 && text[len + 1 + digits] == ':') {
        wg_buf_printf(out, "<a href=\"#L%.*s\">", (int)digits, text + len + 1);
        wg_html_text_n(out, text, len + 1 + digits);
        wg_buf_puts(out, "</a>");
        text += len + 1 + digits;
    }
    wg_html_prose(out, text);
    wg_buf_puts(out, "</p>\n");
}

static void put_verdict(const struct wg_result *result, const struct wg_html_about *about,
                        struct wg_buf *out) {
    const char *tone = wg_html_tone(result->verdict);
    wg_buf_printf(out, "<section class=\"verdict tone-%s\" aria-labelledby=\"verdict\">\n", tone);
    wg_buf_puts(out, "<div class=\"what\"><div>\n<p class=\"task\">");
    wg_html_text(out, result->assignment.title ? result->assignment.title : result->assignment.id);
    const char *who = about->name ? about->name : about->student;
    if (who) {
        wg_buf_puts(out, result->assignment.id ? " \u00b7 " : "");
        wg_html_text(out, who);
    }
    wg_buf_puts(out, "</p>\n<h1 id=\"verdict\">");
    wg_html_sign(out, tone);
    wg_buf_puts(out, "<span>");
    wg_html_kind(out, wg_verdict_name(result->verdict));
    wg_buf_puts(out, "</span></h1>\n</div>\n");
    put_points(result, out);
    wg_buf_puts(out, "</div>\n");
    put_sentence(result, out);
    put_facts(result, out);
    wg_buf_puts(out, "</section>\n");
}

/* ---- Score ---- */

static void put_rubric_line(const struct wg_result_rubric *line, struct wg_buf *out) {
    wg_buf_puts(out, "<tr><th scope=\"row\">");
    wg_html_text(out, line->title ? line->title : line->id);
    wg_html_element(out, "p", "small",
                    line->note       ? line->note
                    : line->measured ? NULL
                                     : "not measured here");
    wg_buf_puts(out, "</th><td class=\"track\">");
    if (line->measured && line->max_points > 0) {
        wg_html_bar(out, line->points / line->max_points);
    }
    wg_buf_puts(out, "</td><td class=\"num\">");
    if (line->measured) {
        wg_buf_printf(out, "%.4g", line->points);
    } else {
        wg_buf_puts(out, "\u2013");
    }
    wg_buf_printf(out, "</td><td class=\"num\">%.4g</td></tr>\n", line->max_points);
}

static void put_score(const struct wg_result *result, struct wg_buf *out) {
    if (result->rubric_count == 0) {
        return;
    }
    wg_buf_puts(out, "<section aria-labelledby=\"score\">\n<h2 id=\"score\">Score</h2>\n"
                     "<table class=\"score\">\n<thead><tr><th scope=\"col\">For</th>"
                     "<td class=\"track\"></td><th scope=\"col\" class=\"num\">Points</th>"
                     "<th scope=\"col\" class=\"num\">Of</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < result->rubric_count; i++) {
        put_rubric_line(&result->rubric[i], out);
    }
    wg_buf_puts(out, "<tr class=\"total\"><th scope=\"row\">Together");
    if (!result->score_complete && result->total_points > result->max_points) {
        wg_buf_printf(out,
                      "<p class=\"small\">%.4g more points were not measured here and count "
                      "neither for nor against</p>",
                      result->total_points - result->max_points);
    }
    wg_buf_puts(out, "</th><td class=\"track\"></td>");
    if (result->max_points > 0) {
        wg_buf_printf(out, "<td class=\"num\">%.4g</td><td class=\"num\">%.4g</td>", result->points,
                      result->max_points);
    } else {
        wg_buf_puts(out, "<td class=\"num\">\u2013</td><td class=\"num\">\u2013</td>");
    }
    wg_buf_puts(out, "</tr>\n</tbody></table>\n</section>\n");
}

/* ---- What stands at the end ---- */

static void put_log(const char *id, const char *title, const char *text, struct wg_buf *out) {
    if (!text || !*text) {
        return;
    }
    wg_buf_printf(out,
                  "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n"
                  "<pre tabindex=\"0\" role=\"region\" aria-labelledby=\"%s\">",
                  id, id, title, id);
    wg_html_text(out, text);
    wg_buf_puts(out, "</pre>\n</section>\n");
}

static void put_stages(const struct wg_result *result, struct wg_buf *out) {
    if (result->stage_count == 0) {
        return;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf line = {0};
    for (size_t i = 0; i < result->stage_count; i++) {
        const struct wg_result_stage *stage = &result->stages[i];
        wg_buf_printf(&line, "%s%s ", i ? ", " : "", stage->name ? stage->name : "?");
        wg_html_time(&line, stage->wall_ms);
    }
    wg_html_pair(out, "Took", wg_buf_str(&line));
}

static void put_circumstances(const struct wg_result *result, struct wg_buf *out) {
    wg_buf_puts(out, "<section aria-labelledby=\"how\">\n<h2 id=\"how\">How this was graded</h2>\n"
                     "<dl class=\"facts\">\n");
    if (result->assignment.id) {
        WG_CLEANUP(wg_freep)
        char *assignment =
            wg_strf("%s, version %d%s%.12s", result->assignment.id, result->assignment.version,
                    *result->assignment.digest ? ", " : "", result->assignment.digest);
        wg_html_pair(out, "Assignment", assignment);
    }
    if (result->build.entry_name) {
        WG_CLEANUP(wg_freep)
        char *entry =
            wg_strf("%s%s%s", result->build.entry_name, result->build.entry_kind ? ", " : "",
                    result->build.entry_kind ? result->build.entry_kind : "");
        wg_html_pair(out, "Entry", entry);
    }
    WG_CLEANUP(wg_freep) char *seed = wg_strf("%" PRIu64, result->seed);
    wg_html_pair(out, "Seed (gives the same inputs again)", seed);
    wg_html_pair(out, "Architecture", result->environment.arch);
    wg_html_pair(out, "Compiler", result->environment.compiler_version);
    wg_html_pair(out, "Driver", result->environment.driver_version);
    wg_html_pair(out, "Runtime", result->environment.runtime_version);
    wg_html_pair(out, "CPU", result->environment.cpu);
    wg_html_pair(out, "System", result->environment.os);
    wg_html_pair(out, "Isolation", result->environment.isolation);
    put_stages(result, out);
    wg_buf_puts(out, "</dl>\n");
    if (result->build.command) {
        wg_buf_puts(out, "<details><summary>Compiler command</summary>\n"
                         "<pre tabindex=\"0\" role=\"region\" aria-label=\"Compiler command\">");
        wg_html_text(out, result->build.command);
        wg_buf_puts(out, "</pre></details>\n");
    }
    wg_buf_puts(out, "</section>\n");
}

/* ---- The page ---- */

static void put_top(const struct wg_html_about *about, struct wg_buf *out) {
    wg_buf_puts(out, "<header class=\"top\"><p>Wavegrade report</p>\n");
    if (about->class_page) {
        wg_buf_puts(out, "<nav aria-label=\"Reports\"><ul><li><a href=\"");
        wg_html_text(out, about->class_page);
        wg_buf_puts(out, "\">The whole class</a></li></ul></nav>\n");
    }
    wg_buf_puts(out, "</header>\n<main id=\"main\">\n");
}

void wg_export_html(const struct wg_html_frame *frame, const struct wg_result *result,
                    const struct wg_html_about *about, struct wg_buf *out) {
    static const struct wg_html_about nobody = {0};
    about = about ? about : &nobody;
    const char *who = about->name ? about->name : about->student;
    WG_CLEANUP(wg_freep)
    char *title = wg_strf("%s%s%s: %s", result->assignment.id ? result->assignment.id : "result",
                          who ? ", " : "", who ? who : "", wg_verdict_words(result->verdict));
    wg_html_open(frame, title, out);
    put_top(about, out);
    put_verdict(result, about, out);
    put_score(result, out);
    wg_html_findings(result, out);
    wg_html_cases(result, out);
    wg_html_timing(result, out);
    wg_html_traffic(result, out);
    wg_html_resources(result, out);
    put_log("printed", "What the program printed", result->output, out);
    if (!result->build.ok) {
        put_log("log", "What the compiler printed", result->build.log, out);
    }
    put_circumstances(result, out);
    wg_buf_puts(out, "</main>\n<footer class=\"foot\"><p>Made by wavegrade ");
    wg_html_text(out, result->environment.wavegrade_version ? result->environment.wavegrade_version
                                                            : WG_VERSION);
    wg_buf_puts(out, ". This page holds its whole result as JSON and asks no network for "
                     "anything.</p></footer>\n");
    WG_CLEANUP(wg_buf_done) struct wg_buf json = {0};
    wg_result_to_json(result, &json);
    wg_html_data(out, "student", wg_buf_str(&json));
    wg_html_close(frame, out);
}

void wg_format_write_html(const struct wg_result *result, const struct wg_format_settings *settings,
                          struct wg_buf *out) {
    static const struct wg_html_frame bare = {0};
    wg_export_html(settings->frame ? settings->frame : &bare, result, NULL, out);
}
