/* Runs a fuzz target over files and folders of inputs, in builds without libFuzzer: what was found
 * once stays mended. */
#include <dirent.h>
#include <stdio.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "tests/fuzz/fuzz.h"

static int replay(const char *path) {
    struct wg_buf bytes = {0};
    struct wg_err err = {0};
    if (wg_file_read(path, 1 << 24, &bytes, &err) != WG_OK) {
        fprintf(stderr, "%s\n", err.msg);
        exit(1);
    }
    /* A copy of its exact size, so that reading past its end is noticed. */
    uint8_t *exact = malloc(bytes.len + (bytes.len == 0));
    if (exact == NULL) {
        exit(1);
    }
    memcpy(exact, wg_buf_str(&bytes), bytes.len);
    LLVMFuzzerTestOneInput(exact, bytes.len);
    free(exact);
    wg_buf_done(&bytes);
    return 1;
}

static int replay_folder(const char *path) {
    int count = 0;
    DIR *dir = opendir(path);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            WG_CLEANUP(wg_freep) char *file = wg_path_join(path, entry->d_name);
            count += replay(file);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return count;
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++) {
        count += wg_file_is_folder(argv[i]) ? replay_folder(argv[i]) : replay(argv[i]);
    }
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1; /* an empty corpus tests nothing */
}
