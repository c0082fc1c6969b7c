/* Temporary folders of processes that were killed, and files that get their names when they are
 * whole. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/temp.h"

static char *top; /* TMPDIR of the test */
static struct wg_err err;

static void set_up(void) {
    cr_assert_eq(wg_folder_make_temp("wg-test-temp", &top, &err), WG_OK, "%s", err.msg);
    setenv("TMPDIR", top, 1);
}

static void tear_down(void) {
    cr_assert_eq(wg_folder_remove(top, &err), WG_OK, "%s", err.msg);
    free(top);
}

TestSuite(base_temp, .init = set_up, .fini = tear_down, .timeout = 60);

/* Makes a folder with something in it in a process of its own, which is then killed. */
static void leave_one_behind(void) {
    pid_t child = fork();
    if (child == 0) {
        char *folder = NULL;
        struct wg_err ignored;
        if (wg_folder_make_temp("wavegrade-job", &folder, &ignored) == WG_OK) {
            WG_CLEANUP(wg_freep) char *inner = wg_path_join(folder, "src/deep");
            (void)wg_folder_make(inner, 0700, &ignored);
        }
        raise(SIGKILL);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status));
}

static bool is_empty(void) {
    return rmdir(top) == 0 && mkdir(top, 0700) == 0;
}

Test(base_temp, a_sweep_takes_what_is_nobodys) {
    leave_one_behind();
    leave_one_behind();
    cr_assert_not(is_empty());
    wg_temp_sweep();
    cr_assert(is_empty());
}

Test(base_temp, a_sweep_leaves_what_is_in_use) {
    char *folder = NULL;
    cr_assert_eq(wg_folder_make_temp("wavegrade-job", &folder, &err), WG_OK);
    pid_t child = fork();
    if (child == 0) {
        wg_temp_forget(folder); /* another process, as far as locks go, once it has its own */
        wg_temp_sweep();
        _exit(wg_file_is_folder(folder) ? 0 : 1);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "a folder in use was swept");
    wg_temp_sweep();
    cr_assert(wg_file_is_folder(folder), "our own folder was swept");
    cr_assert_eq(wg_folder_remove(folder, &err), WG_OK);
    free(folder);
}

Test(base_temp, a_sweep_leaves_what_is_not_ours) {
    static const char *const others[] = {"wavegrade-notes", "wavegrade-x.y", "job.abcdef",
                                         "other-wavegrade-job.abcdef"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        WG_CLEANUP(wg_freep) char *path = wg_path_join(top, others[i]);
        cr_assert_eq(mkdir(path, 0700), 0);
    }
    WG_CLEANUP(wg_freep) char *victim = wg_path_join(top, "job.abcdef/file");
    WG_CLEANUP(wg_freep) char *link = wg_path_join(top, "wavegrade-job.abcdef");
    cr_assert_eq(wg_file_write(victim, "x", 1, 0600, &err), WG_OK);
    cr_assert_eq(symlink("job.abcdef", link), 0);
    wg_temp_sweep();
    cr_assert(wg_file_exists(victim), "a link was followed");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        WG_CLEANUP(wg_freep) char *path = wg_path_join(top, others[i]);
        cr_assert(wg_file_is_folder(path), "%s", others[i]);
    }
}

Test(base_temp, an_end_by_a_signal_takes_the_folders_along) {
    pid_t child = fork();
    if (child == 0) {
        char *folder = NULL;
        wg_temp_forget(top); /* this process removes its own folder, not the test's */
        (void)wg_folder_make_temp("wavegrade-job", &folder, NULL);
        wg_temp_remove_at_end();
        raise(SIGKILL);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    for (int i = 0; i < 5000 && !is_empty(); i++) {
        usleep(1000);
    }
    cr_assert(is_empty());
}

Test(base_temp, what_is_no_file_is_written_to) {
    WG_CLEANUP(wg_freep) char *fifo = wg_path_join(top, "fifo");
    cr_assert_eq(mkfifo(fifo, 0600), 0);
    WG_CLEANUP(wg_closep) int reader = open(fifo, O_RDONLY | O_NONBLOCK);
    char got[8] = "";
    cr_assert_eq(wg_file_write(fifo, "hello", 5, 0600, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(read(reader, got, sizeof got), 5);
    struct stat st;
    cr_assert(stat(fifo, &st) == 0 && S_ISFIFO(st.st_mode));
    cr_assert_eq(unlink(fifo), 0);
}

Test(base_temp, a_link_stays_one) {
    WG_CLEANUP(wg_freep) char *file = wg_path_join(top, "file");
    WG_CLEANUP(wg_freep) char *link = wg_path_join(top, "link");
    cr_assert_eq(wg_file_write(file, "old", 3, 0600, &err), WG_OK);
    cr_assert_eq(symlink("file", link), 0);
    cr_assert_eq(wg_file_write(link, "new", 3, 0600, &err), WG_OK);
    struct stat st;
    cr_assert(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    cr_assert_eq(wg_file_read(file, 10, &text, &err), WG_OK);
    cr_assert_str_eq(text.data, "new");
}

Test(base_temp, half_a_file_never_has_a_name) {
    WG_CLEANUP(wg_freep) char *file = wg_path_join(top, "file");
    static char large[100000];
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){5000, 5000});
        struct wg_err failed = {0};
        enum wg_code code = wg_file_write(file, large, sizeof large, 0600, &failed);
        _exit(code == WG_EIO && failed.sys_errno == EFBIG ? 0 : 1);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert(is_empty(), "something is left");
}
