#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "grader/base/file.h"
#include "grader/build/imports.h"
#include "grader/build/source.h"

static const char *doubt(const char *name) {
    return wg_imports_doubt(name, strlen(name));
}

Test(build_imports, coursework_is_allowed) {
    static const char *const honest[] = {"printf",
                                         "__printf_chk",
                                         "malloc",
                                         "rand",
                                         "sqrtf",
                                         "gettimeofday",
                                         "usleep",
                                         "exit",
                                         "_ZSt4cout",
                                         "_ZNSt6chrono3_V212steady_clock3nowEv",
                                         "_ZNSt13random_device9_M_getvalEv",
                                         "_ZSt9terminatev",
                                         "__cxa_throw",
                                         "__once_proxy",
                                         "__tls_get_addr",
                                         "pthread_mutex_lock",
                                         "hipMalloc",
                                         "__hipPushCallConfiguration",
                                         "cudaLaunchKernel",
                                         "wg_cpu_launch_stub"};
    for (size_t i = 0; i < sizeof honest / sizeof honest[0]; i++) {
        cr_expect_null(doubt(honest[i]), "%s: %s", honest[i], doubt(honest[i]));
    }
}

Test(build_imports, what_reaches_the_harness_is_refused) {
    static const char *const hostile[] = {"pthread_create",
                                          "_ZNSt6thread15_M_start_threadESt10unique_ptrE",
                                          "fork",
                                          "execve",
                                          "dlsym",
                                          "dl_iterate_phdr",
                                          "mprotect",
                                          "mmap",
                                          "ptrace",
                                          "syscall",
                                          "sigaction",
                                          "setitimer",
                                          "read",
                                          "write",
                                          "fdopen",
                                          "_ZNSt12__basic_fileIcE8sys_openEiSt13_Ios_Openmode",
                                          "cudaGetDriverEntryPoint",
                                          "wg_report",
                                          "a_function_that_nobody_knows"};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        cr_expect_not_null(doubt(hostile[i]), "%s", hostile[i]);
    }
}

Test(build_imports, a_sentence_names_symbol_and_line) {
    static const char source[] = "// mmap in a comment\n#include <sys/mmap>\n"
                                 "const char *s = \"mmap(\\\" mmap\";\n"
                                 "/* mmap\n*/ int mmapped;\n"
                                 "void f() { mmap(0); }\n";
    char *sentence =
        wg_imports_refuse("a.hip", source, sizeof source - 1, "printf\nmmap\nfork\n", false);
    cr_assert_not_null(sentence);
    cr_expect_not_null(strstr(sentence, "a.hip, line 6 uses mmap, which"), "%s", sentence);
    free(sentence);
    cr_expect_null(
        wg_imports_refuse("a.hip", source, sizeof source - 1, "printf\nmemcpy\n", false));
}

/* Header-only libraries of vendors look for a profiler. */
Test(build_imports, who_may_use_libraries_may_load) {
    cr_expect_null(wg_imports_refuse("a.hip", "", 0, "dlopen\ndlsym\n", true));
    char *sentence = wg_imports_refuse("a.hip", "", 0, "dlopen\nmmap\n", true);
    cr_assert_not_null(sentence);
    free(sentence);
}

Test(build_imports, a_name_from_a_macro_has_no_line) {
    char *sentence = wg_imports_refuse("a.hip", "X(ma, p)", 8, "mmap\n", false);
    cr_assert_not_null(sentence);
    cr_expect_not_null(strstr(sentence, "a.hip uses mmap, which"), "%s", sentence);
    free(sentence);
}

Test(build_imports, names_of_cpp_are_written_as_people_write_them) {
    static const char *const pairs[][2] = {
        {"_ZNSt6thread15_M_start_threadESt10unique_ptr", "std::thread"},
        {"_ZN7rocprim4scanEv", "rocprim::scan"},
        {"_Z3fooi", "foo"},
        {"_ZN99999999999x", "_ZN99999999999x"},
        {"mmap", "mmap"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char *name = wg_source_plain_name(pairs[i][0]);
        cr_expect_str_eq(name, pairs[i][1]);
        free(name);
    }
}

Test(build_imports, includes_are_found_by_their_last_parts) {
    static const char source[] = "// #include <a/b.h>\n#  include <x/a/b.h>\n#include \"c.h\"\n";
    cr_expect_eq(wg_source_find_include(source, sizeof source - 1, "a/b.h"), 2);
    cr_expect_eq(wg_source_find_include(source, sizeof source - 1, "c.h"), 3);
    cr_expect_eq(wg_source_find_include(source, sizeof source - 1, "d.h"), 0);
    cr_expect_eq(wg_source_find_include("#include <c.h", 13, "c.h"), 1);
}

/* This program is an ELF file like any library. */
Test(build_imports, names_are_read_from_relocations) {
    struct wg_buf file = {0};
    struct wg_buf names = {0};
    struct wg_err err = {0};
    cr_assert_eq(wg_file_read("/proc/self/exe", (size_t)64 << 20, &file, &err), WG_OK);
    cr_assert_eq(wg_imports_read(file.data, file.len, &names, &err), WG_OK, "%s", err.msg);
    cr_expect_not_null(strstr(wg_buf_str(&names), "strstr\n"));
    cr_expect_null(strstr(wg_buf_str(&names), "wg_imports_read"));
    wg_buf_done(&names);
    wg_buf_done(&file);
}

Test(build_imports, damaged_files_are_errors) {
    struct wg_buf file = {0};
    struct wg_err err = {0};
    cr_assert_eq(wg_file_read("/proc/self/exe", (size_t)64 << 20, &file, &err), WG_OK);
    for (size_t i = 0; i < 4096; i++) {
        struct wg_buf names = {0};
        char *copy = wg_calloc(file.len, 1);
        memcpy(copy, file.data, file.len);
        memset(copy + i * 16 % file.len, i % 2 ? 0xff : 0x7f, 4);
        size_t len = i % 3 == 0 ? file.len * i / 4096 : file.len;
        (void)wg_imports_read(copy, len, &names, &err); /* must come back */
        free(copy);
        wg_buf_done(&names);
        i += i > 512 ? 63 : 0;
    }
    struct wg_buf names = {0};
    cr_expect_eq(wg_imports_read("no library", 10, &names, &err), WG_EPROTO);
    cr_expect_eq(wg_imports_read(file.data, 200, &names, &err), WG_EPROTO);
    wg_buf_done(&file);
}
