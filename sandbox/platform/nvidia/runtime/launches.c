/* Counts kernel launches for the report. A part of the harness: its executable comes before the
 * CUDA runtime where the loader looks symbols up, so launches of a submission's library arrive here
 * and are passed on. A submission can get around this; like everything that is said inside its
 * process, the count can only cost it something, or tell that nothing was launched at all. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cuda_runtime_api.h>

#include "reference/harness/protocol.h"
#include "sandbox/platform/report.h"

typedef cudaError_t launch_fn(const void *kernel, dim3 grid, dim3 block, void **arguments,
                              size_t shared_bytes, cudaStream_t stream);
typedef cudaError_t launch_with_config_fn(const cudaLaunchConfig_t *config, const void *kernel,
                                          void **arguments);
typedef cudaError_t launch_graph_fn(cudaGraphExec_t graph, cudaStream_t stream);

static struct wg_report *report;

/* Before any library of a submission is loaded. Without a report nothing is counted. */
__attribute__((constructor)) static void open_report(void) {
    void *mapped = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED, WG_FD_REPORT, 0);
    if (mapped != MAP_FAILED) {
        report = mapped;
        report->magic = WG_REPORT_MAGIC;
    }
}

static cudaError_t count(cudaError_t error) {
    if (report != NULL) {
        uint64_t *counter = error == cudaSuccess ? &report->launches : &report->failed_launches;
        __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    }
    return error;
}

#define PASS_ON(type, name, ...)                                                                   \
    static type *next;                                                                             \
    if (next == NULL) {                                                                            \
        next = (type *)dlsym(RTLD_NEXT, name);                                                     \
    }                                                                                              \
    return count(next(__VA_ARGS__))

/* What <<<>>> turns into; not declared in any header that C may include. */
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream);

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream) {
    PASS_ON(launch_fn, "__cudaLaunchKernel", kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, cudaStream_t stream) {
    PASS_ON(launch_fn, "cudaLaunchKernel", kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
    PASS_ON(launch_fn, "cudaLaunchCooperativeKernel", kernel, grid, block, arguments, shared_bytes,
            stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments) {
    PASS_ON(launch_with_config_fn, "cudaLaunchKernelExC", config, kernel, arguments);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    PASS_ON(launch_graph_fn, "cudaGraphLaunch", graph, stream);
}
