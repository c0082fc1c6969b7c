#include "grader/check/wrong_map.h"

#include <stdlib.h>

#include "grader/base/buf.h"

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

char *wg_wrong_map_draw(const uint8_t *wrong, uint64_t rows, uint64_t columns, uint64_t *tile_rows,
                        uint64_t *tile_columns) {
    uint64_t most_across = WG_WRONG_MAP_SIDE;
    if (columns == 0) {
        columns = rows;
        rows = 1;
        most_across = WG_WRONG_MAP_LENGTH;
    }
    if (rows == 0 || columns == 0) {
        return NULL;
    }
    *tile_rows = divide_up(rows, WG_WRONG_MAP_SIDE);
    *tile_columns = divide_up(columns, most_across);
    uint64_t across = divide_up(columns, *tile_columns);
    uint64_t *counts = wg_calloc(across, sizeof *counts);
    struct wg_buf map = {0};
    for (uint64_t row = 0; row < rows; row++) {
        for (uint64_t column = 0; column < columns; column++) {
            counts[column / *tile_columns] += wrong[row * columns + column] != 0;
        }
        uint64_t first = row - row % *tile_rows;
        if (row + 1 < rows && row + 1 < first + *tile_rows) {
            continue;
        }
        for (uint64_t i = 0; i < across; i++) {
            uint64_t left = columns - i * *tile_columns;
            uint64_t wide = left < *tile_columns ? left : *tile_columns;
            uint64_t ninths = divide_up(counts[i] * 9, wide * (row + 1 - first));
            wg_buf_printf(&map, "%c", (char)('0' + (int)ninths));
            counts[i] = 0;
        }
        wg_buf_puts(&map, row + 1 < rows ? "\n" : "");
    }
    free(counts);
    return map.data;
}
