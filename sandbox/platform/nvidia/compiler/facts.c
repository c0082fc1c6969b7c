#include "sandbox/platform/nvidia/compiler/facts.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/nvidia/compiler/occupancy.h"

enum { USUAL_BLOCK = 256 };

/* ---- ptxas's report ------------------------------------------------------------------------- */

/* The report of one kernel is spread over several lines, which refer to it by name or by order. */
struct reading {
    struct wg_facts *facts;
    struct wg_kernel_facts *kernel; /* whose lines are being read; NULL: none */
    bool is_own;                    /* the properties are the kernel's, not those of a function */
};

static const char *after(const char *line, const char *words) {
    size_t len = strlen(words);
    return strncmp(line, words, len) == 0 ? line + len : NULL;
}

/* "Compiling entry function 'SYMBOL' for 'ARCH'" */
static void open_kernel(struct reading *reading, const char *symbol) {
    static const char between[] = "' for '";
    const char *end = strstr(symbol, between);
    const char *arch = end ? end + sizeof between - 1 : NULL;
    reading->kernel = NULL;
    if (!arch) {
        return;
    }
    struct wg_facts *facts = reading->facts;
    facts->at = wg_realloc(facts->at, facts->count + 1, sizeof *facts->at);
    facts->at[facts->count] = (struct wg_kernel_facts){
        .symbol = wg_strf("%.*s", (int)(end - symbol), symbol),
        .arch = wg_strf("%.*s", (int)strcspn(arch, "'"), arch),
    };
    reading->kernel = &facts->at[facts->count++];
}

/* "Used 18 registers, used 1 barriers, 2048 bytes smem, 400 bytes cmem[0]" */
static void read_use(struct wg_kernel_facts *kernel, const char *words) {
    while (*words) {
        char *end = NULL;
        words += strcspn(words, "0123456789");
        unsigned amount = (unsigned)strtoul(words, &end, 10);
        if (after(end, " registers")) {
            kernel->registers = amount;
        } else if (after(end, " bytes smem")) {
            kernel->shared_bytes = amount;
        } else if (after(end, " bytes cumulative stack") && amount > kernel->stack_bytes) {
            kernel->stack_bytes = amount;
        }
        words = end + strcspn(end, ",");
    }
}

/* "    16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads" */
static bool read_properties(struct wg_kernel_facts *kernel, const char *line) {
    char *end = NULL;
    unsigned stack = (unsigned)strtoul(line, &end, 10);
    const char *next = after(end, " bytes stack frame, ");
    if (next && kernel) {
        kernel->stack_bytes = stack > kernel->stack_bytes ? stack : kernel->stack_bytes;
        kernel->spilled_bytes = (unsigned)strtoul(next, NULL, 10);
    }
    return next != NULL;
}

static bool read_line(struct reading *reading, const char *line) {
    struct wg_kernel_facts *kernel = reading->kernel;
    if (line[0] == ' ' && read_properties(reading->is_own ? kernel : NULL, line)) {
        return true;
    }
    const char *words = after(line, "ptxas info    : ");
    if (!words) {
        return false;
    }
    const char *found = NULL;
    if ((found = after(words, "Compiling entry function '")) != NULL) {
        open_kernel(reading, found);
    } else if ((found = after(words, "Function properties for ")) != NULL) {
        reading->is_own = kernel && strcmp(found, kernel->symbol) == 0;
    } else if (kernel && (found = after(words, "Used ")) != NULL) {
        read_use(kernel, found);
    }
    return true;
}

void wg_facts_read(const char *log, size_t len, struct wg_facts *out, struct wg_buf *rest) {
    struct reading reading = {.facts = out};
    for (const char *end = log + len; log < end;) {
        const char *newline = memchr(log, '\n', (size_t)(end - log));
        size_t line_len = newline ? (size_t)(newline - log) : (size_t)(end - log);
        WG_CLEANUP(wg_freep) char *line = wg_strf("%.*s", (int)line_len, log);
        if (!read_line(&reading, line)) {
            wg_buf_printf(rest, "%s\n", line);
        }
        log += line_len + (newline ? 1 : 0);
    }
}

bool wg_facts_is_kernel(const void *facts, const char *symbol) {
    const struct wg_facts *all = facts;
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->at[i].symbol, symbol) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Launch bounds -------------------------------------------------------------------------- */

/* ".entry SYMBOL( parameters ) .maxntid 256, 1, 1 { ..." */
void wg_facts_read_bounds(const char *ptx, size_t len, struct wg_facts *facts) {
    static const char entry[] = ".entry ";
    const char *end = ptx + len;
    for (const char *at = ptx; (at = memmem(at, (size_t)(end - at), entry, sizeof entry - 1));) {
        at += sizeof entry - 1;
        const char *body = memchr(at, '{', (size_t)(end - at));
        WG_CLEANUP(wg_freep) char *head = wg_strf("%.*s", body ? (int)(body - at) : 0, at);
        size_t name_len = strcspn(head, "( \t\n");
        const char *bound = strstr(head, ".maxntid ");
        unsigned threads = bound ? 1 : 0;
        for (char *number = bound ? (char *)(uintptr_t)(bound + 8) : NULL; number;) {
            threads *= (unsigned)strtoul(number, &number, 10);
            number = *number == ',' ? number + 1 : NULL;
        }
        for (size_t i = 0; i < facts->count; i++) {
            const char *symbol = facts->at[i].symbol;
            if (strlen(symbol) == name_len && strncmp(symbol, head, name_len) == 0) {
                facts->at[i].launch_bound = threads;
            }
        }
    }
}

/* ---- Writing -------------------------------------------------------------------------------- */

static unsigned line_of(const struct wg_functions *functions, const char *symbol) {
    for (size_t i = 0; i < functions->count; i++) {
        if (functions->at[i].symbol && strcmp(functions->at[i].symbol, symbol) == 0) {
            return functions->at[i].line;
        }
    }
    return 0;
}

static void write_kernel(const struct wg_kernel_facts *kernel, const struct wg_functions *functions,
                         const char *source, unsigned block_threads, struct wg_buf *out) {
    WG_CLEANUP(wg_freep) char *name = wg_functions_kernel_name(kernel->symbol);
    unsigned line = line_of(functions, kernel->symbol);
    unsigned bound = kernel->launch_bound;
    unsigned block = block_threads > 0 ? block_threads : bound > 0 ? bound : USUAL_BLOCK;
    block = bound > 0 && bound < block ? bound : block;
    struct wg_occupancy fit =
        wg_occupancy_compute(kernel->arch, kernel->registers, kernel->shared_bytes, block);
    WG_CLEANUP(wg_freep) char *place = line > 0 ? wg_strf("%s\t%u", source, line) : wg_strdup("\t");
    /* A thread has one kind of register here, and spills are told in bytes. */
    wg_buf_printf(out, "%s\t%s\t%s\t%u\t%u\t\t\t\t\t%u\t%u\t%u\t%u\t%u\t%u\t%s\t%u\t%u\n",
                  kernel->arch, name, place, WG_WARP_THREADS, kernel->registers,
                  kernel->stack_bytes, kernel->shared_bytes,
                  bound > 0 && bound < fit.max_threads ? bound : fit.max_threads, block, fit.warps,
                  fit.max_warps, fit.limited_by, fit.relief, kernel->spilled_bytes);
}

enum wg_code wg_facts_write(const struct wg_facts *facts, const struct wg_functions *functions,
                            const char *source, unsigned block_threads, const char *path,
                            struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    wg_buf_puts(&text, "arch\tkernel\tfile\tline\twave_threads\tregisters\taccumulation_registers\t"
                       "scalar_registers\tspilled_registers\tspilled_scalar_registers\t"
                       "scratch_bytes\tshared_bytes\tblock_threads_limit\tblock_threads\t"
                       "occupancy_waves\toccupancy_waves_limit\tlimited_by\trelief\t"
                       "spilled_bytes\n");
    for (size_t i = 0; i < facts->count; i++) {
        write_kernel(&facts->at[i], functions, source, block_threads, &text);
    }
    return wg_file_write(path, text.data, text.len, 0644, err);
}

void wg_facts_done(struct wg_facts *facts) {
    for (size_t i = 0; i < facts->count; i++) {
        free(facts->at[i].symbol);
        free(facts->at[i].arch);
    }
    free(facts->at);
    *facts = (struct wg_facts){0};
}
