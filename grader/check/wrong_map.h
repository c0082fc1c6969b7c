/* A coarse picture of where an output is wrong, small enough to be part of every result. */
#ifndef WG_CHECK_WRONG_MAP_H
#define WG_CHECK_WRONG_MAP_H

#include <stdint.h>

#define WG_WRONG_MAP_SIDE   32  /* tiles along each side of a matrix */
#define WG_WRONG_MAP_LENGTH 100 /* tiles of a vector */

/* One line for each row of tiles, '\n' between them, one digit for each tile: 0 none of its
 * elements is wrong, 9 all are, the rest in ninths rounded up. columns 0: a vector of rows
 * elements, which makes one line. *tile_rows and *tile_columns: elements that a tile spans (those
 * at the end may span fewer). Heap, caller frees; NULL when there are no elements. */
char *wg_wrong_map_draw(const uint8_t *wrong, uint64_t rows, uint64_t columns, uint64_t *tile_rows,
                        uint64_t *tile_columns);

#endif
