/* The contract between code that `lower` produces and the cpu platform's runtime (libwghip.so).
 *
 * `lower` knows these structs by their layout (offsetof), so a change here is a change of both
 * sides; WG_CPU_ABI is checked when a module registers.
 *
 * Theory. One student file becomes one shared library. Its host code is what clang made of it,
 * except that every kernel stub now packs its arguments and calls wg_cpu_launch. Its device code is
 * x86-64 code that finds its thread through wg_self, and its shared memory at wg_self->shared plus
 * an offset that lower assigned, laid out like a GPU's LDS: static arrays first, then the dynamic
 * part. A kernel that can never wait comes with a loop over the threads of a block (run_block);
 * every kernel comes with an entry for one thread (run_thread), which the runtime runs on a fiber.
 *
 * A fiber never moves to another operating system thread, so wg_self may be cached by the compiler
 * within a function; the runtime sets it before it resumes a fiber. */
#ifndef WG_CPU_ABI_H
#define WG_CPU_ABI_H

#include <stddef.h>
#include <stdint.h>

#define WG_CPU_ABI 2

struct wg_cpu_dim3 {
    uint32_t x, y, z;
};

/* One GPU thread. */
struct wg_cpu_thread {
    struct wg_cpu_dim3 thread_idx, block_idx, block_dim, grid_dim;
    char *shared;       /* the block's shared memory */
    uint32_t flat;      /* thread index in the block: x + bx*(y + by*z) */
    uint32_t warp_size; /* 64 or 32 */
    /* Written by run_thread and run_block, never by the runtime: where dynamic shared memory
     * starts, for device functions that several kernels use. */
    uint32_t dynamic_shared_offset;
};
extern _Thread_local struct wg_cpu_thread *wg_self __attribute__((tls_model("initial-exec")));

/* What an access, barrier or local variable is, in the student's source. Constant data of the
 * module. */
enum wg_cpu_object {
    WG_OBJECT_UNKNOWN = 0, /* base is NULL: find it by address */
    WG_OBJECT_PARAM,       /* base is the value of a pointer parameter: the access must stay inside
                              the allocation that this value points into */
    WG_OBJECT_SHARED,      /* base..base+object_bytes is one __shared__ array */
    WG_OBJECT_DYNAMIC,    /* base is the start of dynamic shared memory; its size is the launch's */
    WG_OBJECT_LOCAL,      /* base..base+object_bytes is a local variable of this thread */
    WG_OBJECT_DEVICE_VAR, /* __device__ variable */
    WG_OBJECT_CONSTANT,   /* __constant__ variable */
};

/* Or'ed into wg_cpu_site.object_kind where they are known; without them the checker assumes less.
 * VOLATILE: the source says volatile; on global memory the checker then takes the access for a
 * flag of a home-made hand-over, not for a race. RESULT_UNUSED: nobody looks at what an atomic
 * returns, so its thread learns nothing about other threads. NO_READ: an atomic that does not
 * depend on the old value (a store, an exchange whose result is unused). NO_WRITE: an atomic load.
 */
enum wg_cpu_site_flag {
    WG_SITE_VOLATILE = 0x100,
    WG_SITE_RESULT_UNUSED = 0x200,
    WG_SITE_NO_READ = 0x400,
    WG_SITE_NO_WRITE = 0x800,
    WG_SITE_KIND_MASK = 0xff,
    /* Sites of copies only: (object_kind >> SHIFT) & 0xff is log2 of the alignment relied on. */
    WG_SITE_ALIGN_SHIFT = 16,
};

struct wg_cpu_site {
    const char *file; /* as named in the student's source; innermost frame outside our headers */
    uint32_t line, column;
    const char *function;   /* enclosing device function, mangled */
    const char *object;     /* name of the variable or parameter, or NULL */
    uint64_t object_bytes;  /* of a wait, which has no object: its place in the order of the code */
    uint32_t object_kind;   /* enum wg_cpu_object, with bits of enum wg_cpu_site_flag */
    uint32_t element_bytes; /* of the object, for indices; 0 when not known */
};

struct wg_cpu_param {
    uint32_t offset, bytes; /* in the argument pack */
    uint32_t is_pointer;
    uint32_t pad;
    const char *name; /* from the source, or NULL */
};

struct wg_cpu_shared_var {
    const char *name;
    uint32_t offset, bytes;
};

struct wg_cpu_kernel {
    const char *name;               /* mangled */
    const void *handle;             /* address that host code knows the kernel by */
    void (*run_thread)(void *pack); /* body for *wg_self */
    /* Body for all threads of the block whose first thread is *wg_self, in rising order; NULL when
     * the kernel may wait (barrier, wave operation, unknown call). */
    void (*run_block)(void *pack);
    uint32_t static_shared_bytes; /* dynamic shared memory starts here, 16-byte aligned */
    uint32_t max_threads;         /* from __launch_bounds__, or 0 */
    uint32_t pack_bytes;
    uint32_t param_count;
    const struct wg_cpu_param *params;
    const struct wg_cpu_shared_var *shared_vars;
    uint32_t shared_var_count;
    uint32_t may_wait;
    const struct wg_cpu_site *declared_at;
};

/* __device__, __constant__ and managed variables. Behind the name of one, host code has a variable
 * of its own, the shadow, which is good for nothing but to say which variable is meant; managed
 * ones have none, since both sides use the same memory. Those that host code cannot name (static
 * locals of device functions, string literals) are listed too, so that the checker knows their
 * memory. */
struct wg_cpu_variable {
    const char *name;
    void *address;
    const void *shadow; /* or NULL */
    uint64_t bytes;
    uint32_t is_constant;
    uint32_t is_managed; /* host code may touch it as well */
};

struct wg_cpu_module {
    uint32_t abi; /* WG_CPU_ABI */
    uint32_t checked;
    const struct wg_cpu_kernel *kernels;
    uint64_t kernel_count;
    const struct wg_cpu_variable *variables;
    uint64_t variable_count;
};

/* Called by the module's constructor / destructor. */
void wg_cpu_module_register(const struct wg_cpu_module *module);
void wg_cpu_module_unregister(const struct wg_cpu_module *module);

/* Body of every kernel stub: takes the configuration pushed by <<<>>> and launches. */
void wg_cpu_launch_stub(const struct wg_cpu_kernel *kernel, void *pack);

/* Host code is about to use a shadow as if it were the variable. */
enum wg_cpu_host_use { WG_HOST_READ, WG_HOST_WRITE, WG_HOST_TO_KERNEL };
void wg_cpu_host_touch(const void *shadow, enum wg_cpu_host_use use,
                       const struct wg_cpu_site *site);

/* ---- What device code calls. `site` is added by lower; the headers declare the forms without.
 * ---- In headers:  extern "C" __device__ void __wg_barrier(void);   lower calls
 * wg_cpu_barrier(&site). */
void wg_cpu_barrier(const struct wg_cpu_site *site);
/* op: 0 count, 1 and, 2 or */
int wg_cpu_barrier_reduce(int op, int predicate, const struct wg_cpu_site *site);
/* Wave operations: every lane that takes part calls with its value; the result for this lane comes
 * back. mask: lanes named by the caller (all ones for the maskless forms). */
void wg_cpu_warp_barrier(uint64_t mask, const struct wg_cpu_site *site);
uint64_t wg_cpu_ballot(uint64_t mask, int predicate, const struct wg_cpu_site *site);
uint64_t wg_cpu_activemask(const struct wg_cpu_site *site);
/* mode: 0 idx, 1 up, 2 down, 3 xor. Values travel as 64 bits. */
uint64_t wg_cpu_shuffle(int mode, uint64_t mask, uint64_t value, int lane_or_delta, int width,
                        const struct wg_cpu_site *site);
/* The end of a round of a loop, see rejoin.h. */
void wg_cpu_rejoin(const struct wg_cpu_site *site);
/* Cooperative grid. */
void wg_cpu_grid_barrier(const struct wg_cpu_site *site);
int wg_cpu_grid_is_cooperative(void);
/* malloc and free in kernels: NULL when the device has no more. */
void *wg_cpu_heap_alloc(uint64_t bytes);
void wg_cpu_heap_free(void *object);

/* ---- Checked build: called before each access. -------------------------------------------------
 * base: see enum wg_cpu_object. The result is the address to use: p itself, or a harmless one when
 * the access may not be executed. value: the bits about to be stored (up to 16 bytes; 0 beyond), so
 * that writes of the same value are told apart. Volatile accesses are ordinary ones here. */
void *wg_check_read(void *p, const void *base, uint64_t bytes, uint64_t align,
                    const struct wg_cpu_site *site);
void *wg_check_write(void *p, const void *base, uint64_t bytes, uint64_t align, uint64_t value_low,
                     uint64_t value_high, const struct wg_cpu_site *site);
void *wg_check_atomic(void *p, const void *base, uint64_t bytes, uint64_t align,
                      const struct wg_cpu_site *site);
/* A fence that is wider than the block; also before an atomic that releases. */
void wg_check_fence(void);
/* After an atomic that may have taken a lock, in a loop that waits for it. round: how often the
 * loops around that one have been run through. */
void wg_check_lock(const void *p, uint32_t taken, uint32_t round, const struct wg_cpu_site *site);
/* memcpy/memmove and memset in device code: done by the runtime, bounded. */
void wg_check_copy(void *dst, const void *dst_base, const void *src, const void *src_base,
                   uint64_t bytes, const struct wg_cpu_site *dst_site,
                   const struct wg_cpu_site *src_site);
void wg_check_fill(void *dst, const void *base, int byte, uint64_t bytes,
                   const struct wg_cpu_site *site);
/* A struct of at most 64 words comes from memory into a local variable, or goes back, in one
 * access. Like wg_check_read and wg_check_write, but copying is not reading: bit i of *written (of
 * written) tells whether the i-th 4-byte word, counted from src (dst), was ever written. Only when
 * none of a source is written is that a finding; *written is all ones then, so that it is told
 * once. */
void *wg_check_copy_in(const void *src, const void *base, uint64_t bytes, uint64_t align,
                       uint64_t *written, const struct wg_cpu_site *site);
void *wg_check_copy_out(void *dst, const void *base, uint64_t bytes, uint64_t align,
                        uint64_t value_low, uint64_t value_high, uint64_t written,
                        const struct wg_cpu_site *site);

/* A local variable that may be read before it is written comes to life: its bytes are undefined. */
/* Also called right before a copy from elsewhere that fills a whole variable. */
void wg_check_local(void *p, uint64_t bytes, const struct wg_cpu_site *site);
/* Local variables whose address never leaves their function are judged by generated code, so that
 * the optimizer can drop what is provably right; these two only report. offset: bytes from the
 * start of the variable that site->object names. They return, and the access goes to a harmless
 * place. */
void wg_check_local_bounds(int64_t offset, uint64_t bytes, int is_write,
                           const struct wg_cpu_site *site);
void wg_check_local_undefined(int64_t offset, uint64_t bytes, const struct wg_cpu_site *site);

/* ---- Environment, read once by the runtime's constructor and then removed. ----------------------
 * WG_CPU_BLOCK_ORDER   up (default) | down | shuffle:SEED
 * WG_CPU_THREAD_ORDER  up (default) | down
 * WG_CPU_WARP_SIZE     64 (default) | 32
 * WG_CPU_WORKERS       worker threads; default: processors available. The checked build uses 1.
 * WG_CPU_REPORT_FD     descriptor of the struct wg_report file; none: findings go to standard error
 */

#endif
