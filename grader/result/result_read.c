#include <cjson/cJSON.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "grader/base/clock.h"
#include "grader/base/text.h"
#include "grader/result/result_read.h"

#define TEXT_BYTES   ((size_t)64 << 10)
#define NAME_BYTES   ((size_t)64)
#define MAX_QUANTITY 1e300

void wg_read_complain(struct wg_reader *reader, const char *fmt, ...) {
    if (reader->code) {
        return;
    }
    char what[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (reader->index >= 0) {
        reader->code = wg_fail(reader->err, WG_EINVAL, "not a " WG_RESULT_SCHEMA ": %s[%d]: %s",
                               reader->part, reader->index, what);
    } else {
        reader->code = wg_fail(reader->err, WG_EINVAL, "not a " WG_RESULT_SCHEMA ": %s: %s",
                               reader->part, what);
    }
}

/* NULL for what is absent or null. A key that comes twice means different things to different
 * readers: it is refused. */
const cJSON *wg_read_member(struct wg_reader *reader, const cJSON *object, const char *name) {
    const cJSON *found = NULL;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, object) {
        if (item->string && strcmp(item->string, name) == 0) {
            if (found) {
                wg_read_complain(reader, "%s is there twice", name);
            }
            found = item;
        }
    }
    return cJSON_IsNull(found) ? NULL : found;
}

const cJSON *wg_read_object(struct wg_reader *reader, const cJSON *parent, const char *name) {
    const cJSON *item = wg_read_member(reader, parent, name);
    if (item && !cJSON_IsObject(item)) {
        wg_read_complain(reader, "%s must be an object", name);
        return NULL;
    }
    return item;
}

const cJSON *wg_read_array(struct wg_reader *reader, const cJSON *parent, const char *name,
                           int most) {
    const cJSON *item = wg_read_member(reader, parent, name);
    if (item && !cJSON_IsArray(item)) {
        wg_read_complain(reader, "%s must be an array", name);
        return NULL;
    }
    if (item && cJSON_GetArraySize(item) > most) {
        wg_read_complain(reader, "%s has more than %d items", name, most);
        return NULL;
    }
    return item;
}

const char *wg_read_raw(struct wg_reader *reader, const cJSON *object, const char *name) {
    const cJSON *item = wg_read_member(reader, object, name);
    if (item && !cJSON_IsString(item)) {
        wg_read_complain(reader, "%s must be a string", name);
        return NULL;
    }
    return item ? item->valuestring : NULL;
}

char *wg_read_text_up_to(struct wg_reader *reader, const cJSON *object, const char *name,
                         size_t limit_bytes) {
    const char *text = wg_read_raw(reader, object, name);
    return text ? wg_text_clean(text, strlen(text), limit_bytes) : NULL;
}

char *wg_read_text(struct wg_reader *reader, const cJSON *object, const char *name) {
    return wg_read_text_up_to(reader, object, name, TEXT_BYTES);
}

/* One of a few words, NULL-terminated: exporters may rely on there being no others. */
char *wg_read_word(struct wg_reader *reader, const cJSON *object, const char *name,
                   const char *const *words) {
    const char *given = wg_read_raw(reader, object, name);
    for (size_t i = 0; given && words[i]; i++) {
        if (strcmp(given, words[i]) == 0) {
            return wg_strdup(given);
        }
    }
    if (given) {
        wg_read_complain(reader, "%s has a value that is not known", name);
    }
    return NULL;
}

bool wg_read_flag(struct wg_reader *reader, const cJSON *object, const char *name, bool absent) {
    const cJSON *item = wg_read_member(reader, object, name);
    if (item && !cJSON_IsBool(item)) {
        wg_read_complain(reader, "%s must be true or false", name);
    }
    return item ? cJSON_IsTrue(item) : absent;
}

double wg_read_number(struct wg_reader *reader, const cJSON *object, const char *name, double low,
                      double high, double absent) {
    const cJSON *item = wg_read_member(reader, object, name);
    if (!item) {
        return absent;
    }
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= low && item->valuedouble <= high)) {
        wg_read_complain(reader, "%s must be a number from %g to %g", name, low, high);
        return absent;
    }
    return item->valuedouble;
}

/* Null where it was not measured: 0 in the model. */
double wg_read_positive(struct wg_reader *reader, const cJSON *object, const char *name) {
    return wg_read_number(reader, object, name, 0, MAX_QUANTITY, 0);
}

/* A number that may be none: its name is in NAME_text. */
double wg_read_answer(struct wg_reader *reader, const cJSON *object, const char *name) {
    char text_name[64];
    snprintf(text_name, sizeof text_name, "%s_text", name);
    const char *said = wg_read_raw(reader, object, text_name);
    double absent = 0;
    if (said) {
        bool known = true;
        absent = strcmp(said, "nan") == 0    ? (double)NAN
                 : strcmp(said, "inf") == 0  ? (double)INFINITY
                 : strcmp(said, "-inf") == 0 ? (double)-INFINITY
                                             : (known = false, 0);
        if (!known) {
            wg_read_complain(reader, "%s must be nan, inf or -inf", text_name);
        }
    }
    return wg_read_number(reader, object, name, -DBL_MAX, DBL_MAX, absent);
}

int64_t wg_read_integer(struct wg_reader *reader, const cJSON *object, const char *name,
                        int64_t low, int64_t high, int64_t absent) {
    const cJSON *item = wg_read_member(reader, object, name);
    if (!item) {
        return absent;
    }
    double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    /* The largest integers are doubles beyond their type by one. */
    if (value == 0x1p63 && high == INT64_MAX) {
        return INT64_MAX;
    }
    if (!(value >= (double)low && value <= (double)high) || value >= 0x1p63 ||
        trunc(value) != value) {
        wg_read_complain(reader, "%s must be an integer from %" PRId64 " to %" PRId64, name, low,
                         high);
        return absent;
    }
    return (int64_t)value;
}

uint64_t wg_read_count(struct wg_reader *reader, const cJSON *object, const char *name) {
    const cJSON *item = wg_read_member(reader, object, name);
    if (!item) {
        return 0;
    }
    double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    if (value == 0x1p64) {
        return UINT64_MAX;
    }
    if (!(value >= 0 && value < 0x1p64) || trunc(value) != value) {
        wg_read_complain(reader, "%s must be a count", name);
        return 0;
    }
    return (uint64_t)value;
}

int wg_read_small(struct wg_reader *reader, const cJSON *object, const char *name, int low,
                  int high, int absent) {
    return (int)wg_read_integer(reader, object, name, low, high, absent);
}

int wg_read_line(struct wg_reader *reader, const cJSON *object, const char *name) {
    return wg_read_small(reader, object, name, 1, INT_MAX, 0);
}

uint64_t wg_read_seed(struct wg_reader *reader, const cJSON *object) {
    const char *digits = wg_read_raw(reader, object, "seed");
    if (!digits) {
        return 0;
    }
    size_t len = strlen(digits);
    errno = 0;
    unsigned long long value = strtoull(digits, NULL, 10);
    if (len == 0 || strspn(digits, "0123456789") != len || errno) {
        wg_read_complain(reader, "seed must be 64 bits in decimal digits");
        return 0;
    }
    return value;
}

int64_t wg_read_moment(struct wg_reader *reader, const cJSON *object, const char *name) {
    const char *given = wg_read_raw(reader, object, name);
    if (!given) {
        return 0;
    }
    struct tm parts = {0};
    char again[32] = "";
    const char *end = strptime(given, "%Y-%m-%dT%H:%M:%SZ", &parts);
    time_t unix_s = end ? timegm(&parts) : -1;
    if (unix_s > 0) {
        wg_clock_format_utc(unix_s, again);
    }
    /* strptime takes blanks, signs and the 31st of February; what was written does not. */
    if (strcmp(again, given) != 0) {
        wg_read_complain(reader, "%s must be a time like 2026-11-30T15:04:05Z", name);
        return 0;
    }
    return unix_s;
}

static const char *hex_digits(struct wg_reader *reader, const cJSON *object, const char *name) {
    const char *given = wg_read_raw(reader, object, name);
    size_t len = given ? strlen(given) : 0;
    if (given && (len == 0 || len > 64 || strspn(given, "0123456789abcdef") != len)) {
        wg_read_complain(reader, "%s must be at most 64 hex digits", name);
        return NULL;
    }
    return given;
}

char *wg_read_hex(struct wg_reader *reader, const cJSON *object, const char *name) {
    const char *given = hex_digits(reader, object, name);
    return given ? wg_strdup(given) : NULL;
}

void wg_read_hex_into(struct wg_reader *reader, const cJSON *object, const char *name,
                      char out[65]) {
    const char *given = hex_digits(reader, object, name);
    snprintf(out, 65, "%s", given ? given : "");
}

enum wg_verdict wg_read_verdict(struct wg_reader *reader, const cJSON *object, bool needed) {
    const char *name = wg_read_raw(reader, object, "verdict");
    enum wg_verdict value = WG_VERDICT_GRADER_ERROR;
    if (name ? !wg_verdict_parse(name, &value) : needed) {
        wg_read_complain(reader, name ? "verdict is not a known one" : "there is no verdict");
    }
    return value;
}

void wg_read_dims(struct wg_reader *reader, const cJSON *object, char *names[WG_RESULT_DIMS],
                  int64_t values[WG_RESULT_DIMS], size_t *dim_count) {
    const cJSON *dims = wg_read_object(reader, object, "dims");
    const cJSON *item = NULL;
    size_t used = 0;
    cJSON_ArrayForEach(item, dims) {
        if (used == WG_RESULT_DIMS) {
            wg_read_complain(reader, "more than %d dims", WG_RESULT_DIMS);
            return;
        }
        names[used] = wg_text_clean(item->string, strlen(item->string), NAME_BYTES);
        values[used] = wg_read_integer(reader, dims, item->string, INT64_MIN, INT64_MAX, 0);
        *dim_count = ++used;
    }
}

bool wg_read_triple(struct wg_reader *reader, const cJSON *object, const char *name,
                    uint32_t out[3]) {
    const cJSON *array = wg_read_array(reader, object, name, 3);
    if (!array) {
        return false;
    }
    int used = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(value >= 0 && value <= UINT32_MAX) || trunc(value) != value) {
            break;
        }
        out[used++] = (uint32_t)value;
    }
    if (used != 3) {
        wg_read_complain(reader, "%s must be three counts", name);
    }
    return used == 3;
}
