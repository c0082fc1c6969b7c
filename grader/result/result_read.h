/* Values of a JSON document that anyone may have written: private to wg_result_from_json.
 *
 * Every value has a type, a range and a bound on its size; text is cleaned. What is absent is null:
 * NULL, or the value named `absent`. The first complaint is kept in the reader, and everything read
 * afterwards is a harmless default, so that each part runs to its end and the caller asks once.
 * Strings are the caller's to free. Objects may be NULL: everything in them is absent. */
#ifndef WG_RESULT_READ_H
#define WG_RESULT_READ_H

#include "grader/result/result.h"

#define WG_READ_WALL_MS 1e12

struct cJSON;

struct wg_reader {
    const char *part; /* which part of the document, for messages */
    int index;        /* its item, or -1 */
    enum wg_code code;
    struct wg_err *err;
};

void wg_read_complain(struct wg_reader *reader, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* NULL for what is absent or null. */
const struct cJSON *wg_read_member(struct wg_reader *reader, const struct cJSON *object,
                                   const char *name);
const struct cJSON *wg_read_object(struct wg_reader *reader, const struct cJSON *parent,
                                   const char *name);
/* At most so many items. */
const struct cJSON *wg_read_array(struct wg_reader *reader, const struct cJSON *parent,
                                  const char *name, int most);

/* As it is in the document, which owns it. */
const char *wg_read_raw(struct wg_reader *reader, const struct cJSON *object, const char *name);
char *wg_read_text_up_to(struct wg_reader *reader, const struct cJSON *object, const char *name,
                         size_t limit_bytes);
/* At most 64 KiB. */
char *wg_read_text(struct wg_reader *reader, const struct cJSON *object, const char *name);
/* One of a few words, NULL-terminated: exporters may rely on there being no others. */
char *wg_read_word(struct wg_reader *reader, const struct cJSON *object, const char *name,
                   const char *const *words);
bool wg_read_flag(struct wg_reader *reader, const struct cJSON *object, const char *name,
                  bool absent);
double wg_read_number(struct wg_reader *reader, const struct cJSON *object, const char *name,
                      double low, double high, double absent);
/* 0 where it was not measured. */
double wg_read_positive(struct wg_reader *reader, const struct cJSON *object, const char *name);
/* A number that may be none: its name is in NAME_text. */
double wg_read_answer(struct wg_reader *reader, const struct cJSON *object, const char *name);
int64_t wg_read_integer(struct wg_reader *reader, const struct cJSON *object, const char *name,
                        int64_t low, int64_t high, int64_t absent);
uint64_t wg_read_count(struct wg_reader *reader, const struct cJSON *object, const char *name);
int wg_read_small(struct wg_reader *reader, const struct cJSON *object, const char *name, int low,
                  int high, int absent);
/* From 1; 0: not known. */
int wg_read_line(struct wg_reader *reader, const struct cJSON *object, const char *name);
uint64_t wg_read_seed(struct wg_reader *reader, const struct cJSON *object);
/* Unix time; 0: not known. */
int64_t wg_read_moment(struct wg_reader *reader, const struct cJSON *object, const char *name);
/* At most 64 digits. */
char *wg_read_hex(struct wg_reader *reader, const struct cJSON *object, const char *name);
void wg_read_hex_into(struct wg_reader *reader, const struct cJSON *object, const char *name,
                      char out[65]);
enum wg_verdict wg_read_verdict(struct wg_reader *reader, const struct cJSON *object, bool needed);
void wg_read_dims(struct wg_reader *reader, const struct cJSON *object, char *names[WG_RESULT_DIMS],
                  int64_t values[WG_RESULT_DIMS], size_t *dim_count);
/* False: there is none. */
bool wg_read_triple(struct wg_reader *reader, const struct cJSON *object, const char *name,
                    uint32_t out[3]);

#endif
