#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "grader/check/wrong_map.h"

static char *draw(const uint8_t *wrong, uint64_t rows, uint64_t columns, uint64_t tile[2]) {
    return wg_wrong_map_draw(wrong, rows, columns, &tile[0], &tile[1]);
}

Test(wrong_map, small_outputs_show_every_element) {
    uint64_t tile[2];
    const uint8_t matrix[6] = {0, 1, 0, 1, 0, 0};
    char *map = draw(matrix, 2, 3, tile);
    cr_assert_str_eq(map, "090\n900");
    cr_assert(tile[0] == 1 && tile[1] == 1);
    free(map);
    map = draw(matrix, 6, 0, tile);
    cr_assert_str_eq(map, "090900");
    free(map);
}

Test(wrong_map, the_tail_of_a_vector_is_at_its_end) {
    static uint8_t vector[1000];
    memset(vector + 993, 1, 7);
    uint64_t tile[2];
    char *map = draw(vector, 1000, 0, tile);
    cr_assert_eq(tile[1], 10);
    cr_assert_eq(strlen(map), 100);
    cr_assert_eq(strspn(map, "0"), 99);
    cr_assert_eq(map[99], '7'); /* 7 of 10, in ninths, rounded up */
    free(map);
}

Test(wrong_map, one_wrong_element_of_many_is_seen) {
    static uint8_t matrix[1000 * 700];
    matrix[999 * 700 + 699] = 1;
    uint64_t tile[2];
    char *map = draw(matrix, 1000, 700, tile);
    cr_assert(tile[0] == 32 && tile[1] == 22);
    cr_assert_eq(strlen(map), 32 * 32 + 31); /* ceil(1000/32) lines of ceil(700/22) */
    cr_assert_eq(map[strlen(map) - 1], '1');
    cr_assert_eq(strspn(map, "0\n"), strlen(map) - 1);
    free(map);
}

Test(wrong_map, a_tile_cut_by_the_edge_is_full_when_all_of_it_is_wrong) {
    static uint8_t matrix[33 * 33];
    memset(matrix, 1, sizeof matrix);
    uint64_t tile[2];
    char *map = draw(matrix, 33, 33, tile);
    cr_assert_eq(strspn(map, "9\n"), strlen(map));
    cr_assert_eq(strlen(map), 17 * 17 + 16);
    free(map);
    cr_assert_null(draw(matrix, 0, 0, tile));
}
