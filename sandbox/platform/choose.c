#include "sandbox/platform/choose.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"

enum { TOLD_BYTES = 4096 };

const struct wg_choose_roots wg_choose_machine = {.dev = "/dev", .proc = "/proc", .sys = "/sys"};

/* The value behind "Key:" in a file of lines; false: not there. */
static bool read_value(const char *path, const char *key, char *out, size_t size) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_err ignored = {0};
    if (wg_file_read(path, TOLD_BYTES, &text, &ignored) != WG_OK) {
        return false;
    }
    const char *at = *key == '\0' ? wg_buf_str(&text) : strstr(wg_buf_str(&text), key);
    if (at == NULL) {
        return false;
    }
    at += strlen(key);
    at += strspn(at, ": \t");
    snprintf(out, size, "%.*s", (int)strcspn(at, "\n \t"), at);
    return *out != '\0';
}

/* ---- nvidia: /proc/driver/nvidia/gpus/ADDRESS/information tells of a node by its number ---- */

static void describe_nvidia(const struct wg_choose_roots *roots, struct wg_gpu *gpu) {
    WG_CLEANUP(wg_freep)
    char *pattern = wg_strf("%s/driver/nvidia/gpus/*/information", roots->proc);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) {
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char minor[16];
        const char *path = found.gl_pathv[i];
        if (!read_value(path, "Device Minor", minor, sizeof minor) ||
            strcmp(minor, gpu->node + strlen("nvidia")) != 0) {
            continue;
        }
        (void)read_value(path, "GPU UUID", gpu->uuid, sizeof gpu->uuid);
        (void)read_value(path, "Bus Location", gpu->address, sizeof gpu->address);
    }
    globfree(&found);
}

/* ---- amd: /sys/class/drm/renderDN/device is a link to the PCI device ---- */

static void describe_amd(const struct wg_choose_roots *roots, struct wg_gpu *gpu) {
    char target[PATH_MAX];
    char id[48];
    const char *name = gpu->node + strlen("dri/");
    WG_CLEANUP(wg_freep) char *link = wg_strf("%s/class/drm/%s/device", roots->sys, name);
    WG_CLEANUP(wg_freep) char *unique = wg_strf("%s/unique_id", link);
    ssize_t len = readlink(link, target, sizeof target - 1);
    if (len > 0) {
        target[len] = '\0';
        const char *slash = strrchr(target, '/');
        snprintf(gpu->address, sizeof gpu->address, "%.31s", slash != NULL ? slash + 1 : target);
    }
    if (read_value(unique, "", id, sizeof id)) {
        snprintf(gpu->uuid, sizeof gpu->uuid, "GPU-%s", id);
    }
}

static int number_of(const char *node) {
    const char *digits = node + strlen(node);
    while (digits > node && isdigit((unsigned char)digits[-1])) {
        digits--;
    }
    return atoi(digits);
}

static int compare_nodes(const void *a, const void *b) {
    return number_of(((const struct wg_gpu *)a)->node) -
           number_of(((const struct wg_gpu *)b)->node);
}

static size_t add_platform(const struct wg_choose_roots *roots, const char *platform,
                           const char *nodes, size_t count, struct wg_gpu *gpus) {
    WG_CLEANUP(wg_freep) char *pattern = wg_strf("%s/%s", roots->dev, nodes);
    size_t first = count;
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) {
        return count;
    }
    for (size_t i = 0; i < found.gl_pathc && count < WG_CHOOSE_MOST; i++) {
        struct wg_gpu *gpu = &gpus[count++];
        *gpu = (struct wg_gpu){0};
        snprintf(gpu->platform, sizeof gpu->platform, "%s", platform);
        snprintf(gpu->node, sizeof gpu->node, "%.63s", found.gl_pathv[i] + strlen(roots->dev) + 1);
    }
    globfree(&found);
    qsort(gpus + first, count - first, sizeof *gpus, compare_nodes);
    for (size_t i = first; i < count; i++) {
        gpus[i].index = (int)(i - first);
    }
    return count;
}

size_t wg_choose_list(const struct wg_choose_roots *roots, struct wg_gpu gpus[WG_CHOOSE_MOST]) {
    size_t amd = 0;
    WG_CLEANUP(wg_freep) char *kfd = wg_strf("%s/kfd", roots->dev);
    if (wg_file_exists(kfd)) { /* render nodes alone may be anybody's */
        amd = add_platform(roots, "amd", "dri/renderD[0-9]*", 0, gpus);
    }
    size_t count = add_platform(roots, "nvidia", "nvidia[0-9]*", amd, gpus);
    for (size_t i = 0; i < count; i++) {
        if (i < amd) {
            describe_amd(roots, &gpus[i]);
        } else {
            describe_nvidia(roots, &gpus[i]);
        }
    }
    return count;
}

/* "0000:41:00.0", also without its domain, which some tools leave out and some write longer. */
static bool is_address(const char *address, const char *wanted) {
    const char *short_address = strchr(address, ':');
    const char *domain_end = strchr(wanted, ':');
    if (short_address == NULL || domain_end == NULL) {
        return false;
    }
    bool has_domain = strchr(domain_end + 1, ':') != NULL;
    const char *short_wanted = has_domain ? domain_end + 1 : wanted;
    bool same_domain = !has_domain || strtoul(address, NULL, 16) == strtoul(wanted, NULL, 16);
    return same_domain && strcasecmp(short_address + 1, short_wanted) == 0;
}

static bool fits(const struct wg_gpu *gpu, const char *wanted) {
    bool is_index = wanted[strspn(wanted, "0123456789")] == '\0' && *wanted != '\0';
    if (is_index) {
        return gpu->index == atoi(wanted);
    }
    return (*gpu->uuid && strcasecmp(gpu->uuid, wanted) == 0) || is_address(gpu->address, wanted);
}

enum wg_code wg_choose_find(const struct wg_gpu *gpus, size_t count, const char *platform,
                            const char *wanted, const struct wg_gpu **out, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf known = {0};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(platform, "auto") != 0 && strcmp(platform, gpus[i].platform) != 0) {
            continue;
        }
        if (fits(&gpus[i], wanted)) {
            *out = &gpus[i];
            return WG_OK;
        }
        wg_buf_printf(&known, "%s%s %d (%s)", known.len ? ", " : "", gpus[i].platform,
                      gpus[i].index, *gpus[i].address ? gpus[i].address : gpus[i].node);
    }
    if (known.len == 0) {
        return wg_fail(err, WG_EINVAL, "no GPU '%.60s': there is none at all here", wanted);
    }
    return wg_fail(err, WG_EINVAL, "no GPU '%.60s'; there are %.150s", wanted, wg_buf_str(&known));
}
