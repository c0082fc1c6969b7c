/* Theory: a student reads one sentence under the faulty line. It names the thread, the element and
 * the other party, and ends with the usual remedy. It must be true without knowing the program, so
 * remedies are put as what to look for, not as a patch. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "sandbox/platform/cpu/runtime/check_words.h"

#define NAME_BYTES 112

static void say(struct wg_finding_record *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct wg_finding_record *finding, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

/* "thread (8,0,0) of block (3,0,0)" */
static const char *who(char text[static NAME_BYTES], const struct wg_place *place) {
    snprintf(text, NAME_BYTES, "thread (%u,%u,%u) of block (%u,%u,%u)", place->thread[0],
             place->thread[1], place->thread[2], place->block[0], place->block[1], place->block[2]);
    return text;
}

/* ...at the start of a sentence */
static const char *who_first(char text[static NAME_BYTES], const struct wg_place *place) {
    who(text, place);
    text[0] = 'T';
    return text;
}

static const char *thread(char text[static NAME_BYTES], const struct wg_place *place) {
    snprintf(text, NAME_BYTES, "thread (%u,%u,%u)", place->thread[0], place->thread[1],
             place->thread[2]);
    return text;
}

static const char *block(char text[static NAME_BYTES], const struct wg_place *place) {
    snprintf(text, NAME_BYTES, "block (%u,%u,%u)", place->block[0], place->block[1],
             place->block[2]);
    return text;
}

static bool is_phrase(const char *name) {
    return strchr(name, ' ') != NULL;
}

/* "a[1000]", "element 3 of shared memory", "a" */
static const char *element(char text[static NAME_BYTES], const struct wg_finding_record *finding) {
    const char *name = finding->object[0] != '\0' ? finding->object : "memory";
    if (finding->element == INT64_MIN) {
        snprintf(text, NAME_BYTES, "%s", name);
    } else if (is_phrase(name)) {
        snprintf(text, NAME_BYTES, "element %" PRId64 " of %s", finding->element, name);
    } else {
        snprintf(text, NAME_BYTES, "%s[%" PRId64 "]", name, finding->element);
    }
    return text;
}

static const char *verb(uint32_t access) {
    static const char *const verbs[] = {"reads", "writes", "updates"};
    return verbs[access < 3 ? access : 0];
}

static const char *plural(int64_t count, const char *one, const char *many) {
    return count == 1 ? one : many;
}

/* ---- Bounds ------------------------------------------------------------------------------------
 */
static const char *stray_remedy(const struct wg_stray *stray) {
    if (stray->is_local) {
        return "Check the index against the array's size.";
    }
    if (stray->is_dynamic) {
        return "Check the index, and the third launch parameter <<<grid, block, BYTES>>>.";
    }
    if (stray->is_shared) {
        return "Make the array as large as the block uses it, or check the index.";
    }
    return "Guard the access, as in `if (i < n)`.";
}

static void word_out_of_bounds(struct wg_finding_record *finding, const struct wg_stray *stray) {
    char name[NAME_BYTES], target[NAME_BYTES], whole[NAME_BYTES], at[NAME_BYTES];
    who_first(name, &finding->at);
    element(target, finding);
    const char *object = finding->object[0] != '\0' ? finding->object : "the array";
    if (finding->element_count > 0 || stray->whole_bytes == 0) {
        snprintf(whole, sizeof whole, "%s (%" PRIu64 " %s)", object, finding->element_count,
                 plural((int64_t)finding->element_count, "element", "elements"));
    } else {
        snprintf(whole, sizeof whole, "%s (%" PRIu64 " bytes)", object, stray->whole_bytes);
    }
    if (stray->starts_inside) {
        say(finding,
            "%s %s %u bytes from %s on, %" PRId64 " of them past the end of %s. Handle the last "
            "elements one by one.",
            name, verb(finding->is_write), finding->access_bytes, target, stray->bytes_behind,
            whole);
        return;
    }
    if (finding->element < 0) {
        int64_t before = finding->element == INT64_MIN ? 0 : -finding->element;
        snprintf(at, sizeof at, "%" PRId64 " %s before the start of", before,
                 plural(before, "element", "elements"));
    } else {
        int64_t past = finding->element - (int64_t)finding->element_count + 1;
        snprintf(at, sizeof at, "%" PRId64 " %s past the end of", past,
                 plural(past, "element", "elements"));
    }
    say(finding, "%s %s %s, %s %s. %s", name, verb(finding->is_write), target, at, whole,
        stray_remedy(stray));
}

void wg_word_stray(struct wg_finding_record *finding, const struct wg_stray *stray) {
    char name[NAME_BYTES], target[NAME_BYTES];
    who_first(name, &finding->at);
    element(target, finding);
    const char *does = verb(finding->is_write);
    const char *object = finding->object[0] != '\0' ? finding->object : "a pointer";
    switch (finding->kind) {
    case WG_FINDING_USE_AFTER_FREE:
        say(finding,
            "%s %s %s after hipFree released that memory. Free it only when the kernels that use "
            "it are done.",
            name, does, target);
        return;
    case WG_FINDING_NULL_POINTER:
        say(finding,
            "%s %s memory through %s, which is a null pointer. Was it allocated with hipMalloc, "
            "and did the call succeed?",
            name, does, object);
        return;
    case WG_FINDING_HOST_POINTER:
        say(finding,
            "%s %s memory through %s, which does not point to device memory: a GPU cannot reach "
            "host memory. Copy the data to memory from hipMalloc first.",
            name, does, object);
        return;
    case WG_FINDING_CONSTANT_WRITE:
        say(finding,
            "%s writes %s in __constant__ memory, which kernels can only read. Fill it with "
            "hipMemcpyToSymbol, or make it a __device__ variable.",
            name, target);
        return;
    default:
        word_out_of_bounds(finding, stray);
    }
}

void wg_word_misaligned(struct wg_finding_record *finding, unsigned align) {
    char name[NAME_BYTES], target[NAME_BYTES];
    bool is_vector = align > 8 || finding->access_bytes > align;
    say(finding, "%s %s %u bytes at once at %s, an address that is not a multiple of %u. %s",
        who_first(name, &finding->at), verb(finding->is_write), finding->access_bytes,
        element(target, finding), align,
        is_vector ? "Vector types need it to be: use them only where every row starts at such an "
                    "address, else single elements."
                  : "Was the pointer cast from one to a smaller type? Every type needs an address "
                    "that is a multiple of its size.");
}

/* ---- Initialization ----------------------------------------------------------------------------
 */
void wg_word_uninitialized(struct wg_finding_record *finding, enum wg_memory_of memory) {
    static const char *const sentences[] = {
        [WG_MEMORY_OF_THREAD] = "before giving it a value. Initialize it where it is declared.",
        [WG_MEMORY_OF_BLOCK] = "which no thread of the block has written. Store to every element "
                               "that is read later, a 0 where there is no data; or is it the wrong "
                               "element that is read?",
        [WG_MEMORY_OF_DEVICE] = "which nothing has written yet. Clear it with hipMemset, which "
                                "counts bytes, or store before you read.",
    };
    char name[NAME_BYTES], target[NAME_BYTES];
    say(finding, "%s %s %s%s %s", who_first(name, &finding->at), verb(finding->is_write),
        element(target, finding), memory == WG_MEMORY_OF_THREAD ? "" : ",", sentences[memory]);
}

/* ---- Conflicts ---------------------------------------------------------------------------------
 */
static bool same_block(const struct wg_finding_record *finding) {
    return memcmp(finding->at.block, finding->other.block, sizeof finding->at.block) == 0;
}

/* "at line 12" or "on the same line" */
static const char *other_line(char text[static NAME_BYTES],
                              const struct wg_finding_record *finding) {
    if (finding->other.line == finding->at.line) {
        snprintf(text, NAME_BYTES, "on the same line");
    } else {
        snprintf(text, NAME_BYTES, "at line %u", finding->other.line);
    }
    return text;
}

static const char g_order_streams[] =
    "Use one stream, or order the two with an event (hipStreamWaitEvent).";

static const char *race_remedy(const struct wg_finding_record *finding,
                               const struct wg_meeting *meeting) {
    bool one_atomic = (finding->is_write == 2) != (finding->other_is_write == 2);
    if (!meeting->same_launch) {
        return g_order_streams;
    }
    if (meeting->lacks_fence) {
        return "The atomic after the write may reach other blocks before the write itself: put a "
               "__threadfence() between the two.";
    }
    if (!same_block(finding)) {
        bool one_reads = finding->is_write == 0 || finding->other_is_write == 0;
        if (one_atomic && one_reads) {
            return "Blocks run in any order, so that others may still be at it: split the kernel "
                   "in two, and read in the second one.";
        }
        return one_atomic ? "Blocks run in any order: use atomics for both, or split the kernel in "
                            "two."
                          : "Blocks run in any order: give each element to one thread, use an "
                            "atomic, or split the kernel in two.";
    }
    if (one_atomic) {
        return "Put a __syncthreads() between the two, or use atomics for both.";
    }
    if (finding->is_write == 1 && finding->other_is_write == 1) {
        return "Which value stays is chance: let one thread write it, use an atomic, or put a "
               "__syncthreads() between.";
    }
    return "Put a __syncthreads() between the two.";
}

static void word_race(struct wg_finding_record *finding, const struct wg_meeting *meeting) {
    char me[NAME_BYTES], other[NAME_BYTES], target[NAME_BYTES], line[NAME_BYTES], where[NAME_BYTES];
    const char *remedy = race_remedy(finding, meeting);
    element(target, finding);
    other_line(line, finding);
    const char *mine = verb(finding->is_write), *theirs = verb(finding->other_is_write);
    if (meeting->other_call != NULL) {
        say(finding, "%s %s %s while %.60s, not ordered with this kernel, %s it. %s",
            who_first(me, &finding->at), mine, target, meeting->other_call, theirs, remedy);
    } else if (!meeting->same_launch) {
        say(finding, "%s %s %s while kernel %.60s, not ordered with this one, %s it (%s). %s",
            who_first(me, &finding->at), mine, target, meeting->other_kernel, theirs, line, remedy);
    } else if (same_block(finding)) {
        say(finding,
            "Two threads of %s meet at %s with no barrier between: %s %s it here and %s %s it %s. "
            "%s",
            block(where, &finding->at), target, thread(me, &finding->at), mine,
            thread(other, &finding->other), theirs, line, remedy);
    } else {
        say(finding, "Two blocks meet at %s: %s %s it here and %s %s it %s. %s", target,
            who(me, &finding->at), mine, who(other, &finding->other), theirs, line, remedy);
    }
}

void wg_word_conflict(struct wg_finding_record *finding, const struct wg_meeting *meeting) {
    char me[NAME_BYTES], other[NAME_BYTES], target[NAME_BYTES], line[NAME_BYTES];
    switch (finding->kind) {
    case WG_FINDING_WARP_SYNC:
        say(finding,
            "%s %s %s here and %s of the same wave %s it %s, with no barrier between: works only "
            "when %u lanes run in step. Put a __syncthreads() between the two.",
            who_first(me, &finding->at), verb(finding->is_write), element(target, finding),
            thread(other, &finding->other), verb(finding->other_is_write),
            other_line(line, finding), meeting->lanes);
        return;
    case WG_FINDING_SAME_VALUE:
        say(finding,
            "Several threads write the same value to %s, %s and %s among them. No harm is done, "
            "but "
            "one writer is enough.",
            element(target, finding), who(other, &finding->other), who(me, &finding->at));
        return;
    default:
        word_race(finding, meeting);
    }
}

void wg_word_copies(struct wg_finding_record *finding, const char *other_call) {
    say(finding, "%.60s %s %s while %.60s, not ordered with it, %s the same bytes. %s",
        finding->at.function, verb(finding->other_is_write),
        finding->object[0] != '\0' ? finding->object : "memory", other_call,
        verb(finding->is_write), g_order_streams);
}

/* ---- Barriers ----------------------------------------------------------------------------------
 */
void wg_word_mismatch(struct wg_finding_record *finding, uint32_t waiting, uint32_t elsewhere) {
    char where[NAME_BYTES], me[NAME_BYTES], other[NAME_BYTES];
    if (finding->other.line != 0) {
        say(finding,
            "The threads of %s stand at different barriers: %u here, %s among them, and %u at line "
            "%u, %s among them. Move __syncthreads() out of the branch, so that all meet one.",
            block(where, &finding->at), waiting, thread(me, &finding->at), elsewhere,
            finding->other.line, thread(other, &finding->other));
    } else {
        say(finding,
            "%u %s of %s wait at this barrier, %s among them, but %u never come to it. Move "
            "__syncthreads() out of the branch or loop, so that all threads reach it equally "
            "often.",
            waiting, plural(waiting, "thread", "threads"), block(where, &finding->at),
            thread(me, &finding->at), elsewhere);
    }
}

void wg_word_early_exit(struct wg_finding_record *finding, uint32_t waiting, uint32_t gone) {
    char where[NAME_BYTES], other[NAME_BYTES];
    say(finding,
        "%u %s of %s reached this barrier, but %u had already finished, %s among them. All threads "
        "have to come here: put the work alone, without the barrier, into an `if` in place of an "
        "early return, and let a loop around a barrier run equally often for all.",
        waiting, plural(waiting, "thread", "threads"), block(where, &finding->at), gone,
        thread(other, &finding->other));
}

void wg_word_deadlock(struct wg_finding_record *finding, const char *why) {
    char me[NAME_BYTES];
    say(finding, "%s waits here for ever: %s", who_first(me, &finding->at),
        why != NULL ? why : "what it waits for cannot happen any more.");
}

void wg_word_lost_stores(struct wg_finding_record *finding) {
    say(finding,
        "All that this line stores to %s is overwritten at line %u before any thread reads it. All "
        "`extern __shared__` arrays begin at the same address: give the second one an offset.",
        finding->object[0] != '\0' ? finding->object : "dynamic shared memory",
        finding->other.line);
}
