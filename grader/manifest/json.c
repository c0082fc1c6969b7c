#include "grader/manifest/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/text.h"

/* Largest integer up to which a JSON number (a double) is exact. */
#define MAX_EXACT ((int64_t)1 << 53)

enum wg_code wg_json_open(struct wg_json_document *document, const char *file, const char *text,
                          size_t len, struct wg_err *err) {
    *document = (struct wg_json_document){.file = file, .err = err};
    const char *end = text;
    if (memchr(text, '\0', len) != NULL) {
        document->code = wg_fail(err, WG_EPARSE, "%s: contains a zero byte", file);
        return document->code;
    }
    document->root = cJSON_ParseWithLengthOpts(text, len + 1, &end, true);
    if (document->root != NULL) {
        return WG_OK;
    }
    size_t line = 1;
    size_t column = 1;
    for (const char *p = text; p < end && p < text + len; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n' ? 1 : 0;
    }
    document->code =
        wg_fail(err, WG_EPARSE, "%s: line %zu, column %zu: not valid JSON", file, line, column);
    return document->code;
}

void wg_json_done(struct wg_json_document *document) {
    cJSON_Delete(document->root);
    document->root = NULL;
}

struct wg_json wg_json_root(struct wg_json_document *document) {
    return (struct wg_json){.document = document, .node = document->root};
}

static void add_path(struct wg_buf *out, const struct wg_json *at) {
    if (at->parent == NULL) {
        return;
    }
    add_path(out, at->parent);
    if (at->key != NULL) {
        wg_buf_printf(out, "/%.40s", at->key);
    } else {
        wg_buf_printf(out, "/%zu", at->index);
    }
}

void wg_json_complain(const struct wg_json *at, const char *fmt, ...) {
    struct wg_json_document *document = at->document;
    if (document->code != WG_OK) {
        return;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf path = {0};
    add_path(&path, at);
    char what[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    document->code = wg_fail(document->err, WG_EPARSE, "%s: %s: %s", document->file,
                             path.len == 0 ? "/" : wg_buf_str(&path), what);
}

/* False when nothing can be read here: absent, or a complaint was made before. */
static bool readable(const struct wg_json *json) {
    return json->node != NULL && json->document->code == WG_OK;
}

void wg_json_keys(const struct wg_json *object, const char *const *keys, size_t count) {
    if (!readable(object)) {
        return;
    }
    if (!cJSON_IsObject(object->node)) {
        wg_json_complain(object, "expected an object");
        return;
    }
    for (const cJSON *member = object->node->child; member != NULL; member = member->next) {
        bool known = false;
        for (size_t i = 0; i < count && !known; i++) {
            known = strcmp(member->string, keys[i]) == 0;
        }
        if (!known) {
            const char *near = wg_text_nearest(member->string, keys, count);
            wg_json_complain(object, "unknown key '%.40s'%s%s%s", member->string,
                             near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                             near != NULL ? "'?" : "");
        }
        for (const cJSON *later = member->next; later != NULL; later = later->next) {
            if (strcmp(member->string, later->string) == 0) {
                wg_json_complain(object, "key '%.40s' occurs twice", member->string);
            }
        }
    }
}

struct wg_json wg_json_member(const struct wg_json *parent, const char *key, bool required) {
    struct wg_json member = {.document = parent->document, .parent = parent, .key = key};
    if (!readable(parent)) {
        return member;
    }
    member.node = cJSON_GetObjectItemCaseSensitive(parent->node, key);
    if (member.node == NULL && required) {
        wg_json_complain(parent, "key '%s' is missing", key);
    }
    return member;
}

size_t wg_json_count(const struct wg_json *array, size_t low, size_t high) {
    if (!readable(array)) {
        return 0;
    }
    size_t count = cJSON_IsArray(array->node) ? (size_t)cJSON_GetArraySize(array->node) : 0;
    if (!cJSON_IsArray(array->node) || count < low || count > high) {
        if (low == high) {
            wg_json_complain(array, "expected an array of %zu", low);
        } else {
            wg_json_complain(array, "expected an array of %zu to %zu items", low, high);
        }
        return 0;
    }
    return count;
}

struct wg_json wg_json_item(const struct wg_json *array, size_t index) {
    struct wg_json item = {.document = array->document, .parent = array, .index = index};
    if (readable(array)) {
        item.node = cJSON_GetArrayItem(array->node, (int)index);
    }
    return item;
}

char *wg_json_string(const struct wg_json *json) {
    if (!readable(json)) {
        return NULL;
    }
    if (!cJSON_IsString(json->node) || json->node->valuestring[0] == '\0') {
        wg_json_complain(json, "expected a string");
        return NULL;
    }
    for (const char *p = json->node->valuestring; *p != '\0'; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f) {
            wg_json_complain(json, "contains a control character");
            return NULL;
        }
    }
    return wg_strdup(json->node->valuestring);
}

static bool is_integer(const cJSON *node) {
    return cJSON_IsNumber(node) && fabs(node->valuedouble) <= (double)MAX_EXACT &&
           node->valuedouble == floor(node->valuedouble);
}

char *wg_json_string_or_integer(const struct wg_json *json) {
    if (readable(json) && is_integer(json->node)) {
        return wg_strf("%lld", (long long)json->node->valuedouble);
    }
    if (readable(json) && !cJSON_IsString(json->node)) {
        wg_json_complain(json, "expected an expression (a string) or an integer");
    }
    return wg_json_string(json);
}

int64_t wg_json_integer(const struct wg_json *json, int64_t low, int64_t high) {
    if (!readable(json)) {
        return 0;
    }
    if (is_integer(json->node) && json->node->valuedouble >= (double)low &&
        json->node->valuedouble <= (double)high) {
        return (int64_t)json->node->valuedouble;
    }
    wg_json_complain(json, "expected an integer from %lld to %lld", (long long)low,
                     (long long)high);
    return 0;
}

double wg_json_number(const struct wg_json *json, double low, double high) {
    if (!readable(json)) {
        return 0;
    }
    if (cJSON_IsNumber(json->node) && json->node->valuedouble >= low &&
        json->node->valuedouble <= high) {
        return json->node->valuedouble;
    }
    wg_json_complain(json, "expected a number from %g to %g", low, high);
    return 0;
}

size_t wg_json_choice(const struct wg_json *json, const char *const *choices, size_t count) {
    WG_CLEANUP(wg_freep) char *word = wg_json_string(json);
    if (word == NULL) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, choices[i]) == 0) {
            return i;
        }
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf known = {0};
    for (size_t i = 0; i < count; i++) {
        wg_buf_printf(&known, "%s%s", i == 0 ? "" : ", ", choices[i]);
    }
    wg_json_complain(json, "'%.40s' is not one of: %s", word, wg_buf_str(&known));
    return 0;
}
