/* Entries for test_harness.c that tell what they were given. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

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
    seen[0]++;
    usleep(20000);
}
