/* One prepared call of an entry: values of all arguments and how to pass them. */
#ifndef WG_HARNESS_CALL_H
#define WG_HARNESS_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include <ffi.h>

#include "reference/harness/device.h"
#include "reference/harness/protocol.h"

struct wg_call {
    void *entry; /* function or kernel handle */
    enum wg_entry_kind kind;
    struct wg_device_shape shape;
    size_t count;
    union wg_call_value {
        void *pointer;
        int8_t i8;
        uint8_t u8;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } values[WG_MAX_ARGS];
    void *addresses[WG_MAX_ARGS];
    ffi_type *types[WG_MAX_ARGS];
    ffi_cif cif;
};

/* Size of one element; 0 for a type that does not exist. */
size_t wg_call_type_bytes(unsigned type);

/* Sets the next argument; false when there are too many or the type is unknown. */
bool wg_call_add_scalar(struct wg_call *call, const struct wg_arg *arg);
bool wg_call_add_pointer(struct wg_call *call, void *pointer);

/* After the last argument. The call refers to itself: do not copy it afterwards. */
bool wg_call_prepare(struct wg_call *call);
/* Returns an error of the device layer for launches that were refused, else 0. */
int wg_call_make(struct wg_call *call);

#endif
