/* What GPU compilers made of each kernel: a table of kernels and arches, and its reading in words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/export/page.h"

enum { NAME_WIDTH_MIN = 8, NAME_WIDTH_MAX = 32 };

static bool same_kernel(const struct wg_result_resources *a, const struct wg_result_resources *b) {
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->platform, b->platform) == 0 &&
           a->line == b->line;
}

static bool spills(const struct wg_result_resources *of) {
    return of->spilled_registers > 0 || of->spilled_bytes > 0;
}

/* The first arch of a kernel is told in words, and any other where it goes worse. */
static const struct wg_result_resources *first_of_kernel(const struct wg_result *result,
                                                         size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (same_kernel(&result->resources[i], &result->resources[index])) {
            return &result->resources[i];
        }
    }
    return NULL;
}

static void put_count(const struct wg_page *page, int width, int64_t value) {
    if (value < 0) {
        wg_page_put(page, WG_INK_PLAIN, "%*s", width, "-");
    } else {
        wg_page_put(page, WG_INK_PLAIN, "%*" PRId64, width, value);
    }
}

static int name_width(const struct wg_result *result) {
    int width = NAME_WIDTH_MIN;
    for (size_t i = 0; i < result->resource_count; i++) {
        const char *name = result->resources[i].kernel;
        int own = wg_page_width(name, strlen(name));
        width = own > width ? own : width;
    }
    return width < NAME_WIDTH_MAX ? width : NAME_WIDTH_MAX;
}

static void put_row(const struct wg_page *page, const struct wg_result_resources *of, int width) {
    WG_CLEANUP(wg_buf_done) struct wg_buf waves = {0};
    /* A name that is too long keeps its end, where template arguments tell kernels apart. */
    size_t len = strlen(of->kernel);
    const char *name = of->kernel;
    while (wg_page_width(name, len) > width && len > 0) {
        name++;
        len--;
    }
    wg_page_put(page, WG_INK_PLAIN, "  ");
    wg_page_quote(page, WG_INK_PLAIN, name);
    wg_page_put(page, WG_INK_PLAIN, "%*s  ", width - wg_page_width(name, len), "");
    wg_page_quote(page, WG_INK_PLAIN, of->arch);
    wg_page_put(page, WG_INK_PLAIN, "%*s", 9 - wg_page_width(of->arch, strlen(of->arch)), "");
    put_count(page, 9, of->registers);
    put_count(page, 8, of->scalar_registers);
    put_count(page, 9, of->spilled_registers >= 0 ? of->spilled_registers : of->spilled_bytes);
    put_count(page, 11, of->scratch_bytes);
    put_count(page, 10, of->shared_bytes);
    if (of->occupancy_waves >= 0) {
        wg_buf_printf(&waves, "%" PRId64 " of %" PRId64, of->occupancy_waves,
                      of->occupancy_waves_limit);
    }
    wg_page_put(page, WG_INK_PLAIN, "%10s\n", wg_buf_str(&waves));
}

static void put_words(const struct wg_page *page, const struct wg_result *result, size_t index) {
    const struct wg_result_resources *of = &result->resources[index];
    const struct wg_result_resources *first = first_of_kernel(result, index);
    if (!of->words || (first && !page->style->verbose && (spills(first) || !spills(of)))) {
        return;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    wg_buf_puts(&text, of->kernel);
    if (of->file && of->line > 0) {
        wg_buf_printf(&text, " (%s:%d)", of->file, of->line);
    }
    wg_buf_printf(&text, " on %s: %s", of->arch, of->words);
    wg_page_paragraph(page, 2, spills(of) ? WG_INK_YELLOW : WG_INK_PLAIN, wg_buf_str(&text));
}

void wg_page_resources(const struct wg_page *page, const struct wg_result *result) {
    if (result->resource_count == 0) {
        return;
    }
    int width = name_width(result);
    bool amd = strcmp(result->resources[0].platform, "amd") == 0;
    wg_page_heading(page, "Kernels", "as the compiler made them");
    wg_page_put(page, WG_INK_DIM, "  %-*s  %-9s%9s%8s%9s%11s%10s%10s\n", width, "", "",
                amd ? "VGPRs" : "regs", amd ? "SGPRs" : "", "spilled", "scratch B",
                amd ? "LDS B" : "shared B", amd ? "waves" : "warps");
    for (size_t k = 0; k < result->resource_count; k++) {
        for (size_t i = k; i < result->resource_count && !first_of_kernel(result, k); i++) {
            if (same_kernel(&result->resources[k], &result->resources[i])) {
                put_row(page, &result->resources[i], width);
            }
        }
    }
    wg_page_newline(page);
    for (size_t i = 0; i < result->resource_count; i++) {
        put_words(page, result, i);
    }
}
