#include "sandbox/platform/cpu/compiler/callgraph.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/compiler/primitive.h"

static int by_value(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const struct wg_function *)a)->value;
    uintptr_t y = (uintptr_t)((const struct wg_function *)b)->value;
    return x < y ? -1 : x > y;
}

size_t wg_callgraph_find(const struct wg_callgraph *graph, LLVMValueRef function) {
    struct wg_function key = {.value = function};
    const struct wg_function *found =
        bsearch(&key, graph->functions, graph->count, sizeof key, by_value);
    return found ? (size_t)(found - graph->functions) : graph->count;
}

static void add_callee(struct wg_function *function, size_t callee) {
    /* Doubling whenever the count is a power of two. */
    size_t n = function->callee_count;
    if ((n & (n - 1)) == 0) {
        function->callees =
            wg_realloc(function->callees, n > 0 ? n * 2 : 1, sizeof *function->callees);
    }
    function->callees[function->callee_count++] = callee;
}

/* Functions whose address occurs in a constant, at any depth. */
static void note_addresses(struct wg_callgraph *graph, struct wg_function *from,
                           LLVMValueRef constant, int depth) {
    if (LLVMIsAFunction(constant)) {
        size_t callee = wg_callgraph_find(graph, constant);
        if (callee < graph->count) {
            graph->functions[callee].address_taken = true;
            if (from) {
                add_callee(from, callee);
            }
        }
        return;
    }
    bool composite = LLVMIsAConstantExpr(constant) || LLVMIsAConstantArray(constant) ||
                     LLVMIsAConstantStruct(constant) || LLVMIsAConstantVector(constant);
    for (int i = 0; composite && depth < 16 && i < LLVMGetNumOperands(constant); i++) {
        note_addresses(graph, from, LLVMGetOperand(constant, (unsigned)i), depth + 1);
    }
}

static void read_call(struct wg_callgraph *graph, struct wg_function *function, LLVMValueRef call) {
    LLVMValueRef callee = wg_ir_callee(call);
    if (!callee) {
        function->calls_unknown |= !LLVMIsAInlineAsm(LLVMGetCalledValue(call));
        return;
    }
    size_t index = wg_callgraph_find(graph, callee);
    if (index < graph->count) {
        add_callee(function, index);
        return;
    }
    function->waits |= wg_primitive_waits(wg_ir_name(callee));
    function->reads_index |= wg_ir_has_prefix(callee, "__wg_thread_idx_");
}

static void read_function(struct wg_callgraph *graph, struct wg_function *function) {
    LLVMValueRef *code = wg_ir_instructions(function->value, &function->instructions);
    for (size_t i = 0; i < function->instructions; i++) {
        bool is_call = LLVMIsACallInst(code[i]) || LLVMIsAInvokeInst(code[i]);
        if (is_call) {
            read_call(graph, function, code[i]);
        }
        int operands = LLVMGetNumOperands(code[i]) - (is_call ? 1 : 0);
        for (int o = 0; o < operands; o++) {
            LLVMValueRef operand = LLVMGetOperand(code[i], (unsigned)o);
            if (LLVMIsConstant(operand)) {
                note_addresses(graph, function, operand, 0);
            }
        }
    }
    free(code);
}

struct wg_callgraph wg_callgraph_make(const struct wg_ir *ir) {
    struct wg_callgraph graph = {0};
    LLVMValueRef *values = wg_ir_functions(ir, &graph.count);
    graph.functions = wg_calloc(graph.count + 1, sizeof *graph.functions);
    for (size_t i = 0; i < graph.count; i++) {
        graph.functions[i].value = values[i];
    }
    free(values);
    qsort(graph.functions, graph.count, sizeof *graph.functions, by_value);
    for (size_t i = 0; i < graph.count; i++) {
        read_function(&graph, &graph.functions[i]);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(ir->module); g; g = LLVMGetNextGlobal(g)) {
        if (!LLVMIsDeclaration(g)) {
            note_addresses(&graph, NULL, LLVMGetInitializer(g), 0);
        }
    }
    return graph;
}

void wg_callgraph_done(struct wg_callgraph *graph) {
    for (size_t i = 0; i < graph->count; i++) {
        free(graph->functions[i].callees);
    }
    free(graph->functions);
    *graph = (struct wg_callgraph){0};
}

void wg_callgraph_reach(struct wg_callgraph *graph, LLVMValueRef function, bool *reached) {
    size_t *work = wg_calloc(graph->count + 1, sizeof *work);
    size_t pending = 0;
    size_t start = wg_callgraph_find(graph, function);
    if (start < graph->count && !reached[start]) {
        reached[start] = true;
        work[pending++] = start;
    }
    bool took_unknown = false;
    while (pending > 0) {
        struct wg_function *at = &graph->functions[work[--pending]];
        for (size_t c = 0; c < at->callee_count; c++) {
            if (!reached[at->callees[c]]) {
                reached[at->callees[c]] = true;
                work[pending++] = at->callees[c];
            }
        }
        /* A call through a pointer may go to any function whose address is known to someone. */
        for (size_t f = 0; at->calls_unknown && !took_unknown && f < graph->count; f++) {
            if (graph->functions[f].address_taken && !reached[f]) {
                reached[f] = true;
                work[pending++] = f;
            }
        }
        took_unknown |= at->calls_unknown;
    }
    free(work);
}

/* ---- Inlining ------------------------------------------------------------------------------- */

enum { SIZE_CAP = 1 << 28, MOST_INSTRUCTIONS = 150000, FIRST_LIMIT = 20000 };

static bool is_inlinable(const struct wg_function *function, size_t limit) {
    return !function->recursive && function->expanded <= limit &&
           !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function->value));
}

/* Computes sizes depth first, and finds what calls itself: a back edge marks the whole path. */
static void expand(struct wg_callgraph *graph, size_t index, size_t limit, size_t *path,
                   size_t depth) {
    struct wg_function *function = &graph->functions[index];
    function->on_path = true;
    function->expanded = function->instructions;
    path[depth] = index;
    for (size_t c = 0; c < function->callee_count; c++) {
        size_t callee = function->callees[c];
        struct wg_function *other = &graph->functions[callee];
        for (size_t p = depth + 1; other->on_path && p-- > 0;) {
            graph->functions[path[p]].recursive = true;
            if (path[p] == callee) {
                break;
            }
        }
        if (!other->on_path && !other->done && depth + 1 < graph->count) {
            expand(graph, callee, limit, path, depth + 1);
        }
        if (other->done && is_inlinable(other, limit) && function->expanded < SIZE_CAP) {
            function->expanded += other->expanded;
        }
    }
    function->on_path = false;
    function->done = true;
}

static size_t total_size(struct wg_callgraph *graph, const struct wg_program *program,
                         size_t limit) {
    size_t *path = wg_calloc(graph->count + 1, sizeof *path);
    for (size_t f = 0; f < graph->count; f++) {
        graph->functions[f].done = false;
        graph->functions[f].recursive = false;
    }
    for (size_t f = 0; f < graph->count; f++) {
        if (!graph->functions[f].done) {
            expand(graph, f, limit, path, 0);
        }
    }
    free(path);
    size_t total = 0;
    for (size_t k = 0; k < program->kernel_count; k++) {
        size_t f = wg_callgraph_find(graph, program->kernels[k].body);
        total += f < graph->count && total < SIZE_CAP ? graph->functions[f].expanded : 0;
    }
    return total;
}

enum wg_code wg_callgraph_inline_all(struct wg_program *program, struct wg_err *err) {
    struct wg_callgraph graph = wg_callgraph_make(&program->device);
    size_t limit = FIRST_LIMIT;
    while (total_size(&graph, program, limit) > MOST_INSTRUCTIONS && limit > 16) {
        limit /= 4;
    }
    for (size_t f = 0; f < graph.count; f++) {
        LLVMValueRef function = graph.functions[f].value;
        bool is_kernel = false;
        for (size_t k = 0; k < program->kernel_count; k++) {
            is_kernel |= program->kernels[k].body == function;
        }
        wg_ir_drop_attribute(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "optnone");
        if (!is_kernel && is_inlinable(&graph.functions[f], limit)) {
            wg_ir_drop_attribute(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                 "noinline");
            wg_ir_add_attribute(&program->device, function, "alwaysinline");
        }
    }
    wg_callgraph_done(&graph);
    return wg_ir_run(&program->device, "always-inline,globaldce", NULL, err);
}
