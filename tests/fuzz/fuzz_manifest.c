/* Manifests from strangers: any bytes are read, refused or validated without a crash or a leak. */
#include "grader/manifest/load.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    char *text = fuzz_string(bytes, len);
    struct wg_manifest *manifest = calloc(1, sizeof *manifest);
    struct wg_json_document document = {0};
    struct wg_err err = {0};
    if (manifest == NULL) {
        abort();
    }
    if (wg_json_open(&document, "assignment.json", text, len, &err) == WG_OK) {
        struct wg_json root = wg_json_root(&document);
        wg_manifest_read(&root, manifest);
        if (document.code == WG_OK) {
            (void)wg_manifest_validate(manifest, "assignment.json", &err);
        }
    }
    wg_json_done(&document);
    wg_manifest_free(manifest);
    free(text);
    return 0;
}
