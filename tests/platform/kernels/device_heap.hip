// malloc, free, new and delete in kernels, next to the host's own.
#include "expect.h"

struct Node {
    int value;
    Node *next;
};

struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    __device__ explicit Square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};

__global__ void scratch(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int *list = (int *)malloc(4 * sizeof(int));
        for (int k = 0; k < 4; k++) {
            list[k] = i + k;
        }
        out[i] = list[0] + list[1] + list[2] + list[3];
        free(list);
    }
}

__global__ void objects(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Node *head = nullptr;
        for (int k = 1; k <= 3; k++) {
            head = new Node{i * k, head};
        }
        int sum = 0;
        while (head != nullptr) {
            Node *next = head->next;
            sum += head->value;
            delete head;
            head = next;
        }
        Shape *shape = new Square(i % 7);
        float *many = new float[3]{1.0f, 2.0f, 3.0f};
        out[i] = sum + shape->area() + (int)(many[0] + many[1] + many[2]);
        delete shape;
        delete[] many;
    }
}

// What one launch leaves behind another finds.
__device__ int *kept;
__global__ void keep(int n) {
    kept = (int *)malloc(n * sizeof(int));
}
__global__ void fill(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        kept[i] = 3 * i;
    }
}
__global__ void take(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = kept[i];
    }
}
__global__ void release() {
    free(kept);
}

__global__ void too_much(int *out) {
    out[0] = malloc((size_t)1 << 50) == nullptr;
}

int main() {
    const int n = 5000;
    Buffer<int> out(n);
    std::vector<int> host(10, 1); // the host's own new
    int *plain = new int(5);
    for (int round = 0; round < 3; round++) {
        scratch<<<(n + 127) / 128, 128>>>(out, n);
        expect_launched();
        expect_all("scratch", out.get(), [](int i) { return 4 * i + 6; });
        objects<<<(n + 127) / 128, 128>>>(out, n);
        expect_launched();
        expect_all("objects", out.get(), [](int i) { return 6 * i + (i % 7) * (i % 7) + 6; });
    }
    keep<<<1, 1>>>(n);
    fill<<<(n + 127) / 128, 128>>>(n);
    take<<<(n + 127) / 128, 128>>>(out, n);
    release<<<1, 1>>>();
    expect_launched();
    expect_all("kept", out.get(), [](int i) { return 3 * i; });
    Buffer<int> flag(1);
    too_much<<<1, 1>>>(flag);
    EXPECT_EQ(flag.get()[0], 1);
    EXPECT_EQ(*plain + host[9], 6);
    delete plain;
    return finish();
}
