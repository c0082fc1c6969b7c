/* The language between the trusted parent (grader/check) and the measured process (harness).
 *
 * The parent sends fixed-size requests over a SOCK_SEQPACKET socket and gets one fixed-size reply
 * for each; bulk data lies in two shared files that the parent made. The parent believes nothing: a
 * reply is checked field by field, and every number that matters (outputs, guard zones, inputs
 * after the call) is compared in the parent on bytes that it copies out first.
 *
 * Descriptors of the harness: */
#ifndef WG_HARNESS_PROTOCOL_H
#define WG_HARNESS_PROTOCOL_H

#include <stdint.h>

#define WG_FD_CONTROL 3 /* the socket */
#define WG_FD_GIVEN   4 /* shared file, read-only inside: images of all buffers before the call */
#define WG_FD_TAKEN   5 /* shared file, read-write: images or parts of buffers after the call */
#define WG_FD_REPORT  6 /* shared file, read-write: struct wg_report (sandbox/platform/report.h) */

/* GIVEN and TAKEN have their final size before the harness starts (they may be sparse): it maps
 * them once and closes the descriptors. A socket that is closed by the parent means WG_OP_QUIT.
 *
 * Files inside the jail. A golden library is the student of its own process. The harness takes
 * other paths as arguments: harness [STUDENT.so [BASELINE.so [PROBE.so]]]. */
#define WG_JAIL_STUDENT  "/job/student.so"
#define WG_JAIL_BASELINE "/job/baseline.so"
#define WG_JAIL_PROBE    "/job/probe.so"

#define WG_PROTOCOL_MAGIC 0x77673031u /* "wg01" */
#define WG_MAX_ARGS       16
#define WG_MAX_RANGES     64
#define WG_MAX_SETS       4

enum wg_op {
    WG_OP_LOAD = 1, /* open subject's library, resolve its entry, say what the device is */
    WG_OP_RUN,      /* one call on the given images */
    /* A measured call in three steps, so that the parent's own clock sees the call alone, and that
     * it can choose what to look at after the call: */
    WG_OP_STAGE, /* arguments are made on the device, caches are emptied, all work is waited for */
    WG_OP_TIME,  /* the staged call, once, between two events */
    WG_OP_TAKE,  /* parts of the staged buffers into TAKEN */
    WG_OP_QUIT,
};

/* The probe (probe.hip) is ours: what the harness itself needs kernels for. BLAS is the vendor's
 * sgemm, where the machine has it; it has no library of ours and no symbol. */
enum wg_subject {
    WG_SUBJECT_STUDENT = 0,
    WG_SUBJECT_BASELINE = 1,
    WG_SUBJECT_PROBE = 2,
    WG_SUBJECT_BLAS = 3,
    WG_SUBJECT_COUNT = 4,
};

enum wg_entry_kind {
    WG_ENTRY_LAUNCHER = 1, /* a host function with the assignment's parameters */
    WG_ENTRY_KERNEL = 2,   /* a kernel handle, launched with the request's shape */
    WG_ENTRY_GOLDEN = 3,   /* a host function over host memory: the reference, in its own process */
    WG_ENTRY_BLAS = 4,     /* c[m x n] = a[m x k] * b[k x n]; arguments a, b, c, m, n, k */
};

enum wg_type {
    WG_TYPE_I32 = 1,
    WG_TYPE_U32,
    WG_TYPE_I64,
    WG_TYPE_U64,
    WG_TYPE_F32,
    WG_TYPE_F64,
    WG_TYPE_I8,
    WG_TYPE_U8
};

enum wg_arg_kind { WG_ARG_SCALAR = 1, WG_ARG_BUFFER = 2 };

/* The contents before the call are undefined: nothing is copied in, so that a platform that tracks
 * initialization sees reads of outputs. Set for outputs of the checked build (with
 * WG_REQUEST_FRESH) and of golden(). */
#define WG_ARG_UNDEFINED 1u
/* STAGE: every byte of the image becomes WG_POISON_BYTE (a NaN in every floating type), and then,
 * with WG_ARG_FILL, the elements random numbers of a seed, all alike or (WG_ARG_SKEWED) the lower
 * the more often; with WG_ARG_ABSOLUTE their magnitudes.
 * Without either, the buffer is a scratch buffer whose contents do not matter. */
#define WG_ARG_POISON   2u
#define WG_ARG_FILL     4u
#define WG_ARG_ABSOLUTE 8u
#define WG_ARG_SKEWED   16u
#define WG_POISON_BYTE  0xff

/* A buffer's image in the shared files: guard_bytes, then bytes, then guard_bytes. The harness
 * allocates device memory for the whole image, copies the image in, passes the address behind the
 * first guard, and copies the whole image out after the call, to the same offset. */
struct wg_arg {
    uint8_t kind;  /* enum wg_arg_kind */
    uint8_t type;  /* enum wg_type, of the scalar or of an element */
    uint8_t flags; /* WG_ARG_... */
    uint8_t pad[5];
    union {
        int64_t i;
        double f;
    } value;              /* scalars */
    uint64_t offset;      /* buffers: where the image starts in the shared files */
    uint64_t bytes;       /* without guards */
    uint64_t guard_bytes; /* a multiple of 256, or 0 where the platform checks bounds itself */
    uint64_t seed;        /* WG_ARG_FILL: in [low, high); uniform and never 0, or skewed */
    double low, high;
};

/* A part of a staged buffer's image (offsets count from the first guard) and where it goes. */
struct wg_range {
    uint32_t arg, pad;
    uint64_t offset, bytes;
    uint64_t to; /* offset in TAKEN */
};

/* Device buffers live on after a call, and a later call with an argument of the same size gets the
 * same address, unless this is set: then every buffer has an address that it did not have before.
 */
#define WG_REQUEST_FRESH 1u
/* STAGE: buffers of earlier calls are given back first. */
#define WG_REQUEST_ALONE 2u

struct wg_request {
    uint32_t magic;
    uint32_t op;
    uint32_t subject;
    uint32_t entry_kind;
    char symbol[256]; /* of the entry, for WG_OP_LOAD */
    uint32_t arg_count;
    uint32_t shared_bytes;      /* dynamic shared memory of a bare kernel */
    uint32_t grid[3], block[3]; /* launch shape of a bare kernel */
    struct wg_arg args[WG_MAX_ARGS];
    uint32_t flags;       /* WG_REQUEST_... */
    uint32_t set;         /* STAGE, TAKE: which of several sets of buffers */
    uint64_t flush_bytes; /* STAGE: as much is read through the caches afterwards */
    uint32_t range_count; /* TAKE */
    uint32_t pad;
    struct wg_range ranges[WG_MAX_RANGES];
};

enum wg_status {
    WG_STATUS_OK = 1,
    WG_STATUS_LOAD_FAILED, /* text: the loader's words */
    WG_STATUS_NO_DEVICE,
    WG_STATUS_HIP_ERROR,    /* the submission left an error behind: hip_error, text */
    WG_STATUS_SETUP_FAILED, /* the harness could not allocate or copy: not the student's doing */
    WG_STATUS_BAD_REQUEST,
};

struct wg_reply {
    uint32_t magic;
    uint32_t op; /* of the request that is answered */
    uint32_t status;
    int32_t hip_error; /* hipError_t seen after the call, 0 when none */
    char hip_error_name[64];
    char text[256];                          /* LOAD: name of the device; failures: what happened */
    char arch[64];                           /* LOAD */
    int32_t runtime_version, driver_version; /* LOAD */
    uint32_t warp_size;                      /* LOAD */
    uint32_t pad;
    uint64_t memory_bytes, cache_bytes; /* LOAD: of the device; 0: none */
    uint64_t call_ns;                   /* RUN: host time of call and synchronization */
    double event_ms;                    /* TIME: between the events */
    uint64_t left_ns;  /* TIME: host time until nothing ran any more, after the second event */
    int64_t others_ns; /* TIME: processor time of other threads while nothing was asked */
};

#endif
