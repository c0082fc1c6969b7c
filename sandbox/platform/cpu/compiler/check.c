#include "sandbox/platform/cpu/compiler/check.h"
enum wg_code wg_check_instrument(struct wg_program *program, const struct wg_shared *shared,
                                 struct wg_err *err) {
    (void)program;
    (void)shared;
    (void)err;
    return WG_OK;
}
