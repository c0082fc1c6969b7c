/* Strict reading of a JSON file whose author should be told exactly what is wrong.
 *
 * A struct wg_json is a place in the document: it lives on the reader's stack and knows its parent,
 * so a complaint can name its path ("/arguments/2/length"). The first complaint is kept in the
 * document and everything read afterwards is a harmless default, so that readers may run to their
 * end and ask once, with wg_json_code. */
#ifndef WG_MANIFEST_JSON_H
#define WG_MANIFEST_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/err.h"

struct cJSON;

struct wg_json_document {
    const char *file; /* for messages */
    struct cJSON *root;
    enum wg_code code;
    struct wg_err *err;
};

struct wg_json {
    struct wg_json_document *document;
    const struct cJSON *node; /* NULL: absent, or a complaint was made before */
    const struct wg_json *parent;
    const char *key; /* in the parent, or NULL: an item */
    size_t index;
};

/* text[len] must be 0. Errors: WG_EPARSE with line and column. file and err are borrowed. */
enum wg_code wg_json_open(struct wg_json_document *document, const char *file, const char *text,
                          size_t len, struct wg_err *err);
void wg_json_done(struct wg_json_document *document);
struct wg_json wg_json_root(struct wg_json_document *document);

/* Complains about a place: WG_EPARSE, "FILE: PATH: ...". Only the first complaint is kept. */
void wg_json_complain(const struct wg_json *at, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Complains unless this is an object that has no other keys than these and none twice. */
void wg_json_keys(const struct wg_json *object, const char *const *keys, size_t count);

/* Member of an object; required ones are complained about when they are missing. parent must
 * outlive the result. */
struct wg_json wg_json_member(const struct wg_json *parent, const char *key, bool required);
static inline bool wg_json_exists(const struct wg_json *json) {
    return json->node != NULL;
}

/* Number of items; complains unless this is an array of low to high items. */
size_t wg_json_count(const struct wg_json *array, size_t low, size_t high);
struct wg_json wg_json_item(const struct wg_json *array, size_t index);

/* Heap string, never empty, without control characters; NULL after a complaint. */
char *wg_json_string(const struct wg_json *json);
/* A string or an integer as text: what expressions are written as. */
char *wg_json_string_or_integer(const struct wg_json *json);
int64_t wg_json_integer(const struct wg_json *json, int64_t low, int64_t high);
double wg_json_number(const struct wg_json *json, double low, double high);
/* Index of the string among the choices, 0 after a complaint. */
size_t wg_json_choice(const struct wg_json *json, const char *const *choices, size_t count);

#endif
