#include <stdlib.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/commands.h"
#include "grader/manifest/manifest.h"

static const struct wg_option options[] = {WG_GRADING_OPTIONS, {0}};

static const char *const examples[] = {
    "wavegrade check",
    "the folder that you are in, before you push",
    "wavegrade check lab1 --no-timing",
    "only right or wrong, and where",
    "wavegrade check --seed 42 --verbose",
    "the inputs of an earlier run, with everything that is known",
    NULL,
};

static int run(const struct wg_line *line) {
    struct wg_grading_options values = *(const struct wg_grading_options *)line->values;
    const char *folder = line->operand_count ? line->operands[0] : ".";
    WG_CLEANUP(wg_freep) char *place = wg_path_join(folder, values.folder ? values.folder : ".");
    WG_CLEANUP(wg_freep) char *brought = NULL;
    struct wg_err err = {0};
    values.is_folder = true;
    wg_cmd_choose_jail(&values, WG_JAIL_AUTO);
    if (!values.assignment && wg_manifest_find_beside(place, &brought, &err) != WG_OK) {
        return wg_cmd_fail(&err);
    }
    if (brought) {
        values.assignment = brought;
    }
    return wg_grading_run(&values, folder);
}

const struct wg_command wg_cmd_check = {
    .name = "check",
    .summary = "check your working folder as it is, no commit needed",
    .operands = "[FOLDER]",
    .options = options,
    .examples = examples,
    .epilogue = "Where nobody may make namespaces, the weaker jail is used, and the result says so "
                "(environment.isolation). " WG_GRADING_EXIT_CODES,
    .max_operands = 1,
    .defaults = &wg_grading_defaults,
    .values_bytes = sizeof(struct wg_grading_options),
    .run = run,
};
