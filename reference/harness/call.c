#include "reference/harness/call.h"

#include "reference/harness/blas.h"

static const struct {
    size_t bytes;
    ffi_type *type;
} types[] = {
    [WG_TYPE_I32] = {4, &ffi_type_sint32}, [WG_TYPE_U32] = {4, &ffi_type_uint32},
    [WG_TYPE_I64] = {8, &ffi_type_sint64}, [WG_TYPE_U64] = {8, &ffi_type_uint64},
    [WG_TYPE_F32] = {4, &ffi_type_float},  [WG_TYPE_F64] = {8, &ffi_type_double},
    [WG_TYPE_I8] = {1, &ffi_type_sint8},   [WG_TYPE_U8] = {1, &ffi_type_uint8},
};

size_t wg_call_type_bytes(unsigned type) {
    return type < sizeof types / sizeof types[0] ? types[type].bytes : 0;
}

bool wg_call_add_scalar(struct wg_call *call, const struct wg_arg *arg) {
    if (call->count == WG_MAX_ARGS || wg_call_type_bytes(arg->type) == 0) {
        return false;
    }
    union wg_call_value *value = &call->values[call->count];
    switch (arg->type) {
    case WG_TYPE_I8:
        value->i8 = (int8_t)arg->value.i;
        break;
    case WG_TYPE_U8:
        value->u8 = (uint8_t)arg->value.i;
        break;
    case WG_TYPE_I32:
        value->i32 = (int32_t)arg->value.i;
        break;
    case WG_TYPE_U32:
        value->u32 = (uint32_t)arg->value.i;
        break;
    case WG_TYPE_I64:
        value->i64 = arg->value.i;
        break;
    case WG_TYPE_U64:
        value->u64 = (uint64_t)arg->value.i;
        break;
    case WG_TYPE_F32:
        value->f32 = (float)arg->value.f;
        break;
    default:
        value->f64 = arg->value.f;
        break;
    }
    call->types[call->count++] = types[arg->type].type;
    return true;
}

bool wg_call_add_pointer(struct wg_call *call, void *pointer) {
    if (call->count == WG_MAX_ARGS) {
        return false;
    }
    call->values[call->count].pointer = pointer;
    call->types[call->count++] = &ffi_type_pointer;
    return true;
}

bool wg_call_prepare(struct wg_call *call) {
    for (size_t i = 0; i < call->count; i++) {
        call->addresses[i] = &call->values[i];
    }
    return ffi_prep_cif(&call->cif, FFI_DEFAULT_ABI, (unsigned)call->count, &ffi_type_void,
                        call->types) == FFI_OK;
}

static int call_blas(const struct wg_call *call) {
    const union wg_call_value *v = call->values;
    return wg_blas_sgemm(v[0].pointer, v[1].pointer, v[2].pointer, v[3].i32, v[4].i32, v[5].i32);
}

int wg_call_make(struct wg_call *call) {
    if (call->kind == WG_ENTRY_KERNEL) {
        return wg_device_launch(call->entry, &call->shape, call->addresses);
    }
    if (call->kind == WG_ENTRY_BLAS) {
        return call_blas(call);
    }
    /* A fresh copy of the values each time: the callee owns its parameters, ffi passes pointers and
     * scalars by value, and nothing else is shared with it. */
    ffi_call(&call->cif, FFI_FN(call->entry), NULL, call->addresses);
    return 0;
}
