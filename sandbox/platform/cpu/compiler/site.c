#include "sandbox/platform/cpu/compiler/site.h"

static FILE *dump;

void wg_site_set_dump(FILE *to) {
    dump = to;
}

void wg_site_dump(const char *what, struct wg_source_place place, struct wg_site_object object) {
    if (dump) {
        fprintf(dump, "%s %s:%u:%u %s kind=%u object=%s bytes=%llu element=%u\n", what, place.file,
                place.line, place.column, place.function ? place.function : "-", object.kind,
                object.name ? object.name : "-", (unsigned long long)object.bytes,
                object.element_bytes);
    }
}

_Static_assert(sizeof(struct wg_cpu_site) == 48, "wg_site_make knows the layout of wg_cpu_site");

LLVMValueRef wg_site_make(const struct wg_ir *ir, struct wg_source_place place,
                          struct wg_site_object object) {
    LLVMValueRef fields[8] = {
        wg_ir_string(ir, place.file),  wg_ir_u32(ir, place.line),
        wg_ir_u32(ir, place.column),   wg_ir_string(ir, place.function),
        wg_ir_string(ir, object.name), wg_ir_u64(ir, object.bytes),
        wg_ir_u32(ir, object.kind),    wg_ir_u32(ir, object.element_bytes),
    };
    LLVMValueRef value = LLVMConstStructInContext(ir->context, fields, 8, false);
    LLVMValueRef site = LLVMAddGlobal(ir->module, LLVMTypeOf(value), "wg.site");
    LLVMSetInitializer(site, value);
    LLVMSetLinkage(site, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(site, true);
    return site;
}
