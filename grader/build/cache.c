#include "grader/build/cache.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/text.h"
#include "sandbox/jail/jail.h"
#include "sandbox/platform/needs.h"

enum { DIGEST_LEN = 64, ENTRY_LIMIT = 64 * 1024 * 1024, DEPTH_MAX = 8 };

/* ---- Keys ---- */

/* Name, size and time of every file below path: enough to notice a rebuilt or updated tool. */
static void add_fingerprint(const char *path, int depth, struct wg_buf *out) {
    struct stat st;
    if (depth > DEPTH_MAX || stat(path, &st) != 0) {
        return;
    }
    if (!S_ISDIR(st.st_mode)) {
        wg_buf_printf(out, "%s %lld %lld.%09ld\n", path, (long long)st.st_size,
                      (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
        return;
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            WG_CLEANUP(wg_freep) char *child = wg_path_join(path, entries[i]->d_name);
            add_fingerprint(child, depth + 1, out);
        }
        free(entries[i]);
    }
    free(entries);
}

void wg_cache_key(const char *platform, const char *const *argv, const void *source, size_t len,
                  char out[65]) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    WG_CLEANUP(wg_freep) char *tools = wg_path_join(wg_paths_libexec(), platform);
    WG_CLEANUP(wg_freep) char *headers = wg_path_join(wg_paths_share(), platform);
    wg_buf_puts(&text, "wavegrade build cache 1\n");
    add_fingerprint(tools, 0, &text);
    add_fingerprint(headers, 0, &text);
    add_fingerprint("/usr/lib/llvm-19/bin/clang", 0, &text);
    const struct wg_needs *needs = wg_needs_of_compiler(platform);
    for (size_t i = 0; i < needs->bind_count; i++) {
        WG_CLEANUP(wg_freep) char *programs = wg_path_join(needs->binds[i].source, "bin");
        add_fingerprint(programs, 0, &text);
    }
    for (; *argv != NULL; argv++) {
        wg_buf_add(&text, *argv, strlen(*argv) + 1);
    }
    wg_buf_add(&text, source, len);
    wg_text_sha256_hex(text.data, text.len, out);
}

/* ---- Entries: digest of the rest, the sizes of the files, the files ---- */

static char *entry_path(const char *cache, const char *key) {
    const char *base = NULL;
    struct wg_err ignored = {0};
    if (cache == NULL && wg_paths_cache(&base, &ignored) != WG_OK) {
        return NULL;
    }
    WG_CLEANUP(wg_freep)
    char *folder = cache != NULL ? wg_strdup(cache) : wg_path_join(base, "builds");
    if (wg_folder_make(folder, 0700, &ignored) != WG_OK) {
        return NULL;
    }
    return wg_path_join(folder, key);
}

/* Checks the digest and reads the sizes. *at moves to the first file's bytes. */
static bool open_entry(const struct wg_buf *entry, size_t sizes[WG_CACHE_FILES_MAX], size_t count,
                       size_t *at) {
    char digest[DIGEST_LEN + 1];
    if (entry->len < DIGEST_LEN + 1 || entry->data[DIGEST_LEN] != '\n') {
        return false;
    }
    wg_text_sha256_hex(entry->data + DIGEST_LEN + 1, entry->len - DIGEST_LEN - 1, digest);
    if (memcmp(digest, entry->data, DIGEST_LEN) != 0) {
        return false;
    }
    char *p = entry->data + DIGEST_LEN + 1;
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        char *end = NULL;
        sizes[i] = strtoull(p, &end, 10);
        if (end == p || *end != '\n' || sizes[i] > ENTRY_LIMIT) {
            return false;
        }
        total += sizes[i];
        p = end + 1;
    }
    *at = (size_t)(p - entry->data);
    return *at + total == entry->len;
}

static size_t count_names(const char *const *names) {
    size_t count = 0;
    while (names[count] != NULL && count < WG_CACHE_FILES_MAX) {
        count++;
    }
    return count;
}

bool wg_cache_load(const char *cache, const char *key, const char *folder,
                   const char *const *names) {
    WG_CLEANUP(wg_freep) char *path = entry_path(cache, key);
    WG_CLEANUP(wg_buf_done) struct wg_buf entry = {0};
    size_t sizes[WG_CACHE_FILES_MAX];
    size_t count = count_names(names);
    size_t at = 0;
    struct wg_err ignored = {0};
    if (path == NULL || wg_file_read(path, ENTRY_LIMIT, &entry, &ignored) != WG_OK) {
        return false;
    }
    if (!open_entry(&entry, sizes, count, &at)) {
        remove(path); /* damaged: will be built and stored again */
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        WG_CLEANUP(wg_freep) char *file = wg_path_join(folder, names[i]);
        if (wg_file_write(file, entry.data + at, sizes[i], 0644, &ignored) != WG_OK ||
            wg_jail_give(file, &ignored) != WG_OK) {
            return false;
        }
        at += sizes[i];
    }
    return true;
}

void wg_cache_store(const char *cache, const char *key, const char *folder,
                    const char *const *names) {
    WG_CLEANUP(wg_freep) char *path = entry_path(cache, key);
    WG_CLEANUP(wg_buf_done) struct wg_buf sizes = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf files = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf entry = {0};
    struct wg_err ignored = {0};
    size_t count = count_names(names);
    for (size_t i = 0; i < count; i++) {
        size_t before = files.len;
        if (wg_jail_read_file(folder, names[i], ENTRY_LIMIT / 4, &files, &ignored) != WG_OK) {
            return;
        }
        wg_buf_printf(&sizes, "%zu\n", files.len - before);
    }
    wg_buf_add(&sizes, files.data, files.len);
    char digest[DIGEST_LEN + 1];
    wg_text_sha256_hex(sizes.data, sizes.len, digest);
    wg_buf_printf(&entry, "%s\n", digest);
    wg_buf_add(&entry, sizes.data, sizes.len);
    if (path != NULL) {
        (void)wg_file_write(path, entry.data, entry.len, 0600, &ignored);
    }
}
