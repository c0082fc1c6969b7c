/* Building JSON to be written: for results and for the export formats that are JSON.
 *
 * Strings of any bytes become valid UTF-8, numbers that JSON cannot say become null, integers keep
 * all their digits. Exhausted memory aborts, as in wg_buf. A value that was added belongs to its
 * parent; the root belongs to the caller, who gives it to wg_json_print. */
#ifndef WG_RESULT_JSON_WRITE_H
#define WG_RESULT_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "grader/base/buf.h"

struct cJSON;

struct cJSON *wg_json_new_object(void);
struct cJSON *wg_json_add_object(struct cJSON *parent, const char *name);
struct cJSON *wg_json_add_array(struct cJSON *parent, const char *name);
struct cJSON *wg_json_append_object(struct cJSON *array);
void wg_json_append_number(struct cJSON *array, double value);
void wg_json_append_string(struct cJSON *array, const char *text);

/* The name may be of any bytes, too. */
void wg_json_add_null(struct cJSON *object, const char *name);
void wg_json_add_bool(struct cJSON *object, const char *name, bool value);
void wg_json_add_string(struct cJSON *object, const char *name, const char *text); /* NULL: null */
void wg_json_add_int(struct cJSON *object, const char *name, int64_t value);
void wg_json_add_uint(struct cJSON *object, const char *name, uint64_t value);
void wg_json_add_number(struct cJSON *object, const char *name, double value);

/* Appends the document, pretty or in one line, and frees it. */
void wg_json_print(struct cJSON *root, bool pretty, struct wg_buf *out);

#endif
