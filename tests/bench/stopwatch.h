/* Times a call that launches kernels: two calls to warm up, then best and median of eleven. */
#ifndef STOPWATCH_H
#define STOPWATCH_H

#include <hip/hip_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                            \
    do {                                                                                           \
        hipError_t status_ = (call);                                                               \
        if (status_ != hipSuccess) {                                                               \
            std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status_));                   \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

struct Times {
    double best_s, median_s;
};

template <class Launch> Times stopwatch(Launch launch) {
    std::vector<double> seconds;
    for (int i = 0; i < 13; i++) {
        auto start = std::chrono::steady_clock::now();
        launch();
        HIP_CHECK(hipGetLastError());
        HIP_CHECK(hipDeviceSynchronize());
        std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (i >= 2) {
            seconds.push_back(took.count());
        }
    }
    std::sort(seconds.begin(), seconds.end());
    return {seconds.front(), seconds[seconds.size() / 2]};
}

#endif
