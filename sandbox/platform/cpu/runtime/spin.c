/* Waits that never end, in code without hooks. */
#include "sandbox/platform/cpu/runtime/sched.h"

void wg_spin_watch(struct wg_worker *worker) {
    (void)worker;
}
