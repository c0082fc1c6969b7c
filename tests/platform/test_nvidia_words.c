/* What the nvidia platform's compile tool reads and writes, without a CUDA toolkit: words of nvcc,
 * ptxas and the linker, facts of kernels, occupancy. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/nvidia/compiler/facts.h"
#include "sandbox/platform/nvidia/compiler/functions.h"
#include "sandbox/platform/nvidia/compiler/occupancy.h"
#include "sandbox/platform/nvidia/compiler/words.h"

/* ---- Diagnostics ---------------------------------------------------------------------------- */

static void expect_words(const char *log, bool has_error, const char *wanted) {
    cr_redirect_stderr();
    bool found = wg_words_print(log, strlen(log), "k.hip");
    fflush(stderr);
    cr_expect_eq(found, has_error);
    cr_expect_stderr_eq_str(wanted);
}

Test(nvidia_words, an_error_gets_its_column) {
    expect_words("k.hip(7): error: identifier \"nothing\" is undefined\n"
                 "      nothing(a);\n"
                 "      ^\n"
                 "\n"
                 "1 error detected in the compilation of \"k.hip\".\n",
                 true, "k.hip:7:5: error: identifier \"nothing\" is undefined\n");
}

Test(nvidia_words, a_warning_that_both_passes_give_is_told_once) {
    expect_words("k.hip(6): warning #177-D: variable \"unused\" was declared but never referenced\n"
                 "      int unused;\n"
                 "          ^\n"
                 "\n"
                 "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
                 "\n"
                 "k.hip(6): warning #177-D: variable \"unused\" was declared but never referenced\n"
                 "      int unused;\n"
                 "          ^\n"
                 "\n",
                 false,
                 "k.hip:6:9: warning: variable \"unused\" was declared but never referenced\n");
}

Test(nvidia_words, an_instantiation_becomes_a_note) {
    expect_words(
        "/h/s.h(3): error: expression must have class type but it has type \"int\"\n"
        "    void f() { x.foo(); }\n"
        "               ^\n"
        "          detected during instantiation of \"void S<T>::f() [with T=int]\" at line "
        "9 of k.hip\n"
        "\n",
        true,
        "/h/s.h:3:14: error: expression must have class type but it has type \"int\"\n"
        "k.hip:9:1: note: in instantiation of \"void S<T>::f() [with T=int]\"\n");
}

Test(nvidia_words, the_preprocessor_is_passed_on) {
    const char log[] = "k.hip:2:10: fatal error: nope.h: No such file or directory\n"
                       "    2 | #include \"nope.h\"\n"
                       "      |          ^~~~~~~~\n";
    char wanted[512];
    snprintf(wanted, sizeof wanted, "%s", log);
    char with_end[512];
    snprintf(with_end, sizeof with_end, "%scompilation terminated.\n", log);
    expect_words(with_end, true, wanted);
}

Test(nvidia_words, ptxas_names_the_kernel_as_it_was_written) {
    expect_words(
        "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x13880 bytes, "
        "0xc000 max)\n"
        "ptxas fatal   : Unresolved extern function '_Z1uf'\n",
        true,
        "k.hip: error: kernel 'k(float*)' uses 80000 bytes of shared memory; there are "
        "49152\n"
        "k.hip: error: 'u(float)' is declared but defined nowhere\n");
}

Test(nvidia_words, the_linker_says_each_thing_once) {
    const char log[] = "/usr/bin/ld: /tmp/x.o: in function `h()':\n"
                       "x.cpp:(.text+0x8c): undefined reference to `other(int)'\n"
                       "x.cpp:(.text+0x9c): undefined reference to `other(int)'\n"
                       "collect2: error: ld returned 1 exit status\n";
    cr_redirect_stderr();
    cr_expect(wg_words_print_link(log, sizeof log - 1, "k.hip"));
    fflush(stderr);
    cr_expect_stderr_eq_str("k.hip: error: 'other(int)' is declared but defined nowhere\n");
}

/* ---- Facts ---------------------------------------------------------------------------------- */

static const char report[] =
    "ptxas info    : 0 bytes gmem, 16 bytes cmem[3]\n"
    "ptxas info    : Compiling entry function '_Z4tilePKfPf' for 'sm_80'\n"
    "ptxas info    : Function properties for _Z4tilePKfPf\n"
    "    256 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Used 72 registers, used 1 barriers, 300 bytes cumulative stack size, 2048 "
    "bytes smem, 364 bytes cmem[0]\n"
    "ptxas info    : Compile time = 1.087 ms\n"
    "ptxas info    : Function properties for _Z6helperPf\n"
    "    4096 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads\n"
    "k.hip(1): warning #177-D: words for people\n"
    "ptxas info    : Compiling entry function 'plain' for 'sm_80'\n"
    "ptxas info    : Function properties for plain\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 10 registers, used 0 barriers\n";

Test(nvidia_facts, are_taken_out_of_the_log) {
    WG_CLEANUP(wg_facts_done) struct wg_facts facts = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf rest = {0};
    wg_facts_read(report, sizeof report - 1, &facts, &rest);
    cr_assert_eq(facts.count, 2);
    const struct wg_kernel_facts *tile = &facts.at[0];
    cr_expect_str_eq(tile->symbol, "_Z4tilePKfPf");
    cr_expect_str_eq(tile->arch, "sm_80");
    cr_expect_eq(tile->registers, 72);
    cr_expect_eq(tile->shared_bytes, 2048);
    cr_expect_eq(tile->stack_bytes, 300);
    cr_expect_eq(tile->spilled_bytes, 12);
    cr_expect_eq(facts.at[1].registers, 10);
    cr_expect_str_eq(wg_buf_str(&rest), "k.hip(1): warning #177-D: words for people\n");
    cr_expect(wg_facts_is_kernel(&facts, "plain"));
    cr_expect_not(wg_facts_is_kernel(&facts, "_Z6helperPf"));
}

Test(nvidia_facts, launch_bounds_come_from_ptx) {
    static const char ptx[] = ".visible .entry plain(\n)\n{\n ret;\n}\n"
                              ".visible .entry _Z4tilePKfPf(\n\t.param .u64 p\n)\n"
                              ".maxntid 16, 8, 1\n.minnctapersm 2\n{\n ret;\n}\n";
    WG_CLEANUP(wg_facts_done) struct wg_facts facts = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf rest = {0};
    wg_facts_read(report, sizeof report - 1, &facts, &rest);
    wg_facts_read_bounds(ptx, sizeof ptx - 1, &facts);
    cr_expect_eq(facts.at[0].launch_bound, 128);
    cr_expect_eq(facts.at[1].launch_bound, 0);
}

Test(nvidia_facts, become_a_table) {
    char path[] = "/tmp/wg-facts-XXXXXX";
    close(mkstemp(path));
    struct wg_function function = {.symbol = (char[]){"plain"}, .line = 7};
    const struct wg_functions functions = {.at = &function, .count = 1};
    WG_CLEANUP(wg_facts_done) struct wg_facts facts = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf rest = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf table = {0};
    wg_facts_read(report, sizeof report - 1, &facts, &rest);
    cr_assert_eq(wg_facts_write(&facts, &functions, "k.hip", 0, path, NULL), WG_OK);
    cr_assert_eq(wg_file_read(path, 65536, &table, NULL), WG_OK);
    unlink(path);
    cr_expect(strstr(wg_buf_str(&table), "\nsm_80\ttile\t\t\t32\t72\t") != NULL, "%s", table.data);
    cr_expect(strstr(wg_buf_str(&table), "\nsm_80\tplain\tk.hip\t7\t32\t10\t") != NULL, "%s",
              table.data);
}

/* ---- Occupancy: as NVIDIA's own calculator has it ---------------------------------------------
 */

Test(nvidia_occupancy, agrees_with_the_calculator) {
    static const struct {
        const char *arch;
        unsigned registers, shared_bytes, block, warps, max_warps;
        const char *limited_by;
    } known[] = {
        {"sm_80", 32, 0, 256, 64, 64, ""},           {"sm_80", 64, 0, 256, 32, 64, "registers"},
        {"sm_80", 255, 0, 256, 8, 64, "registers"},  {"sm_80", 32, 32768, 256, 32, 64, "shared"},
        {"sm_80", 32, 0, 32, 32, 64, "blocks"},      {"sm_86", 32, 0, 1024, 32, 48, "blocks"},
        {"sm_86", 40, 0, 256, 48, 48, ""},           {"sm_75", 32, 0, 256, 32, 32, ""},
        {"sm_75", 32, 32768, 256, 16, 32, "shared"}, {"sm_90", 72, 512, 128, 28, 64, "registers"},
        {"sm_90", 14, 32768, 256, 48, 64, "shared"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct wg_occupancy got = wg_occupancy_compute(known[i].arch, known[i].registers,
                                                       known[i].shared_bytes, known[i].block);
        cr_expect_eq(got.warps, known[i].warps, "%zu: %u warps", i, got.warps);
        cr_expect_eq(got.max_warps, known[i].max_warps, "%zu", i);
        cr_expect_str_eq(got.limited_by, known[i].limited_by, "%zu", i);
    }
}

Test(nvidia_occupancy, relief_is_enough_and_no_more) {
    struct wg_occupancy before = wg_occupancy_compute("sm_90", 72, 512, 128);
    struct wg_occupancy with = wg_occupancy_compute("sm_90", before.relief, 512, 128);
    struct wg_occupancy without = wg_occupancy_compute("sm_90", before.relief + 1, 512, 128);
    cr_expect_gt(with.warps, before.warps);
    cr_expect_eq(without.warps, before.warps);
}

/* ---- Names ---------------------------------------------------------------------------------- */

Test(nvidia_functions, kernel_names_keep_namespace_and_arguments) {
    WG_CLEANUP(wg_freep) char *tile = wg_functions_kernel_name("_ZN1q4tileILi32EEEvPKfS2_Pfj");
    WG_CLEANUP(wg_freep) char *plain = wg_functions_kernel_name("plain");
    cr_expect_str_eq(tile, "q::tile<32>");
    cr_expect_str_eq(plain, "plain");
}

Test(nvidia_functions, parameters_are_split_at_their_commas) {
    static const char list[] = "const float*, std::pair<int, int>&, float (*)(int, int), int";
    static const char *const wanted[] = {"const float*", "std::pair<int, int>&",
                                         "float (*)(int, int)", "int"};
    const char *parameter;
    size_t len, at = 0, count = 0;
    while (wg_functions_next_parameter(list, &at, &parameter, &len)) {
        cr_assert_lt(count, 4);
        cr_expect_eq(strlen(wanted[count]), len);
        cr_expect_eq(memcmp(parameter, wanted[count], len), 0);
        count++;
    }
    cr_expect_eq(count, 4);
    at = 0;
    cr_expect_not(wg_functions_next_parameter("void", &at, &parameter, &len));
}
