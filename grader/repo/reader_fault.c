/* Whose fault a failed transfer is: in a file of its own, so that the unit tests can link it. */
#include <string.h>

#include "grader/repo/reader.h"

static bool mentions(const char *message, const char *words) {
    return strcasestr(message, words) != NULL;
}

/* libgit2 has no codes for most of this; the texts are those of its 1.5 and of the large hosts. */
enum wg_fetch_fault wg_fetch_fault(int rc, int error_class, const char *message) {
    if (rc == GIT_EAUTH || mentions(message, "status code: 401") ||
        mentions(message, "status code: 403") || mentions(message, "authentication") ||
        mentions(message, "permission denied") || mentions(message, "access denied")) {
        return WG_FAULT_ACCESS;
    }
    if (rc == GIT_ECERTIFICATE || error_class == GIT_ERROR_SSL) {
        return WG_FAULT_MACHINE;
    }
    if (mentions(message, "status code: 404") || mentions(message, "status code: 410") ||
        mentions(message, "not found") || mentions(message, "does not exist") ||
        mentions(message, "not appear to be a git repository")) {
        return WG_FAULT_ABSENT;
    }
    if (error_class == GIT_ERROR_INDEXER || error_class == GIT_ERROR_ODB ||
        error_class == GIT_ERROR_ZLIB || error_class == GIT_ERROR_OBJECT ||
        error_class == GIT_ERROR_NOMEMORY) {
        return WG_FAULT_REPOSITORY;
    }
    return WG_FAULT_MACHINE;
}
