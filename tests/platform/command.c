#include "tests/platform/command.h"

#include <spawn.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static struct command_result result;

static void read_all(int fd) {
    size_t used = 0;
    char dropped[4096];
    for (;;) {
        size_t room = sizeof result.output - 1 - used;
        ssize_t got =
            room > 0 ? read(fd, result.output + used, room) : read(fd, dropped, sizeof dropped);
        if (got <= 0) {
            break;
        }
        used += room > 0 ? (size_t)got : 0;
    }
    result.output[used] = '\0';
}

const struct command_result *command_run(const char *const argv[]) {
    result.status = COMMAND_NOT_RUN;
    result.output[0] = '\0';
    int ends[2];
    if (pipe(ends) != 0) {
        return &result;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    pid_t pid = -1;
    /* posix_spawnp does not write to its arguments, whatever its type says. */
    union {
        const char *const *given;
        char *const *wanted;
    } arguments = {argv};
    int failed = posix_spawnp(&pid, argv[0], &actions, NULL, arguments.wanted, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed == 0) {
        int status = 0;
        read_all(ends[0]);
        if (waitpid(pid, &status, 0) == pid) {
            result.status =
                WIFEXITED(status) ? WEXITSTATUS(status) : COMMAND_SIGNALLED + WTERMSIG(status);
        }
    }
    close(ends[0]);
    return &result;
}
