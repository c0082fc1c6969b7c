#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/kit/archive.h"

#define FILE_LIMIT_BYTES    ((size_t)64 << 20)
#define ARCHIVE_LIMIT_BYTES ((size_t)256 << 20)
#define FIXED_DATE_S        315619200 /* 1980-01-02: zip knows no earlier year */

struct wg_archive {
    struct archive *to;
    struct wg_buf *out;
};

static la_ssize_t append(struct archive *archive, void *context, const void *bytes, size_t len) {
    (void)archive;
    struct wg_archive *self = context;
    wg_buf_add(self->out, bytes, len);
    return (la_ssize_t)len;
}

static enum wg_code fail(struct wg_archive *self, const char *what, struct wg_err *err) {
    const char *why = archive_error_string(self->to);
    return wg_fail(err, WG_EINTERNAL, "archive: %.80s: %.120s", what, why ? why : "failed");
}

enum wg_code wg_archive_open(enum wg_archive_format format, struct wg_buf *out,
                             struct wg_archive **archive, struct wg_err *err) {
    struct wg_archive *self = wg_calloc(1, sizeof *self);
    self->out = out;
    self->to = archive_write_new();
    if (!self->to) {
        abort(); /* out of memory, as in wg_buf */
    }
    int status = format == WG_ARCHIVE_ZIP ? archive_write_set_format_zip(self->to)
                                          : archive_write_set_format_ustar(self->to);
    archive_write_set_bytes_in_last_block(self->to, 1);
    if (status != ARCHIVE_OK ||
        archive_write_open(self->to, self, NULL, append, NULL) != ARCHIVE_OK) {
        enum wg_code code = fail(self, "open", err);
        wg_archive_free(self);
        return code;
    }
    *archive = self;
    return WG_OK;
}

enum wg_code wg_archive_add(struct wg_archive *archive, const char *path, const void *bytes,
                            size_t len, bool is_program, struct wg_err *err) {
    if (archive->out->len + len > ARCHIVE_LIMIT_BYTES) {
        return wg_fail(err, WG_ELIMIT, "more than %zu MiB to pack", ARCHIVE_LIMIT_BYTES >> 20);
    }
    struct archive_entry *entry = archive_entry_new();
    if (!entry) {
        abort();
    }
    archive_entry_set_pathname(entry, path);
    archive_entry_set_size(entry, (la_int64_t)len);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, is_program ? 0755 : 0644);
    archive_entry_set_mtime(entry, FIXED_DATE_S, 0);
    int status = archive_write_header(archive->to, entry);
    archive_entry_free(entry);
    if (status != ARCHIVE_OK ||
        (len > 0 && archive_write_data(archive->to, bytes, len) != (la_ssize_t)len)) {
        return fail(archive, path, err);
    }
    return WG_OK;
}

static int is_wanted(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
           strcmp(entry->d_name, ".git") != 0;
}

static enum wg_code add_path(struct wg_archive *archive, const char *name, const char *path,
                             struct wg_err *err) {
    struct stat info;
    if (lstat(path, &info) != 0) {
        return wg_fail(err, WG_EIO, "look at '%s'", path);
    }
    if (S_ISDIR(info.st_mode)) {
        return wg_archive_add_folder(archive, name, path, err);
    }
    if (!S_ISREG(info.st_mode)) {
        return WG_OK;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    enum wg_code code = wg_file_read(path, FILE_LIMIT_BYTES, &text, err);
    return code ? code
                : wg_archive_add(archive, name, wg_buf_str(&text), text.len,
                                 (info.st_mode & S_IXUSR) != 0, err);
}

enum wg_code wg_archive_add_folder(struct wg_archive *archive, const char *prefix,
                                   const char *folder, struct wg_err *err) {
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_wanted, alphasort);
    if (count < 0) {
        return wg_fail(err, WG_EIO, "list '%s'", folder);
    }
    enum wg_code code = WG_OK;
    for (int i = 0; i < count; i++) {
        WG_CLEANUP(wg_freep) char *name = wg_path_join(prefix, entries[i]->d_name);
        WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, entries[i]->d_name);
        code = code ? code : add_path(archive, name, path, err);
        free(entries[i]);
    }
    free(entries);
    return code;
}

static struct archive *open_tar(const void *bytes, size_t len) {
    struct archive *from = archive_read_new();
    if (!from) {
        abort();
    }
    archive_read_support_format_tar(from);
    archive_read_support_filter_gzip(from);
    archive_read_support_filter_bzip2(from);
    archive_read_support_filter_xz(from);
    archive_read_support_filter_zstd(from);
    if (archive_read_open_memory(from, bytes, len) != ARCHIVE_OK) {
        archive_read_free(from);
        return NULL;
    }
    return from;
}

bool wg_archive_has(const void *bytes, size_t len, const char *path) {
    struct archive *from = open_tar(bytes, len);
    struct archive_entry *entry = NULL;
    bool found = false;
    while (from && !found && archive_read_next_header(from, &entry) == ARCHIVE_OK) {
        const char *name = archive_entry_pathname(entry);
        const char *slash = name ? strchr(name, '/') : NULL;
        found = slash && strcmp(slash + 1, path) == 0;
    }
    if (from) {
        archive_read_free(from);
    }
    return found;
}

enum wg_code wg_archive_close(struct wg_archive *archive, struct wg_err *err) {
    return archive_write_close(archive->to) == ARCHIVE_OK ? WG_OK : fail(archive, "close", err);
}

void wg_archive_free(struct wg_archive *archive) {
    if (archive) {
        archive_write_free(archive->to);
        free(archive);
    }
}
