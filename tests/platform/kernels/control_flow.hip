// Branches, loops of different length, switches, early returns where no barrier follows.
#include "expect.h"

__global__ void collatz(const int *start, int *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    long long x = start[i];
    int count = 0;
    while (x != 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        count++;
    }
    steps[i] = count;
}

__global__ void choose(const int *in, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int x = in[i], result;
        switch (x % 7) {
        case 0:
            result = x;
            break;
        case 1:
        case 2:
            result = -x;
            break;
        case 3:
            if (x > 50) {
                continue;
            }
            result = 3;
            break;
        default:
            result = x % 7 == 4 ? 44 : 99;
        }
        out[i] = result;
    }
}
static int choose_here(int x) {
    switch (x % 7) {
    case 0:
        return x;
    case 1:
    case 2:
        return -x;
    case 3:
        return x > 50 ? -1 : 3;
    default:
        return x % 7 == 4 ? 44 : 99;
    }
}

__global__ void first_divisor(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
    if (i < n) {
        int found = i;
        for (int d = 2; d * d <= i; d++) {
            if (i % d == 0) {
                found = d;
                break;
            }
        }
        out[i] = found;
    }
}

__global__ void nested(int *out, int n) {
    int i = threadIdx.x, total = 0;
    for (int a = 0; a < i % 5; a++) {
        for (int b = a; b < n; b++) {
            if (b == i) {
                goto next;
            }
            total += a * b;
        }
    next:
        total++;
    }
    out[i] = total;
}

int main() {
    const int n = 500;
    std::vector<int> numbers(n);
    for (int i = 0; i < n; i++) {
        numbers[i] = i + 1;
    }
    Buffer<int> in(numbers), out(n);
    collatz<<<4, 128>>>(in, out, n);
    expect_launched();
    expect_all("collatz", out.get(), [](int i) {
        int steps = 0;
        for (long long x = i + 1; x != 1; x = x % 2 ? 3 * x + 1 : x / 2) {
            steps++;
        }
        return steps;
    });

    HIP_CHECK(hipMemset(out, 0xff, n * sizeof(int)));
    choose<<<2, 64>>>(in, out, n);
    expect_launched();
    expect_all("choose", out.get(), [](int i) { return choose_here(i + 1); });

    out.zero();
    first_divisor<<<4, 128>>>(out, n);
    expect_launched();
    expect_all("first_divisor", out.get(), [](int i) {
        for (int d = 2; d * d <= i; d++) {
            if (i % d == 0) {
                return d;
            }
        }
        return i < 2 ? 0 : i;
    });

    Buffer<int> totals(64);
    nested<<<1, 64>>>(totals, 20);
    expect_launched();
    expect_all("nested", totals.get(), [](int i) {
        int total = 0;
        for (int a = 0; a < i % 5; a++) {
            for (int b = a; b < 20 && b != i; b++) {
                total += a * b;
            }
            total++;
        }
        return total;
    });
    return finish();
}
