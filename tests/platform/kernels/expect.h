/* What the programs of this folder share: checks that print what differs, and a device buffer. */
#ifndef EXPECT_H
#define EXPECT_H

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int failures = 0;

#define HIP_CHECK(call)                                                                            \
    do {                                                                                           \
        hipError_t status_ = (call);                                                               \
        if (status_ != hipSuccess) {                                                               \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(status_)); \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition) && ++failures <= 20) {                                                    \
            std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                  \
        }                                                                                          \
    } while (0)

#define EXPECT_EQ(got, want)                                                                       \
    do {                                                                                           \
        auto got_ = (got);                                                                         \
        auto want_ = (want);                                                                       \
        if (!(got_ == want_) && ++failures <= 20) {                                                \
            std::printf("%s:%d: %s is %.9g, expected %.9g\n", __FILE__, __LINE__, #got,            \
                        (double)got_, (double)want_);                                              \
        }                                                                                          \
    } while (0)

#define EXPECT_NEAR(got, want, tolerance)                                                          \
    do {                                                                                           \
        double got_ = (double)(got), want_ = (double)(want);                                       \
        if (!(std::fabs(got_ - want_) <= (tolerance) * (1 + std::fabs(want_))) &&                  \
            ++failures <= 20) {                                                                    \
            std::printf("%s:%d: %s is %.9g, expected %.9g\n", __FILE__, __LINE__, #got, got_,      \
                        want_);                                                                    \
        }                                                                                          \
    } while (0)

/* Every element of a vector against a function of its index. */
template <class T, class Want>
void expect_all(const char *what, const std::vector<T> &got, Want want) {
    for (size_t i = 0; i < got.size(); i++) {
        T expected = (T)want((int)i);
        if (!(got[i] == expected) && ++failures <= 20) {
            std::printf("%s[%zu] is %.9g, expected %.9g\n", what, i, (double)got[i],
                        (double)expected);
        }
    }
}

template <class T> struct Buffer {
    T *data = nullptr;
    size_t count;

    explicit Buffer(size_t n) : count(n) { HIP_CHECK(hipMalloc(&data, n * sizeof(T))); }
    explicit Buffer(const std::vector<T> &from) : Buffer(from.size()) {
        HIP_CHECK(hipMemcpy(data, from.data(), count * sizeof(T), hipMemcpyHostToDevice));
    }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { (void)hipFree(data); }

    void zero() { HIP_CHECK(hipMemset(data, 0, count * sizeof(T))); }
    std::vector<T> get() const {
        std::vector<T> to(count);
        HIP_CHECK(hipMemcpy(to.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
        return to;
    }
    operator T *() const { return data; }
};

/* After a launch: it was accepted, and it ran. */
static inline void expect_launched() {
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
}

static inline int finish() {
    if (failures > 0) {
        std::printf("%d checks failed\n", failures);
    }
    return failures == 0 ? 0 : 1;
}

static inline int device_warp_size() {
    hipDeviceProp_t properties;
    HIP_CHECK(hipGetDeviceProperties(&properties, 0));
    return properties.warpSize;
}

#endif
