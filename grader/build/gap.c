#include "grader/build/gap.h"

#include <stdbool.h>
#include <string.h>

#include "grader/base/text.h"

/* How a name that HIP knows begins, and what the platform calls it. */
static const struct {
    const char *prefix, *what;
} gaps[] = {
    {"hipGraph", "graphs"},
    {"hipStreamBeginCapture", "graphs"},
    {"hipStreamEndCapture", "graphs"},
    {"hipStreamCapture", "graphs"},
    {"hipStreamIsCapturing", "graphs"},
    {"hipTexture", "textures"},
    {"hipTexRef", "textures"},
    {"hipCreateTextureObject", "textures"},
    {"hipDestroyTextureObject", "textures"},
    {"hipBindTexture", "textures"},
    {"hipResourceDesc", "textures"},
    {"hipResourceType", "textures"},
    {"hipChannelFormat", "textures"},
    {"hipCreateChannelDesc", "textures"},
    {"tex1D", "textures"},
    {"tex2D", "textures"},
    {"tex3D", "textures"},
    {"hipSurface", "surfaces"},
    {"hipCreateSurfaceObject", "surfaces"},
    {"surf1D", "surfaces"},
    {"surf2D", "surfaces"},
    {"hipArray", "arrays for textures"},
    {"hipMallocArray", "arrays for textures"},
    {"hipMalloc3D", "arrays for textures"},
    {"hipMemcpyToArray", "arrays for textures"},
    {"hipMemcpy2DToArray", "arrays for textures"},
    {"hipMemcpy3D", "arrays for textures"},
    {"hipModule", "modules that are loaded at run time"},
    {"hiprtc", "compilation at run time"},
    {"hip/hiprtc.h", "compilation at run time"},
    {"hipMemPool", "memory pools"},
    {"hipDeviceEnablePeerAccess", "a second device"},
    {"hipMemcpyPeer", "a second device"},
    {"rocwmma/", "matrix instructions"},
    {"__builtin_amdgcn_mfma", "matrix instructions"},
    {"__builtin_amdgcn_wmma", "matrix instructions"},
    {"__builtin_amdgcn_", "this instruction of AMD GPUs"},
};

/* What the compiler says of a name that it does not know, or that is not for device code. */
static bool is_about_unknown_name(const char *message) {
    static const char *const words[] = {
        "unknown type name", "undeclared",        "reference to __host__",
        "file not found",    "no template named", "no type named",
        "no member named",   "is undefined",      "cannot open source file"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(message, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

char *wg_gap_in_words(const char *platform, const char *file_name,
                      const struct wg_diagnostic *diagnostics, size_t count) {
    const struct wg_diagnostic *first = count > 0 ? &diagnostics[0] : NULL;
    if (first == NULL || strcmp(first->severity, "error") != 0 ||
        !is_about_unknown_name(first->message)) {
        return NULL;
    }
    const char *name = strpbrk(first->message, "'\""); /* clang's quotes, nvcc's quotes */
    const char *stop = name != NULL ? strchr(name + 1, *name) : NULL;
    name += name != NULL;
    for (size_t i = 0; stop != NULL && i < sizeof gaps / sizeof *gaps; i++) {
        if (strncmp(name, gaps[i].prefix, strlen(gaps[i].prefix)) == 0) {
            return wg_strf("Not graded, through no fault of the submission: %s uses %.*s in line "
                           "%d, and the %s platform does not have %s. Grade it on another, or "
                           "write it without.",
                           file_name, (int)(stop - name), name, first->line, platform,
                           gaps[i].what);
        }
    }
    return NULL;
}
