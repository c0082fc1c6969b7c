/* Places in a source file, for sentences that name a line. What stands in comments and strings is
 * passed over. */
#ifndef WG_BUILD_SOURCE_H
#define WG_BUILD_SOURCE_H

#include <stddef.h>

/* The first line in which the word stands by itself; 0: nowhere, which says nothing, since macros
 * can make words. */
int wg_source_find_word(const char *source, size_t len, const char *word);

/* The first line that includes a header whose path is `path` or ends in "/path"; 0: nowhere. */
int wg_source_find_include(const char *source, size_t len, const char *path);

/* "std::thread::join" for "_ZNSt6thread4joinEv": as a person would write a symbol; heap. */
char *wg_source_plain_name(const char *symbol);

#endif
