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
#define WG_FD_TAKEN   5 /* shared file, read-write: images of all buffers after the call, samples */
#define WG_FD_REPORT  6 /* shared file, read-write: struct wg_report (sandbox/platform/report.h) */

/* GIVEN and TAKEN have their final size before the harness starts (they may be sparse): it maps
 * them once and closes the descriptors. A socket that is closed by the parent means WG_OP_QUIT.
 *
 * Files inside the jail. A golden library is the student of its own process. The harness takes
 * other paths as arguments: harness [STUDENT.so [BASELINE.so]]. */
#define WG_JAIL_STUDENT  "/job/student.so"
#define WG_JAIL_BASELINE "/job/baseline.so"

#define WG_PROTOCOL_MAGIC 0x77673031u /* "wg01" */
#define WG_MAX_ARGS       16
#define WG_MAX_SAMPLES    1024

enum wg_op {
    WG_OP_LOAD = 1, /* open subject's library, resolve its entry, say what the device is */
    WG_OP_RUN,      /* one call on the given images */
    WG_OP_TIME,     /* warm-ups and measured calls */
    WG_OP_QUIT,
};

enum wg_subject { WG_SUBJECT_STUDENT = 0, WG_SUBJECT_BASELINE = 1 };

enum wg_entry_kind {
    WG_ENTRY_LAUNCHER = 1, /* a host function with the assignment's parameters */
    WG_ENTRY_KERNEL = 2,   /* a kernel handle, launched with the request's shape */
    WG_ENTRY_GOLDEN = 3,   /* a host function over host memory: the reference, in its own process */
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

/* A buffer's image in the shared files: guard_bytes, then bytes, then guard_bytes. The harness
 * allocates device memory for the whole image, copies the image in, passes the address behind the
 * first guard, and copies the whole image out after the call, to the same offset. */
struct wg_arg {
    uint8_t kind;  /* enum wg_arg_kind */
    uint8_t type;  /* enum wg_type, of the scalar or of an element */
    uint8_t flags; /* WG_ARG_UNDEFINED */
    uint8_t pad[5];
    union {
        int64_t i;
        double f;
    } value;              /* scalars */
    uint64_t offset;      /* buffers: where the image starts in the shared files */
    uint64_t bytes;       /* without guards */
    uint64_t guard_bytes; /* a multiple of 256, or 0 where the platform checks bounds itself */
};

/* Device buffers live on after a call, and a later call with an argument of the same size gets the
 * same address, unless this is set: then every buffer has an address that it did not have before.
 */
#define WG_REQUEST_FRESH 1u

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
    uint32_t warmups, repeats; /* WG_OP_TIME */
    uint64_t budget_ns;        /* WG_OP_TIME: stop measuring after this, but not before 5 samples */
    uint64_t samples_offset;   /* WG_OP_TIME: double[repeats] of milliseconds goes here in TAKEN */
    uint32_t flags;            /* WG_REQUEST_FRESH */
    uint32_t pad;
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
    uint32_t sample_count;                   /* TIME */
    uint64_t call_ns;                        /* RUN: host time of call and synchronization */
};

#endif
