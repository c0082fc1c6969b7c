/* Class lists out of spreadsheets and learning platforms, with and without a template for the
 * repositories. */
#include "grader/batch/roster.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct fuzz_input input = {bytes, len};
    size_t template_len = fuzz_byte(&input) % 64;
    size_t got = 0;
    const uint8_t *at = fuzz_bytes(&input, template_len, &got);
    char *template_text = template_len == 0 ? NULL : fuzz_string(at, got);
    char *text = malloc(input.left + 1);
    if (text == NULL) {
        abort();
    }
    fuzz_take(&(struct fuzz_input){input.at, input.left}, text, input.left);
    struct wg_roster roster = {0};
    struct wg_err err = {0};
    if (wg_roster_parse(text, input.left, template_text, &roster, &err) == WG_OK) {
        for (size_t i = 0; i < roster.row_count; i++) {
            if (roster.rows[i].id[0] == '\0' || roster.rows[i].repository == NULL) {
                abort();
            }
        }
    }
    wg_roster_done(&roster);
    free(template_text);
    free(text);
    return 0;
}
