/* wavegrade kit: what Gradescope and Autolab want to be given for an assignment. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/commands.h"
#include "grader/kit/kit.h"
#include "grader/manifest/manifest.h"

struct kit_options {
    const char *output, *folder, *deb, *source;
};

static const struct kit_options defaults = {0};

static const struct wg_option options[] = {
#define AT(field) .offset = offsetof(struct kit_options, field)
    {.name = "output",
     .letter = 'o',
     .kind = WG_OPTION_STRING,
     .argument = "FILE",
     AT(output),
     .help = "the archive; otherwise SYSTEM-ASSIGNMENT.zip or .tar, here"},
    {.name = "folder",
     .kind = WG_OPTION_STRING,
     .argument = "FOLDER",
     AT(folder),
     .help = "where the file is, inside a submission"},
    {.name = "deb",
     .kind = WG_OPTION_STRING,
     .argument = "FILE",
     AT(deb),
     .help = "gradescope: install wavegrade from this Debian package"},
    {.name = "source",
     .kind = WG_OPTION_STRING,
     .argument = "FILE",
     AT(source),
     .help = "gradescope: build wavegrade from this tarball of its source"},
#undef AT
    {0},
};

static const char *const examples[] = {
    "wavegrade kit gradescope matmul --deb wavegrade.deb",
    "gradescope-matmul.zip, to be uploaded as the autograder",
    "wavegrade kit autolab labs/stencil -o stencil.tar",
    "holds the two files that Autolab's autograder page asks for",
    NULL,
};

static const struct system {
    const char *name, *extension;
    enum wg_code (*make)(const struct wg_kit_request *, struct wg_buf *, struct wg_err *);
    bool installs; /* --deb and --source mean something */
} systems[] = {
    {"gradescope", "zip", wg_kit_gradescope, true},
    {"autolab", "tar", wg_kit_autolab, false},
};

static enum wg_code find_system(const char *name, const struct system **out, struct wg_err *err) {
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        if (strcmp(systems[i].name, name) == 0) {
            *out = &systems[i];
            return WG_OK;
        }
    }
    return wg_fail(err, WG_EINVAL, "there are kits for gradescope and autolab, not for '%.60s'",
                   name);
}

static void free_manifest(struct wg_manifest **manifest) {
    wg_manifest_free(*manifest);
}

static enum wg_code make(const struct wg_line *line, struct wg_err *err) {
    const struct kit_options *values = line->values;
    const struct system *system = &systems[0];
    WG_CLEANUP(free_manifest) struct wg_manifest *manifest = NULL;
    WG_CLEANUP(wg_buf_done) struct wg_buf archive = {0};
    enum wg_code code = find_system(line->operands[0], &system, err);
    if (code == WG_OK && !system->installs && (values->deb || values->source)) {
        code = wg_fail(err, WG_EINVAL,
                       "--deb and --source are for gradescope: %s runs in an image "
                       "that has wavegrade",
                       system->name);
    }
    if (code == WG_OK && values->folder && wg_path_climbs(values->folder)) {
        code = wg_fail(err, WG_EINVAL,
                       "--folder '%.120s' leads out of a submission: name it from the top, "
                       "without '..'",
                       values->folder);
    }
    code = code ? code : wg_manifest_find(line->operands[1], &manifest, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_kit_request request = {.manifest = manifest,
                                     .folder = values->folder,
                                     .deb = values->deb,
                                     .source = values->source};
    code = system->make(&request, &archive, err);
    WG_CLEANUP(wg_freep)
    char *made = wg_strf("%s-%s.%s", system->name, manifest->id, system->extension);
    const char *path = values->output ? values->output : made;
    if (code == WG_OK && strcmp(path, "-") == 0) {
        return wg_cmd_print(&archive, err);
    }
    code = code ? code : wg_file_write(path, archive.data, archive.len, 0666, err);
    if (code == WG_OK && strncmp(path, "/dev/", 5) != 0) { /* standard output holds the archive */
        printf("%s\n", path);
    }
    return code;
}

static int run(const struct wg_line *line) {
    struct wg_err err = {0};
    return make(line, &err) == WG_OK ? WG_EXIT_PASS : wg_cmd_fail(&err);
}

const struct wg_command wg_cmd_kit = {
    .name = "kit",
    .summary = "pack an assignment for Gradescope or Autolab",
    .operands = "SYSTEM ASSIGNMENT",
    .about = "Writes the archive that a learning platform wants to be given so that it grades with "
             "wavegrade. SYSTEM is gradescope or autolab. The archive holds the references: it is "
             "not for students.",
    .options = options,
    .examples = examples,
    .min_operands = 2,
    .max_operands = 2,
    .defaults = &defaults,
    .values_bytes = sizeof(struct kit_options),
    .run = run,
};
