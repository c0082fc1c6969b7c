/* Devices as the kernel shows them, in a folder of our own. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/file.h"
#include "sandbox/platform/choose.h"
#include "sandbox/platform/lock.h"

static char *root;
static struct wg_choose_roots roots;

static void put(const char *path, const char *text) {
    struct wg_err err = {0};
    char *full = wg_path_join(root, path);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    cr_assert_eq(wg_file_write(full, text, strlen(text), 0600, &err), WG_OK, "%s", err.msg);
    free(full);
}

static void setup(void) {
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_make_temp("wavegrade-choose", &root, &err), WG_OK, "%s", err.msg);
    roots = (struct wg_choose_roots){.dev = wg_path_join(root, "dev"),
                                     .proc = wg_path_join(root, "proc"),
                                     .sys = wg_path_join(root, "sys")};
}

static void teardown(void) {
    wg_folder_remove(root, NULL);
}

static void put_nvidia(const char *address, int minor, const char *uuid) {
    char *node = wg_strf("dev/nvidia%d", minor);
    char *path = wg_strf("proc/driver/nvidia/gpus/%s/information", address);
    char *text = wg_strf("Model: \t\t Some GPU\nGPU UUID: \t %s\nBus Location: \t %s\n"
                         "Device Minor: \t %d\n",
                         uuid, address, minor);
    put(node, "");
    put(path, text);
    free(node);
    free(path);
    free(text);
}

static void put_amd(int minor, const char *address, const char *id) {
    char *node = wg_strf("dev/dri/renderD%d", minor);
    char *device = wg_strf("sys/devices/pci/%s/unique_id", address);
    char *link = wg_strf("%s/sys/class/drm/renderD%d", root, minor);
    char *mark = wg_strf("sys/class/drm/renderD%d/dev", minor);
    char *target = wg_strf("../../../devices/pci/%s", address);
    char *from = wg_strf("%s/device", link);
    put("dev/kfd", "");
    put(node, "");
    put(device, id);
    put(mark, "");
    cr_assert_eq(symlink(target, from), 0);
    free(node);
    free(device);
    free(link);
    free(mark);
    free(target);
    free(from);
}

TestSuite(choose, .init = setup, .fini = teardown);

static const struct wg_gpu *find(const struct wg_gpu *gpus, size_t count, const char *platform,
                                 const char *wanted) {
    struct wg_err err = {0};
    const struct wg_gpu *gpu = NULL;
    return wg_choose_find(gpus, count, platform, wanted, &gpu, &err) == WG_OK ? gpu : NULL;
}

Test(choose, nvidia_by_index_uuid_and_address) {
    /* Ten of them: by name, nvidia10 would come before nvidia2. */
    for (int i = 10; i >= 1; i--) {
        char *address = wg_strf("0000:%02x:00.0", 0x40 + i);
        char *uuid = wg_strf("GPU-0000-%d", i);
        put_nvidia(address, i, uuid);
        free(address);
        free(uuid);
    }
    put("dev/nvidiactl", "");
    struct wg_gpu gpus[WG_CHOOSE_MOST];
    size_t count = wg_choose_list(&roots, gpus);
    cr_assert_eq(count, 10);
    cr_assert_str_eq(gpus[1].node, "nvidia2");
    cr_assert_str_eq(find(gpus, count, "auto", "9")->node, "nvidia10");
    cr_assert_str_eq(find(gpus, count, "nvidia", "GPU-0000-3")->node, "nvidia3");
    cr_assert_str_eq(find(gpus, count, "auto", "0000:4A:00.0")->node, "nvidia10");
    cr_assert_str_eq(find(gpus, count, "auto", "00000000:4a:00.0")->node, "nvidia10");
    cr_assert_str_eq(find(gpus, count, "auto", "4a:00.0")->node, "nvidia10");
    cr_assert_null(find(gpus, count, "auto", "0001:4a:00.0"), "another domain");
    cr_assert_null(find(gpus, count, "amd", "0"));
    cr_assert_null(find(gpus, count, "auto", "10"));
    cr_assert_null(find(gpus, count, "auto", ""));
    cr_assert_null(find(gpus, count, "auto", "GPU-0000"), "half a UUID");
}

Test(choose, amd_by_index_id_and_address) {
    put_amd(129, "0000:c5:00.0", "8f2a\n");
    put_amd(128, "0000:c1:00.0", "77aa\n");
    struct wg_gpu gpus[WG_CHOOSE_MOST];
    size_t count = wg_choose_list(&roots, gpus);
    cr_assert_eq(count, 2);
    cr_assert_str_eq(find(gpus, count, "auto", "0")->node, "dri/renderD128");
    cr_assert_str_eq(find(gpus, count, "amd", "c5:00.0")->node, "dri/renderD129");
    cr_assert_str_eq(find(gpus, count, "amd", "GPU-8F2A")->node, "dri/renderD129");
}

Test(choose, says_what_there_is) {
    put_nvidia("0000:41:00.0", 0, "GPU-1");
    struct wg_gpu gpus[WG_CHOOSE_MOST];
    struct wg_err err = {0};
    const struct wg_gpu *gpu = NULL;
    size_t count = wg_choose_list(&roots, gpus);
    cr_assert_eq(wg_choose_find(gpus, count, "auto", "7", &gpu, &err), WG_EINVAL);
    cr_assert_not_null(strstr(err.msg, "nvidia 0 (0000:41:00.0)"), "%s", err.msg);
    cr_assert_eq(wg_choose_find(gpus, 0, "auto", "7", &gpu, &err), WG_EINVAL);
    cr_assert_not_null(strstr(err.msg, "none at all"), "%s", err.msg);
}

/* ---- Locks ---- */

static int waits;

static void count_wait(void *ctx) {
    (void)ctx;
    waits++;
    _exit(42); /* it would wait for ever: this process has the lock */
}

static int lock(bool alone) {
    struct wg_err err = {0};
    int fd = -1;
    cr_assert_eq(wg_device_lock(root, "nvidia", "0000:41:00.0", alone, count_wait, NULL, &fd, &err),
                 WG_OK, "%s", err.msg);
    return fd;
}

Test(choose, jobs_share_a_device_but_not_with_a_timed_one) {
    int first = lock(false);
    int second = lock(false);
    close(first);
    close(second);
    int alone = lock(true);
    close(alone);
    close(lock(true));
    cr_assert_eq(waits, 0);
}

Test(choose, a_timed_job_waits_and_says_so, .exit_code = 42) {
    (void)lock(false);
    (void)lock(true);
}

Test(choose, a_lock_is_no_way_to_another_file) {
    struct wg_err err = {0};
    int fd = -1;
    char *link = wg_path_join(root, "wavegrade-nvidia-1.lock");
    cr_assert_eq(symlink("/etc/passwd", link), 0);
    cr_assert_eq(wg_device_lock(root, "nvidia", "1", true, NULL, NULL, &fd, &err), WG_EIO);
    free(link);
}
