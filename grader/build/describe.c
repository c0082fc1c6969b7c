#include "grader/build/build.h"
#include "grader/build/resources.h"

void wg_build_describe(const struct wg_build *build, const char *platform,
                       struct wg_result *result) {
    result->build.reached = true;
    result->build.ok = build->verdict == WG_VERDICT_PASS;
    result->build.command = build->command ? wg_strdup(build->command) : NULL;
    result->build.log = build->log && *build->log ? wg_strdup(build->log) : NULL;
    result->build.wall_ms = (double)build->wall_ns / 1e6;
    if (result->build.ok && build->entry_name != NULL) {
        result->build.entry_kind =
            wg_strdup(build->entry_kind == WG_ENTRY_KERNEL ? "kernel" : "launcher");
        result->build.entry_name = wg_strdup(build->entry_name);
    }
    for (size_t i = 0; i < build->diagnostic_count; i++) {
        const struct wg_diagnostic *from = &build->diagnostics[i];
        struct wg_result_diagnostic *to = wg_result_add_diagnostic(result);
        to->file = from->file ? wg_strdup(from->file) : NULL;
        to->severity = from->severity ? wg_strdup(from->severity) : NULL;
        to->message = from->message ? wg_strdup(from->message) : NULL;
        to->line = from->line;
        to->column = from->column;
    }
    if (build->resources != NULL) {
        wg_resources_parse(platform, build->resources, result);
    }
}
