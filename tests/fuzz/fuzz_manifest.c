/* Manifests from strangers: any bytes are read, refused or validated without a crash or a leak.
 *
 *   build/fuzz/tests/fuzz/fuzz_manifest -max_total_time=60 CORPUS assignments/vector_add
 * assignments/matmul */
#include <stdlib.h>
#include <string.h>

#include "grader/manifest/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    char *text = malloc(len + 1);
    struct wg_manifest *manifest = calloc(1, sizeof *manifest);
    struct wg_json_document document = {0};
    struct wg_err err = {0};
    if (text != NULL && manifest != NULL) {
        memcpy(text, bytes, len);
        text[len] = '\0';
        if (wg_json_open(&document, "assignment.json", text, len, &err) == WG_OK) {
            struct wg_json root = wg_json_root(&document);
            wg_manifest_read(&root, manifest);
            if (document.code == WG_OK) {
                (void)wg_manifest_validate(manifest, "assignment.json", &err);
            }
        }
        wg_json_done(&document);
    }
    wg_manifest_free(manifest);
    free(text);
    return 0;
}
