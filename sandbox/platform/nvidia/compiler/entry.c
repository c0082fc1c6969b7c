#include "sandbox/platform/nvidia/compiler/entry.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "sandbox/platform/cpu/compiler/diag.h"

/* ---- Does the parameter list fit? ----------------------------------------------------------- */

/* The types that have a number of bits and a class in the calling convention, as compilers spell
 * them. Signedness does not matter there. */
static const struct {
    const char *name, *lowered;
} scalars[] = {
    {"int", "i32"},
    {"unsigned int", "i32"},
    {"unsigned", "i32"},
    {"int32_t", "i32"},
    {"uint32_t", "i32"},
    {"uint", "i32"},
    {"long", "i64"},
    {"long int", "i64"},
    {"unsigned long", "i64"},
    {"long unsigned int", "i64"},
    {"long long", "i64"},
    {"long long int", "i64"},
    {"unsigned long long", "i64"},
    {"long long unsigned int", "i64"},
    {"size_t", "i64"},
    {"ssize_t", "i64"},
    {"ptrdiff_t", "i64"},
    {"std::size_t", "i64"},
    {"std::ptrdiff_t", "i64"},
    {"int64_t", "i64"},
    {"uint64_t", "i64"},
    {"short", "i16"},
    {"short int", "i16"},
    {"unsigned short", "i16"},
    {"short unsigned int", "i16"},
    {"int16_t", "i16"},
    {"uint16_t", "i16"},
    {"char", "i8"},
    {"signed char", "i8"},
    {"unsigned char", "i8"},
    {"int8_t", "i8"},
    {"uint8_t", "i8"},
    {"bool", "i8"},
    {"float", "f32"},
    {"double", "f64"},
};

/* A name that is not in the list is a typedef or a class: it is let through, since a submission
 * must never be turned away by mistake. */
static bool type_fits(const char *type, size_t len, const char *wanted) {
    static const char constant[] = "const ";
    bool is_pointer = memchr(type, '*', len) || memchr(type, '&', len) || memchr(type, '[', len);
    if (is_pointer || strcmp(wanted, "ptr") == 0) {
        return is_pointer && strcmp(wanted, "ptr") == 0;
    }
    if (len > sizeof constant - 1 && memcmp(type, constant, sizeof constant - 1) == 0) {
        type += sizeof constant - 1;
        len -= sizeof constant - 1;
    }
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        if (strlen(scalars[i].name) == len && memcmp(scalars[i].name, type, len) == 0) {
            const char *lowered = scalars[i].lowered;
            return (wanted[0] == 'f') == (lowered[0] == 'f') &&
                   strcmp(wanted + 1, lowered + 1) == 0;
        }
    }
    return true;
}

static bool fits(const struct wg_function *function, const struct wg_entry_wanted *wanted) {
    const char *type;
    size_t len, at = 0, count = 0;
    while (wg_functions_next_parameter(function->parameters, &at, &type, &len)) {
        if (count == wanted->type_count || !type_fits(type, len, wanted->types[count])) {
            return false;
        }
        count++;
    }
    return count == wanted->type_count;
}

static char *wanted_list(const struct wg_entry_wanted *wanted) {
    static const char *const words[][2] = {
        {"ptr", "pointer"}, {"i32", "int"},     {"u32", "unsigned"}, {"i64", "long"},
        {"u64", "size_t"},  {"f32", "float"},   {"f64", "double"},   {"i8", "signed char"},
        {"u8", "uint8_t"},  {"i16", "int16_t"}, {"u16", "uint16_t"},
    };
    struct wg_buf text = {0};
    for (size_t i = 0; i < wanted->type_count; i++) {
        const char *word = wanted->types[i];
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            word = strcmp(wanted->types[i], words[w][0]) == 0 ? words[w][1] : word;
        }
        wg_buf_printf(&text, "%s%s", i > 0 ? ", " : "", word);
    }
    return text.data ? text.data : wg_strdup("");
}

/* ---- Choosing ------------------------------------------------------------------------------- */

static bool is_named(const struct wg_function *function, const char *name, bool is_kernel) {
    return function->is_global && function->is_kernel == is_kernel &&
           strcmp(function->name, name) == 0;
}

static void say_ambiguous(const struct wg_function *first, const struct wg_function *second,
                          const char *source) {
    wg_diag_error(source, first->line, first->column, NULL,
                  "more than one '%s' could be meant; keep one of them", first->name);
    wg_diag_note(source, second->line, second->name, "another is here");
}

static void say_misfit(const struct wg_function *function, const struct wg_entry_wanted *wanted) {
    WG_CLEANUP(wg_freep) char *wants = wanted_list(wanted);
    wg_diag_error(wanted->source, function->line, 0, function->name,
                  "'%s' takes (%s), but is called with (%s)", function->name, function->parameters,
                  wants);
}

static const char *nearest(const struct wg_functions *functions,
                           const struct wg_entry_wanted *wanted) {
    WG_CLEANUP(wg_freep) const char **names = wg_calloc(functions->count + 1, sizeof *names);
    for (size_t i = 0; i < functions->count; i++) {
        names[i] = functions->at[i].name;
    }
    const char *near =
        wanted->launcher ? wg_text_nearest(wanted->launcher, names, functions->count) : NULL;
    for (size_t k = 0; k < wanted->kernel_count && !near; k++) {
        near = wg_text_nearest(wanted->kernels[k], names, functions->count);
    }
    return near;
}

static void say_missing(const struct wg_functions *functions,
                        const struct wg_entry_wanted *wanted) {
    WG_CLEANUP(wg_freep) char *wants = wanted_list(wanted);
    const char *near = nearest(functions, wanted);
    const char *name = wanted->launcher ? wanted->launcher : wanted->kernels[0];
    wg_diag_error(wanted->source, 0, 0, NULL, "no %s '%s' was found; write: %s void %s(%s)%s%s%s",
                  wanted->launcher ? "function" : "kernel", name,
                  wanted->launcher ? "extern \"C\"" : "__global__", name, wants,
                  near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    for (size_t i = 0; i < functions->count && i < 20; i++) {
        const struct wg_function *function = &functions->at[i];
        wg_diag_note(wanted->source, function->line, function->name,
                     "there is the %s '%s' with (%s)%s",
                     function->is_kernel ? "kernel" : "function", function->name,
                     function->parameters, function->is_global ? "" : ", which is static");
    }
    if (functions->count == 0) {
        wg_diag_note(wanted->source, 0, NULL, "the file defines no function and no kernel");
    }
}

/* Of launchers that fit alike, the one that is extern "C" is meant. *clash: another one that fits
 * as well. */
static const struct wg_function *select_named(const struct wg_functions *functions,
                                              const char *name, bool is_kernel,
                                              const struct wg_entry_wanted *wanted,
                                              const struct wg_function **clash,
                                              const struct wg_function **misfit) {
    const struct wg_function *best = NULL;
    *clash = NULL;
    for (size_t i = 0; i < functions->count; i++) {
        const struct wg_function *function = &functions->at[i];
        if (!is_named(function, name, is_kernel)) {
            continue;
        }
        if (!fits(function, wanted)) {
            *misfit = *misfit ? *misfit : function;
        } else if (strcmp(function->symbol, name) == 0) {
            *clash = NULL;
            return function;
        } else {
            *clash = best;
            best = function;
        }
    }
    return best;
}

const struct wg_function *wg_entry_find(const struct wg_functions *functions,
                                        const struct wg_entry_wanted *wanted) {
    const struct wg_function *misfit = NULL;
    for (size_t n = 0; n <= wanted->kernel_count; n++) {
        const char *name = n == 0 ? wanted->launcher : wanted->kernels[n - 1];
        const struct wg_function *clash = NULL;
        const struct wg_function *best =
            name ? select_named(functions, name, n > 0, wanted, &clash, &misfit) : NULL;
        if (clash) {
            say_ambiguous(clash, best, wanted->source);
            return NULL;
        }
        if (best) {
            return best;
        }
    }
    if (misfit) {
        say_misfit(misfit, wanted);
    } else {
        say_missing(functions, wanted);
    }
    return NULL;
}
