#include "grader/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "grader/base/temp.h"
#include "grader/options.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static int wake_fds[2] = {-1, -1};

/* A handler may do next to nothing, so a thread does the work. Jails and readers die with us. */
static void on_signal(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    (void)!write(wake_fds[1], &byte, 1);
    errno = saved;
}

static void *wait_for_signal(void *unused) {
    (void)unused;
    unsigned char number = 0;
    while (read(wake_fds[0], &number, 1) != 1) {
    }
    wg_temp_remove_at_end();
    signal(number, SIG_DFL);
    kill(getpid(), number);
    return NULL;
}

/* Out of memory, or a library that gave up: a fault like any other, for whoever reads the status.
 */
static void on_abort(int number) {
    (void)number;
    _exit(WG_EXIT_FAULT);
}

void wg_interrupt_init(void) {
    pthread_t thread;
    signal(SIGABRT, on_abort);
    if (pipe2(wake_fds, O_CLOEXEC) != 0 ||
        pthread_create(&thread, NULL, wait_for_signal, NULL) != 0) {
        return; /* the next start sweeps */
    }
    pthread_detach(thread);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction old;
        /* Whoever started us may have said that one is to be ignored (nohup). A second one ends us
         * at once. */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            const struct sigaction action = {.sa_handler = on_signal,
                                             .sa_flags = SA_RESTART | (int)SA_RESETHAND};
            sigaction(signals[i], &action, NULL);
        }
    }
}
