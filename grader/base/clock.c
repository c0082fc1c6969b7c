#include "grader/base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t wg_clock_mono_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t wg_clock_wall_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

void wg_clock_format_utc(int64_t unix_s, char out[32]) {
    struct tm parts;
    time_t seconds = (time_t)unix_s;
    /* A commit may claim any time; years beyond four digits would not be a date any more. */
    if (gmtime_r(&seconds, &parts) == NULL || parts.tm_year < -1900 || parts.tm_year > 8099 ||
        strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        snprintf(out, 32, "1970-01-01T00:00:00Z");
    }
}

/* "Z", "+01:00", "-0530" or nothing (*has_zone false). False: something else. */
static bool parse_zone(const char *text, bool *has_zone, int64_t *east_s) {
    int hours = 0, minutes = 0, len = 0;
    *has_zone = text[0] != '\0';
    *east_s = 0;
    if (text[0] == '\0' || strcmp(text, "Z") == 0) {
        return true;
    }
    bool is_read = sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &len) == 2 ||
                   sscanf(text + 1, "%2d%2d%n", &hours, &minutes, &len) == 2;
    if ((text[0] != '+' && text[0] != '-') || !is_read || text[len + 1] != '\0' || hours > 14 ||
        minutes > 59 || hours < 0 || minutes < 0) {
        return false;
    }
    *east_s = (hours * 3600 + minutes * 60) * (text[0] == '-' ? -1 : 1);
    return true;
}

/* mktime turns February 30th into March 2nd. */
static bool is_date(const struct tm *wanted) {
    struct tm parts = *wanted;
    timegm(&parts);
    return parts.tm_mday == wanted->tm_mday && parts.tm_mon == wanted->tm_mon &&
           parts.tm_year == wanted->tm_year && wanted->tm_year >= 70 && wanted->tm_hour >= 0 &&
           wanted->tm_hour < 24 && wanted->tm_min >= 0 && wanted->tm_min < 60 &&
           wanted->tm_sec >= 0 && wanted->tm_sec < 60;
}

bool wg_clock_parse(const char *text, bool end_of_day, int64_t *unix_s) {
    struct tm parts = {.tm_isdst = -1};
    int len = 0, more = 0;
    char between = 0;
    if (sscanf(text, "%4d-%2d-%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &len) != 3) {
        return false;
    }
    parts.tm_year -= 1900;
    parts.tm_mon -= 1;
    const char *rest = text + len;
    if (sscanf(rest, "%c%2d:%2d%n", &between, &parts.tm_hour, &parts.tm_min, &more) == 3 &&
        (between == ' ' || between == 'T')) {
        rest += more;
        if (sscanf(rest, ":%2d%n", &parts.tm_sec, &more) == 1) {
            rest += more;
        }
    } else {
        parts.tm_hour = end_of_day ? 23 : 0;
        parts.tm_min = parts.tm_sec = end_of_day ? 59 : 0;
    }
    bool has_zone = false;
    int64_t east_s = 0;
    if (!is_date(&parts) || !parse_zone(rest, &has_zone, &east_s)) {
        return false;
    }
    *unix_s = has_zone ? (int64_t)timegm(&parts) - east_s : (int64_t)mktime(&parts);
    return true;
}
