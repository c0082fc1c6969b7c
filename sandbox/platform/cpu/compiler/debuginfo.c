#include "sandbox/platform/cpu/compiler/debuginfo.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"

/* Operand positions, from LLVM 19's DebugInfoMetadata.h. */
enum {
    SCOPE_FILE = 0,   /* of every scope */
    SCOPE_PARENT = 1, /* lexical block, subprogram, namespace, type */
    NODE_NAME = 2,    /* subprogram, type, namespace */
    SUBPROGRAM_LINKAGE = 3,
    SUBPROGRAM_TYPE = 4,
    SUBROUTINE_TYPES = 3,
    DERIVED_BASE = 3,
    VARIABLE_NAME = 1,
};

enum { /* DWARF tags */
       TAG_ARRAY = 0x01,
       TAG_CLASS = 0x02,
       TAG_POINTER = 0x0f,
       TAG_REFERENCE = 0x10,
       TAG_STRUCT = 0x13,
       TAG_TYPEDEF = 0x16,
       TAG_UNION = 0x17,
       TAG_CONST = 0x26,
       TAG_SUBPROGRAM = 0x2e,
       TAG_VOLATILE = 0x35,
       TAG_RESTRICT = 0x37,
       TAG_NAMESPACE = 0x39,
       TAG_RVALUE_REFERENCE = 0x42,
};

static char header_folders[2][4096];

void wg_debug_add_header_folder(const char *folder) {
    char *slot = header_folders[*header_folders[0] ? 1 : 0];
    snprintf(slot, sizeof header_folders[0], "%s/", folder);
}

static LLVMValueRef operand(const struct wg_ir *ir, LLVMMetadataRef node, unsigned index) {
    if (!node) {
        return NULL;
    }
    LLVMValueRef value = LLVMMetadataAsValue(ir->context, node);
    unsigned count = LLVMGetMDNodeNumOperands(value);
    if (index >= count) {
        return NULL;
    }
    LLVMValueRef stack[24];
    LLVMValueRef *operands = count <= 24 ? stack : wg_calloc(count, sizeof *operands);
    LLVMGetMDNodeOperands(value, operands);
    LLVMValueRef found = operands[index];
    if (operands != stack) {
        free(operands);
    }
    return found;
}

static LLVMMetadataRef operand_node(const struct wg_ir *ir, LLVMMetadataRef node, unsigned index) {
    LLVMValueRef value = operand(ir, node, index);
    return value && LLVMIsAMDNode(value) ? LLVMValueAsMetadata(value) : NULL;
}

static const char *operand_string(const struct wg_ir *ir, LLVMMetadataRef node, unsigned index) {
    LLVMValueRef value = operand(ir, node, index);
    unsigned length = 0;
    const char *text = value && LLVMIsAMDString(value) ? LLVMGetMDString(value, &length) : NULL;
    return length > 0 ? text : NULL;
}

static bool has_tag(LLVMMetadataRef node, unsigned tag) {
    return node && LLVMGetDINodeTag(node) == tag;
}

/* ---- Places -------------------------------------------------------------------------------- */

static bool is_below(const char *file, const char *folder) {
    return *folder && strncmp(file, folder, strlen(folder)) == 0;
}

static bool is_students(const char *file) {
    return *file && !is_below(file, "/usr/") && !is_below(file, header_folders[0]) &&
           !is_below(file, header_folders[1]);
}

static const char *scope_file(LLVMMetadataRef scope) {
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    unsigned length = 0;
    const char *name = file ? LLVMDIFileGetFilename(file, &length) : NULL;
    if (!name || length == 0) {
        return "";
    }
    return strncmp(name, "./", 2) == 0 ? name + 2 : name;
}

static LLVMMetadataRef scope_subprogram(const struct wg_ir *ir, LLVMMetadataRef scope) {
    while (scope && !has_tag(scope, TAG_SUBPROGRAM)) {
        scope = operand_node(ir, scope, SCOPE_PARENT);
    }
    return scope;
}

static const char *subprogram_symbol(const struct wg_ir *ir, LLVMMetadataRef subprogram) {
    const char *symbol = operand_string(ir, subprogram, SUBPROGRAM_LINKAGE);
    return symbol ? symbol : operand_string(ir, subprogram, NODE_NAME);
}

struct wg_source_place wg_debug_function_place(const struct wg_ir *ir, LLVMValueRef function) {
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    if (!subprogram) {
        return (struct wg_source_place){.file = "", .function = wg_ir_name(function)};
    }
    return (struct wg_source_place){
        .file = scope_file(subprogram),
        .line = LLVMDISubprogramGetLine(subprogram),
        .column = 1,
        .function = subprogram_symbol(ir, subprogram),
    };
}

struct wg_source_place wg_debug_place(const struct wg_ir *ir, LLVMValueRef instruction) {
    struct wg_source_place place = {.file = ""};
    for (LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction); at;
         at = LLVMDILocationGetInlinedAt(at)) {
        LLVMMetadataRef scope = LLVMDILocationGetScope(at);
        place = (struct wg_source_place){
            .file = scope_file(scope),
            .line = LLVMDILocationGetLine(at),
            .column = LLVMDILocationGetColumn(at),
            .function = subprogram_symbol(ir, scope_subprogram(ir, scope)),
        };
        if (place.line > 0 && is_students(place.file)) {
            return place;
        }
    }
    if (place.line > 0) {
        return place;
    }
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    return wg_debug_function_place(ir, LLVMGetBasicBlockParent(block));
}

/* ---- Names --------------------------------------------------------------------------------- */

const char *wg_debug_function_name(const struct wg_ir *ir, LLVMValueRef function) {
    return operand_string(ir, LLVMGetSubprogram(function), NODE_NAME);
}

char *wg_debug_function_scope(const struct wg_ir *ir, LLVMValueRef function) {
    LLVMMetadataRef scope = operand_node(ir, LLVMGetSubprogram(function), SCOPE_PARENT);
    char *path = wg_strdup("");
    while (has_tag(scope, TAG_NAMESPACE) || has_tag(scope, TAG_STRUCT) ||
           has_tag(scope, TAG_CLASS)) {
        /* A namespace has its parent second and its name third, like a type. */
        const char *name = operand_string(ir, scope, NODE_NAME);
        char *longer = wg_strf("%s::%s", name ? name : "(anonymous namespace)", path);
        free(path);
        path = longer;
        scope = operand_node(ir, scope, SCOPE_PARENT);
    }
    return path;
}

const char *wg_debug_global_name(const struct wg_ir *ir, LLVMValueRef global) {
    size_t count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    const char *name = NULL;
    for (unsigned i = 0; i < count && !name; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
        if (LLVMGetMetadataKind(node) == LLVMDIGlobalVariableExpressionMetadataKind) {
            LLVMMetadataRef variable = LLVMDIGlobalVariableExpressionGetVariable(node);
            name = operand_string(ir, variable, VARIABLE_NAME);
        }
    }
    LLVMDisposeValueMetadataEntries(entries);
    return name ? name : wg_ir_name(global);
}

LLVMValueRef wg_debug_declared_value(LLVMValueRef declare_call) {
    LLVMValueRef wrapped = LLVMGetOperand(declare_call, 0);
    LLVMValueRef value = NULL;
    if (LLVMGetMDNodeNumOperands(wrapped) == 1) {
        LLVMGetMDNodeOperands(wrapped, &value);
    }
    return value;
}

const char *wg_debug_declared_name(LLVMValueRef declare_call) {
    LLVMValueRef variable = LLVMGetOperand(declare_call, 1);
    LLVMValueRef operands[16];
    unsigned length = 0;
    unsigned count = LLVMGetMDNodeNumOperands(variable);
    if (count <= VARIABLE_NAME || count > 16) {
        return NULL;
    }
    LLVMGetMDNodeOperands(variable, operands);
    LLVMValueRef name = operands[VARIABLE_NAME];
    return name && LLVMIsAMDString(name) ? LLVMGetMDString(name, &length) : NULL;
}

/* ---- Types --------------------------------------------------------------------------------- */

static LLVMMetadataRef param_types(const struct wg_ir *ir, LLVMValueRef function) {
    LLVMMetadataRef type = operand_node(ir, LLVMGetSubprogram(function), SUBPROGRAM_TYPE);
    return operand_node(ir, type, SUBROUTINE_TYPES);
}

size_t wg_debug_param_count(const struct wg_ir *ir, LLVMValueRef function) {
    LLVMMetadataRef types = param_types(ir, function);
    unsigned count = types ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(ir->context, types)) : 0;
    return count > 0 ? count - 1 : 0; /* the first is the result */
}

LLVMMetadataRef wg_debug_param_type(const struct wg_ir *ir, LLVMValueRef function, size_t index) {
    return operand_node(ir, param_types(ir, function), (unsigned)index + 1);
}

static bool is_qualifier(LLVMMetadataRef type) {
    return has_tag(type, TAG_CONST) || has_tag(type, TAG_VOLATILE) || has_tag(type, TAG_RESTRICT);
}

char *wg_debug_type_name(const struct wg_ir *ir, LLVMMetadataRef type) {
    if (!type) {
        return wg_strdup("void");
    }
    const char *suffix = NULL;
    const char *prefix = "";
    switch (LLVMGetDINodeTag(type)) {
    case TAG_POINTER:
        suffix = "*";
        break;
    case TAG_REFERENCE:
        suffix = "&";
        break;
    case TAG_RVALUE_REFERENCE:
        suffix = "&&";
        break;
    case TAG_CONST:
        suffix = "";
        prefix = "const ";
        break;
    case TAG_VOLATILE:
        suffix = "";
        prefix = "volatile ";
        break;
    case TAG_RESTRICT:
        suffix = "";
        break;
    }
    if (suffix) {
        LLVMMetadataRef base = operand_node(ir, type, DERIVED_BASE);
        char *inner = wg_debug_type_name(ir, base);
        bool to_pointer = has_tag(base, TAG_POINTER) || has_tag(base, TAG_RESTRICT);
        char *name = *prefix && to_pointer ? wg_strf("%s %s", inner, prefix)
                                           : wg_strf("%s%s%s", prefix, inner, suffix);
        if (*prefix && to_pointer) {
            name[strlen(name) - 1] = '\0'; /* "float* const" */
        }
        free(inner);
        return name;
    }
    const char *name = operand_string(ir, type, NODE_NAME);
    return wg_strdup(name ? name : "(unnamed type)");
}

uint64_t wg_debug_type_bytes(const struct wg_ir *ir, LLVMMetadataRef type) {
    while (type) {
        uint64_t bits = LLVMDITypeGetSizeInBits(type);
        if (bits > 0) {
            return (bits + 7) / 8;
        }
        if (!is_qualifier(type) && !has_tag(type, TAG_TYPEDEF)) {
            return 0;
        }
        type = operand_node(ir, type, DERIVED_BASE);
    }
    return 0;
}

LLVMMetadataRef wg_debug_pointee(const struct wg_ir *ir, LLVMMetadataRef type) {
    while (is_qualifier(type) || has_tag(type, TAG_TYPEDEF)) {
        type = operand_node(ir, type, DERIVED_BASE);
    }
    if (has_tag(type, TAG_POINTER) || has_tag(type, TAG_REFERENCE) ||
        has_tag(type, TAG_RVALUE_REFERENCE)) {
        return operand_node(ir, type, DERIVED_BASE);
    }
    return NULL;
}
