/* Whether two sources are the same but for comments and layout: a neutral hint, no judgement. */
#ifndef WG_BATCH_NORMALIZE_H
#define WG_BATCH_NORMALIZE_H

#include <stddef.h>

/* Digest of the source without comments and white space (outside of literals), lower-case hex; ""
 * where nothing is left. */
void wg_normalize_digest(const char *source, size_t len, char out[65]);

#endif
