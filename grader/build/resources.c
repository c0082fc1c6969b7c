#include "grader/build/resources.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"

enum { COLUMNS_MAX = 32, NAME_BYTES = 500 };

struct row {
    struct wg_result_resources *to;
    int64_t relief;
};

/* A cell: not terminated. */
struct cell {
    const char *text;
    size_t len;
};

/* The cells of the line at *at, which moves behind it. */
static size_t read_cells(const char **at, struct cell cells[COLUMNS_MAX]) {
    size_t count = 0;
    for (;;) {
        size_t len = strcspn(*at, "\t\n");
        if (count < COLUMNS_MAX) {
            cells[count++] = (struct cell){*at, len};
        }
        *at += len;
        if (**at != '\t') {
            *at += **at == '\n';
            return count;
        }
        ++*at;
    }
}

static bool is_named(const struct cell *cell, const char *name) {
    return strlen(name) == cell->len && memcmp(cell->text, name, cell->len) == 0;
}

static int64_t to_count(const struct cell *cell) {
    int64_t value = 0;
    if (cell->len == 0 || cell->len > 12) {
        return -1;
    }
    for (size_t i = 0; i < cell->len; i++) {
        if (cell->text[i] < '0' || cell->text[i] > '9') {
            return -1;
        }
        value = value * 10 + (cell->text[i] - '0');
    }
    return value;
}

static char *to_text(const struct cell *cell) {
    return cell->len == 0 ? NULL : wg_text_clean(cell->text, cell->len, NAME_BYTES);
}

/* ---- Columns -------------------------------------------------------------------------------- */

static bool take_count(struct wg_result_resources *to, const struct cell *name,
                       const struct cell *cell) {
    const struct {
        const char *name;
        int64_t *field;
    } counts[] = {
        {"wave_threads", &to->wave_threads},
        {"registers", &to->registers},
        {"accumulation_registers", &to->accumulation_registers},
        {"scalar_registers", &to->scalar_registers},
        {"spilled_registers", &to->spilled_registers},
        {"spilled_scalar_registers", &to->spilled_scalar_registers},
        {"spilled_bytes", &to->spilled_bytes},
        {"scratch_bytes", &to->scratch_bytes},
        {"shared_bytes", &to->shared_bytes},
        {"block_threads_limit", &to->block_threads_limit},
        {"block_threads", &to->block_threads},
        {"occupancy_waves", &to->occupancy_waves},
        {"occupancy_waves_limit", &to->occupancy_waves_limit},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (name == NULL) {
            *counts[i].field = -1;
        } else if (is_named(name, counts[i].name)) {
            *counts[i].field = to_count(cell);
            return true;
        }
    }
    return false;
}

static void set(char **field, char *text) {
    free(*field);
    *field = text;
}

static void take_limit(struct wg_result_resources *to, const struct cell *cell) {
    static const char *const limits[] = {"registers", "scalar_registers", "shared", "blocks"};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (is_named(cell, limits[i])) {
            set(&to->limited_by, wg_strdup(limits[i]));
        }
    }
}

static void take_cell(struct row *row, const struct cell *name, const struct cell *cell) {
    struct wg_result_resources *to = row->to;
    if (take_count(to, name, cell)) {
        return;
    }
    if (is_named(name, "arch")) {
        set(&to->arch, to_text(cell));
    } else if (is_named(name, "kernel")) {
        set(&to->kernel, to_text(cell));
    } else if (is_named(name, "file")) {
        set(&to->file, to_text(cell));
    } else if (is_named(name, "line")) {
        int64_t line = to_count(cell);
        to->line = line > 0 && line <= INT_MAX ? (int)line : 0;
    } else if (is_named(name, "limited_by")) {
        take_limit(to, cell);
    } else if (is_named(name, "relief")) {
        row->relief = to_count(cell);
    }
}

/* ---- Words ---------------------------------------------------------------------------------- */

static bool is_amd(const struct wg_result_resources *of) {
    return strcmp(of->platform, "amd") == 0;
}

static void say_registers(const struct wg_result_resources *of, struct wg_buf *out) {
    wg_buf_printf(out, "%" PRId64 " %s", of->registers, is_amd(of) ? "VGPRs" : "registers");
    if (of->accumulation_registers > 0) {
        wg_buf_printf(out, " (%" PRId64 " of them AGPRs)", of->accumulation_registers);
    }
}

static void say_spills(const struct wg_result_resources *of, struct wg_buf *out) {
    if (of->spilled_registers > 0) {
        wg_buf_printf(out, ", %" PRId64 " of its values spilled to memory", of->spilled_registers);
    } else if (of->spilled_bytes > 0) {
        wg_buf_printf(out, ", %" PRId64 " bytes a thread spilled to memory", of->spilled_bytes);
    } else if (of->spilled_registers == 0 || of->spilled_bytes == 0) {
        wg_buf_puts(out, ", no spills");
    }
}

static void say_memory(const struct wg_result_resources *of, struct wg_buf *out) {
    if (of->shared_bytes > 0) {
        wg_buf_printf(out, ", %" PRId64 " bytes of %s a block", of->shared_bytes,
                      is_amd(of) ? "LDS" : "shared memory");
    }
    if (of->scratch_bytes > 0) {
        wg_buf_printf(out, ", %" PRId64 " bytes of scratch memory a thread", of->scratch_bytes);
    }
}

static void say_occupancy(const struct wg_result_resources *of, struct wg_buf *out) {
    const char *waves = is_amd(of) ? "waves" : "warps";
    if (of->occupancy_waves < 0) {
        return;
    }
    if (of->occupancy_waves >= of->occupancy_waves_limit) {
        wg_buf_printf(out, ", %" PRId64 " %s a%s %s, the most there are", of->occupancy_waves,
                      waves, is_amd(of) ? "" : "n", of->occupancy_unit);
    } else {
        wg_buf_printf(out, ", %" PRId64 " of %" PRId64 " %s a%s %s", of->occupancy_waves,
                      of->occupancy_waves_limit, waves, is_amd(of) ? "" : "n", of->occupancy_unit);
    }
}

static void say_limit(const struct row *row, struct wg_buf *out) {
    const struct wg_result_resources *of = row->to;
    const char *limit = of->limited_by ? of->limited_by : "";
    if (strcmp(limit, "registers") == 0) {
        wg_buf_puts(out, " Registers keep the waves few");
        if (row->relief > 0) {
            wg_buf_printf(out, ": with %" PRId64 " or fewer a thread more would fit", row->relief);
        }
        wg_buf_puts(out, ".");
    } else if (strcmp(limit, "scalar_registers") == 0) {
        wg_buf_puts(out, " Scalar registers keep the waves few.");
    } else if (strcmp(limit, "shared") == 0) {
        wg_buf_printf(out, " %s keeps the waves few, for blocks of %" PRId64 " threads",
                      is_amd(of) ? "LDS" : "Shared memory", of->block_threads);
        if (row->relief > 0) {
            wg_buf_printf(out, ": with %" PRId64 " bytes or fewer one more block would fit",
                          row->relief);
        }
        wg_buf_puts(out, ".");
    } else if (strcmp(limit, "blocks") == 0) {
        wg_buf_printf(out, " No more whole blocks of %" PRId64 " threads fit.", of->block_threads);
    }
}

/* What scratch memory is there for, and what helps. */
static void say_advice(const struct wg_result_resources *of, struct wg_buf *out) {
    if (of->spilled_registers > 0 || of->spilled_bytes > 0) {
        wg_buf_puts(out,
                    " Each spilled value is written to memory and read back when it is needed: "
                    "keep fewer values alive at a time (smaller tiles a thread, less "
                    "unrolling), or launch smaller blocks and say so with __launch_bounds__.");
    } else if (of->scratch_bytes > 0) {
        wg_buf_puts(out, " A local array lives in memory instead of registers: index it with "
                         "constants only, for instance in fully unrolled loops.");
    }
}

static char *in_words(const struct row *row) {
    struct wg_buf text = {0};
    say_registers(row->to, &text);
    say_spills(row->to, &text);
    say_memory(row->to, &text);
    say_occupancy(row->to, &text);
    wg_buf_puts(&text, ".");
    say_limit(row, &text);
    say_advice(row->to, &text);
    return text.data;
}

/* ---- The table ------------------------------------------------------------------------------ */

static void take_row(const char *platform, const struct cell *names, const struct cell *cells,
                     size_t count, struct wg_result *result) {
    struct row row = {.to = wg_result_add_resources(result)};
    take_count(row.to, NULL, NULL); /* nothing is known so far */
    row.to->platform = wg_strdup(platform);
    row.to->occupancy_unit = wg_strdup(is_amd(row.to) ? "SIMD" : "SM");
    for (size_t i = 0; i < count; i++) {
        take_cell(&row, &names[i], &cells[i]);
    }
    set(&row.to->words, in_words(&row));
}

/* The cell below a name; one that is empty when there is none. */
static struct cell find_cell(const struct cell *names, const struct cell *cells, size_t count,
                             const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (is_named(&names[i], name)) {
            return cells[i];
        }
    }
    return (struct cell){"", 0};
}

static bool makes_sense(const struct cell *names, const struct cell *cells, size_t count) {
    struct cell registers = find_cell(names, cells, count, "registers");
    return to_count(&registers) >= 0 && find_cell(names, cells, count, "arch").len > 0 &&
           find_cell(names, cells, count, "kernel").len > 0;
}

void wg_resources_parse(const char *platform, const char *table, struct wg_result *result) {
    struct cell names[COLUMNS_MAX];
    struct cell cells[COLUMNS_MAX];
    size_t name_count = read_cells(&table, names);
    while (*table != '\0' && result->resource_count < WG_RESOURCES_MAX) {
        size_t count = read_cells(&table, cells);
        if (count == name_count && makes_sense(names, cells, count)) {
            take_row(platform, names, cells, count, result);
        }
    }
}
