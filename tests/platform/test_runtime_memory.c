/* Device memory: whose it is, what copies may do, and what touching it from outside leads to. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "tests/platform/runtime_rig.h"

struct arguments {
    uint32_t *p;
    int64_t index;
};

RIG_KERNEL(store, struct arguments) {
    if (rig_global_index() == 0) {
        a->p[a->index] = 42;
    }
}

static void setup(void) {
    RIG_REGISTER(&store);
}

TestSuite(runtime_memory, .init = setup, .timeout = 60);

static char *device(size_t bytes) {
    void *ptr = NULL;
    cr_assert_eq(hipMalloc(&ptr, bytes), hipSuccess);
    return ptr;
}

Test(runtime_memory, kernels_write_and_copies_read) {
    struct arguments a = {(uint32_t *)device(1000), 249};
    rig_launch(&store, rig_dim(2), rig_dim(64), 0, NULL, &a);
    uint32_t words[250];
    cr_assert_eq(hipMemcpy(words, a.p, sizeof words, hipMemcpyDeviceToHost), hipSuccess);
    cr_assert_eq(words[249], 42);
    cr_assert_eq(words[248], WG_POISON);
    cr_assert_eq(wg_report->finding_count, 0);
}

Test(runtime_memory, poison_is_not_a_number) {
    uint64_t bits = (uint64_t)WG_POISON << 32 | WG_POISON;
    double d;
    float f;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &bits, sizeof f);
    cr_assert(isnan(d));
    cr_assert(isnan(f));
    cr_assert_gt(WG_POISON & 0x7fff, 0x7c00, "NaN as half");
}

static char *victim;

static void read_victim(void) {
    volatile char c = *victim;
    (void)c;
}

Test(runtime_memory, host_code_cannot_read_device_memory) {
    victim = device(4000) + 16;
    cr_assert_eq(rig_signal_of(read_victim), SIGSEGV);
    const struct wg_finding_record *found = rig_finding(WG_FINDING_HOST_ACCESS);
    cr_assert_neq(strstr(found->text, "byte 16 of 4000"), NULL, "%s", found->text);
}

Test(runtime_memory, free_is_not_for_device_memory) {
    victim = device(4000) - 8; /* where free() and delete look */
    cr_assert_eq(rig_signal_of(read_victim), SIGSEGV);
    const struct wg_finding_record *found = rig_finding(WG_FINDING_HOST_ACCESS);
    cr_assert_str_eq(found->text,
                     "Host code touched 8 bytes before 4000 bytes of device memory. Was "
                     "the pointer given to free() or delete? hipFree releases device "
                     "memory.");
}

Test(runtime_memory, negative_sizes) {
    char *p = device(4000);
    char host[8] = {0};
    cr_assert_eq(hipMemcpy(p, host, (size_t)-8, hipMemcpyHostToDevice), hipErrorInvalidValue);
    const struct wg_finding_record *found = rig_finding(WG_FINDING_API_MISUSE);
    cr_assert_str_eq(found->text,
                     "hipMemcpy was given a size that is negative or far too large: as "
                     "a signed number, -8 bytes. Nothing was done.");
    cr_assert_eq(hipMemset(p, 0, (size_t)-1000), hipErrorInvalidValue);
    cr_assert_eq(hipMemsetD32(p, 0, SIZE_MAX / 2), hipErrorInvalidValue);
}

Test(runtime_memory, nor_after_launches_and_copies) {
    struct arguments a = {(uint32_t *)device(4000), 0};
    rig_launch(&store, rig_dim(1), rig_dim(1), 0, NULL, &a);
    uint32_t word;
    hipMemcpy(&word, a.p, 4, hipMemcpyDeviceToHost);
    victim = (char *)a.p;
    cr_assert_eq(rig_signal_of(read_victim), SIGSEGV);
    cr_assert_eq(rig_count(WG_FINDING_HOST_ACCESS), 1);
}

static struct arguments stray;

static void store_stray(void) {
    rig_launch(&store, rig_dim(1), rig_dim(1), 0, NULL, &stray);
}

static const char *fault_of_store(uint32_t *p, int64_t index) {
    stray = (struct arguments){p, index};
    cr_assert_eq(rig_signal_of(store_stray), SIGSEGV);
    const struct wg_finding_record *found = rig_finding(WG_FINDING_FAULT);
    cr_assert_str_eq(found->kernel, "store");
    return found->text;
}

Test(runtime_memory, stray_stores_of_kernels_are_named) {
    cr_assert_neq(strstr(fault_of_store(NULL, 0), "null pointer"), NULL);
    uint32_t *p = (uint32_t *)device(4096);
    const char *text = fault_of_store(p, 1024 + 100);
    cr_assert_neq(strstr(text, "400 bytes past the end of 4096"), NULL, "%s", text);
    text = fault_of_store(p, -2);
    cr_assert_neq(strstr(text, "8 bytes before 4096"), NULL, "%s", text);
    hipFree(p);
    text = fault_of_store(p, 0);
    cr_assert_neq(strstr(text, "freed"), NULL, "%s", text);
}

Test(runtime_memory, pinned_and_managed_memory_belong_to_both) {
    void *pinned = NULL;
    void *managed = NULL;
    cr_assert_eq(hipHostMalloc(&pinned, 64, 0), hipSuccess);
    cr_assert_eq(hipMallocManaged(&managed, 64, hipMemAttachGlobal), hipSuccess);
    rig_launch(&store, rig_dim(1), rig_dim(1), 0, NULL, &(struct arguments){pinned, 1});
    rig_launch(&store, rig_dim(1), rig_dim(1), 0, NULL, &(struct arguments){managed, 2});
    cr_assert_neq(((uint32_t *)pinned)[1], 42, "read before it was waited for");
    cr_assert_eq(hipStreamSynchronize(NULL), hipSuccess);
    cr_assert_eq(((uint32_t *)pinned)[1], 42);
    cr_assert_eq(((uint32_t *)managed)[2], 42);
    cr_assert_eq(hipFree(managed), hipSuccess);
    cr_assert_eq(hipFree(pinned), hipErrorInvalidValue);
    cr_assert_eq(hipHostFree(pinned), hipSuccess);
}

Test(runtime_memory, copies_stay_inside_allocations) {
    char *p = device(1000);
    char host[2000];
    cr_assert_eq(hipMemcpy(p, host, 1001, hipMemcpyHostToDevice), hipErrorInvalidValue);
    const char *text = rig_finding(WG_FINDING_API_MISUSE)->text;
    cr_assert_neq(strstr(text, "1001 bytes"), NULL, "%s", text);
    cr_assert_eq(hipMemcpy(p + 900, host, 101, hipMemcpyHostToDevice), hipErrorInvalidValue);
    cr_assert_eq(hipMemcpy(host, p + 900, 101, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    cr_assert_eq(hipMemset(p, 0, 1001), hipErrorInvalidValue);
    cr_assert_eq(hipMemcpy(p + 900, host, 100, hipMemcpyHostToDevice), hipSuccess);
    cr_assert_eq(hipMemcpy(p + 5000, host, 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
    cr_assert_eq(hipMemset(host, 0, 1), hipErrorInvalidValue);
    cr_assert_eq(hipMemcpy(host, host + 1000, 10, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    cr_assert_eq(hipMemcpy(host, host + 1000, 10, hipMemcpyHostToHost), hipSuccess);
    cr_assert_eq(hipMemcpy(p, host, 10, (hipMemcpyKind)9), hipErrorInvalidMemcpyDirection);
    cr_assert_eq(hipMemcpy(NULL, host, 10, hipMemcpyHostToDevice), hipErrorInvalidValue);
    cr_assert_eq(hipMemcpy(NULL, NULL, 0, hipMemcpyHostToDevice), hipSuccess);
}

Test(runtime_memory, wrong_direction_works_as_on_amd_and_is_reported) {
    char *p = device(16);
    char host[16] = "fifteen letters";
    cr_assert_eq(hipMemcpy(p, host, 16, hipMemcpyDeviceToHost), hipSuccess);
    cr_assert_eq(rig_finding(WG_FINDING_API_MISUSE)->severity, WG_SEVERITY_WARNING);
    char back[16];
    cr_assert_eq(hipMemcpy(back, p, 16, hipMemcpyDefault), hipSuccess);
    cr_assert_str_eq(back, host);
    cr_assert_eq(wg_report->finding_count, 1);
}

Test(runtime_memory, rows) {
    void *p = NULL;
    size_t pitch = 0;
    cr_assert_eq(hipMallocPitch(&p, &pitch, 100, 3), hipSuccess);
    cr_assert_geq(pitch, 100);
    char in[3][100];
    char out[3][50];
    memset(in, 1, sizeof in);
    in[2][7] = 9;
    cr_assert_eq(hipMemset2D(p, pitch, 0, 100, 3), hipSuccess);
    cr_assert_eq(hipMemcpy2D(p, pitch, in, 100, 100, 3, hipMemcpyHostToDevice), hipSuccess);
    cr_assert_eq(hipMemcpy2D(out, 50, p, pitch, 50, 3, hipMemcpyDeviceToHost), hipSuccess);
    cr_assert_eq(out[2][7], 9);
    cr_assert_eq(out[1][7], 1);
    cr_assert_eq(hipMemcpy2D(out, 20, p, pitch, 50, 3, hipMemcpyDeviceToHost),
                 hipErrorInvalidPitchValue);
    cr_assert_eq(hipMemcpy2D(out, 20, p, pitch, 50, 1, hipMemcpyDeviceToHost),
                 hipErrorInvalidPitchValue, "one row as well");
    cr_assert(strstr(rig_finding(WG_FINDING_API_MISUSE)->text,
                     "rows of 50 bytes that start every 20 bytes") != NULL);
    cr_assert_eq(hipMemset2D(p, 20, 0, 50, 1), hipErrorInvalidValue);
    cr_assert_eq(hipMemcpy2D(out, 50, p, pitch, 50, 5, hipMemcpyDeviceToHost),
                 hipErrorInvalidValue);
}

Test(runtime_memory, fills_of_words) {
    char *p = device(16);
    uint32_t words[4];
    cr_assert_eq(hipMemsetD32(p, 0x01020304, 4), hipSuccess);
    cr_assert_eq(hipMemsetD16(p, 0xabcd, 1), hipSuccess);
    cr_assert_eq(hipMemsetD8(p + 4, 0xff, 1), hipSuccess);
    hipMemcpy(words, p, 16, hipMemcpyDeviceToHost);
    cr_assert_eq(words[0], 0x0102abcd);
    cr_assert_eq(words[1], 0x010203ff);
    cr_assert_eq(words[3], 0x01020304);
    cr_assert_eq(hipMemsetD32(p, 0, 5), hipErrorInvalidValue);
}

Test(runtime_memory, frees_are_checked) {
    char *p = device(100);
    int local;
    cr_assert_eq(hipFree(NULL), hipSuccess);
    cr_assert_eq(hipFree(p + 4), hipErrorInvalidValue);
    cr_assert_eq(hipFree(&local), hipErrorInvalidValue);
    cr_assert_eq(hipFree(p), hipSuccess);
    wg_report->finding_count = 0;
    cr_assert_eq(hipFree(p), hipErrorInvalidValue);
    cr_assert_neq(strstr(rig_finding(WG_FINDING_API_MISUSE)->text, "freed"), NULL);
}

Test(runtime_memory, memory_runs_out_and_comes_back) {
    void *large = NULL;
    void *more = NULL;
    cr_assert_eq(hipMalloc(&large, WG_DEVICE_BYTES + 1), hipErrorOutOfMemory);
    cr_assert_eq(large, NULL);
    char *half = device(64 << 20);
    size_t available = 0;
    size_t total = 0;
    hipMemGetInfo(&available, &total);
    cr_assert_eq(total - available, (size_t)64 << 20);
    cr_assert_eq(hipMalloc(&more, available + 1), hipErrorOutOfMemory);
    cr_assert_eq(hipGetLastError(), hipErrorOutOfMemory);
    cr_assert_eq(hipFree(half), hipSuccess);
    hipMemGetInfo(&available, &total);
    cr_assert_eq(total, available);
}

Test(runtime_memory, addresses_are_not_used_again_soon) {
    char *first = device(1 << 20);
    hipFree(first);
    for (int i = 0; i < 100; i++) {
        char *next = device(1 << 20);
        cr_assert_neq(next, first);
        hipFree(next);
    }
}

Test(runtime_memory, many_allocations_keep_their_distance) {
    char *all[500];
    for (int i = 0; i < 500; i++) {
        all[i] = device((size_t)(i % 7) * 1000 + 1);
        for (int k = i > 10 ? i - 10 : 0; k < i; k++) {
            cr_assert_geq(labs(all[i] - all[k]), 64 << 10);
        }
    }
    for (int i = 0; i < 500; i += 2) {
        cr_assert_eq(hipFree(all[i]), hipSuccess);
    }
    hipDeviceptr_t base = NULL;
    size_t bytes = 0;
    cr_assert_eq(hipMemGetAddressRange(&base, &bytes, all[13] + 100), hipSuccess);
    cr_assert_eq(base, all[13]);
    cr_assert_eq(bytes, 13 % 7 * 1000 + 1);
    cr_assert_eq(hipMemGetAddressRange(&base, &bytes, all[12]), hipErrorNotFound);
}

Test(runtime_memory, attributes_of_pointers) {
    hipPointerAttribute_t attributes;
    char *p = device(100);
    cr_assert_eq(hipPointerGetAttributes(&attributes, p + 5), hipSuccess);
    cr_assert_eq(attributes.type, hipMemoryTypeDevice);
    cr_assert_eq(hipPointerGetAttributes(&attributes, &attributes), hipErrorInvalidValue);
    void *pinned = rig_pinned_memory(10);
    cr_assert_eq(hipPointerGetAttributes(&attributes, pinned), hipSuccess);
    cr_assert_eq(attributes.type, hipMemoryTypeHost);
    int own[100];
    cr_assert_eq(hipHostRegister(own, sizeof own, 0), hipSuccess);
    cr_assert_eq(hipHostRegister(&own[10], 4, 0), hipErrorHostMemoryAlreadyRegistered);
    cr_assert_eq(hipPointerGetAttributes(&attributes, &own[50]), hipSuccess);
    cr_assert_eq(hipHostUnregister(own), hipSuccess);
    cr_assert_eq(hipHostUnregister(own), hipErrorHostMemoryNotRegistered);
}

static uint32_t symbol[4] = {1, 2, 3, 4};
static uint32_t shadow[4]; /* of symbol, in host code */
static const struct wg_cpu_variable variables[] = {
    {.name = "symbol", .address = symbol, .shadow = shadow, .bytes = sizeof symbol}};
static const struct wg_cpu_module module = {
    .abi = WG_CPU_ABI, .variables = variables, .variable_count = 1};

Test(runtime_memory, symbols) {
    wg_cpu_module_register(&module);
    uint32_t value = 77;
    cr_assert_eq(hipMemcpyToSymbol(shadow, &value, 4, 8, hipMemcpyHostToDevice), hipSuccess);
    cr_assert_eq(symbol[2], 77);
    uint32_t back[4];
    cr_assert_eq(hipMemcpyFromSymbol(back, shadow, 16, 0, hipMemcpyDeviceToHost), hipSuccess);
    cr_assert_eq(back[2] + back[3], 81);
    cr_assert_eq(hipMemcpyToSymbol(shadow, back, 16, 4, hipMemcpyHostToDevice),
                 hipErrorInvalidValue);
    cr_assert_eq(hipMemcpyToSymbol(&value, back, 4, 0, hipMemcpyHostToDevice),
                 hipErrorInvalidSymbol);
    cr_assert_eq(hipMemcpyToSymbol(&shadow[1], back, 4, 0, hipMemcpyHostToDevice),
                 hipErrorInvalidSymbol);
    cr_assert_eq(hipMemcpy(shadow, back, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
    void *address = NULL;
    size_t bytes = 0;
    cr_assert_eq(hipGetSymbolAddress(&address, shadow), hipSuccess);
    cr_assert_eq(hipGetSymbolSize(&bytes, shadow), hipSuccess);
    cr_assert_eq(address, symbol);
    cr_assert_eq(bytes, 16);
    wg_cpu_module_unregister(&module);
    cr_assert_eq(hipGetSymbolSize(&bytes, shadow), hipErrorInvalidSymbol);
}

static void abort_on_host(void) {
    abort();
}

Test(runtime_memory, host_faults_are_told_from_kernel_faults) {
    cr_assert_eq(rig_signal_of(abort_on_host), SIGABRT);
    cr_assert_neq(strstr(rig_finding(WG_FINDING_FAULT)->text, "Host code called abort()"), NULL);
}

Test(runtime_memory, a_reset_says_what_it_frees) {
    cr_assert_eq(hipDeviceReset(), hipSuccess);
    cr_assert_eq(wg_report->finding_count, 0, "there was nothing");
    (void)device(4000);
    cr_assert_eq(hipDeviceReset(), hipSuccess);
    const struct wg_finding_record *found = rig_finding(WG_FINDING_API_MISUSE);
    cr_assert_eq(found->severity, WG_SEVERITY_NOTE);
    cr_assert_neq(strstr(found->text, "hipDeviceReset frees all memory"), NULL, "%s", found->text);
}

Test(runtime_memory, the_pool_can_be_set_and_trimmed) {
    hipMemPool_t pool = NULL;
    uint64_t threshold = UINT64_MAX;
    cr_assert_eq(hipDeviceGetDefaultMemPool(&pool, 1), hipErrorInvalidDevice);
    cr_assert_eq(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
    cr_assert_eq(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold),
                 hipSuccess);
    cr_assert_eq(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &threshold),
                 hipErrorInvalidValue);
    cr_assert_eq(hipMemPoolSetAttribute(NULL, hipMemPoolAttrReleaseThreshold, &threshold),
                 hipErrorInvalidValue);
    cr_assert_eq(hipMemPoolTrimTo(pool, 0), hipSuccess);
    cr_assert_eq(hipMemPoolTrimTo(NULL, 0), hipErrorInvalidValue);
}
