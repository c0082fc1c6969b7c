/* Entries for test_harness.c that tell what they were given. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "reference/harness/probe.h"
#include "reference/harness/protocol.h"

wg_probe_fn wg_probe;
void probe_scalars(double *seen, int8_t i8, uint8_t u8, int32_t i32, uint32_t u32, int64_t i64,
                   uint64_t u64, float f32, double f64);
void probe_buffers(const uint8_t *bytes, uint64_t *seen);
void probe_exit(double *seen);
void probe_slow(double *seen);

void probe_scalars(double *seen, int8_t i8, uint8_t u8, int32_t i32, uint32_t u32, int64_t i64,
                   uint64_t u64, float f32, double f64) {
    const double all[8] = {i8, u8, i32, u32, (double)i64, (double)u64, (double)f32, f64};
    for (int i = 0; i < 8; i++) {
        seen[i] = all[i];
    }
}

/* The address, the first byte, the last byte of the guard before. */
void probe_buffers(const uint8_t *bytes, uint64_t *seen) {
    seen[0] = (uint64_t)(uintptr_t)bytes;
    seen[1] = bytes[0];
    seen[2] = bytes[-1];
    seen[3]++;
}

void probe_exit(double *seen) {
    (void)seen;
    exit(0);
}

void probe_slow(double *seen) {
    seen[0] = 1;
    usleep(20000);
}

/* In the place of reference/probe: one double, so that the test sees what arrived. */
void wg_probe(void *to, const void *from, int64_t count, int64_t seed, double low, double high,
              int32_t type, int32_t what) {
    (void)from;
    (void)low;
    (void)high;
    if (what == WG_PROBE_FILL && type == WG_TYPE_F64 && count == 1) {
        *(double *)to = (double)seed;
    }
}
