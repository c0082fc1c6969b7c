/* Compiles a submission (or a reference) for a platform, inside the jail.
 *
 * A build is data that owns a private folder with the artefacts; wg_build_done removes it. That a
 * student's file does not compile is an answer (verdict BUILD_ERROR or TIMEOUT/MEMORY_LIMIT turned
 * into BUILD_ERROR with a sentence), never an error. */
#ifndef WG_BUILD_H
#define WG_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "grader/base/verdict.h"
#include "grader/manifest/manifest.h"
#include "grader/result/result.h"

struct wg_diagnostic {
    char *file;       /* as the student names it */
    int line, column; /* 0: not known */
    char *severity;   /* "error", "warning", "note" */
    char *message;    /* cleaned UTF-8 */
};

/* What to compile for. Borrowed strings. */
struct wg_build_target {
    const char *platform; /* "cpu", "amd", "nvidia" */
    const char *arches;   /* "gfx90a,gfx942"; NULL: the platform's own choice */
    bool facts_only;      /* no library and no entry: only what the compiler tells of each kernel */
    const char *cache;    /* folder of compiled submissions, so that the same is not compiled twice;
                             NULL: none is kept */
};

struct wg_build {
    enum wg_verdict verdict; /* PASS, BUILD_ERROR, POLICY_VIOLATION, or GRADER_ERROR where
                                the platform lacks what the file uses */
    char *sentence;          /* why, for people, when not PASS */
    char *folder;            /* job folder with library and checked_library, or NULL */
    char *library;           /* path of the plain build; NULL when not PASS */
    char *checked_library;   /* path of the checked build; NULL where the platform has none */
    enum wg_entry_kind entry_kind;
    char entry_symbol[256];
    char *entry_name; /* as the student wrote it */
    char *resources;  /* facts of each kernel as a table (resources.h); NULL: none */
    char *command;    /* as shown to people: compiler and flags, no machine paths */
    int64_t wall_ns;
    struct wg_diagnostic *diagnostics; /* errors first, at most 50 */
    size_t diagnostic_count;
    char *log; /* compiler's words, cleaned and bounded (64 KiB) */
};

/* source: the bytes of the file; file_name: how it is called for the student. manifest: may be NULL
 * with facts_only. Errors: WG_EUNSUPPORTED when this installation has no compiler for the target.
 */
enum wg_code wg_build_source(const struct wg_build_target *target,
                             const struct wg_manifest *manifest, const char *file_name,
                             const void *source, size_t source_len, struct wg_build *out,
                             struct wg_err *err);

/* A reference of the assignment (naive.hip, tuned.hip), from the cache where possible. A reference
 * that does not compile is WG_EPARSE: the assignment's fault. */
enum wg_code wg_build_reference(const struct wg_build_target *target,
                                const struct wg_manifest *manifest, const char *file_name,
                                struct wg_build *out, struct wg_err *err);

/* The kernels that measuring needs (reference/probe), from the cache where possible. */
enum wg_code wg_build_probe(const struct wg_build_target *target, struct wg_build *out,
                            struct wg_err *err);

/* golden.c, compiled as plain C; from the cache where possible. */
enum wg_code wg_build_golden(const struct wg_manifest *manifest, struct wg_build *out,
                             struct wg_err *err);

/* A build as part of a result: what was done, what the compiler said, facts of kernels. The verdict
 * stays the caller's. */
void wg_build_describe(const struct wg_build *build, const char *platform,
                       struct wg_result *result);

/* Whether this installation can compile for a platform at all. */
bool wg_build_has_platform(const char *platform);

void wg_build_done(struct wg_build *build);

#endif
