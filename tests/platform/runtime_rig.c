#include "tests/platform/runtime_rig.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

enum { MAX_KERNELS = 16 };
static struct wg_cpu_kernel table[MAX_KERNELS];
static struct wg_cpu_module module = {.abi = WG_CPU_ABI, .kernels = table};

void rig_register(struct wg_cpu_kernel *const *kernels, size_t count) {
    cr_assert_leq(count, (size_t)MAX_KERNELS);
    for (size_t i = 0; i < count; i++) {
        table[i] = *kernels[i];
    }
    module.kernel_count = count;
    wg_cpu_module_register(&module);
}

void rig_launch(const struct wg_cpu_kernel *kernel, dim3 grid, dim3 block, size_t shared,
                hipStream_t stream, const void *pack) {
    char copy[256];
    memcpy(copy, pack, kernel->pack_bytes);
    const struct wg_kernel_info *info = wg_module_find_kernel(kernel->handle);
    cr_assert_neq(info, NULL);
    __hipPushCallConfiguration(grid, block, shared, stream);
    wg_cpu_launch_stub(info->kernel, copy);
    memset(copy, 0xee, sizeof copy); /* a stub's frame is gone by the time a lazy launch runs */
}

hipError_t rig_cooperative(const struct wg_cpu_kernel *kernel, dim3 grid, dim3 block,
                           const void *pack) {
    void *arguments[] = {(void *)(uintptr_t)pack};
    return hipLaunchCooperativeKernel(kernel->handle, grid, block, arguments, 0, NULL);
}

void *rig_shared_memory(size_t bytes) {
    /* Not from the API: work is put off while memory exists that hipHostMalloc returned. */
    void *memory = calloc(1, bytes);
    cr_assert_neq(memory, NULL);
    return memory;
}

void *rig_pinned_memory(size_t bytes) {
    void *memory = NULL;
    cr_assert_eq(hipHostMalloc(&memory, bytes, 0), hipSuccess);
    memset(memory, 0, bytes);
    return memory;
}

uint32_t rig_count(enum wg_finding_kind kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < wg_report->finding_count; i++) {
        count += wg_report->findings[i].kind == kind;
    }
    return count;
}

const struct wg_finding_record *rig_finding(enum wg_finding_kind kind) {
    for (uint32_t i = 0; i < wg_report->finding_count; i++) {
        if (wg_report->findings[i].kind == kind) {
            return &wg_report->findings[i];
        }
    }
    cr_assert_fail("no finding of kind %d", (int)kind);
    return NULL;
}

int rig_signal_of(void (*function)(void)) {
    struct wg_report *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(shared, MAP_FAILED);
    wg_report = shared;
    pid_t child = fork();
    if (child == 0) {
        function();
        _exit(0);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
