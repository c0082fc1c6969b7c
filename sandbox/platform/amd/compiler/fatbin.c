#include "sandbox/platform/amd/compiler/fatbin.h"

#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"

#define PAGE_BYTES        4096
#define IMAGE_LIMIT_BYTES ((size_t)256 << 20)

static const char host_name[] = "host-x86_64-unknown-linux--";
static const char device_prefix[] = "hipv4-amdgcn-amd-amdhsa--";

static void put_u64(struct wg_buf *out, uint64_t value) {
    wg_buf_add(out, &value, sizeof value); /* little-endian, as the host is */
}

static uint64_t round_up(uint64_t value) {
    return (value + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* The format (clang's ClangOffloadBundler documentation): magic, number of entries, then for each
 * its offset, size and name; the host's entry comes first and is empty. */
enum wg_code wg_amd_bundle(const struct wg_amd_image *images, size_t count, struct wg_buf *out,
                           struct wg_err *err) {
    static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
    WG_CLEANUP(wg_buf_done) struct wg_buf all = {0};
    struct wg_buf header = {0};
    uint64_t header_bytes = sizeof magic - 1 + 8 + 24 + sizeof host_name - 1;
    for (size_t i = 0; i < count; i++) {
        header_bytes += 24 + sizeof device_prefix - 1 + strlen(images[i].arch);
    }
    uint64_t start = round_up(header_bytes);
    wg_buf_puts(&header, magic);
    put_u64(&header, count + 1);
    put_u64(&header, start);
    put_u64(&header, 0);
    put_u64(&header, sizeof host_name - 1);
    wg_buf_puts(&header, host_name);
    enum wg_code code = WG_OK;
    for (size_t i = 0; i < count && !code; i++) {
        size_t before = all.len;
        code = wg_file_read(images[i].path, IMAGE_LIMIT_BYTES, &all, err);
        put_u64(&header, start + before);
        put_u64(&header, all.len - before);
        put_u64(&header, sizeof device_prefix - 1 + strlen(images[i].arch));
        wg_buf_puts(&header, device_prefix);
        wg_buf_puts(&header, images[i].arch);
        while (all.len % PAGE_BYTES != 0) {
            wg_buf_add(&all, "", 1);
        }
    }
    while (header.len < start) {
        wg_buf_add(&header, "", 1);
    }
    wg_buf_add(out, header.data, header.len);
    wg_buf_add(out, all.data, all.len);
    wg_buf_done(&header);
    return code;
}

static void hide_all_but(const struct wg_ir *host, const char *exported) {
    struct wg_values all = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(host->module); f; f = LLVMGetNextFunction(f)) {
        wg_values_add(&all, f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(host->module); g; g = LLVMGetNextGlobal(g)) {
        wg_values_add(&all, g);
    }
    for (size_t i = 0; i < all.count; i++) {
        /* Copies of what libstdc++ itself exports stay references to it. */
        if (LLVMIsDeclaration(all.at[i]) || wg_ir_has_prefix(all.at[i], "llvm.") ||
            LLVMGetLinkage(all.at[i]) == LLVMAvailableExternallyLinkage) {
            continue;
        }
        wg_ir_make_internal(all.at[i]);
        if (strcmp(wg_ir_name(all.at[i]), exported) == 0) {
            LLVMSetLinkage(all.at[i], LLVMExternalLinkage);
        }
    }
    wg_values_done(&all);
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(host->module); a; a = LLVMGetNextGlobalAlias(a)) {
        LLVMSetLinkage(a, LLVMInternalLinkage);
    }
}

/* Variables that clang leaves to other objects: the runtime's handle of the bundle, and what
 * crtbegin.o would define. */
static void define_as_null(const struct wg_ir *host, const char *name) {
    LLVMValueRef global = LLVMGetNamedGlobal(host->module, name);
    if (global && LLVMIsDeclaration(global)) {
        LLVMSetInitializer(global, LLVMConstNull(LLVMGlobalGetValueType(global)));
        wg_ir_make_internal(global);
    }
}

enum wg_code wg_amd_host_finish(struct wg_ir *host, const struct wg_buf *bundle,
                                const char *exported, struct wg_err *err) {
    LLVMValueRef wanted = LLVMGetNamedGlobal(host->module, "__hip_fatbin_");
    if (wanted) { /* absent from a file without kernels */
        LLVMValueRef bytes = LLVMConstStringInContext2(host->context, bundle->data, bundle->len, 1);
        LLVMValueRef global = LLVMAddGlobal(host->module, LLVMTypeOf(bytes), "wg_amd_bundle");
        LLVMSetInitializer(global, bytes);
        LLVMSetSection(global, ".hip_fatbin");
        LLVMSetAlignment(global, PAGE_BYTES);
        LLVMSetGlobalConstant(global, 1);
        LLVMReplaceAllUsesWith(wanted, global);
        LLVMDeleteGlobal(wanted);
    }
    define_as_null(host, "__hip_gpubin_handle_");
    define_as_null(host, "__dso_handle");
    hide_all_but(host, exported);
    return wg_ir_run(host, "globaldce", NULL, err);
}
