/* What must go before a page may be shown to others. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/export/html.h"

static void drop(char **text) {
    free(*text);
    *text = NULL;
}

/* The end of a string or character literal that begins at *at, or of the text. */
static char *literal_end(char *at) {
    char quote = *at++;
    while (*at && *at != quote && *at != '\n') {
        at += at[0] == '\\' && at[1] ? 2 : 1;
    }
    return *at ? at + 1 : at;
}

/* Spaces over a comment's words, so that every line and column stays where it is. */
static char *blank_comment(char *at) {
    bool is_block = at[1] == '*';
    char before = ' ';
    for (at += 2; *at; at++) {
        /* A backslash at the end of a line takes the next one into the comment. */
        bool is_end = is_block ? at[0] == '*' && at[1] == '/' : *at == '\n' && before != '\\';
        if (is_end) {
            return is_block ? at + 2 : at;
        }
        before = *at == '\r' ? before : *at;
        *at = *at == '\n' || *at == '\t' || *at == '\r' ? *at : ' ';
    }
    return at;
}

static void blank_comments(char *at) {
    char before = ' ';
    while (*at) {
        char now = *at;
        /* 1'000'000 has no literals in it. */
        bool is_literal = now == '"' || (now == '\'' && !isxdigit((unsigned char)before));
        if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
            at = blank_comment(at);
        } else if (is_literal) {
            at = literal_end(at);
        } else {
            at++;
        }
        before = now;
    }
}

void wg_html_anonymize(struct wg_result *result) {
    drop(&result->submission.repository);
    drop(&result->submission.ref);
    drop(&result->submission.commit);
    drop(&result->submission.tree);
    drop(&result->submission.path);
    result->submission.source_sha256[0] = '\0';
    result->submission.commit_time_s = 0;
    drop(&result->build.log);
    drop(&result->output);
    /* What is said about fetching is said about a repository and its files. */
    if (result->verdict >= WG_VERDICT_MISSING_FILE) {
        drop(&result->sentence);
    }
    if (result->submission.source) {
        blank_comments(result->submission.source);
    }
}
