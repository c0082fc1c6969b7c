/* How the sanitizers behave in every fuzz target. */
#include "tests/fuzz/fuzz.h"

const char *__asan_default_options(void);

/* An input may ask for more memory than the reader process would get: there it gets none, and no
 * report. Looking at every strstr makes the TLS library read its certificates for seconds. */
const char *__asan_default_options(void) {
    return "detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=1024:intercept_"
           "strstr=0";
}
