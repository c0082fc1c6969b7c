/* wavegrade new: folders to fill in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/commands.h"
#include "grader/manifest/manifest.h"
#include "grader/scaffold/scaffold.h"

#define MAX_ASSIGNMENTS 32

struct new_options {
    const char *output, *assignments, *action, *project;
};

static const struct new_options defaults = {0};

static const struct wg_option options[] = {
#define AT(field) .offset = offsetof(struct new_options, field)
    {.name = "output",
     .letter = 'o',
     .kind = WG_OPTION_STRING,
     .argument = "FOLDER",
     AT(output),
     .help = "the folder to make; otherwise one called NAME, here"},
    {.name = "assignments",
     .kind = WG_OPTION_STRING,
     .argument = "LIST",
     AT(assignments),
     .help = "course: names or folders of assignments, with commas between"},
    {.name = "action",
     .kind = WG_OPTION_STRING,
     .argument = "OWNER/REPOSITORY@REF",
     AT(action),
     .help = "course: where GitHub finds the action of wavegrade"},
    {.name = "project",
     .kind = WG_OPTION_STRING,
     .argument = "GROUP/PROJECT",
     AT(project),
     .help = "course: where GitLab finds wavegrade"},
#undef AT
    {0},
};

static const char *const examples[] = {
    "wavegrade new assignment heat_step",
    "then read heat_step/README.md",
    "wavegrade new course hip-labs --assignments vector_add,matmul,./heat_step",
    "the repository that students start from, with a gate for GitHub and GitLab",
    NULL,
};

static int new_assignment(const struct wg_line *line, struct wg_err *err) {
    const struct new_options *values = line->values;
    if (line->operand_count != 2 || values->assignments || values->action || values->project) {
        wg_fail(err, WG_EINVAL, "new assignment takes one NAME, and of the options only --output");
        return wg_cmd_fail(err);
    }
    const char *name = line->operands[1];
    const char *folder = values->output ? values->output : name;
    if (wg_scaffold_assignment(name, folder, err) != WG_OK) {
        return wg_cmd_fail(err);
    }
    printf("%s: an assignment that works; %s/README.md says what to change.\n"
           "Next: wavegrade lint %s\n",
           folder, folder, folder);
    return WG_EXIT_PASS;
}

static enum wg_code find_all(const char *list, struct wg_manifest **out, size_t *count,
                             struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *copy = wg_strdup(list);
    char *rest = NULL;
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (*count == MAX_ASSIGNMENTS) {
            return wg_fail(err, WG_EINVAL, "more than %d assignments", MAX_ASSIGNMENTS);
        }
        enum wg_code code = wg_manifest_find(name, &out[*count], err);
        if (code != WG_OK) {
            return code;
        }
        for (size_t i = 0; i < *count; i++) {
            if (strcmp(out[i]->id, out[*count]->id) == 0) {
                wg_manifest_free(out[*count]);
                return wg_fail(err, WG_EINVAL, "assignment '%s' occurs twice", out[i]->id);
            }
        }
        (*count)++;
    }
    return *count ? WG_OK : wg_fail(err, WG_EINVAL, "--assignments names none");
}

static int new_course(const struct wg_line *line, struct wg_err *err) {
    const struct new_options *values = line->values;
    struct wg_manifest *assignments[MAX_ASSIGNMENTS] = {0};
    struct wg_scaffold_course course = {
        .name = line->operand_count > 1 ? line->operands[1] : "course",
        .folder = values->output,
        .action = values->action,
        .project = values->project,
        .assignments = (const struct wg_manifest *const *)assignments,
    };
    enum wg_code code =
        values->assignments
            ? find_all(values->assignments, assignments, &course.assignment_count, err)
            : wg_fail(err, WG_EINVAL, "which ones? Add --assignments vector_add,matmul");
    code = code ? code : wg_scaffold_course(&course, err);
    for (size_t i = 0; i < course.assignment_count; i++) {
        wg_manifest_free(assignments[i]);
    }
    if (code != WG_OK) {
        return wg_cmd_fail(err);
    }
    const char *folder = values->output ? values->output : course.name;
    printf("%s: what students start from, with a gate in .github/workflows and .gitlab-ci.yml.\n",
           folder);
    if (!values->action && !values->project) {
        printf("Say where pipelines find wavegrade: OWNER in %s/.github/workflows/wavegrade.yml, "
               "or GROUP in %s/.gitlab-ci.yml.\n",
               folder, folder);
    }
    return WG_EXIT_PASS;
}

static int run(const struct wg_line *line) {
    struct wg_err err = {0};
    if (strcmp(line->operands[0], "assignment") == 0) {
        return new_assignment(line, &err);
    }
    if (strcmp(line->operands[0], "course") == 0) {
        return new_course(line, &err);
    }
    wg_fail(&err, WG_EINVAL, "new makes an assignment or a course, not '%.60s'", line->operands[0]);
    return wg_cmd_fail(&err);
}

const struct wg_command wg_cmd_new = {
    .name = "new",
    .summary = "make an assignment to fill in, or a course's student repository",
    .operands = "assignment NAME | course [NAME]",
    .about =
        "An assignment comes with its description, hand-out, starter and references: a working "
        "example to be changed. A course comes with starters, hand-outs and a gate that checks "
        "every push. What exists is never overwritten.",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 2,
    .defaults = &defaults,
    .values_bytes = sizeof(struct new_options),
    .run = run,
};
