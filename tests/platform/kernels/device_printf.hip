// printf in a kernel: the text arrives, with every argument, once the device is done.
#include "expect.h"

#include <string>
#include <unistd.h>

__global__ void report(int n, float x) {
    if (threadIdx.x == 0) {
        printf("n=%d x=%.2f c=%c s=%s p=%llu warp=%d\n", n, x, 'z', "text", 1ull << 40, warpSize);
    }
    if (threadIdx.x % 10 == 0) {
        printf("thread %u of block %u\n", threadIdx.x, blockIdx.x);
    }
    if (threadIdx.x == 1 && blockIdx.x == 0) {
        printf("plain line\n");
    }
}

int main() {
    // Standard output goes to a file meanwhile.
    std::fflush(stdout);
    std::FILE *file = std::tmpfile();
    int saved = dup(STDOUT_FILENO);
    if (file == nullptr || saved < 0 || dup2(fileno(file), STDOUT_FILENO) < 0) {
        std::perror("redirect");
        return 2;
    }
    report<<<2, 32>>>(7, 1.25f);
    hipError_t launched = hipGetLastError(), done = hipDeviceSynchronize();
    std::fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    HIP_CHECK(launched);
    HIP_CHECK(done);

    std::rewind(file);
    std::string text;
    char chunk[256];
    size_t got;
    while ((got = std::fread(chunk, 1, sizeof chunk, file)) > 0) {
        text.append(chunk, got);
    }
    std::fclose(file);
    std::string first =
        "n=7 x=1.25 c=z s=text p=1099511627776 warp=" + std::to_string(device_warp_size()) + "\n";
    auto count = [&](const std::string &wanted) {
        int times = 0;
        for (size_t at = 0; (at = text.find(wanted, at)) != std::string::npos; at++) {
            times++;
        }
        return times;
    };
    EXPECT_EQ(count(first), 2);
    EXPECT_EQ(count("plain line\n"), 1);
    for (unsigned block = 0; block < 2; block++) {
        for (unsigned thread = 0; thread < 32; thread += 10) {
            EXPECT_EQ(count("thread " + std::to_string(thread) + " of block " +
                            std::to_string(block) + "\n"),
                      1);
        }
    }
    return finish();
}
