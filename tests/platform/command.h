/* Runs a program in a test and keeps what it says. */
#ifndef WG_TEST_COMMAND_H
#define WG_TEST_COMMAND_H

enum { COMMAND_OUTPUT_BYTES = 1 << 16, COMMAND_NOT_RUN = -1, COMMAND_SIGNALLED = 1000 };

struct command_result {
    int status; /* exit status; COMMAND_SIGNALLED + number after a signal; COMMAND_NOT_RUN */
    char output[COMMAND_OUTPUT_BYTES]; /* standard output and error together, cut to fit */
};

/* argv ends with NULL; argv[0] is looked up in PATH. The result is static: one at a time. */
const struct command_result *command_run(const char *const argv[]);

#endif
