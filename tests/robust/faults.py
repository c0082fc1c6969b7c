#!/usr/bin/env python3
"""Machines that fail: each fault must end as GRADER_ERROR (or a message) with status 2 and a sentence that
says what to do; what is no fault of the student's never becomes a verdict about the student.

  faults.py BUILD HIP_FILE JUMPING_CLOCK_LIBRARY

BUILD is a build folder; a copy of its program with libexec and share is broken in many ways. What needs root
(mounting a small disk) is left out for others.
"""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COMMAND = ["check", "--assignment", "vector_add", "--no-checked", "--no-timing"]


class Machine:
    def __init__(self, build, file, folder):
        self.file = file
        self.top = pathlib.Path(folder)
        self.program = self.top / "wavegrade"
        self.libexec = self.top / "libexec/wavegrade"
        self.temp = self.top / "tmp"
        self.temp.mkdir()
        shutil.copy2(pathlib.Path(build, "wavegrade"), self.program)
        for name in ("libexec", "share"):
            shutil.copytree(pathlib.Path(build, name), self.top / name, ignore=shutil.ignore_patterns("*.lock"))
        self.environment = dict(os.environ, TMPDIR=str(self.temp), XDG_CACHE_HOME=str(self.top / "cache"), NO_COLOR="1",
                                LC_ALL="C.UTF-8")
        self.failures = []

    def run(self, arguments=COMMAND, limits=None, output=subprocess.PIPE, **environment):
        def prepare():
            for what, value in (limits or {}).items():
                resource.setrlimit(what, (value, value))
        return subprocess.run([self.program, *arguments, self.file], env=dict(self.environment, **environment), stdout=output,
                              stderr=subprocess.PIPE, timeout=120, check=False, preexec_fn=prepare)

    def expect(self, what, done, status, *words):
        said = ((done.stdout or b"") + done.stderr).decode(errors="replace")
        flat = " ".join(said.split())
        missing = [word for word in words if word not in flat]
        if done.returncode != status or missing:
            self.failures.append(what)
            print(f"{what}: status {done.returncode}, wanted {status}; not said: {missing}\n{said}")

    def expect_fault(self, what, done, *words):
        self.expect(what, done, 2, *words)


def limits(machine):
    machine.expect_fault("open files", machine.run(limits={resource.RLIMIT_NOFILE: 12}), "GRADER_ERROR",
                         "Raise the limit of open files (ulimit -n) and grade again.")
    machine.expect_fault("file sizes", machine.run(limits={resource.RLIMIT_FSIZE: 100}), "GRADER_ERROR",
                         "Raise the limit of file sizes (ulimit -f) and grade again.")
    machine.expect_fault("memory", machine.run(limits={resource.RLIMIT_AS: 60 << 20}), "")
    result = machine.top / "result.json"
    result.write_text("old")
    done = machine.run([*COMMAND, "--format", "json", "-o", str(result)], limits={resource.RLIMIT_FSIZE: 2000})
    machine.expect_fault("a result that is too long for the limit", done, "File too large")
    if result.read_text() != "old":
        machine.failures.append("a failed write changed the result")
    others = [path.name for path in machine.top.iterdir() if path.name.startswith("result.json") and path != result]
    if others:
        machine.failures.append(f"a failed write left {others}")


def outputs(machine):
    with open("/dev/full", "wb") as full:
        machine.expect_fault("a full standard output", machine.run(output=full), "No space left on device")
    machine.expect_fault("a full device", machine.run([*COMMAND, "-o", "/dev/full"]), "write '/dev/full'", "No space left")
    machine.expect_fault("a folder that is not there", machine.run([*COMMAND, "-o", "/nonexistent/x"]), "No such file")
    if not pathlib.Path("/dev/full").is_char_device():
        machine.failures.append("/dev/full was replaced by a file")


def installation(machine):
    for name in ("cpu/harness", "cpu/compile", "host/harness", "jail/init", "cpu/libwghip.so"):
        path = machine.libexec / name
        path.rename(f"{path}.away")
        machine.expect_fault(f"without {name}", machine.run(), "")
        pathlib.Path(f"{path}.away").rename(path)


def helpers(machine):
    """Programs of ours that end, or are ended, in the middle of their work."""
    broken = "#!/bin/sh\nkill -9 $$\n"
    for name in ("cpu/compile", "host/harness", "jail/init", "cpu/harness"):
        path = machine.libexec / name
        path.rename(f"{path}.away")
        path.write_text(broken)
        path.chmod(0o755)
        # The harness is the student's process; that it dies before the student's code is even there, nobody can tell from
        # outside, so the baseline is asked.
        machine.expect_fault(f"{name} is killed", machine.run(), "GRADER_ERROR", "again")
        path.unlink()
        pathlib.Path(f"{path}.away").rename(path)


def disks(machine):
    if os.geteuid() != 0:
        return
    small = machine.top / "small"
    small.mkdir()
    command = " ".join([str(machine.program), *COMMAND, machine.file])
    for options, words in (("size=64k", "Make room on the disk"), ("size=64k,ro", "Let TMPDIR name a folder"),
                           ("size=64k,nr_inodes=2", "Make room on the disk")):
        script = f"mount -t tmpfs -o {options} none {small} && TMPDIR={small} exec {command}"
        done = subprocess.run(["unshare", "--mount", "bash", "-c", script], env=machine.environment, capture_output=True,
                              timeout=120, check=False)
        machine.expect_fault(f"a disk with {options}", done, "GRADER_ERROR", words)
    done = machine.run(TMPDIR="/nonexistent")
    machine.expect_fault("no folder for temporary files", done, "GRADER_ERROR", "make a temporary folder in '/nonexistent'")


def descendants(pid):
    found = []
    try:
        for path in pathlib.Path("/proc", str(pid), "task").glob("*/children"):
            for child in path.read_text().split():
                found += [int(child)] + descendants(int(child))
    except OSError:
        pass  # it ended meanwhile
    return found


def kill_one(pid, program, number):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for child in descendants(pid):
            try:
                if program in pathlib.Path("/proc", str(child), "cmdline").read_bytes().split(b"\0")[0]:
                    os.kill(child, number)
                    return True
            except OSError:
                pass
        time.sleep(0.0005)
    return False


def killed_once(machine, program, number):
    """What the machine's memory killer, an operator or a batch system does: it is done again, nobody pays."""
    what = f"{program} gets {number.name} once"
    # The builds that are kept would leave nothing to kill.
    shutil.rmtree(machine.top / "cache", ignore_errors=True)
    process = subprocess.Popen([machine.program, *COMMAND, machine.file], env=machine.environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    killed = kill_one(process.pid, program.encode(), number)
    out, errors = process.communicate(timeout=120)
    if not killed:
        machine.failures.append(f"{what}: none was found")
    machine.expect(what, subprocess.CompletedProcess([], process.returncode, out, errors), 0, "PASS")


def clocks(machine, library):
    done = machine.run([*COMMAND, "--format", "json"], LD_PRELOAD=library)
    machine.expect("the clock jumps", done, 0, "PASS")
    if done.returncode == 0:
        result = json.loads(done.stdout)
        if min(result["stages_ms"].values() if isinstance(result.get("stages_ms"), dict) else [0]) < 0:
            machine.failures.append("a stage took less than no time")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="wg-faults-") as folder:
        os.chmod(folder, 0o755)
        machine = Machine(sys.argv[1], sys.argv[2], folder)
        machine.expect("a machine that works", machine.run(), 0, "PASS")
        limits(machine)
        outputs(machine)
        installation(machine)
        helpers(machine)
        disks(machine)
        for program in ("/cpu/harness", "/cpu/compile", "clang-19"):
            for number in (signal.SIGKILL, signal.SIGTERM):
                killed_once(machine, program, number)
        clocks(machine, sys.argv[3])
        left = [path.name for path in machine.temp.iterdir()]
        machine.run()
        if [path.name for path in machine.temp.iterdir()]:
            machine.failures.append(f"left in the temporary folder: {left}")
    if machine.failures:
        sys.exit("failed: " + "; ".join(machine.failures))


main()
