#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/repo/internal.h"

#define MAX_FILES 1000

/* ---- writing ---- */

static void put_number(struct wg_buf *out, int64_t value) {
    wg_buf_add(out, &value, sizeof value);
}

static void put_bytes(struct wg_buf *out, const void *bytes, size_t len) {
    put_number(out, (int64_t)len);
    wg_buf_add(out, bytes, len);
}

/* NULL goes as length -1. */
static void put_string(struct wg_buf *out, const char *text) {
    if (text == NULL) {
        put_number(out, -1);
    } else {
        put_bytes(out, text, strlen(text));
    }
}

void wg_wire_put_request(struct wg_buf *out, const struct wg_repo_request *request,
                         const char *workspace) {
    put_string(out, request->location);
    put_string(out, request->ref);
    put_string(out, request->folder);
    put_string(out, request->ssh_key);
    put_string(out, request->known_commit);
    put_string(out, request->known_tree);
    put_string(out, workspace);
    put_number(out, request->not_after_s);
    put_number(out, request->limit_file_bytes);
    put_number(out, request->limit_fetch_bytes);
    put_number(out, request->limit_wall_ns);
    put_number(out, (int64_t)request->file_count);
    for (size_t i = 0; i < request->file_count; i++) {
        put_string(out, request->files[i]);
    }
}

void wg_wire_put_answer(struct wg_buf *out, enum wg_code code, const struct wg_err *err,
                        const struct wg_submission *submission) {
    put_number(out, code);
    if (code != WG_OK) {
        put_number(out, err->sys_errno);
        put_string(out, err->msg);
        return;
    }
    put_number(out, submission->verdict);
    put_string(out, submission->sentence);
    put_number(out, submission->file_index);
    put_string(out, submission->repository);
    put_string(out, submission->ref);
    put_string(out, submission->commit);
    put_string(out, submission->tree);
    put_number(out, submission->commit_time_s);
    put_string(out, submission->path);
    put_number(out, submission->unchanged);
    put_bytes(out, submission->source.data, submission->source.len);
}

/* ---- reading ---- */

struct cursor {
    const char *at;
    size_t left;
    bool broken;
};

static int64_t get_number(struct cursor *from) {
    int64_t value = 0;
    if (from->broken || from->left < sizeof value) {
        from->broken = true;
        return 0;
    }
    memcpy(&value, from->at, sizeof value);
    from->at += sizeof value;
    from->left -= sizeof value;
    return value;
}

static int64_t get_between(struct cursor *from, int64_t least, int64_t most) {
    int64_t value = get_number(from);
    if (value < least || value > most) {
        from->broken = true;
        return least;
    }
    return value;
}

static char *get_string(struct cursor *from) {
    int64_t len = get_between(from, -1, (int64_t)from->left);
    if (from->broken || len < 0 || (size_t)len > from->left) {
        from->broken |= len > 0;
        return NULL;
    }
    char *text = wg_strf("%.*s", (int)len, from->at);
    from->at += len;
    from->left -= (size_t)len;
    return text;
}

static void get_id(struct cursor *from, char out[65]) {
    WG_CLEANUP(wg_freep) char *text = get_string(from);
    size_t len = text == NULL ? 0 : strlen(text);
    if (len > 64 || (text != NULL && strspn(text, "0123456789abcdef") != len)) {
        from->broken = true;
        return;
    }
    memcpy(out, text == NULL ? "" : text, len + 1);
}

void wg_wire_request_done(struct wg_wire_request *request) {
    for (size_t i = 0; i < request->owned_count; i++) {
        free(request->owned[i]);
    }
    free(request->owned);
    free((void *)request->request.files);
    *request = (struct wg_wire_request){0};
}

static char *get_owned(struct cursor *from, struct wg_wire_request *owner) {
    owner->owned = wg_realloc(owner->owned, owner->owned_count + 1, sizeof *owner->owned);
    char *text = get_string(from);
    owner->owned[owner->owned_count++] = text;
    return text;
}

bool wg_wire_get_request(const struct wg_buf *from, struct wg_wire_request *out) {
    struct cursor cursor = {from->data, from->len, false};
    struct wg_repo_request *request = &out->request;
    request->location = get_owned(&cursor, out);
    request->ref = get_owned(&cursor, out);
    request->folder = get_owned(&cursor, out);
    request->ssh_key = get_owned(&cursor, out);
    request->known_commit = get_owned(&cursor, out);
    request->known_tree = get_owned(&cursor, out);
    out->workspace = get_owned(&cursor, out);
    request->not_after_s = get_number(&cursor);
    request->limit_file_bytes = get_number(&cursor);
    request->limit_fetch_bytes = get_number(&cursor);
    request->limit_wall_ns = get_number(&cursor);
    request->file_count = (size_t)get_between(&cursor, 0, MAX_FILES);
    const char **files = wg_calloc(request->file_count + 1, sizeof *files);
    request->files = files;
    for (size_t i = 0; i < request->file_count && !cursor.broken; i++) {
        files[i] = get_owned(&cursor, out);
        cursor.broken |= files[i] == NULL;
    }
    return !cursor.broken && cursor.left == 0 && request->location != NULL &&
           out->workspace != NULL;
}

static bool get_failure(struct cursor *from, enum wg_code code, struct wg_err *err) {
    int64_t sys_errno = get_between(from, 0, 4095);
    WG_CLEANUP(wg_freep) char *msg = get_string(from);
    if (from->broken || from->left != 0 || msg == NULL) {
        return false;
    }
    wg_fail(err, code == WG_EIO ? WG_EINTERNAL : code, "%s",
            msg); /* the text has its cause already */
    if (err != NULL) {
        err->code = code;
        err->sys_errno = (int)sys_errno;
    }
    return true;
}

bool wg_wire_get_answer(const struct wg_buf *from, enum wg_code *code, struct wg_err *err,
                        struct wg_submission *submission) {
    struct cursor cursor = {from->data, from->len, false};
    *code = (enum wg_code)get_between(&cursor, WG_OK, WG_EINTERNAL);
    if (cursor.broken || *code != WG_OK) {
        return !cursor.broken && get_failure(&cursor, *code, err);
    }
    struct wg_submission got = {0};
    got.verdict = (enum wg_verdict)get_between(&cursor, 0, WG_VERDICT_COUNT - 1);
    got.sentence = get_string(&cursor);
    got.file_index = (int)get_between(&cursor, -1, MAX_FILES);
    got.repository = get_string(&cursor);
    got.ref = get_string(&cursor);
    get_id(&cursor, got.commit);
    get_id(&cursor, got.tree);
    got.commit_time_s = get_number(&cursor);
    got.path = get_string(&cursor);
    got.unchanged = get_between(&cursor, 0, 1) != 0;
    int64_t len = get_between(&cursor, 0, (int64_t)cursor.left);
    if (!cursor.broken && (size_t)len == cursor.left) {
        wg_buf_add(&got.source, cursor.at, (size_t)len);
    } else {
        cursor.broken = true;
    }
    bool found = got.unchanged || (got.path != NULL && got.file_index >= 0);
    bool complete = got.verdict == WG_VERDICT_PASS ? found : got.sentence != NULL;
    if (cursor.broken || !complete) {
        wg_submission_done(&got);
        return false;
    }
    *submission = got;
    return true;
}
