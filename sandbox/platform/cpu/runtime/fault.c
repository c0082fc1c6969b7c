/* Signals: what student code died of, in words, before it dies.
 *
 * The handler runs on a stack of its own, since the fault may be that a stack ran over. It calls
 * functions that are not made for signal handlers (formatting); the process ends here in any case,
 * and the finding is in the shared report before anything else can go wrong. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/platform/cpu/runtime/sched.h"

enum { HANDLER_STACK_BYTES = 64 * 1024 };

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};

static const char *signal_words(int number) {
    switch (number) {
    case SIGFPE:
        return "divided an integer by zero, which a GPU does not stop for but gives a meaningless "
               "result";
    case SIGILL:
    case SIGTRAP:
        return "ran into a trap (__builtin_trap, or code that the compiler found to be undefined)";
    case SIGABRT:
        return "called abort(), or an assert() failed";
    default:
        return NULL;
    }
}

static void report_kernel_fault(const struct wg_worker *worker, int number, const void *address) {
    char place[160];
    char text[256];
    if (signal_words(number) != NULL) {
        snprintf(text, sizeof text, "A thread %s.", signal_words(number));
    } else if (wg_stacks_overflowed(&worker->stacks, address)) {
        snprintf(text, sizeof text,
                 "A thread ran out of stack: its local variables and calls take more than %d KiB. "
                 "Is an array too large, or does a function call itself for ever?",
                 WG_STACK_BYTES / 1024);
    } else {
        wg_arena_describe(address, place, sizeof place);
        snprintf(text, sizeof text, "A thread touched %s.", place);
    }
    struct wg_finding_record record = wg_finding(WG_FINDING_FAULT, WG_SEVERITY_ERROR, "%s", text);
    const struct wg_kernel_info *info = worker->job->launch->info;
    wg_copy_text(record.kernel, sizeof record.kernel, info->name);
    wg_copy_text(record.at.function, sizeof record.at.function, info->name);
    if (info->kernel->declared_at != NULL) {
        wg_copy_text(record.at.file, sizeof record.at.file, info->kernel->declared_at->file);
    }
    if (wg_self != NULL) {
        wg_place_set_thread(&record.at, wg_self);
    }
    wg_report_finding(&record);
}

/* C's allocator keeps its notes right in front of what it returns, and free() looks there. */
static bool looks_like_free(const void *address) {
    for (size_t before = 8; before <= 16; before += 8) {
        const char *start = (const char *)address + before;
        const struct wg_allocation *allocation = wg_arena_find(start);
        if (allocation != NULL && allocation->base == start) {
            return true;
        }
    }
    return false;
}

static void report_host_fault(int number, const void *address) {
    char place[160];
    const char *call = wg_api_name();
    wg_arena_describe(address, place, sizeof place);
    struct wg_finding_record record;
    if (signal_words(number) != NULL) {
        record = wg_finding(WG_FINDING_FAULT, WG_SEVERITY_ERROR, "Host code %s.",
                            number == SIGFPE ? "divided an integer by zero" : signal_words(number));
    } else if (wg_arena_owns(address) && call == NULL && looks_like_free(address)) {
        record = wg_finding(WG_FINDING_HOST_ACCESS, WG_SEVERITY_ERROR,
                            "Host code touched %s. Was the pointer given to free() or delete? "
                            "hipFree releases device memory.",
                            place);
    } else if (wg_arena_owns(address)) {
        record =
            wg_finding(WG_FINDING_HOST_ACCESS, WG_SEVERITY_ERROR,
                       "Host code touched %s. Only kernels can; copy with hipMemcpy first.", place);
    } else if (call != NULL) {
        record = wg_finding(WG_FINDING_FAULT, WG_SEVERITY_ERROR,
                            "%s faulted at address %p: is a host buffer given to it smaller than "
                            "the size says?",
                            call, address);
    } else {
        record = wg_finding(WG_FINDING_FAULT, WG_SEVERITY_ERROR, "Host code touched %s.", place);
    }
    wg_copy_text(record.at.function, sizeof record.at.function, call);
    wg_report_finding(&record);
}

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)context;
    /* A second fault in here must not come back. */
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        signal(caught[i], SIG_DFL);
    }
    const struct wg_worker *worker = wg_worker;
    if (worker != NULL && worker->in_kernel) {
        report_kernel_fault(worker, number, info->si_addr);
    } else {
        report_host_fault(number, info->si_addr);
    }
    wg_report_print();
    /* The faulting instruction runs again and ends the process by the same signal; what was sent
     * rather than faulted has to be sent again. */
    if (info->si_code <= 0) {
        raise(number);
    }
}

void wg_fault_install(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        sigaction(caught[i], &action, NULL);
    }
    wg_fault_prepare_thread();
}

void wg_fault_prepare_thread(void) {
    static _Thread_local bool prepared;
    if (prepared) {
        return;
    }
    prepared = true;
    stack_t stack = {.ss_size = HANDLER_STACK_BYTES};
    stack.ss_sp =
        mmap(NULL, HANDLER_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp != MAP_FAILED) {
        sigaltstack(&stack, NULL);
    }
}
