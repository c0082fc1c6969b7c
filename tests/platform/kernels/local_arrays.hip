// Arrays and structs that a thread keeps for itself, indexed at run time and passed by pointer.
#include "expect.h"

__device__ void insertion_sort(int *values, int n) {
    for (int i = 1; i < n; i++) {
        int moving = values[i], j = i - 1;
        while (j >= 0 && values[j] > moving) {
            values[j + 1] = values[j];
            j--;
        }
        values[j + 1] = moving;
    }
}

__global__ void median_of_window(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    int window[5];
    for (int k = 0; k < 5; k++) {
        int at = min(max(i + k - 2, 0), n - 1);
        window[k] = in[at];
    }
    insertion_sort(window, 5);
    out[i] = window[2];
}

struct Stack {
    int values[16];
    int depth;
    __device__ void push(int x) { values[depth++] = x; }
    __device__ int pop() { return values[--depth]; }
};

// Sum of the tree of halves, with a stack of its own instead of recursion.
__global__ void halves(int *out) {
    Stack stack;
    stack.depth = 0;
    stack.push((int)threadIdx.x);
    int sum = 0;
    while (stack.depth > 0) {
        int x = stack.pop();
        sum += x;
        if (x > 1) {
            stack.push(x / 2);
            stack.push(x / 4);
        }
    }
    out[threadIdx.x] = sum;
}
static int halves_here(int x) {
    return x > 1 ? x + halves_here(x / 2) + halves_here(x / 4) : x;
}

__global__ void matrix_power(const float *in, float *out, int power) {
    float m[3][3], result[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 9; i++) {
        m[i / 3][i % 3] = in[threadIdx.x * 9 + i];
    }
    for (int k = 0; k < power; k++) {
        float next[3][3];
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                float sum = 0;
                for (int j = 0; j < 3; j++) {
                    sum += result[r][j] * m[j][c];
                }
                next[r][c] = sum;
            }
        }
        for (int i = 0; i < 9; i++) {
            result[i / 3][i % 3] = next[i / 3][i % 3];
        }
    }
    for (int i = 0; i < 9; i++) {
        out[threadIdx.x * 9 + i] = result[i / 3][i % 3];
    }
}

// Only some elements are written, and only those are read.
__global__ void sparse(int *out) {
    int few[8], i = threadIdx.x;
    few[i % 8] = i;
    few[(i + 3) % 8] = 2 * i;
    out[i] = few[i % 8] + few[(i + 3) % 8];
}

__global__ void bytes(unsigned *out) {
    unsigned char raw[4];
    for (int k = 0; k < 4; k++) {
        raw[k] = (unsigned char)(threadIdx.x + k);
    }
    unsigned word;
    memcpy(&word, raw, sizeof word);
    out[threadIdx.x] = word;
}

int main() {
    const int n = 300;
    std::vector<int> numbers(n);
    for (int i = 0; i < n; i++) {
        numbers[i] = i * 53 % 97;
    }
    Buffer<int> in(numbers), out(n);
    median_of_window<<<3, 128>>>(in, out, n);
    expect_launched();
    expect_all("median", out.get(), [&](int i) {
        std::vector<int> w;
        for (int k = -2; k <= 2; k++) {
            w.push_back(numbers[std::min(std::max(i + k, 0), n - 1)]);
        }
        for (int a = 0; a < 5; a++) {
            int smaller = 0, equal = 0;
            for (int b = 0; b < 5; b++) {
                smaller += w[b] < w[a];
                equal += w[b] == w[a];
            }
            if (smaller <= 2 && smaller + equal > 2) {
                return w[a];
            }
        }
        return -1;
    });

    Buffer<int> sums(200);
    halves<<<1, 200>>>(sums);
    expect_launched();
    expect_all("halves", sums.get(), halves_here);

    std::vector<float> matrices(9 * 32);
    for (int t = 0; t < 32; t++) {
        for (int i = 0; i < 9; i++) {
            matrices[9 * t + i] = i % 4 == 0 ? 2.0f : 0.0f;
        }
        matrices[9 * t + 1] = (float)t;
    }
    Buffer<float> dm(matrices), powers(9 * 32);
    matrix_power<<<1, 32>>>(dm, powers, 3);
    expect_launched();
    expect_all("matrix_power", powers.get(), [](int i) {
        return i % 9 % 4 == 0 ? 8.0f : i % 9 == 1 ? 12.0f * (i / 9) : 0.0f;
    });

    Buffer<int> few(64);
    sparse<<<1, 64>>>(few);
    expect_launched();
    expect_all("sparse", few.get(), [](int i) { return 3 * i; });

    Buffer<unsigned> words(64);
    bytes<<<1, 64>>>(words);
    expect_launched();
    expect_all("bytes", words.get(), [](int i) {
        return (unsigned)(i | (i + 1) << 8 | (i + 2) << 16) | (unsigned)(i + 3) << 24;
    });
    return finish();
}
