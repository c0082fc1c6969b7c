/* A whole class for people and gradebooks: what every class-wide format is made from.
 *
 * Everything is borrowed: rows, strings and results stay the caller's and must outlive the call.
 * Student-made text is escaped for the format. */
#ifndef WG_EXPORT_CLASS_H
#define WG_EXPORT_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "grader/result/result.h"

struct wg_class_row {
    const char *student;            /* the roster's id */
    const char *name;               /* NULL: the roster gave none */
    const char *assignment;         /* its id */
    const struct wg_result *result; /* NULL: not graded yet */
    uint32_t attempts;              /* gradings that the store holds */
    int64_t graded_s;               /* when, Unix time; 0: never */
    bool is_late;                   /* the graded commit is later than the deadline */
    uint32_t same_source; /* submissions of other students with the same normalized source */
    const char *page;     /* link to the student's page, relative; NULL: none */
};

struct wg_class {
    const char *title; /* "matmul, 31 students" or what the instructor calls it */
    const struct wg_class_row *rows;
    size_t row_count;
    bool anonymous; /* neither ids nor names are written, nor what leads to them; the order of the
                       rows is the caller's to mix */
};

/* How a class meets a gradebook. */
struct wg_gradebook {
    /* What the gradebook exported, to be filled in: students that it lacks are told in *missing,
     * everything but grades stays as it is. NULL: a file is made from the roster alone. */
    const char *text;
    size_t bytes;
    const char *column; /* of the grade (Canvas); NULL: the one that names the assignment */
    const char *match;  /* column that holds the roster's ids; NULL: whichever does */
    double out_of;      /* scale to so many points; 0: points as they are */
};

/* Rows that were not graded (no result, GRADER_ERROR, nothing scored) leave the grade as it was, or
 * empty: never zero. *missing counts students that the gradebook lacks. Errors: WG_EPARSE (not such
 * a gradebook: what is wrong), WG_EINVAL (anonymous; which student cannot be placed). */
enum wg_code wg_export_canvas_csv(const struct wg_class *class,
                                  const struct wg_gradebook *gradebook, struct wg_buf *out,
                                  size_t *missing, struct wg_err *err);
enum wg_code wg_export_moodle_csv(const struct wg_class *class,
                                  const struct wg_gradebook *gradebook, struct wg_buf *out,
                                  size_t *missing, struct wg_err *err);

/* One line a student with what is known, for spreadsheets and scripts. */
void wg_export_csv(const struct wg_class *class, struct wg_buf *out);

#endif
