/* Findings: grouped, bounded in number, written where the parent can see them at once.
 *
 * The record that is being filled lies behind finding_count, so a reader of the shared file never
 * meets half a finding; only `occurrences` changes later. */
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

static struct wg_report private_report;
struct wg_report *wg_report = &private_report;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* libstdc++'s; every student library needs that one anyway. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

void wg_copy_text(char *dst, size_t dst_bytes, const char *src) {
    size_t length = src == NULL ? 0 : strnlen(src, dst_bytes - 1);
    if (length > 0) {
        memcpy(dst, src, length);
    }
    dst[length] = '\0';
}

/* "void (anonymous namespace)::tiles<64>(float const*, int)" becomes "(anonymous
 * namespace)::tiles<64>": what people call a function by. */
static char *without_signature(char *name) {
    int depth = 0;
    char *end = strrchr(name, ')');
    for (char *at = end; at != NULL && at > name; at--) {
        depth += (*at == ')') - (*at == '(');
        if (depth == 0) {
            *at = '\0';
            break;
        }
    }
    /* Only templates are spelled with their result type, before the last space of the top level. */
    char *start = name;
    depth = 0;
    for (char *at = name; *at != '\0'; at++) {
        depth +=
            (*at == '(' || *at == '<' || *at == '{') - (*at == ')' || *at == '>' || *at == '}');
        start = *at == ' ' && depth == 0 ? at + 1 : start;
    }
    return start;
}

void wg_demangle(char *dst, size_t dst_bytes, const char *mangled) {
    int status = -1;
    char *name = mangled == NULL ? NULL : __cxa_demangle(mangled, NULL, NULL, &status);
    wg_copy_text(dst, dst_bytes, status == 0 ? without_signature(name) : mangled);
    free(name);
}

void wg_report_open(int fd) {
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size >= sizeof *wg_report) {
        void *shared = mmap(NULL, sizeof *wg_report, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (shared != MAP_FAILED) {
            wg_report = shared;
        }
        close(fd);
    }
    memset(wg_report, 0, sizeof *wg_report);
    wg_report->magic = WG_REPORT_MAGIC;
}

static bool same_group(const struct wg_finding_record *a, const struct wg_finding_record *b) {
    if (a->kind != b->kind || a->at.line != b->at.line || strcmp(a->at.file, b->at.file) != 0) {
        return false;
    }
    /* Without a line it is the function, kernel or API call that tells findings apart. */
    return a->at.line != 0 ||
           (strcmp(a->at.function, b->at.function) == 0 && strcmp(a->kernel, b->kernel) == 0);
}

void wg_report_finding(const struct wg_finding_record *record) {
    /* Also called by signal handlers, which may have interrupted another finding. */
    bool locked = false;
    for (int attempt = 0; attempt < 1000 && !locked; attempt++) {
        locked = pthread_mutex_trylock(&lock) == 0;
        if (!locked) {
            usleep(100);
        }
    }
    uint32_t count = wg_report->finding_count;
    uint32_t i = 0;
    while (i < count && i < WG_REPORT_MAX_FINDINGS &&
           !same_group(&wg_report->findings[i], record)) {
        i++;
    }
    if (i < count && i < WG_REPORT_MAX_FINDINGS) {
        wg_report->findings[i].occurrences += record->occurrences > 0 ? record->occurrences : 1;
    } else if (count < WG_REPORT_MAX_FINDINGS) {
        wg_report->findings[count] = *record;
        if (record->occurrences == 0) {
            wg_report->findings[count].occurrences = 1;
        }
        __atomic_store_n(&wg_report->finding_count, count + 1, __ATOMIC_RELEASE);
    } else {
        wg_report->findings_dropped++;
    }
    if (locked) {
        pthread_mutex_unlock(&lock);
    }
}

struct wg_finding_record wg_finding(enum wg_finding_kind kind, enum wg_severity severity,
                                    const char *format, ...) {
    struct wg_finding_record record = {
        .kind = kind,
        .severity = severity,
        .at.block[0] = UINT32_MAX,
        .other.block[0] = UINT32_MAX,
        .element = INT64_MIN,
        .occurrences = 1,
    };
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(record.text, sizeof record.text, format, arguments);
    va_end(arguments);
    return record;
}

void wg_place_set_site(struct wg_place *place, const struct wg_cpu_site *site) {
    if (site == NULL) {
        return;
    }
    wg_copy_text(place->file, sizeof place->file, site->file);
    wg_demangle(place->function, sizeof place->function, site->function);
    place->line = site->line;
    place->column = site->column;
}

void wg_place_set_thread(struct wg_place *place, const struct wg_cpu_thread *thread) {
    place->block[0] = thread->block_idx.x;
    place->block[1] = thread->block_idx.y;
    place->block[2] = thread->block_idx.z;
    place->thread[0] = thread->thread_idx.x;
    place->thread[1] = thread->thread_idx.y;
    place->thread[2] = thread->thread_idx.z;
}

/* ---- For people ---- */

static const char *kind_name(uint32_t kind) {
    static const char *const names[] = {
        [WG_FINDING_OUT_OF_BOUNDS] = "out of bounds",
        [WG_FINDING_MISALIGNED] = "misaligned access",
        [WG_FINDING_USE_AFTER_FREE] = "use after free",
        [WG_FINDING_HOST_POINTER] = "host pointer in a kernel",
        [WG_FINDING_NULL_POINTER] = "null pointer",
        [WG_FINDING_DATA_RACE] = "data race",
        [WG_FINDING_WARP_SYNC] = "relies on lanes in step",
        [WG_FINDING_SAME_VALUE] = "same value written by several threads",
        [WG_FINDING_UNINITIALIZED_READ] = "uninitialized read",
        [WG_FINDING_UNWRITTEN_OUTPUT] = "output never written",
        [WG_FINDING_BARRIER_DIVERGENCE] = "barrier divergence",
        [WG_FINDING_EARLY_EXIT_BARRIER] = "threads left before a barrier",
        [WG_FINDING_DEADLOCK] = "deadlock",
        [WG_FINDING_CONSTANT_WRITE] = "write to constant memory",
        [WG_FINDING_HOST_ACCESS] = "host access to device memory",
        [WG_FINDING_LAUNCH_ERROR] = "launch error",
        [WG_FINDING_API_MISUSE] = "misuse of the HIP API",
        [WG_FINDING_FAULT] = "fault",
    };
    return kind < sizeof names / sizeof *names && names[kind] != NULL ? names[kind] : "finding";
}

/* Names come from student source: control characters stay out of the terminal. */
static void put_text(const char *text) {
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        fputc(c < 0x20 || c == 0x7f ? '?' : c, stderr);
    }
}

static void put_place(const char *word, const struct wg_place *place) {
    if (place->line == 0 && place->function[0] == '\0' && place->block[0] == UINT32_MAX) {
        return;
    }
    fprintf(stderr, "    %s", word);
    if (place->line != 0) {
        fputc(' ', stderr);
        put_text(place->file);
        fprintf(stderr, ":%" PRIu32, place->line);
        if (place->column != 0) {
            fprintf(stderr, ":%" PRIu32, place->column);
        }
    }
    if (place->function[0] != '\0') {
        fputs(" in ", stderr);
        put_text(place->function);
    }
    if (place->block[0] != UINT32_MAX) {
        fprintf(stderr, " block (%u,%u,%u), thread (%u,%u,%u)", place->block[0], place->block[1],
                place->block[2], place->thread[0], place->thread[1], place->thread[2]);
    }
    fputc('\n', stderr);
}

void wg_report_print(void) {
    static const char *const severities[] = {"finding", "error", "warning", "note"};
    uint32_t count = wg_report->finding_count;
    if (count == 0 || wg_report != &private_report) {
        return;
    }
    fflush(stdout);
    for (uint32_t i = 0; i < count && i < WG_REPORT_MAX_FINDINGS; i++) {
        const struct wg_finding_record *record = &wg_report->findings[i];
        fprintf(stderr, "wavegrade: %s: %s: ",
                severities[record->severity <= WG_SEVERITY_NOTE ? record->severity : 0],
                kind_name(record->kind));
        put_text(record->text);
        fputc('\n', stderr);
        put_place("at", &record->at);
        put_place("and", &record->other);
        if (record->occurrences > 1) {
            fprintf(stderr, "    %" PRIu64 " times\n", record->occurrences);
        }
    }
    if (wg_report->findings_dropped > 0) {
        fprintf(stderr, "wavegrade: and %" PRIu32 " more\n", wg_report->findings_dropped);
    }
}
