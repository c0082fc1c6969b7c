#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/build/resources.h"

#define HEAD                                                                                       \
    "arch\tkernel\tline\tregisters\tspilled_registers\tscratch_bytes\tshared_bytes\t"              \
    "block_threads\toccupancy_waves\toccupancy_waves_limit\tlimited_by\trelief\n"

static struct wg_result *parsed(const char *platform, const char *table) {
    struct wg_result *result = wg_result_new();
    wg_resources_parse(platform, table, result);
    return result;
}

static void expect_words(const char *row, const char *words) {
    char table[2048];
    snprintf(table, sizeof table, "%s%s\n", HEAD, row);
    struct wg_result *result = parsed("amd", table);
    cr_assert_eq(result->resource_count, 1, "%s", row);
    cr_assert_str_eq(result->resources[0].words, words);
    wg_result_free(result);
}

Test(build_resources, columns_are_found_by_name) {
    struct wg_result *result = parsed("amd", "registers\tnew_column\tkernel\tarch\tline\n"
                                             "36\tx\tadd\tgfx90a\t7\n"
                                             "8\t\ttile<16>\tgfx1100\t\n");
    cr_assert_eq(result->resource_count, 2);
    cr_assert_eq(result->resources[0].registers, 36);
    cr_assert_eq(result->resources[0].line, 7);
    cr_assert_eq(result->resources[0].shared_bytes, -1);
    cr_assert_str_eq(result->resources[0].platform, "amd");
    cr_assert_str_eq(result->resources[1].kernel, "tile<16>");
    cr_assert_str_eq(result->resources[1].arch, "gfx1100");
    cr_assert_eq(result->resources[1].line, 0);
    wg_result_free(result);
}

Test(build_resources, plain_words) {
    expect_words("gfx90a\tadd\t3\t36\t0\t0\t0\t256\t8\t8\t\t0",
                 "36 VGPRs, no spills, 8 waves a SIMD, the most there are.");
    expect_words("gfx90a\tmm\t3\t128\t0\t0\t2048\t256\t4\t8\tregisters\t96",
                 "128 VGPRs, no spills, 2048 bytes of LDS a block, 4 of 8 waves a SIMD. Registers "
                 "keep the waves few: with 96 or fewer a thread more would fit.");
    expect_words("gfx906\tmm\t3\t20\t0\t0\t32768\t256\t2\t10\tshared\t21845",
                 "20 VGPRs, no spills, 32768 bytes of LDS a block, 2 of 10 waves a SIMD. LDS keeps "
                 "the waves few, for blocks of 256 threads: with 21845 bytes or fewer one more "
                 "block would fit.");
}

Test(build_resources, spills_and_local_arrays_come_with_advice) {
    struct wg_result *result =
        parsed("amd", HEAD "gfx90a\tf\t3\t128\t1200\t3604\t0\t256\t4\t8\tregisters\t96\n"
                           "gfx90a\tg\t3\t12\t0\t256\t0\t256\t8\t8\t\t0\n");
    cr_assert(strstr(result->resources[0].words, "1200 of its values spilled to memory"));
    cr_assert(strstr(result->resources[0].words, "__launch_bounds__"));
    cr_assert(strstr(result->resources[1].words, "local array"));
    wg_result_free(result);
}

Test(build_resources, nvidia_has_its_own_terms) {
    struct wg_result *result = parsed(
        "nvidia", "arch\tkernel\tregisters\tspilled_bytes\toccupancy_waves\toccupancy_waves_limit\n"
                  "sm_90\tadd\t16\t8\t48\t64\n");
    cr_assert_eq(result->resource_count, 1);
    cr_assert_str_eq(result->resources[0].occupancy_unit, "SM");
    cr_assert(strstr(result->resources[0].words,
                     "16 registers, 8 bytes a thread spilled to memory, 48 of 64 warps an SM"));
    wg_result_free(result);
}

Test(build_resources, a_hostile_table_does_no_harm) {
    static const char *const tables[] = {
        "",
        "\n",
        "arch",
        HEAD "gfx90a\n",
        HEAD "\t\t\t\t\t\t\t\t\t\t\t\n",
        "arch\tkernel\tregisters\ngfx90a\tf\n",
        "arch\tarch\tkernel\tregisters\na\tb\tf\t1\n",
        "arch\tkernel\tregisters\n\tf\t1\n",
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct wg_result *result = parsed("amd", tables[i]);
        cr_assert_leq(result->resource_count, 1);
        wg_result_free(result);
    }
    struct wg_result *result = parsed("amd", "arch\tkernel\tregisters\tshared_bytes\n"
                                             "gfx90a\tf\t-1\t0\n"
                                             "gfx90a\t\x1b[31mf\t1\t99999999999999999999\n");
    cr_assert_eq(result->resource_count, 1);
    cr_assert_eq(result->resources[0].shared_bytes, -1);
    wg_result_free(result);
}

Test(build_resources, a_long_table_is_cut) {
    struct wg_buf table = {0};
    wg_buf_puts(&table, "arch\tkernel\tregisters\n");
    for (int i = 0; i < 2 * WG_RESOURCES_MAX; i++) {
        wg_buf_puts(&table, "gfx90a\tf\t1\n");
    }
    struct wg_result *result = parsed("amd", wg_buf_str(&table));
    cr_assert_eq(result->resource_count, WG_RESOURCES_MAX);
    wg_result_free(result);
    wg_buf_done(&table);
}
