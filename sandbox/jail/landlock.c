/* The weaker jail: no namespaces, but a process that may open, run and make only what its ruleset
 * names.
 *
 * Landlock governs opening, making, removing and running files, and from newer versions of its
 * interface on also truncation, device controls and signals. It does not govern what takes a path
 * without opening it (chmod, utime, stat), sockets with a path, System V objects, or process
 * attributes. The filter (seccomp.c) takes those away, but for looking: that a file outside exists,
 * and its size, can be seen.
 *
 * Nothing is mounted, so the paths of the spec are translated to those outside. /tmp is a private
 * folder. As root the command runs as WG_JAIL_UID, like in the strong jail; as that user has to
 * reach the files by their paths, an installation below a locked folder does not work.
 *
 * The ruleset is made here, by the grader, who may open everything; init puts it on (init.c). */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "sandbox/jail/internal.h"

/* The kernel's numbers; headers of distributions may be older than their kernels. */
enum {
    CAN_EXECUTE = 1 << 0,
    CAN_WRITE_FILE = 1 << 1,
    CAN_READ_FILE = 1 << 2,
    CAN_READ_DIR = 1 << 3,
    CAN_REMOVE_DIR = 1 << 4,
    CAN_REMOVE_FILE = 1 << 5,
    CAN_MAKE_DIR = 1 << 7,
    CAN_MAKE_REG = 1 << 8,
    CAN_MAKE_SYM = 1 << 12,
    CAN_REFER = 1 << 13,
    CAN_TRUNCATE = 1 << 14,
    CAN_IOCTL_DEV = 1 << 15,

    CAN_LOOK = CAN_EXECUTE | CAN_READ_FILE | CAN_READ_DIR,
    CAN_CHANGE = CAN_WRITE_FILE | CAN_REMOVE_DIR | CAN_REMOVE_FILE | CAN_MAKE_DIR | CAN_MAKE_REG |
                 CAN_MAKE_SYM | CAN_REFER | CAN_TRUNCATE,
    ON_FILES = CAN_EXECUTE | CAN_WRITE_FILE | CAN_READ_FILE | CAN_TRUNCATE | CAN_IOCTL_DEV,

    ABI_REFER = 2,
    ABI_TRUNCATE = 3,
    ABI_NET = 4,
    ABI_IOCTL_DEV = 5,
    NET_ALL = 3, /* bind and connect, TCP */
};

struct ruleset {
    uint64_t handled_files, handled_net, scoped;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent_fd;
} __attribute__((packed));

int wg_landlock_abi(void) {
    /* The third argument 1 asks for the interface's version (LANDLOCK_CREATE_RULESET_VERSION). */
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
    return abi > 0 ? (int)abi : 0;
}

static uint64_t handled_by(int abi) {
    uint64_t all = (CAN_REFER << 1) - 1;
    if (abi < ABI_REFER) {
        all &= ~(uint64_t)CAN_REFER;
    }
    return all | (abi >= ABI_TRUNCATE ? CAN_TRUNCATE : 0) |
           (abi >= ABI_IOCTL_DEV ? CAN_IOCTL_DEV : 0);
}

static enum wg_code make_ruleset(int abi, uint64_t *handled, int *out, struct wg_err *err) {
    struct ruleset wanted = {.handled_files = handled_by(abi),
                             .handled_net = abi >= ABI_NET ? NET_ALL : 0,
                             .scoped = abi >= WG_LANDLOCK_ABI_SCOPED ? WG_LANDLOCK_SCOPES : 0};
    size_t size = abi >= WG_LANDLOCK_ABI_SCOPED ? sizeof wanted
                  : abi >= ABI_NET              ? offsetof(struct ruleset, scoped)
                                                : offsetof(struct ruleset, handled_net);
    *handled = wanted.handled_files;
    *out = (int)syscall(SYS_landlock_create_ruleset, &wanted, size, 0);
    return *out >= 0 ? WG_OK : wg_fail(err, WG_EIO, "make a Landlock ruleset");
}

static enum wg_code allow(int ruleset, uint64_t handled, const char *path, uint64_t access,
                          struct wg_err *err) {
    WG_CLEANUP(wg_closep) int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        return wg_fail(err, errno == ENOENT ? WG_ENOTFOUND : WG_EIO, "jail: open '%s'", path);
    }
    if (!S_ISDIR(st.st_mode)) {
        access &= ON_FILES;
    }
    struct path_rule rule = {.allowed = access & handled, .parent_fd = fd};
    return syscall(SYS_landlock_add_rule, ruleset, 1 /* below a path */, &rule, 0) == 0
               ? WG_OK
               : wg_fail(err, WG_EIO, "jail: allow '%s'", path);
}

static enum wg_code allow_system(const struct wg_jail_spec *spec, int ruleset, uint64_t handled,
                                 struct wg_err *err) {
    static const struct {
        const char *path;
        uint64_t access;
    } others[] = {
        {"/etc/ld.so.cache", CAN_READ_FILE}, {"/dev/null", CAN_READ_FILE | CAN_WRITE_FILE},
        {"/dev/zero", CAN_READ_FILE},        {"/dev/random", CAN_READ_FILE},
        {"/dev/urandom", CAN_READ_FILE},
    };
    enum wg_code code = WG_OK;
    const char *folders[WG_SYSTEM_FOLDERS_MAX];
    size_t count = wg_spec_system_folders(spec, folders);
    for (size_t i = 0; code == WG_OK && i < count; i++) {
        code = allow(ruleset, handled, folders[i], CAN_LOOK, err);
    }
    for (size_t i = 0; code == WG_OK && i < sizeof others / sizeof others[0]; i++) {
        if (access(others[i].path, F_OK) == 0) {
            code = allow(ruleset, handled, others[i].path, others[i].access, err);
        }
    }
    return code;
}

/* ---- paths ---- */

/* Takes source; the command may do there what access says. */
static enum wg_code add_place(struct wg_launch *launch, int ruleset, uint64_t handled, char *source,
                              const char *target, uint64_t access, struct wg_err *err) {
    launch->stages[launch->stage_count++] =
        (struct wg_stage){.source = source, .target = wg_strdup(target)};
    return allow(ruleset, handled, source, access, err);
}

static enum wg_code add_bind(struct wg_launch *launch, int ruleset, uint64_t handled,
                             const struct wg_jail_bind *bind, struct wg_err *err) {
    char *source = realpath(bind->source, NULL);
    struct stat st;
    if (source == NULL) {
        return wg_fail(err, WG_ENOTFOUND, "jail: '%s' does not exist", bind->source);
    }
    uint64_t access = CAN_LOOK | (bind->writable ? CAN_CHANGE : 0);
    if (bind->device) {
        access = CAN_READ_FILE | CAN_WRITE_FILE | CAN_IOCTL_DEV;
        if (stat(source, &st) != 0 || !S_ISCHR(st.st_mode)) {
            free(source);
            return wg_fail(err, WG_EINVAL, "jail: '%s' is not a device", bind->source);
        }
    }
    return add_place(launch, ruleset, handled, source, bind->target, access, err);
}

/* The place whose target the path is, or lies below; of several the deepest. */
static const struct wg_stage *find_place(const struct wg_launch *launch, const char *path) {
    const struct wg_stage *found = NULL;
    for (size_t i = 0; i < launch->stage_count; i++) {
        const struct wg_stage *place = &launch->stages[i];
        size_t len = strlen(place->target);
        if (strncmp(path, place->target, len) == 0 && (path[len] == '/' || path[len] == '\0') &&
            (found == NULL || len > strlen(found->target))) {
            found = place;
        }
    }
    return found;
}

static char *translate(const struct wg_launch *launch, const char *path) {
    const struct wg_stage *place = find_place(launch, path);
    return place == NULL ? wg_strdup(path)
                         : wg_strf("%s%s", place->source, path + strlen(place->target));
}

static void add_environment(struct wg_launch *launch, const char *const *env) {
    size_t count = 0;
    while (env != NULL && env[count] != NULL) {
        count++;
    }
    launch->env = wg_calloc(count + 1, sizeof *launch->env);
    for (; launch->env_count < count; launch->env_count++) {
        const char *word = env[launch->env_count], *value = strchr(word, '=') + 1;
        WG_CLEANUP(wg_freep) char *outside = translate(launch, value);
        launch->env[launch->env_count] = wg_strf("%.*s%s", (int)(value - word), word, outside);
    }
}

void wg_landlock_translate_back(const struct wg_launch *launch, struct wg_buf *text) {
    for (size_t i = 0; launch->kind == WG_JAIL_LANDLOCK && i < launch->stage_count; i++) {
        const struct wg_stage *place = &launch->stages[i];
        size_t len = strlen(place->source);
        struct wg_buf out = {0};
        size_t done = 0;
        const char *hit;
        while (text->len > done &&
               (hit = memmem(text->data + done, text->len - done, place->source, len)) != NULL) {
            wg_buf_add(&out, text->data + done, (size_t)(hit - text->data) - done);
            wg_buf_puts(&out, place->target);
            done = (size_t)(hit - text->data) + len;
        }
        if (done > 0) {
            wg_buf_add(&out, text->data + done, text->len - done);
            wg_buf_done(text);
            *text = out;
        }
    }
}

enum wg_code wg_landlock_plan(const struct wg_jail_spec *spec, bool has_cgroup, const char *tmp,
                              const struct wg_launch_fds *fds, int *ruleset_fd,
                              struct wg_launch *out, struct wg_err *err) {
    int abi = wg_landlock_abi();
    if (abi == 0) {
        return wg_fail(err, WG_EUNSUPPORTED,
                       "this kernel has no Landlock (it needs Linux 5.13 with 'landlock' among "
                       "the security modules in its lsm= option)");
    }
    abi = spec->landlock_abi > 0 && spec->landlock_abi < abi ? spec->landlock_abi : abi;
    out->as_root = geteuid() == 0;
    uint64_t handled = 0;
    enum wg_code code = make_ruleset(abi, &handled, ruleset_fd, err);
    if (code == WG_OK) {
        code = allow_system(spec, *ruleset_fd, handled, err);
    }
    for (size_t i = 0; code == WG_OK && i < spec->bind_count; i++) {
        code = add_bind(out, *ruleset_fd, handled, &spec->binds[i], err);
    }
    if (code == WG_OK && tmp != NULL) {
        code = add_place(out, *ruleset_fd, handled, wg_strdup(tmp), "/tmp", CAN_LOOK | CAN_CHANGE,
                         err);
    }
    char *init = NULL;
    if (code == WG_OK) {
        code = wg_launch_find_init(&init, err);
    }
    if (code != WG_OK) {
        return code;
    }
    wg_launch_add_owned(out, init);
    struct wg_launch_fds numbers = *fds;
    numbers.is_scoped = abi >= WG_LANDLOCK_ABI_SCOPED;
    wg_launch_add_init(out, spec, has_cgroup, &numbers);
    wg_launch_add_owned(out, translate(out, spec->workdir));
    for (size_t i = 0; spec->argv[i] != NULL; i++) {
        wg_launch_add_owned(out, translate(out, spec->argv[i]));
    }
    add_environment(out, spec->env);
    return WG_OK;
}
