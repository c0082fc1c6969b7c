/* What the cpu platform's runtime tells the parent about a run: a shared file that both map.
 *
 * It is written as things happen, so it survives a crash, a kill or a time-out of the process that
 * wrote it. The writer shares its address space with student code, so the reader must treat every
 * field as hostile: bounded strings, checked counts, enums in range. A forged report can only lose
 * findings; verdicts about numbers never come from here. */
#ifndef WG_PLATFORM_REPORT_H
#define WG_PLATFORM_REPORT_H

#include <stdint.h>

#define WG_REPORT_MAGIC        0x77677270u
#define WG_REPORT_MAX_FINDINGS 64
#define WG_REPORT_MAX_COUNTERS 256

enum wg_finding_kind {
    WG_FINDING_OUT_OF_BOUNDS = 1, /* any access outside what its pointer may reach */
    WG_FINDING_MISALIGNED,
    WG_FINDING_USE_AFTER_FREE,
    WG_FINDING_HOST_POINTER, /* a kernel followed a pointer to host memory */
    WG_FINDING_NULL_POINTER,
    WG_FINDING_DATA_RACE,
    WG_FINDING_WARP_SYNC,  /* relies on lanes running in step: a warning */
    WG_FINDING_SAME_VALUE, /* several threads write the same value: a note */
    WG_FINDING_UNINITIALIZED_READ,
    WG_FINDING_UNWRITTEN_OUTPUT,
    WG_FINDING_BARRIER_DIVERGENCE, /* different threads at different barriers, or some gone */
    WG_FINDING_EARLY_EXIT_BARRIER, /* some returned, all the others reach the same barrier */
    WG_FINDING_DEADLOCK,
    WG_FINDING_CONSTANT_WRITE,
    WG_FINDING_HOST_ACCESS,  /* host code touched device memory */
    WG_FINDING_LAUNCH_ERROR, /* a launch that a GPU refuses: which limit */
    WG_FINDING_API_MISUSE,   /* a HIP call failed, or would on a GPU */
    WG_FINDING_FAULT,        /* a signal inside a kernel or a launcher */
};

enum wg_severity { WG_SEVERITY_ERROR = 1, WG_SEVERITY_WARNING, WG_SEVERITY_NOTE };

/* A place in a student's source and the GPU thread that was there. block[0] is UINT32_MAX when no
 * thread is meant (host code). */
struct wg_place {
    char file[64];
    uint32_t line, column; /* 0: not known */
    char function[96];     /* kernel or device function, demangled */
    uint32_t block[3], thread[3];
};

struct wg_finding_record {
    uint32_t kind, severity;
    struct wg_place at;
    struct wg_place other;  /* the other party of a race or barrier; line 0 when there is none */
    char kernel[96];        /* the launched kernel, demangled */
    char object[64];        /* buffer, array or variable: the parameter's name where it is known */
    int64_t element;        /* index of the element touched; INT64_MIN when not known */
    uint64_t element_count; /* elements of the object; 0 when not known */
    uint32_t access_bytes;
    uint32_t is_write; /* 0 read, 1 write, 2 atomic */
    uint32_t other_is_write;
    uint32_t pad;
    uint64_t occurrences; /* grows while the run goes on */
    char text[320];       /* one plain sentence: what happened, on what, what to do next */
};

/* Deterministic work counters of one kernel (line 0) or of one source line of it. */
struct wg_counter_record {
    char kernel[96];
    char file[64];
    uint32_t line, pad;
    uint64_t launches, threads;
    uint64_t global_loads, global_stores, global_atomics; /* executed by threads */
    uint64_t global_load_bytes, global_store_bytes;       /* asked for by threads */
    uint64_t global_load_segments, global_store_segments; /* 128-byte segments, per wave access */
    uint64_t shared_loads, shared_stores,
        shared_bank_conflicts; /* conflicts: extra cycles, 32 banks */
    uint64_t barriers;
};

struct wg_report {
    uint32_t magic;
    uint32_t checked;  /* 1 when the checked build ran */
    uint64_t launches; /* kernels that really ran */
    uint64_t failed_launches;
    uint64_t host_exit;      /* 1 once the submission called exit() or a relative of it */
    char current_kernel[96]; /* while one runs; for time-outs and crashes */
    uint32_t finding_count;  /* <= WG_REPORT_MAX_FINDINGS; the rest is counted below */
    uint32_t findings_dropped;
    struct wg_finding_record findings[WG_REPORT_MAX_FINDINGS];
    uint32_t counter_count, pad;
    struct wg_counter_record counters[WG_REPORT_MAX_COUNTERS];
};

#endif
