/* The report: groups, bounds, a file that the parent maps, and exits that it must hear of. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/platform/runtime_rig.h"

static struct wg_finding_record finding(uint32_t line, const char *function) {
    struct wg_finding_record record =
        wg_finding(WG_FINDING_OUT_OF_BOUNDS, WG_SEVERITY_ERROR, "text of %d", (int)line);
    wg_copy_text(record.at.file, sizeof record.at.file, "k.hip");
    wg_copy_text(record.at.function, sizeof record.at.function, function);
    record.at.line = line;
    return record;
}

Test(runtime_report, findings_are_grouped_by_kind_and_line) {
    for (uint32_t i = 0; i < 12; i++) {
        struct wg_finding_record record = finding(1 + i % 3, i % 2 == 0 ? "f" : "g");
        wg_report_finding(&record);
    }
    cr_assert_eq(wg_report->finding_count, 3);
    cr_assert_eq(wg_report->findings[1].occurrences, 4);
    cr_assert_str_eq(wg_report->findings[1].text, "text of 2");
    struct wg_finding_record other = finding(1, "f");
    other.kind = WG_FINDING_DATA_RACE;
    wg_report_finding(&other);
    cr_assert_eq(wg_report->finding_count, 4);
}

Test(runtime_report, without_a_line_the_function_tells_findings_apart) {
    struct wg_finding_record one = finding(0, "hipMemcpy");
    struct wg_finding_record other = finding(0, "hipFree");
    wg_report_finding(&one);
    wg_report_finding(&other);
    wg_report_finding(&one);
    cr_assert_eq(wg_report->finding_count, 2);
    cr_assert_eq(wg_report->findings[0].occurrences, 2);
}

Test(runtime_report, the_rest_is_counted) {
    for (uint32_t i = 1; i <= WG_REPORT_MAX_FINDINGS + 10; i++) {
        struct wg_finding_record record = finding(i, "f");
        wg_report_finding(&record);
    }
    cr_assert_eq(wg_report->finding_count, WG_REPORT_MAX_FINDINGS);
    cr_assert_eq(wg_report->findings_dropped, 10);
}

Test(runtime_report, is_written_to_the_file_of_the_parent) {
    int fd = memfd_create("report", 0);
    cr_assert_eq(ftruncate(fd, sizeof(struct wg_report)), 0);
    const struct wg_report *seen = mmap(NULL, sizeof *seen, PROT_READ, MAP_SHARED, fd, 0);
    cr_assert_neq(seen, MAP_FAILED);
    wg_report_open(fd);
    cr_assert_eq(seen->magic, WG_REPORT_MAGIC);
    struct wg_finding_record record = finding(7, "f");
    wg_report_finding(&record);
    cr_assert_eq(seen->finding_count, 1);
    cr_assert_eq(seen->findings[0].at.line, 7);
    cr_assert_eq(fcntl(fd, F_GETFD), -1, "the submission must not find the descriptor");
}

Test(runtime_report, a_file_that_is_too_small_is_not_used) {
    int fd = memfd_create("report", 0);
    cr_assert_eq(ftruncate(fd, 100), 0);
    wg_report_open(fd);
    cr_assert_eq(wg_report->magic, WG_REPORT_MAGIC);
    struct wg_finding_record record = finding(7, "f");
    wg_report_finding(&record);
    cr_assert_eq(wg_report->finding_count, 1);
}

Test(runtime_report, names_are_demangled) {
    char name[32];
    wg_demangle(name, sizeof name, "_Z4vaddPKfS0_Pfi");
    cr_assert_str_eq(name, "vadd");
    wg_demangle(name, sizeof name, "_ZN12_GLOBAL__N_15tilesILi4EEEvPKfi");
    cr_assert_str_eq(name, "(anonymous namespace)::tiles<4>");
    wg_demangle(name, sizeof name, "_ZNK4PlusclEff");
    cr_assert_str_eq(name, "Plus::operator()");
    wg_demangle(name, sizeof name, "plain");
    cr_assert_str_eq(name, "plain");
    wg_demangle(name, sizeof name, NULL);
    cr_assert_str_eq(name, "");
}

struct arguments {
    int unused;
};
RIG_KERNEL(nothing, struct arguments) {
    (void)a;
}

/* Here the test program is the submission. */
static void call_exit(void) {
    exit(0);
}

static void call_exit_now(void) {
    _Exit(0);
}

Test(runtime_report, exits_of_the_submission_are_put_down) {
    RIG_REGISTER(&nothing);
    cr_assert_eq(rig_signal_of(call_exit), 0);
    cr_assert_eq(wg_report->host_exit, 1);
    cr_assert_eq(rig_signal_of(call_exit_now), 0);
    cr_assert_eq(wg_report->host_exit, 1);
}
