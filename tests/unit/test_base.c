/* grader/base: every escaper against hostile bytes, files against hostile folders. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/err.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/text.h"
#include "grader/base/verdict.h"

#define assert_str(got, want) cr_assert_str_eq(got, want, "got '%s', want '%s'", got, want)

/* ---- err, buf, verdict, clock ---- */

Test(base_err, keeps_the_cause) {
    struct wg_err err = {0};
    errno = EACCES;
    cr_assert_eq(wg_fail(&err, WG_EIO, "open '%s'", "/x"), WG_EIO);
    cr_assert_eq(err.sys_errno, EACCES);
    assert_str(err.msg, "open '/x': Permission denied");

    errno = EACCES;
    wg_fail(&err, WG_EPARSE, "line %d", 3);
    assert_str(err.msg, "line 3");
    cr_assert_eq(err.sys_errno, 0);

    wg_fail(&err, WG_EPARSE, "roster: %s", err.msg);
    assert_str(err.msg, "roster: line 3");
    cr_assert_eq(wg_fail(NULL, WG_ELIMIT, "x"), WG_ELIMIT);
}

Test(base_err, cuts_long_messages) {
    struct wg_err err = {0};
    char text[1000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    errno = EIO;
    wg_fail(&err, WG_EIO, "%s", text);
    cr_assert_eq(strlen(err.msg), sizeof err.msg - 1);
    assert_str(wg_code_name(WG_EPROTO), "protocol");
}

Test(base_buf, grows_and_stays_a_string) {
    WG_CLEANUP(wg_buf_done) struct wg_buf buf = {0};
    assert_str(wg_buf_str(&buf), "");
    for (int i = 0; i < 1000; i++) {
        wg_buf_printf(&buf, "%d,", i);
    }
    cr_assert_eq(buf.len, 3890);
    cr_assert_eq(strlen(buf.data), buf.len);
    cr_assert_str_eq(buf.data + buf.len - 4, "999,");
    wg_buf_clear(&buf);
    assert_str(wg_buf_str(&buf), "");
    wg_buf_add(&buf, "a\0b", 3);
    cr_assert_eq(buf.len, 3);
    cr_assert_arr_eq(buf.data, "a\0b\0", 4);
}

Test(base_buf, take_moves_ownership) {
    WG_CLEANUP(wg_freep) char *local = wg_strf("%s-%d", "x", 7);
    WG_CLEANUP(wg_freep) char *taken = WG_TAKE(&local);
    cr_assert_null(local);
    assert_str(taken, "x-7");
}

Test(base_verdict, names_go_round) {
    for (int i = 0; i < WG_VERDICT_COUNT; i++) {
        enum wg_verdict parsed = WG_VERDICT_COUNT;
        cr_assert(wg_verdict_parse(wg_verdict_name((enum wg_verdict)i), &parsed));
        cr_assert_eq((int)parsed, i);
        cr_assert_not_null(wg_verdict_words((enum wg_verdict)i));
    }
    enum wg_verdict unused;
    cr_assert_not(wg_verdict_parse("pass", &unused));
    assert_str(wg_verdict_words(WG_VERDICT_WRONG_ANSWER), "wrong answer");
    cr_assert_eq(wg_verdict_worse(WG_VERDICT_CRASH, WG_VERDICT_GRADER_ERROR),
                 WG_VERDICT_GRADER_ERROR);
}

Test(base_clock, formats_dates) {
    char text[32];
    wg_clock_format_utc(0, text);
    assert_str(text, "1970-01-01T00:00:00Z");
    wg_clock_format_utc(1709210096, text);
    assert_str(text, "2024-02-29T12:34:56Z");
    wg_clock_format_utc(INT64_MAX, text); /* a commit may claim this */
    assert_str(text, "1970-01-01T00:00:00Z");
    int64_t before = wg_clock_mono_ns();
    cr_assert_geq(wg_clock_mono_ns(), before);
    cr_assert_gt(wg_clock_wall_s(), 1700000000);
}

/* ---- text ---- */

static void expect_terminal(const char *bytes, size_t len, bool multiline, const char *want) {
    WG_CLEANUP(wg_buf_done) struct wg_buf out = {0};
    wg_text_terminal(&out, bytes, len, multiline);
    assert_str(wg_buf_str(&out), want);
}
#define TERMINAL(literal, multiline, want)                                                         \
    expect_terminal(literal, sizeof(literal) - 1, multiline, want)

Test(base_text, terminal_shows_what_would_act) {
    TERMINAL("plain", false, "plain");
    TERMINAL("\x1b]0;title\x07\x1b[2J", false, "\\x1b]0;title\\x07\\x1b[2J");
    TERMINAL("a\0b", false, "a\\x00b");
    TERMINAL("a\tb\nc\r\nd\re", true, "a\tb\nc\nd\\x0de");
    TERMINAL("a\tb\nc", false, "a\\x09b\\x0ac");
    TERMINAL("\x7f\xc2\x9b", true, "\\x7f\\u{009b}");                   /* DEL and the 8-bit CSI */
    TERMINAL("if\xe2\x80\xae{", true, "if\\u{202e}{");                  /* right-to-left override */
    TERMINAL("\xe2\x81\xa6x\xe2\x81\xa9", true, "\\u{2066}x\\u{2069}"); /* isolates */
    TERMINAL("\xf3\xa0\x81\x81", true, "\\u{e0041}");                   /* invisible tag */
    TERMINAL("Gr\xc3\xb6\xc3\x9f\x65 \xf0\x9f\x98\x80", false,
             "Gr\xc3\xb6\xc3\x9f\x65 \xf0\x9f\x98\x80");
}

Test(base_text, terminal_shows_bad_bytes) {
    TERMINAL("\xff\xfe", false, "\\xff\\xfe");
    TERMINAL("\xc0\x80", false, "\\xc0\\x80");                   /* overlong NUL */
    TERMINAL("\xe0\x80\x9b", false, "\\xe0\\x80\\x9b");          /* overlong CSI */
    TERMINAL("\xed\xa0\x80", false, "\\xed\\xa0\\x80");          /* surrogate */
    TERMINAL("\xf4\x90\x80\x80", false, "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
    TERMINAL("\xe2\x82", false, "\\xe2\\x82");                   /* cut off */
}

Test(base_text, utf8_is_valid_whatever_comes) {
    WG_CLEANUP(wg_buf_done) struct wg_buf out = {0};
    wg_text_utf8(&out, "a\0\xff\xc3\xa4\x1b", 6);
    assert_str(wg_buf_str(&out), "a\xef\xbf\xbd\xef\xbf\xbd\xc3\xa4\x1b");

    for (unsigned lead = 0; lead < 256; lead++) {
        char two[2] = {(char)lead, (char)0xbf};
        WG_CLEANUP(wg_buf_done) struct wg_buf once = {0}, twice = {0};
        wg_text_utf8(&once, two, 2);
        wg_text_utf8(&twice, once.data, once.len);
        cr_assert_eq(once.len, twice.len, "byte %u does not become valid", lead);
        cr_assert_arr_eq(once.data, twice.data, once.len);
    }
}

Test(base_text, clean_cuts_at_a_character) {
    WG_CLEANUP(wg_freep) char *same = wg_text_clean("12345678", 8, 8);
    assert_str(same, "12345678");
    WG_CLEANUP(wg_freep) char *cut = wg_text_clean("123456789", 9, 8);
    assert_str(cut, "12345...");
    WG_CLEANUP(wg_freep)
    char *inside = wg_text_clean("1234\xc3\xa4"
                                 "678",
                                 9, 8);
    assert_str(inside, "1234...");
    WG_CLEANUP(wg_freep) char *empty = wg_text_clean("", 0, 8);
    assert_str(empty, "");
    char noise[4096];
    memset(noise, 0xff, sizeof noise);
    WG_CLEANUP(wg_freep) char *bounded = wg_text_clean(noise, sizeof noise, 100);
    cr_assert_leq(strlen(bounded), 100);
    WG_CLEANUP(wg_freep) char *tiny = wg_text_clean("abcdef", 6, 2);
    assert_str(tiny, "..");
}

Test(base_text, nearest_guesses_only_when_near) {
    static const char *const names[] = {"vector_add", "matmul", "main"};
    assert_str(wg_text_nearest("vectoradd", names, 3), "vector_add");
    assert_str(wg_text_nearest("Matmul", names, 3), "matmul");
    assert_str(wg_text_nearest("mian", names, 3), "main");
    cr_assert_null(wg_text_nearest("transpose", names, 3));
    cr_assert_null(wg_text_nearest("x", NULL, 0));
}

Test(base_text, sha256_matches_the_standard) {
    char hex[65];
    wg_text_sha256_hex("", 0, hex);
    assert_str(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    wg_text_sha256_hex("abc", 3, hex);
    assert_str(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    wg_text_sha256_hex(two, 56, hex);
    assert_str(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    WG_CLEANUP(wg_freep) char *million = wg_calloc(1000000, 1);
    memset(million, 'a', 1000000);
    wg_text_sha256_hex(million, 1000000, hex);
    assert_str(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

Test(base_text, sha256_pads_at_every_length) {
    /* One digest over the digests of all lengths around both block borders. */
    WG_CLEANUP(wg_buf_done) struct wg_buf all = {0};
    char bytes[130], hex[65];
    memset(bytes, 'x', sizeof bytes);
    for (size_t len = 0; len < sizeof bytes; len++) {
        wg_text_sha256_hex(bytes, len, hex);
        wg_buf_puts(&all, hex);
    }
    wg_text_sha256_hex(all.data, all.len, hex);
    assert_str(hex, "199af942eba7fa5d1e16d475169eb24018b14e69339c93d26a9ea6d873b4ace6");
}

/* ---- files ---- */

static char *temp;

static void make_temp(void) {
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_make_temp("wg-test", &temp, &err), WG_OK, "%s", err.msg);
}

static void remove_temp(void) {
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_remove(temp, &err), WG_OK, "%s", err.msg);
    cr_assert_not(wg_file_exists(temp));
    wg_freep(&temp);
}

TestSuite(base_file, .init = make_temp, .fini = remove_temp);

Test(base_file, join) {
    static const char *const cases[][3] = {
        {"a", "b", "a/b"}, {"a/", "/b", "a/b"}, {"/", "b", "/b"}, {"/a//", "b/c", "/a/b/c"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        WG_CLEANUP(wg_freep) char *joined = wg_path_join(cases[i][0], cases[i][1]);
        assert_str(joined, cases[i][2]);
    }
}

Test(base_file, writes_and_reads) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *path = wg_path_join(temp, "file");
    cr_assert_eq(wg_file_write(path, "one", 3, 0640, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_file_write(path, "second", 6, 0640, &err), WG_OK, "%s", err.msg);
    struct stat st;
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_eq(st.st_mode & 0777 & ~0640U, 0);
    WG_CLEANUP(wg_buf_done) struct wg_buf out = {0};
    wg_buf_puts(&out, "before ");
    cr_assert_eq(wg_file_read(path, 6, &out, &err), WG_OK, "%s", err.msg);
    assert_str(out.data, "before second");
    cr_assert_eq(wg_file_read(path, 5, &out, &err), WG_ELIMIT);
    cr_assert_eq(wg_file_read("/proc/self/status", 1 << 20, &out, &err), WG_OK);
    cr_assert_eq(wg_file_read("/proc/self/status", 10, &out, &err), WG_ELIMIT);
}

Test(base_file, read_refuses_what_is_no_file) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf out = {0};
    WG_CLEANUP(wg_freep) char *fifo = wg_path_join(temp, "fifo");
    cr_assert_eq(mkfifo(fifo, 0600), 0);
    cr_assert_eq(wg_file_read(fifo, 10, &out, &err), WG_EIO); /* and does not hang */
    cr_assert_eq(wg_file_read(temp, 10, &out, &err), WG_EINVAL);
    cr_assert_eq(wg_file_read("/dev/zero", 10, &out, &err), WG_EIO);
    cr_assert_eq(wg_file_read("/nonexistent/x", 10, &out, &err), WG_ENOTFOUND);
    assert_str(err.msg, "'/nonexistent/x' does not exist");
    cr_assert_eq(out.len, 0);
}

Test(base_file, failed_write_leaves_nothing) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *folder = wg_path_join(temp, "folder");
    WG_CLEANUP(wg_freep) char *inner = wg_path_join(folder, "x");
    cr_assert_eq(wg_folder_make(inner, 0700, &err), WG_OK);
    cr_assert_eq(wg_file_write(folder, "x", 1, 0600, &err), WG_EINVAL);
    WG_CLEANUP(wg_freep) char *missing = wg_path_join(temp, "missing/file");
    cr_assert_eq(wg_file_write(missing, "x", 1, 0600, &err), WG_EIO);
    cr_assert_eq(unlink(temp), -1);
    cr_assert_eq(rmdir(inner), 0);
    cr_assert_eq(rmdir(folder), 0);
    cr_assert_eq(rmdir(temp), 0, "a temporary file was left behind");
}

/* Standard output goes to a file that holds something already. */
static void expect_behind(const char *file, const char *name) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf out = {0};
    cr_assert_eq(wg_file_write(file, "start\n", 6, 0600, &err), WG_OK, "%s", err.msg);
    int saved = dup(STDOUT_FILENO);
    int fd = open(file, O_WRONLY | O_APPEND);
    cr_assert(saved >= 0 && fd >= 0);
    cr_assert_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    enum wg_code code = wg_file_write(name, "middle\n", 7, 0600, &err);
    bool is_written = write(STDOUT_FILENO, "end\n", 4) == 4;
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(fd);
    cr_assert_eq(code, WG_OK, "%s", err.msg);
    cr_assert(is_written);
    cr_assert_eq(wg_file_read(file, 100, &out, &err), WG_OK, "%s", err.msg);
    assert_str(out.data, "start\nmiddle\nend\n");
}

Test(base_file, open_streams_are_written_to) {
    WG_CLEANUP(wg_freep) char *file = wg_path_join(temp, "log");
    expect_behind(file, "/dev/stdout");
    expect_behind(file, "/dev/fd/1");
    expect_behind(file, "/proc/self/fd/1");
    expect_behind(file, file);
    struct wg_err err = {0};
    int own = open(file, O_WRONLY | O_CLOEXEC);
    WG_CLEANUP(wg_freep) char *name = wg_strf("/dev/fd/%d", own);
    cr_assert_eq(wg_file_write(name, "x", 1, 0600, &err), WG_EIO, "a descriptor of our own");
    close(own);
    cr_assert_eq(wg_file_write("/dev/fd/999999", "x", 1, 0600, &err), WG_EIO);
}

Test(base_file, makes_folders) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *deep = wg_path_join(temp, "a//b/c/");
    cr_assert_eq(wg_folder_make(deep, 0755, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_folder_make(deep, 0755, &err), WG_OK, "%s", err.msg);
    cr_assert(wg_file_is_folder(deep));
    WG_CLEANUP(wg_freep) char *file = wg_path_join(temp, "f");
    WG_CLEANUP(wg_freep) char *below = wg_path_join(temp, "f/g");
    cr_assert_eq(wg_file_write(file, "", 0, 0600, &err), WG_OK);
    cr_assert_eq(wg_folder_make(file, 0755, &err), WG_EIO);
    cr_assert_eq(wg_folder_make(below, 0755, &err), WG_EIO);
    cr_assert_eq(wg_folder_make("", 0755, &err), WG_EIO);
}

Test(base_file, remove_does_not_follow_links) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *kept = wg_path_join(temp, "kept");
    WG_CLEANUP(wg_freep) char *kept_file = wg_path_join(kept, "file");
    WG_CLEANUP(wg_freep) char *tree = wg_path_join(temp, "tree");
    WG_CLEANUP(wg_freep) char *link = wg_path_join(tree, "link");
    WG_CLEANUP(wg_freep) char *top_link = wg_path_join(temp, "top");
    wg_folder_make(kept, 0700, &err);
    wg_folder_make(tree, 0700, &err);
    wg_file_write(kept_file, "x", 1, 0600, &err);
    cr_assert_eq(symlink(kept, link), 0);
    cr_assert_eq(symlink(kept, top_link), 0);
    cr_assert_eq(wg_folder_remove(tree, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_folder_remove(top_link, &err), WG_OK, "%s", err.msg);
    cr_assert(wg_file_exists(kept_file));
    cr_assert_not(wg_file_exists(tree));
    cr_assert_not(wg_file_exists(top_link));
    cr_assert_eq(wg_folder_remove(tree, &err), WG_OK); /* gone already */
}

/* A tree deeper than PATH_MAX and than the limit on descriptors, with locked folders and names
 * that collide with those that the remover uses. */
Test(base_file, remove_takes_hostile_trees, .timeout = 60) {
    struct wg_err err = {0};
    int at = open(temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at < 0) {
        cr_assert_fail("open the temporary folder");
        return;
    }
    cr_assert_eq(mkdirat(at, "wg-lifted-1", 0700), 0);
    cr_assert_eq(mkdirat(at, "wg-lifted-2", 0700), 0);
    for (int depth = 0; depth < 3000; depth++) {
        cr_assert_eq(mkdirat(at, "deep", 0700), 0);
        cr_assert_eq(mkdirat(at, "wg-lifted-3", 0700), 0);
        int file = openat(at, "wg-lifted-3/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        cr_assert_geq(file, 0);
        close(file);
        int next = openat(at, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        cr_assert_geq(next, 0);
        cr_assert_eq(fchmod(at, depth % 2 == 0 ? 0500 : 0), 0);
        close(at);
        at = next;
    }
    close(at);
    cr_assert_eq(wg_folder_remove(temp, &err), WG_OK, "%s", err.msg);
}

/* ---- paths ---- */

Test(base_paths, cache_is_made_private) {
    make_temp();
    WG_CLEANUP(wg_freep) char *base = wg_path_join(temp, "new");
    setenv("XDG_CACHE_HOME", base, 1);
    struct wg_err err = {0};
    const char *cache = NULL;
    cr_assert_eq(wg_paths_cache(&cache, &err), WG_OK, "%s", err.msg);
    struct stat st;
    cr_assert_eq(stat(cache, &st), 0);
    cr_assert_eq(st.st_mode & 0777, 0700);
    cr_assert(strstr(cache, "/new/wavegrade") != NULL);
    remove_temp();
}

/* ---- dates ---- */

static void expect_time(const char *text, bool end_of_day, int64_t wanted) {
    int64_t got = 0;
    cr_assert(wg_clock_parse(text, end_of_day, &got), "'%s'", text);
    cr_assert_eq(got, wanted, "'%s': %lld", text, (long long)got);
}

Test(base_clock, dates_as_people_write_them) {
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    expect_time("2026-11-30T18:00:05Z", true, 1796061605);
    expect_time("2026-11-30 18:00Z", true, 1796061600);
    expect_time("2026-11-30T18:00", true, 1796061600 - 3600);
    expect_time("2026-07-01T18:00:00", true, 1782928800 - 7200); /* summer time */
    expect_time("2026-11-30T18:00+01:00", true, 1796061600 - 3600);
    expect_time("2026-11-30T18:00-0530", true, 1796061600 + 19800);
    expect_time("2026-11-30", true, 1796083199 - 3600);
    expect_time("2026-11-30", false, 1795996800 - 3600);
    expect_time("2026-11-30Z", false, 1795996800);
}

Test(base_clock, what_is_no_date) {
    static const char *const texts[] = {"",
                                        "tomorrow",
                                        "30.11.2026",
                                        "2026-02-30",
                                        "2026-13-01",
                                        "2026-11-30T24:00",
                                        "2026-11-30T18:00:61",
                                        "2026-11-30T18",
                                        "2026-11-30x18:00",
                                        "2026-11-30T18:00 CET",
                                        "2026-11-30T18:00+1",
                                        "2026-11-30T18:00+25:00"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int64_t got = 0;
        cr_assert_not(wg_clock_parse(texts[i], false, &got), "'%s'", texts[i]);
    }
}
