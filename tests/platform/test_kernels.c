/* The programs in kernels/, plain and checked, in two orders of threads and blocks and with 32 and
 * 64 lanes. The checked runs are the proof that correct code gets no finding. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/platform/command.h"

enum { MAX_PROGRAMS = 128, PATH_BYTES = 512 };

static const char compile_program[] = WG_TEST_LIBEXEC "/compile";
static const char run_program[] = WG_TEST_LIBEXEC "/run";

struct program {
    char path[PATH_BYTES];
};
static struct program programs[MAX_PROGRAMS];

static struct criterion_test_params list(const char *pattern) {
    glob_t found;
    size_t count = 0;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (; count < found.gl_pathc && count < MAX_PROGRAMS; count++) {
            snprintf(programs[count].path, PATH_BYTES, "%s", found.gl_pathv[count]);
        }
        globfree(&found);
    }
    return cr_make_param_array(struct program, programs, count);
}

static void compile(const struct program *program, const char *folder) {
    const struct command_result *got = command_run((const char *[]){
        compile_program, "--program", "--source", program->path, "--out", folder, NULL});
    cr_assert(got->status == 0, "compile ended with %d:\n%s", got->status, got->output);
}

/* Runs folder/library in every setting and hands each result to judge. */
static void run_all(const char *folder, const char *library,
                    void (*judge)(const char *setting, const struct command_result *got)) {
    static const char *const lanes[] = {"WG_CPU_WARP_SIZE=64", "WG_CPU_WARP_SIZE=32"};
    static const char *const orders[][2] = {
        {"WG_CPU_THREAD_ORDER=up", "WG_CPU_BLOCK_ORDER=up"},
        {"WG_CPU_THREAD_ORDER=down", "WG_CPU_BLOCK_ORDER=shuffle:3"},
    };
    char path[PATH_BYTES], setting[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, library);
    for (size_t l = 0; l < 2; l++) {
        for (size_t o = 0; o < 2; o++) {
            snprintf(setting, sizeof setting, "%s %s %s %s", library, lanes[l], orders[o][0],
                     orders[o][1]);
            judge(setting,
                  command_run((const char *[]){"timeout", "120", "env", lanes[l], orders[o][0],
                                               orders[o][1], run_program, path, NULL}));
        }
    }
}

static void with_program(const struct program *program,
                         void (*judge)(const char *setting, const struct command_result *got)) {
    char folder[] = "/tmp/wg-kernels-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    compile(program, folder);
    run_all(folder, "student.so", judge);
    run_all(folder, "checked.so", judge);
    command_run((const char *[]){"rm", "-rf", folder, NULL});
}

static void expect_silence(const char *setting, const struct command_result *got) {
    cr_expect(got->status == 0, "%s: ended with %d:\n%s", setting, got->status, got->output);
    cr_expect(strstr(got->output, "wavegrade: ") == NULL, "%s: a finding on correct code:\n%s",
              setting, got->output);
}

ParameterizedTestParameters(kernels, correct) {
    return list(WG_TEST_KERNELS "/*.hip");
}
ParameterizedTest(struct program *program, kernels, correct, .timeout = 600) {
    with_program(program, expect_silence);
}

/* Programs that provoke errors: their own checks hold, and the platform says what was wrong. */
static void expect_reported(const char *setting, const struct command_result *got) {
    enum { FOUND = 97 };
    cr_expect(got->status == FOUND, "%s: ended with %d:\n%s", setting, got->status, got->output);
    cr_expect(strstr(got->output, "wavegrade: error: ") != NULL, "%s: nothing reported", setting);
    cr_expect(strstr(got->output, "checks failed") == NULL, "%s: %s", setting, got->output);
}

ParameterizedTestParameters(kernels, errors) {
    return list(WG_TEST_KERNELS "/errors/*.hip");
}
ParameterizedTest(struct program *program, kernels, errors, .timeout = 600) {
    with_program(program, expect_reported);
}
