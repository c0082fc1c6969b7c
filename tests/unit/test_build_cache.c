#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/build/cache.h"
#include "grader/build/compile.h"
#include "sandbox/jail/jail.h"

static struct wg_err err;
static char *home, *from, *to;
static const char *const names[] = {"a.so", "entry.txt", NULL};
static const char *const argv[] = {"compile", "--fast", NULL};

static void write_file(const char *folder, const char *name, const char *text) {
    char *path = wg_path_join(folder, name);
    cr_assert_eq(wg_file_write(path, text, strlen(text), 0644, &err), WG_OK, "%s", err.msg);
    free(path);
}

static void expect_file(const char *folder, const char *name, const char *text) {
    struct wg_buf got = {0};
    char *path = wg_path_join(folder, name);
    cr_assert_eq(wg_file_read(path, 1000, &got, &err), WG_OK, "%s", err.msg);
    cr_assert_str_eq(wg_buf_str(&got), text);
    wg_buf_done(&got);
    free(path);
}

static void make_folders(void) {
    cr_assert_eq(wg_paths_init(&err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_folder_make_temp("wg-cache-", &home, &err), WG_OK);
    setenv("XDG_CACHE_HOME", home, 1);
    cr_assert_eq(wg_jail_folder_make(&from, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_jail_folder_make(&to, &err), WG_OK, "%s", err.msg);
    write_file(from, "a.so", "library");
    write_file(from, "entry.txt", "launcher f f\n");
}

static void remove_folders(void) {
    wg_folder_remove(home, &err);
    wg_jail_folder_remove(from, &err);
    wg_jail_folder_remove(to, &err);
    free(home);
    free(from);
    free(to);
}

TestSuite(cache, .init = make_folders, .fini = remove_folders);

Test(cache, a_folder_of_its_own_shares_nothing_with_the_users) {
    char key[65];
    char *own = wg_path_join(home, "own");
    wg_cache_key("cpu", argv, "source", 6, key);
    wg_cache_store(own, key, from, names);
    cr_assert_not(wg_cache_load(NULL, key, to, names));
    cr_assert(wg_cache_load(own, key, to, names));
    expect_file(to, "a.so", "library");
    free(own);
}

Test(cache, what_was_stored_comes_back) {
    char key[65];
    wg_cache_key("cpu", argv, "source", 6, key);
    cr_assert_not(wg_cache_load(NULL, key, to, names));
    wg_cache_store(NULL, key, from, names);
    cr_assert(wg_cache_load(NULL, key, to, names));
    expect_file(to, "a.so", "library");
    expect_file(to, "entry.txt", "launcher f f\n");
}

Test(cache, keys_cover_source_and_options) {
    static const char *const slower[] = {"compile", "--slow", NULL};
    char first[65], again[65], other_source[65], other_options[65];
    wg_cache_key("cpu", argv, "source", 6, first);
    wg_cache_key("cpu", argv, "source", 6, again);
    wg_cache_key("cpu", argv, "sourcf", 6, other_source);
    wg_cache_key("cpu", slower, "source", 6, other_options);
    cr_assert_str_eq(first, again);
    cr_assert_str_neq(first, other_source);
    cr_assert_str_neq(first, other_options);
}

static void damage(const char *key, off_t at, const char *byte, bool cut) {
    char *path = wg_strf("%s/wavegrade/builds/%s", home, key);
    int fd = open(path, O_RDWR);
    cr_assert_geq(fd, 0, "%s", path);
    cr_assert_eq(cut ? ftruncate(fd, at) : pwrite(fd, byte, 1, at) - 1, 0);
    close(fd);
    free(path);
}

Test(cache, damaged_entries_are_missing_and_can_be_stored_again) {
    char key[65];
    wg_cache_key("cpu", argv, "source", 6, key);
    wg_cache_store(NULL, key, from, names);
    damage(key, 75, "X", false);
    cr_assert_not(wg_cache_load(NULL, key, to, names));
    wg_cache_store(NULL, key, from, names);
    cr_assert(wg_cache_load(NULL, key, to, names));
    damage(key, 70, NULL, true);
    cr_assert_not(wg_cache_load(NULL, key, to, names));
    wg_cache_store(NULL, key, from, names);
    damage(key, 0, NULL, true);
    cr_assert_not(wg_cache_load(NULL, key, to, names));
}

Test(cache, an_entry_without_a_file_is_not_stored) {
    static const char *const more[] = {"a.so", "missing.so", NULL};
    char key[65];
    wg_cache_key("cpu", argv, "source", 6, key);
    wg_cache_store(NULL, key, from, more);
    cr_assert_not(wg_cache_load(NULL, key, to, more));
}

static bool parse(const char *text, size_t len, struct wg_build *out) {
    *out = (struct wg_build){0};
    return wg_compile_parse_entry(text, len, out);
}

Test(entry, launchers_and_kernels) {
    struct wg_build build;
    cr_assert(parse("launcher vector_add vector_add\n", 31, &build));
    cr_assert_eq(build.entry_kind, WG_ENTRY_LAUNCHER);
    cr_assert_str_eq(build.entry_symbol, "vector_add");
    free(build.entry_name);
    cr_assert(parse("kernel _Z4vaddPf vadd", 21, &build));
    cr_assert_eq(build.entry_kind, WG_ENTRY_KERNEL);
    cr_assert_str_eq(build.entry_name, "vadd");
    free(build.entry_name);
}

Test(entry, malformed_ones_are_refused) {
    struct wg_build build;
    char long_symbol[400];
    memset(long_symbol, 'a', sizeof long_symbol);
    memcpy(long_symbol, "kernel ", 7);
    memcpy(long_symbol + sizeof long_symbol - 5, " name", 5);
    cr_assert_not(parse("", 0, &build));
    cr_assert_not(parse("launcher", 8, &build));
    cr_assert_not(parse("function f f", 12, &build));
    cr_assert_not(parse("kernel a;b c", 12, &build));
    cr_assert_not(parse("kernel a\0b c", 12, &build));
    cr_assert_not(parse(long_symbol, sizeof long_symbol, &build));
}
