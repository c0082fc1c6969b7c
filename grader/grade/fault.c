#include "grader/grade/fault.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const struct {
    int sys_errno;
    const char *step;
} steps[] = {
    {ENOSPC, "Make room on the disk that holds temporary files (TMPDIR, or /tmp) and grade again."},
    {EDQUOT, "Make room on the disk that holds temporary files (TMPDIR, or /tmp) and grade again."},
    {EROFS, "Let TMPDIR name a folder that can be written to and grade again."},
    {ENOMEM, "The machine is out of memory: run fewer gradings at a time, and grade again."},
    {EAGAIN, "The machine allows no more processes (ulimit -u) or memory: run fewer gradings at a "
             "time, and grade again."},
    {EMFILE, "Raise the limit of open files (ulimit -n) and grade again."},
    {ENFILE, "The machine has too many files open: run fewer gradings at a time, and grade again."},
    {EFBIG, "Raise the limit of file sizes (ulimit -f) and grade again."},
    {EIO, "A disk or the network failed: grade again, and look at the machine's log (dmesg) if it "
          "happens again."},
    {ESTALE, "A network disk failed: grade again."},
    {ETIMEDOUT, "Something is slow that is not the submission: grade again later."},
};

const char *wg_fault_next_step(const struct wg_err *err) {
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        /* What a program inside the jail could not do has its cause in words only. */
        const char *words = strerrordesc_np(steps[i].sys_errno);
        if (err->sys_errno == steps[i].sys_errno ||
            (words != NULL && strstr(err->msg, words) != NULL)) {
            return steps[i].step;
        }
    }
    switch (err->code) {
    case WG_EINVAL:
        return "Correct that and grade again.";
    case WG_EPARSE:
        return "The instructor can see more with `wavegrade lint` on the assignment.";
    case WG_ENOMEM:
        return "The machine is out of memory: run fewer gradings at a time, and grade again.";
    case WG_EIO: /* of the network, which has no errno */
        return err->sys_errno == 0 ? "Grade again when the host can be reached."
                                   : "`wavegrade doctor` shows what this machine lacks.";
    case WG_EINTERNAL:
    case WG_EPROTO:
        return "Grade again; if it happens again, `wavegrade doctor` may show why, or this is a "
               "fault of wavegrade.";
    default:
        return "`wavegrade doctor` shows what this machine lacks.";
    }
}
