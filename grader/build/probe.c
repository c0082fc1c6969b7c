/* The probe is compiled like any reference; what its manifest would say is said here, since it is
 * no assignment. */
#include "reference/harness/probe.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/build/build.h"

enum wg_code wg_build_probe(const struct wg_build_target *target, struct wg_build *out,
                            struct wg_err *err) {
    static const struct {
        enum wg_arg_kind kind;
        enum wg_type type;
    } parameters[] = {
        {WG_ARG_BUFFER, WG_TYPE_U8},  {WG_ARG_BUFFER, WG_TYPE_U8},  {WG_ARG_SCALAR, WG_TYPE_I64},
        {WG_ARG_SCALAR, WG_TYPE_I64}, {WG_ARG_SCALAR, WG_TYPE_F64}, {WG_ARG_SCALAR, WG_TYPE_F64},
        {WG_ARG_SCALAR, WG_TYPE_I32}, {WG_ARG_SCALAR, WG_TYPE_I32},
    };
    static char id[] = "of all (the probe)";
    static char symbol[] = WG_PROBE_SYMBOL;
    static char kernel[] = "wg_probe_kernel";
    WG_CLEANUP(wg_freep) char *folder = wg_path_join(wg_paths_share(), "reference/probe");
    struct wg_manifest manifest = {
        .id = id,
        .reference_folder = folder,
        .launcher = symbol,
        .kernels = {kernel},
        .kernel_count = 1,
        .arg_count = sizeof parameters / sizeof parameters[0],
        .build_wall_s = 60,
    };
    for (size_t i = 0; i < manifest.arg_count; i++) {
        manifest.args[i].kind = parameters[i].kind;
        manifest.args[i].type = parameters[i].type;
    }
    return wg_build_reference(target, &manifest, "probe.hip", out, err);
}
