/* run LIB.so [ARGUMENTS]: starts a HIP program that `compile --program` made into a library.
 *
 * Its main is exported as wg_student_main. Findings go to standard error when the program ends
 * (libwghip.so sees to that). The exit status is the program's, or FOUND when there were findings
 * of error severity; the latter also when the program calls exit() itself. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sandbox/platform/report.h"

enum { FOUND = 97, USAGE = 64, NOT_LOADED = 2 };

extern struct wg_report *wg_report;

static int error_findings(void) {
    int count = 0;
    for (uint32_t i = 0; i < wg_report->finding_count && i < WG_REPORT_MAX_FINDINGS; i++) {
        count += wg_report->findings[i].severity == WG_SEVERITY_ERROR;
    }
    return count;
}

/* Registered before anything of the program is, so it runs after its destructors. */
static void set_status(int status, void *unused) {
    (void)unused;
    if (status != FOUND && error_findings() > 0) {
        fflush(NULL);
        exit(FOUND); /* goes on with the handlers that are left: the runtime's, which prints */
    }
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: run LIB.so [ARGUMENTS]\n");
        return USAGE;
    }
    on_exit(set_status, NULL);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "run: %s\n", dlerror());
        return NOT_LOADED;
    }
    int (*student_main)(int, char **);
    *(void **)&student_main = dlsym(library, "wg_student_main");
    if (student_main == NULL) {
        fprintf(stderr, "run: %s has no main function\n", argv[1]);
        return NOT_LOADED;
    }
    exit(student_main(argc - 1, argv + 1));
}
