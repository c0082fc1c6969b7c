/* Defences against tricks, and the switches that the tests of tests/trust need: each trick is shown
 * to succeed when the defence against it is off. In the product no defence can be switched off, and
 * every call here is the constant false; only sources that are compiled a second time, for the
 * program of those tests (WG_TRUST_TEST), look at their environment. */
#ifndef WG_BASE_TRUST_H
#define WG_BASE_TRUST_H

#include <stdbool.h>

#ifdef WG_TRUST_TEST
#include <stdlib.h>
#include <string.h>

/* WG_TRUST_OFF=join,poison names what is off. */
static inline bool wg_trust_is_off(const char *defence) {
    const char *list = getenv("WG_TRUST_OFF");
    size_t len = strlen(defence);
    while (list != NULL && *list != '\0') {
        size_t word = strcspn(list, ",");
        if (word == len && memcmp(list, defence, len) == 0) {
            return true;
        }
        list += word + (list[word] == ',');
    }
    return false;
}
#else
static inline bool wg_trust_is_off(const char *defence) {
    (void)defence;
    return false;
}
#endif

#endif
