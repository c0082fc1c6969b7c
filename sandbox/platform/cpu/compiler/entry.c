#include "sandbox/platform/cpu/compiler/entry.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "sandbox/platform/cpu/compiler/debuginfo.h"
#include "sandbox/platform/cpu/compiler/diag.h"

/* A function that could be called: host function or kernel. */
struct candidate {
    const struct wg_ir *ir;
    LLVMValueRef function;          /* with debug information */
    const struct wg_kernel *kernel; /* NULL for a host function */
    struct wg_source_place place;
    char *name; /* without template arguments */
};

struct candidates {
    struct candidate *at;
    size_t count;
};

static void add(struct candidates *list, const struct wg_ir *ir, LLVMValueRef function,
                const struct wg_kernel *kernel) {
    const char *name = wg_debug_function_name(ir, function);
    struct wg_source_place place = wg_debug_function_place(ir, function);
    if (!name || place.line == 0) {
        return;
    }
    list->at = wg_realloc(list->at, list->count + 1, sizeof *list->at);
    list->at[list->count++] = (struct candidate){
        .ir = ir,
        .function = function,
        .kernel = kernel,
        .place = place,
        .name = wg_strf("%.*s", (int)strcspn(name, "<"), name),
    };
}

/* Functions and kernels that stand in the student's own file. */
static struct candidates collect(const struct wg_program *program, const char *source) {
    struct candidates list = {0};
    const struct wg_ir *host = &program->host;
    for (LLVMValueRef f = LLVMGetFirstFunction(host->module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) && LLVMGetSubprogram(f) &&
            strcmp(wg_debug_function_place(host, f).file, source) == 0) {
            add(&list, host, f, NULL);
        }
    }
    for (size_t k = 0; k < program->kernel_count; k++) {
        add(&list, &program->device, program->kernels[k].body, &program->kernels[k]);
    }
    return list;
}

static void candidates_done(struct candidates *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->at[i].name);
    }
    free(list->at);
}

/* ---- Does the parameter list fit? ----------------------------------------------------------- */

static bool type_fits(LLVMTypeRef type, const char *wanted) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (strcmp(wanted, "ptr") == 0) {
        return kind == LLVMPointerTypeKind;
    }
    if (wanted[0] == 'f') {
        return kind == (strcmp(wanted, "f32") == 0 ? LLVMFloatTypeKind : LLVMDoubleTypeKind);
    }
    unsigned bits = (unsigned)strtoul(wanted + 1, NULL, 10);
    unsigned has = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    return has == bits || (has == 1 && bits == 8);
}

static bool fits(const struct candidate *candidate, const struct wg_entry_wanted *wanted) {
    LLVMValueRef function = candidate->function;
    if (LLVMCountParams(function) != wanted->type_count ||
        LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function))) {
        return false;
    }
    for (unsigned i = 0; i < wanted->type_count; i++) {
        bool by_value = wg_ir_byval(function, i) || wg_ir_has_attribute(function, i + 1, "sret");
        if (by_value || !type_fits(LLVMTypeOf(LLVMGetParam(function, i)), wanted->types[i])) {
            return false;
        }
    }
    return true;
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
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
            word = strcmp(wanted->types[i], words[w][0]) == 0 ? words[w][1] : word;
        }
        wg_buf_printf(&text, "%s%s", i > 0 ? ", " : "", word);
    }
    char *list = wg_strf("%s", wg_buf_str(&text));
    wg_buf_done(&text);
    return list;
}

static char *has_list(const struct candidate *candidate) {
    struct wg_buf text = {0};
    size_t count = wg_debug_param_count(candidate->ir, candidate->function);
    for (size_t i = 0; i < count; i++) {
        LLVMMetadataRef type = wg_debug_param_type(candidate->ir, candidate->function, i);
        WG_CLEANUP(wg_freep) char *name = wg_debug_type_name(candidate->ir, type);
        wg_buf_printf(&text, "%s%s", i > 0 ? ", " : "", name);
    }
    char *list = wg_strf("%s", wg_buf_str(&text));
    wg_buf_done(&text);
    return list;
}

/* ---- Choosing ------------------------------------------------------------------------------- */

/* Those of the name; those of them that fit come first in found[0..*fit_count). */
static size_t select_named(const struct candidates *list, const char *name, bool kernels,
                           const struct wg_entry_wanted *wanted, const struct candidate **found,
                           size_t *fit_count) {
    size_t count = 0;
    *fit_count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct candidate *candidate = &list->at[i];
        if ((candidate->kernel != NULL) != kernels || strcmp(candidate->name, name) != 0) {
            continue;
        }
        found[count++] = candidate;
        if (fits(candidate, wanted)) {
            found[count - 1] = found[*fit_count];
            found[(*fit_count)++] = candidate;
        }
    }
    return count;
}

/* Of launchers that fit alike, the one that is extern "C" is meant. */
static const struct candidate *pick(const struct candidate **found, size_t fit_count) {
    if (fit_count == 1) {
        return found[0];
    }
    for (size_t i = 0; i < fit_count; i++) {
        if (strcmp(wg_ir_name(found[i]->function), found[i]->name) == 0) {
            return found[i];
        }
    }
    return NULL;
}

static void take(const struct candidate *candidate, struct wg_entry *out) {
    *out = (struct wg_entry){
        .is_kernel = candidate->kernel != NULL,
        .symbol = wg_strdup(wg_ir_name(candidate->function)),
        .name = wg_strdup(wg_debug_function_name(candidate->ir, candidate->function)),
    };
}

static void say_ambiguous(const struct candidate **found, size_t count) {
    wg_diag_error(found[0]->place.file, found[0]->place.line, 0, found[0]->name,
                  "more than one '%s' could be meant; keep one of them", found[0]->name);
    for (size_t i = 1; i < count; i++) {
        wg_diag_note(found[i]->place.file, found[i]->place.line, found[i]->name, "another is here");
    }
}

static void say_misfit(const struct candidate *candidate, const struct wg_entry_wanted *wanted) {
    WG_CLEANUP(wg_freep) char *has = has_list(candidate);
    WG_CLEANUP(wg_freep) char *wants = wanted_list(wanted);
    wg_diag_error(candidate->place.file, candidate->place.line, 0, candidate->name,
                  "'%s' takes (%s), but is called with (%s)", candidate->name, has, wants);
}

/* What is static or a template and never used does not reach us; the text shows that it is there.
 */
static void say_unused(const struct wg_entry_wanted *wanted) {
    for (size_t n = 0; n <= wanted->kernel_count; n++) {
        const char *name = n == 0 ? wanted->launcher : wanted->kernels[n - 1];
        unsigned line = name ? wg_diag_find_word(wanted->source, name) : 0;
        if (line > 0) {
            wg_diag_note(wanted->source, line, name,
                         "'%s' stands here but nothing uses it, so it was not compiled; it must "
                         "not be static or a template",
                         name);
            return;
        }
    }
}

static void say_missing(const struct candidates *list, const struct wg_entry_wanted *wanted) {
    WG_CLEANUP(wg_freep) char *wants = wanted_list(wanted);
    const char *main_name = wanted->launcher           ? wanted->launcher
                            : wanted->kernel_count > 0 ? wanted->kernels[0]
                                                       : "";
    const char **names = wg_calloc(list->count + 1, sizeof *names);
    for (size_t i = 0; i < list->count; i++) {
        names[i] = list->at[i].name;
    }
    const char *near = wg_text_nearest(main_name, names, list->count);
    for (size_t k = 0; k < wanted->kernel_count && !near; k++) {
        near = wg_text_nearest(wanted->kernels[k], names, list->count);
    }
    free(names);
    if (wanted->launcher) {
        wg_diag_error(wanted->source, 0, 0, NULL,
                      "no function '%s' was found; write: extern \"C\" void %s(%s)%s%s%s",
                      main_name, main_name, wants, near ? " (did you mean '" : "", near ? near : "",
                      near ? "'?)" : "");
    } else {
        wg_diag_error(wanted->source, 0, 0, NULL,
                      "no kernel '%s' was found; write: __global__ void %s(%s)%s%s%s", main_name,
                      main_name, wants, near ? " (did you mean '" : "", near ? near : "",
                      near ? "'?)" : "");
    }
    for (size_t i = 0; i < list->count && i < 20; i++) {
        const struct candidate *candidate = &list->at[i];
        WG_CLEANUP(wg_freep) char *has = has_list(candidate);
        wg_diag_note(candidate->place.file, candidate->place.line, candidate->name,
                     "there is the %s '%s' with (%s)", candidate->kernel ? "kernel" : "function",
                     candidate->name, has);
    }
    if (list->count == 0) {
        wg_diag_note(wanted->source, 0, NULL, "the file defines no function and no kernel");
    }
    say_unused(wanted);
}

/* A launcher that is declared extern "C" is meant as one, so its parameters are what is wrong; any
 * other host function of that name may be a program's own helper beside the kernel. */
static bool settles(const struct candidate *misfit) {
    return !misfit->kernel && strcmp(wg_ir_name(misfit->function), misfit->name) == 0;
}

static bool choose(const struct candidates *list, const struct wg_entry_wanted *wanted,
                   const struct candidate **found, struct wg_entry *out) {
    const struct candidate *misfit = NULL;
    for (size_t n = 0; n <= wanted->kernel_count && !(misfit && settles(misfit)); n++) {
        const char *name = n == 0 ? wanted->launcher : wanted->kernels[n - 1];
        if (!name) {
            continue;
        }
        size_t fit_count = 0;
        size_t count = select_named(list, name, n > 0, wanted, found, &fit_count);
        const struct candidate *best = pick(found, fit_count);
        if (best) {
            take(best, out);
            return true;
        }
        if (fit_count > 1) {
            say_ambiguous(found, fit_count);
            return false;
        }
        misfit = !misfit && count > 0 ? found[0] : misfit;
    }
    if (misfit) {
        say_misfit(misfit, wanted);
    } else {
        say_missing(list, wanted);
    }
    return false;
}

bool wg_entry_find(const struct wg_program *program, const struct wg_entry_wanted *wanted,
                   struct wg_entry *out) {
    struct candidates list = collect(program, wanted->source);
    const struct candidate **found = wg_calloc(list.count + 1, sizeof *found);
    bool ok = choose(&list, wanted, found, out);
    free(found);
    candidates_done(&list);
    return ok;
}

void wg_entry_done(struct wg_entry *entry) {
    free(entry->symbol);
    free(entry->name);
    *entry = (struct wg_entry){0};
}
