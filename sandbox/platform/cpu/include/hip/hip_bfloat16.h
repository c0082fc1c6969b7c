/* hip_bfloat16: the upper half of a float, rounded to nearest even; arithmetic goes through float.
 */
#ifndef WG_HIP_BFLOAT16_H
#define WG_HIP_BFLOAT16_H

#include <hip/detail/platform.h>

#ifndef __cplusplus
typedef struct {
    uint16_t data;
} hip_bfloat16;
#else

struct hip_bfloat16 {
    uint16_t data;

    enum truncate_t { truncate };

    hip_bfloat16() = default;
    explicit WG_HD_MEMBER hip_bfloat16(float value) : data(__round(value)) {}
    explicit WG_HD_MEMBER hip_bfloat16(float value, truncate_t)
        : data((uint16_t)(__bits(value) >> 16 | __nan_bit(value))) {}
    WG_HD_MEMBER operator float() const {
        uint32_t bits = (uint32_t)data << 16;
        float value;
        __builtin_memcpy(&value, &bits, sizeof value);
        return value;
    }
    static WG_HD_MEMBER hip_bfloat16 round_to_bfloat16(float value) { return hip_bfloat16(value); }
    static WG_HD_MEMBER hip_bfloat16 round_to_bfloat16(float value, truncate_t) {
        return hip_bfloat16(value, truncate);
    }

  private:
    static WG_HD_MEMBER uint32_t __bits(float value) {
        uint32_t bits;
        __builtin_memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    /* Keeps a NaN a NaN whose payload sits in the half that is dropped. */
    static WG_HD_MEMBER uint32_t __nan_bit(float value) { return value != value ? 0x40u : 0u; }
    static WG_HD_MEMBER uint16_t __round(float value) {
        uint32_t bits = __bits(value);
        if (value != value) {
            return (uint16_t)(bits >> 16 | 0x40u);
        }
        return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
};

#define WG_BF16_OPERATOR(op)                                                                       \
    WG_HOST_DEVICE hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) {                      \
        return hip_bfloat16((float)a op(float) b);                                                 \
    }                                                                                              \
    WG_HOST_DEVICE hip_bfloat16 &operator op##=(hip_bfloat16 & a, hip_bfloat16 b) {                \
        return a = a op b;                                                                         \
    }
WG_BF16_OPERATOR(+)
WG_BF16_OPERATOR(-)
WG_BF16_OPERATOR(*)
WG_BF16_OPERATOR(/)
#undef WG_BF16_OPERATOR
#define WG_BF16_COMPARE(op)                                                                        \
    WG_HOST_DEVICE bool operator op(hip_bfloat16 a, hip_bfloat16 b) {                              \
        return (float)a op(float) b;                                                               \
    }
WG_BF16_COMPARE(==)
WG_BF16_COMPARE(!=)
WG_BF16_COMPARE(<)
WG_BF16_COMPARE(<=)
WG_BF16_COMPARE(>)
WG_BF16_COMPARE(>=)
#undef WG_BF16_COMPARE
WG_HOST_DEVICE hip_bfloat16 operator+(hip_bfloat16 a) {
    return a;
}
WG_HOST_DEVICE hip_bfloat16 operator-(hip_bfloat16 a) {
    a.data ^= 0x8000;
    return a;
}
WG_HOST_DEVICE hip_bfloat16 &operator++(hip_bfloat16 &a) {
    return a += hip_bfloat16(1.0f);
}
WG_HOST_DEVICE hip_bfloat16 &operator--(hip_bfloat16 &a) {
    return a -= hip_bfloat16(1.0f);
}

#endif
#endif
