#include "sandbox/platform/cpu/compiler/rejoin.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/compiler/primitive.h"

enum { NO_BLOCK = UINT32_MAX };

enum color { UNSEEN, ON_PATH, DONE };

struct block {
    LLVMBasicBlockRef value;
    uint32_t number;
};

/* A function's blocks by number, in the order of its code. */
struct graph {
    LLVMBasicBlockRef *blocks;
    uint32_t count;
    struct block *sorted;         /* by value */
    uint32_t *first, *successors; /* those of block i are from first[i] up to first[i + 1] */
    bool *has_op;
    uint8_t *color;
    bool *mark; /* of the search that runs */
    uint32_t *todo;
};

/* known: functions that come to a wave operation. */
static bool is_wave_operation(const struct wg_values *known, LLVMValueRef instruction) {
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? wg_ir_callee(instruction) : NULL;
    return callee != NULL &&
           (wg_primitive_is_of_wave(wg_ir_name(callee)) || wg_values_has(known, callee));
}

static bool has_wave_operation(const struct wg_values *known, LLVMBasicBlockRef block) {
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (i != NULL && !is_wave_operation(known, i)) {
        i = LLVMGetNextInstruction(i);
    }
    return i != NULL;
}

/* Callees become known before their callers, in some round. */
static struct wg_values find_known(LLVMValueRef *functions, size_t count) {
    struct wg_values known = {0};
    size_t before;
    do {
        before = known.count;
        for (size_t f = 0; f < count; f++) {
            LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(functions[f]);
            while (block != NULL && !has_wave_operation(&known, block)) {
                block = LLVMGetNextBasicBlock(block);
            }
            if (block != NULL && !wg_values_has(&known, functions[f])) {
                wg_values_add(&known, functions[f]);
            }
        }
    } while (known.count > before);
    return known;
}

static int by_value(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const struct block *)a)->value;
    uintptr_t y = (uintptr_t)((const struct block *)b)->value;
    return (x > y) - (x < y);
}

static uint32_t number_of(const struct graph *graph, LLVMBasicBlockRef block) {
    const struct block key = {.value = block};
    const struct block *found = bsearch(&key, graph->sorted, graph->count, sizeof key, by_value);
    return found->number;
}

static struct graph make_graph(const struct wg_values *known, LLVMValueRef function) {
    struct graph graph = {.count = LLVMCountBasicBlocks(function)};
    uint32_t count = graph.count;
    graph.blocks = wg_calloc(count, sizeof *graph.blocks);
    graph.sorted = wg_calloc(count, sizeof *graph.sorted);
    graph.first = wg_calloc(count + 1, sizeof *graph.first);
    graph.has_op = wg_calloc(count, sizeof *graph.has_op);
    graph.color = wg_calloc(count, sizeof *graph.color);
    graph.mark = wg_calloc(count, sizeof *graph.mark);
    graph.todo = wg_calloc(count, sizeof *graph.todo);
    LLVMGetBasicBlocks(function, graph.blocks);
    for (uint32_t i = 0; i < count; i++) {
        graph.sorted[i] = (struct block){graph.blocks[i], i};
        LLVMValueRef end = LLVMGetBasicBlockTerminator(graph.blocks[i]);
        graph.first[i + 1] = graph.first[i] + LLVMGetNumSuccessors(end);
        graph.has_op[i] = has_wave_operation(known, graph.blocks[i]);
    }
    qsort(graph.sorted, count, sizeof *graph.sorted, by_value);
    graph.successors = wg_calloc(graph.first[count] + 1, sizeof *graph.successors);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(graph.blocks[i]);
        for (uint32_t s = graph.first[i]; s < graph.first[i + 1]; s++) {
            graph.successors[s] = number_of(&graph, LLVMGetSuccessor(end, s - graph.first[i]));
        }
    }
    return graph;
}

static void graph_done(struct graph *graph) {
    free(graph->blocks);
    free(graph->sorted);
    free(graph->first);
    free(graph->successors);
    free(graph->has_op);
    free(graph->color);
    free(graph->mark);
    free(graph->todo);
}

/* Marks what can be reached from `from` without passing `end` (which is marked, if reached) or
 * `without`. */
static void mark_between(struct graph *graph, uint32_t from, uint32_t end, uint32_t without) {
    memset(graph->mark, 0, graph->count * sizeof *graph->mark);
    uint32_t count = 0;
    graph->mark[from] = true;
    graph->todo[count++] = from;
    while (count > 0) {
        uint32_t block = graph->todo[--count];
        for (uint32_t s = graph->first[block]; block != end && s < graph->first[block + 1]; s++) {
            uint32_t next = graph->successors[s];
            if (next != without && !graph->mark[next]) {
                graph->mark[next] = true;
                graph->todo[count++] = next;
            }
        }
    }
}

/* Is there a round from the loop's head to its end that has a wave operation, and one without it?
 */
static bool needs_rejoin(struct graph *graph, uint32_t head, uint32_t end) {
    for (uint32_t block = 0; block < graph->count; block++) {
        if (!graph->has_op[block] || block == head || block == end) {
            continue;
        }
        mark_between(graph, head, end, NO_BLOCK);
        bool is_met = graph->mark[block];
        mark_between(graph, block, end, head);
        is_met = is_met && graph->mark[end];
        mark_between(graph, head, end, block);
        if (is_met && graph->mark[end]) {
            return true;
        }
    }
    return false;
}

static void insert_at(const struct wg_ir *ir, LLVMBasicBlockRef block) {
    wg_ir_before(ir, LLVMGetBasicBlockTerminator(block));
    LLVMValueRef rejoin = wg_ir_declare(ir, WG_PRIMITIVE_REJOIN, ir->void_type, NULL, 0);
    wg_ir_call(ir, rejoin, NULL, 0);
}

/* Depth first; an edge to a block on the path closes a loop. */
static void visit(const struct wg_ir *ir, struct graph *graph, uint32_t block) {
    graph->color[block] = ON_PATH;
    bool closes = false;
    for (uint32_t s = graph->first[block]; s < graph->first[block + 1]; s++) {
        uint32_t next = graph->successors[s];
        if (graph->color[next] == UNSEEN) {
            visit(ir, graph, next);
        } else if (graph->color[next] == ON_PATH) {
            closes = closes || needs_rejoin(graph, next, block);
        }
    }
    if (closes) {
        insert_at(ir, graph->blocks[block]);
    }
    graph->color[block] = DONE;
}

void wg_rejoin_insert(const struct wg_ir *ir) {
    size_t count = 0;
    LLVMValueRef *functions = wg_ir_functions(ir, &count);
    struct wg_values known = find_known(functions, count);
    for (size_t f = 0; f < known.count; f++) {
        struct graph graph = make_graph(&known, known.at[f]);
        visit(ir, &graph, 0);
        graph_done(&graph);
    }
    wg_values_done(&known);
    free((void *)functions);
}
