#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/result/json_write.h"

/* cJSON reports exhausted memory by returning NULL from any call; as in wg_buf, nothing sensible
 * can follow. */
static cJSON *sure(cJSON *item) {
    if (!item) {
        abort();
    }
    return item;
}

static cJSON *new_string(const char *text) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_utf8(&clean, text, strlen(text));
    return sure(cJSON_CreateString(wg_buf_str(&clean)));
}

static cJSON *add(cJSON *object, const char *name, cJSON *item) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_utf8(&clean, name, strlen(name));
    if (!cJSON_AddItemToObject(object, wg_buf_str(&clean), sure(item))) {
        abort();
    }
    return item;
}

static cJSON *append(cJSON *array, cJSON *item) {
    if (!cJSON_AddItemToArray(array, sure(item))) {
        abort();
    }
    return item;
}

struct cJSON *wg_json_new_object(void) {
    return sure(cJSON_CreateObject());
}

struct cJSON *wg_json_add_object(struct cJSON *parent, const char *name) {
    return add(parent, name, cJSON_CreateObject());
}

struct cJSON *wg_json_add_array(struct cJSON *parent, const char *name) {
    return add(parent, name, cJSON_CreateArray());
}

struct cJSON *wg_json_append_object(struct cJSON *array) {
    return append(array, cJSON_CreateObject());
}

void wg_json_append_number(struct cJSON *array, double value) {
    append(array, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

void wg_json_append_string(struct cJSON *array, const char *text) {
    append(array, new_string(text));
}

void wg_json_add_null(struct cJSON *object, const char *name) {
    add(object, name, cJSON_CreateNull());
}

void wg_json_add_bool(struct cJSON *object, const char *name, bool value) {
    add(object, name, cJSON_CreateBool(value));
}

void wg_json_add_string(struct cJSON *object, const char *name, const char *text) {
    add(object, name, text ? new_string(text) : cJSON_CreateNull());
}

void wg_json_add_int(struct cJSON *object, const char *name, int64_t value) {
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    add(object, name, cJSON_CreateRaw(digits));
}

void wg_json_add_uint(struct cJSON *object, const char *name, uint64_t value) {
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    add(object, name, cJSON_CreateRaw(digits));
}

void wg_json_add_number(struct cJSON *object, const char *name, double value) {
    add(object, name, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

void wg_json_print(struct cJSON *root, bool pretty, struct wg_buf *out) {
    char *text = pretty ? cJSON_Print(root) : cJSON_PrintUnformatted(root);
    if (!text) {
        abort();
    }
    wg_buf_puts(out, text);
    free(text);
    cJSON_Delete(root);
}
