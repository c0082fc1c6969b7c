// What courses use of C++ on the host: containers, random numbers, locks, exceptions.
#include <hip/hip_runtime.h>
#include <algorithm>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

__global__ void vadd(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static std::mutex lock;
static std::once_flag once;
static std::map<std::string, int> block_sizes;

static int block_size(const std::string &name) {
    auto found = block_sizes.find(name);
    if (found == block_sizes.end()) throw std::out_of_range("no block size " + name);
    return found->second;
}

extern "C" void vector_add(const float *a, const float *b, float *c, int n) {
    std::call_once(once, [] {
        std::mt19937 random(std::random_device{}());
        std::vector<int> sizes = {64, 128, 256};
        std::shuffle(sizes.begin(), sizes.end(), random);
        std::sort(sizes.begin(), sizes.end());
        block_sizes["vadd"] = sizes.back();
        srand((unsigned)time(nullptr));
    });
    std::lock_guard<std::mutex> guard(lock);
    int size = 0;
    try {
        size = block_size(rand() % 2 ? "none" : "vadd");
    } catch (const std::out_of_range &error) {
        std::ostringstream words;
        words << error.what() << ": " << std::hash<std::string>{}("vadd") % 2;
        size = strlen(words.str().c_str()) > 0 ? 256 : 0;
    }
    auto blocks = std::make_unique<int>((n + size - 1) / size);
    vadd<<<*blocks, size>>>(a, b, c, n);
}
