#include "sandbox/platform/nvidia/compiler/functions.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"

/* Of libstdc++; its header is C++. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

enum { OBJECT_MAX = 128 << 20, NOTES_MAX = 16 << 20 };

/* A declaration in its parts; they lie in the text that was taken apart. */
struct declaration {
    const char *name, *parameters;
    size_t name_len, parameters_len;
};

/* ---- Declarations --------------------------------------------------------------------------- */

/* From the last bracket of a list back to the one that opens it; NULL: there is none. */
static const char *opening(const char *text, const char *closing) {
    int depth = 0;
    for (const char *p = closing;; p--) {
        depth += *p == ')' ? 1 : 0;
        depth -= *p == '(' ? 1 : 0;
        if (depth == 0) {
            return p;
        }
        if (p == text) {
            return NULL;
        }
    }
}

/* Steps back over "<...>". */
static const char *before_arguments(const char *text, const char *end) {
    int depth = 0;
    for (const char *p = end; p > text; p--) {
        depth += p[-1] == '>' ? 1 : 0;
        depth -= p[-1] == '<' ? 1 : 0;
        if (depth == 0) {
            return p[-1] == '<' ? p - 1 : p;
        }
    }
    return end;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "void ns::scale<float>(float*, int) [with T = float]": name "scale", parameters "float*, int". */
static bool take_apart(const char *text, size_t len, struct declaration *out) {
    const char *with = memmem(text, len, " [with ", 7);
    const char *end = with ? with : text + len;
    while (end > text && end[-1] != ')') {
        end--;
    }
    const char *open = end > text ? opening(text, end - 1) : NULL;
    if (!open) {
        return false;
    }
    const char *name_end = before_arguments(text, open);
    const char *name = name_end;
    while (name > text && is_word(name[-1])) {
        name--;
    }
    *out = (struct declaration){
        .name = name,
        .name_len = (size_t)(name_end - name),
        .parameters = open + 1,
        .parameters_len = (size_t)(end - 1 - (open + 1)),
    };
    return out->name_len > 0;
}

char *wg_functions_kernel_name(const char *symbol) {
    WG_CLEANUP(wg_freep) char *demangled = __cxa_demangle(symbol, NULL, NULL, NULL);
    struct declaration declaration;
    if (!demangled || !take_apart(demangled, strlen(demangled), &declaration)) {
        return wg_strdup(symbol);
    }
    const char *start = strncmp(demangled, "void ", 5) == 0 ? demangled + 5 : demangled;
    return wg_strf("%.*s", (int)(declaration.parameters - 1 - start), start);
}

bool wg_functions_next_parameter(const char *list, size_t *at, const char **parameter,
                                 size_t *len) {
    while (list[*at] == ' ' || list[*at] == ',') {
        ++*at;
    }
    size_t start = *at;
    for (int depth = 0; list[*at] != '\0' && (depth > 0 || list[*at] != ','); ++*at) {
        depth += strchr("(<[", list[*at]) != NULL ? 1 : 0;
        depth -= strchr(")>]", list[*at]) != NULL ? 1 : 0;
    }
    *parameter = list + start;
    *len = *at - start;
    return *len > 0 && strcmp(list, "void") != 0;
}

/* ---- Notes of the host compiler ------------------------------------------------------------- */

/* "FILE:LINE:COLUMN:DECLARATION<tab>BYTES<tab>KIND". A function of another file is left out. */
static void read_note(const char *line, size_t len, const char *source, struct wg_functions *out) {
    size_t source_len = strlen(source);
    const char *tab = memchr(line, '\t', len);
    if (!tab || len <= source_len || memcmp(line, source, source_len) != 0 ||
        line[source_len] != ':') {
        return;
    }
    char *end = NULL;
    unsigned row = (unsigned)strtoul(line + source_len + 1, &end, 10);
    unsigned column = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
    struct declaration declaration;
    if (*end != ':' || !take_apart(end + 1, (size_t)(tab - end - 1), &declaration)) {
        return;
    }
    out->at = wg_realloc(out->at, out->count + 1, sizeof *out->at);
    out->at[out->count++] = (struct wg_function){
        .name = wg_strf("%.*s", (int)declaration.name_len, declaration.name),
        .parameters = wg_strf("%.*s", (int)declaration.parameters_len, declaration.parameters),
        .line = row,
        .column = column,
    };
}

static enum wg_code read_notes(const char *path, const char *source, struct wg_functions *out,
                               struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    enum wg_code code = wg_file_read(path, NOTES_MAX, &text, err);
    for (const char *line = wg_buf_str(&text); code == WG_OK && *line;) {
        size_t len = strcspn(line, "\n");
        read_note(line, len, source, out);
        line += len + (line[len] == '\n');
    }
    return code;
}

/* ---- Symbols -------------------------------------------------------------------------------- */

static size_t count_parameters(const char *list) {
    const char *parameter;
    size_t len, count = 0;
    for (size_t at = 0; wg_functions_next_parameter(list, &at, &parameter, &len);) {
        count++;
    }
    return count;
}

/* The noted function that a symbol belongs to; of overloads the one with as many parameters. */
static struct wg_function *find_noted(struct wg_functions *functions, const char *symbol) {
    WG_CLEANUP(wg_freep) char *demangled = __cxa_demangle(symbol, NULL, NULL, NULL);
    struct declaration declaration = {
        .name = symbol, .name_len = strlen(symbol), .parameters = "", .parameters_len = 0};
    if (demangled && !take_apart(demangled, strlen(demangled), &declaration)) {
        return NULL;
    }
    WG_CLEANUP(wg_freep)
    char *parameters = wg_strf("%.*s", (int)declaration.parameters_len, declaration.parameters);
    for (size_t i = 0; i < functions->count; i++) {
        struct wg_function *function = &functions->at[i];
        if (!function->symbol && strlen(function->name) == declaration.name_len &&
            memcmp(function->name, declaration.name, declaration.name_len) == 0 &&
            (!demangled ||
             count_parameters(function->parameters) == count_parameters(parameters))) {
            return function;
        }
    }
    return NULL;
}

struct object {
    const char *bytes;
    size_t len;
    const Elf64_Shdr *sections;
    size_t section_count;
};

static bool inside(const struct object *object, uint64_t offset, uint64_t bytes) {
    return offset <= object->len && bytes <= object->len - offset;
}

static bool open_object(const struct wg_buf *file, struct object *out) {
    *out = (struct object){.bytes = file->data, .len = file->len};
    const Elf64_Ehdr *header = (const void *)file->data;
    if (file->len < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shoff % _Alignof(Elf64_Shdr) != 0 ||
        !inside(out, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr))) {
        return false;
    }
    out->sections = (const void *)(file->data + header->e_shoff);
    out->section_count = header->e_shnum;
    return true;
}

/* The string table that belongs to a symbol table, checked to end in NUL; NULL: damaged. */
static const char *strings_of(const struct object *object, const Elf64_Shdr *table, size_t *len) {
    if (table->sh_link >= object->section_count) {
        return NULL;
    }
    const Elf64_Shdr *strings = &object->sections[table->sh_link];
    if (strings->sh_size == 0 || !inside(object, strings->sh_offset, strings->sh_size) ||
        object->bytes[strings->sh_offset + strings->sh_size - 1] != '\0') {
        return NULL;
    }
    *len = strings->sh_size;
    return object->bytes + strings->sh_offset;
}

/* Calls visit for each function that the object defines. False: the file is damaged. */
static bool each_function(const struct object *object,
                          void (*visit)(void *context, const char *name, const Elf64_Sym *symbol),
                          void *context) {
    for (size_t s = 0; s < object->section_count; s++) {
        const Elf64_Shdr *table = &object->sections[s];
        size_t strings_len = 0;
        if (table->sh_type != SHT_SYMTAB) {
            continue;
        }
        const char *strings = strings_of(object, table, &strings_len);
        if (!strings || table->sh_offset % _Alignof(Elf64_Sym) != 0 ||
            !inside(object, table->sh_offset, table->sh_size)) {
            return false;
        }
        const Elf64_Sym *symbols = (const void *)(object->bytes + table->sh_offset);
        for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
            if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF &&
                symbols[i].st_name < strings_len) {
                visit(context, strings + symbols[i].st_name, &symbols[i]);
            }
        }
    }
    return true;
}

static enum wg_code open_file(const char *path, struct wg_buf *file, struct object *object,
                              struct wg_err *err) {
    enum wg_code code = wg_file_read(path, OBJECT_MAX, file, err);
    if (code == WG_OK && !open_object(file, object)) {
        code = wg_fail(err, WG_EINTERNAL, "'%s' is not an object file", path);
    }
    return code;
}

static void name_function(void *context, const char *name, const Elf64_Sym *symbol) {
    /* A dot: a part or copy of a function that the compiler made (f.cold). */
    struct wg_function *function = strchr(name, '.') ? NULL : find_noted(context, name);
    if (function) {
        function->symbol = wg_strdup(name);
        function->is_global = ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
    }
}

static enum wg_code read_symbols(const char *path, struct wg_functions *functions,
                                 struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf file = {0};
    struct object object;
    enum wg_code code = open_file(path, &file, &object, err);
    if (code == WG_OK && !each_function(&object, name_function, functions)) {
        code = wg_fail(err, WG_EINTERNAL, "the symbols of '%s' are damaged", path);
    }
    return code;
}

struct wanted_symbol {
    const char *name;
    const Elf64_Sym *found;
};

static void find_symbol(void *context, const char *name, const Elf64_Sym *symbol) {
    struct wanted_symbol *wanted = context;
    if (strcmp(name, wanted->name) == 0) {
        wanted->found = symbol;
    }
}

enum wg_code wg_functions_export(const char *object, const char *symbol, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf file = {0};
    struct object read;
    struct wanted_symbol wanted = {.name = symbol};
    enum wg_code code = open_file(object, &file, &read, err);
    if (code != WG_OK) {
        return code;
    }
    if (!each_function(&read, find_symbol, &wanted) || !wanted.found) {
        return wg_fail(err, WG_EINTERNAL, "'%s' has no symbol '%.80s'", object, symbol);
    }
    if (ELF64_ST_VISIBILITY(wanted.found->st_other) == STV_DEFAULT) {
        return WG_OK;
    }
    size_t at = (size_t)((const char *)&wanted.found->st_other - file.data);
    file.data[at] = STV_DEFAULT;
    return wg_file_write(object, file.data, file.len, 0644, err);
}

enum wg_code wg_functions_read(const char *object, const char *notes, const char *source,
                               bool (*is_kernel)(const void *context, const char *symbol),
                               const void *context, struct wg_functions *out, struct wg_err *err) {
    struct wg_functions functions = {0};
    enum wg_code code = read_notes(notes, source, &functions, err);
    code = code ? code : read_symbols(object, &functions, err);
    if (code) {
        wg_functions_done(&functions);
        return code;
    }
    for (size_t i = 0; i < functions.count; i++) {
        const char *symbol = functions.at[i].symbol;
        functions.at[i].is_kernel = symbol && is_kernel(context, symbol);
    }
    *out = functions;
    return WG_OK;
}

void wg_functions_done(struct wg_functions *functions) {
    for (size_t i = 0; i < functions->count; i++) {
        free(functions->at[i].symbol);
        free(functions->at[i].name);
        free(functions->at[i].parameters);
    }
    free(functions->at);
    *functions = (struct wg_functions){0};
}
