/* Classroom 50's result.json. What things are called (classroom, submission, links) comes from its
 * runner's environment; the runner checks them and sets owner and submitted_by itself. Scores are
 * whole numbers there, and the total is the sum of the tests. What was not graded is 0 of 0, which
 * counts for nothing; the exit status then tells the runner that it was the machine's fault. */
#include <math.h>
#include <stdlib.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/export/parts.h"
#include "grader/result/json_write.h"

static const char *variable(const struct wg_format_settings *settings, const char *name) {
    const char *value = settings->variable ? settings->variable(name) : NULL;
    return value && *value ? value : NULL;
}

static void add_named(struct cJSON *root, const char *field, const char *value, const char *other) {
    if (value || other) {
        wg_json_add_string(root, field, value ? value : other);
    }
}

static void add_time(struct cJSON *root, const char *field, int64_t unix_s) {
    if (unix_s > 0) {
        char text[32];
        wg_clock_format_utc(unix_s, text);
        wg_json_add_string(root, field, text);
    }
}

static void add_names(struct cJSON *root, const struct wg_result *result,
                      const struct wg_format_settings *settings) {
    const char *commit = variable(settings, "COMMIT_URL");
    commit = commit ? commit : result->submission.commit;
    wg_json_add_string(root, "schema", "classroom50/result/v1");
    add_named(root, "classroom", variable(settings, "CLASSROOM"), NULL);
    add_named(root, "assignment", variable(settings, "ASSIGNMENT"), result->assignment.id);
    add_named(root, "assignment_type", variable(settings, "ASSIGNMENT_TYPE"), NULL);
    add_named(root, "owner", variable(settings, "OWNER"), variable(settings, "USERNAME"));
    add_named(root, "submission", variable(settings, "SUBMISSION_TAG"), NULL);
    add_named(root, "commit", commit, NULL);
    add_named(root, "release", variable(settings, "RELEASE_URL"), NULL);
    add_named(root, "review", variable(settings, "REVIEW_URL"), commit);
    /* The commit's time, which stays what it is when the work is graded again. */
    int64_t commit_s = result->submission.commit_time_s;
    add_time(root, "datetime", commit_s > 0 ? commit_s : result->environment.date_s);
    add_time(root, "graded_at", result->environment.date_s);
}

void wg_format_write_classroom50(const struct wg_result *result,
                                 const struct wg_format_settings *settings, struct wg_buf *out) {
    struct cJSON *root = wg_json_new_object();
    add_names(root, result, settings);
    struct cJSON *tests = wg_json_add_array(root, "tests");
    bool graded = wg_export_is_graded(result);
    int64_t sum = 0, most = 0;
    for (size_t i = 0; i < result->rubric_count && graded; i++) {
        const struct wg_result_rubric *line = &result->rubric[i];
        if (!line->measured) {
            continue;
        }
        WG_CLEANUP(wg_freep) char *title = wg_export_line(wg_export_title(line));
        int64_t line_most = llround(line->max_points);
        int64_t points = llround(line->points);
        points = points > line_most ? line_most : points;
        struct cJSON *test = wg_json_append_object(tests);
        wg_json_add_string(test, "test-name", title);
        wg_json_add_bool(test, "passed", wg_export_is_full(line));
        wg_json_add_int(test, "score", points);
        wg_json_add_int(test, "max-score", line_most);
        sum += points;
        most += line_most;
    }
    wg_json_add_int(root, "score", sum);
    wg_json_add_int(root, "max-score", most);
    wg_json_print(root, true, out);
    wg_buf_puts(out, "\n");
}
