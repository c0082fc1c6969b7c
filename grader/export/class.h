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
    bool anonymous; /* neither ids nor names are written */
};

#endif
