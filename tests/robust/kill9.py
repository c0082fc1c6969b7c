#!/usr/bin/env python3
"""Kills the grader with SIGKILL at random moments and looks at what is left; then a third as often
with SIGINT and SIGTERM.

  kill9.py WAVEGRADE HIP_FILE [MOMENTS [SEED]]

At once: no process of the killed grader lives on (this program is their reaper, so none can hide), and
the result file is absent, the former one, or complete. After the next start: no temporary folder, cgroup
or mount of it is left. The folder of the result holds nothing else. After SIGINT and SIGTERM the folders
are gone without one.
"""
import collections
import ctypes
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
GONE_WITHIN_S = 10


def children():
    found = []
    for task in pathlib.Path("/proc/self/task").iterdir():
        found += [int(word) for word in (task / "children").read_text().split()]
    return found


def describe(pid):
    try:
        return f"{pid} {pathlib.Path('/proc', str(pid), 'cmdline').read_bytes()[:200]!r}"
    except OSError:
        return str(pid)


def strays():
    """Waits for what the killed process left to end; returns what does not."""
    end = time.monotonic() + GONE_WITHIN_S
    while time.monotonic() < end:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return []
        time.sleep(0.002)
    return [describe(pid) for pid in children()]


def cgroups(pid):
    found = []
    for folder, names, _ in os.walk("/sys/fs/cgroup"):
        found += [os.path.join(folder, name) for name in names if name.startswith(f"wavegrade-{pid}-")]
    return found


def mounts(folder):
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if folder in line or "wavegrade" in line]


def is_complete(path):
    try:
        json.loads(path.read_text())
        return True
    except ValueError:
        return False


class Rig:
    def __init__(self, wavegrade, folder):
        self.wavegrade = wavegrade
        self.temp = pathlib.Path(folder, "tmp")
        self.results = pathlib.Path(folder, "results")
        self.cache = pathlib.Path(folder, "cache")
        for made in (self.temp, self.results, self.cache):
            made.mkdir()
        self.environment = dict(os.environ, TMPDIR=str(self.temp), XDG_CACHE_HOME=str(self.cache))
        self.folder = folder

    def start(self, file, output):
        command = [self.wavegrade, "check", "--assignment", "vector_add", "--format", "json", "-o", str(output), file]
        return subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def next_start(self):
        """The cheapest command that does something: nothing is there to check."""
        command = [self.wavegrade, "check", "--assignment", "vector_add", str(self.cache)]
        subprocess.run(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def look(rig, pid, output, problems, number):
    left = strays()
    if left:
        problems["processes"] += 1
        print("still alive:", *left, sep="\n  ")
    if output.exists() and not is_complete(output):
        problems["half a result"] += 1
    extra = [path.name for path in rig.results.iterdir() if path != output]
    if extra:
        problems["files beside the result"] += 1
        print("beside the result:", *extra)
    if number == signal.SIGKILL:
        rig.next_start()
    folders = [path.name for path in rig.temp.iterdir()]
    rig.next_start()
    if folders:
        problems["temporary folders"] += 1
        print("left:", *folders)
    groups = cgroups(pid)
    if groups:
        problems["cgroups"] += 1
        print("left:", *groups)
    if mounts(rig.folder):
        problems["mounts"] += 1
        print("mounted:", *mounts(rig.folder), sep="\n  ")


def main():
    if len(sys.argv) not in (3, 4, 5):
        sys.exit(__doc__)
    wavegrade, file = sys.argv[1:3]
    moments = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    draw = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else None)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    problems = collections.Counter()
    stages = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="wg-kill9-") as folder:
        rig = Rig(wavegrade, folder)
        output = rig.results / "result.json"
        rig.start(file, output).wait()  # also fills the cache of references
        if not is_complete(output):
            sys.exit("the grader itself does not work here")
        begin = time.monotonic()
        rig.start(file, output).wait()
        whole_s = time.monotonic() - begin
        signals = [signal.SIGKILL] * moments + [signal.SIGINT, signal.SIGTERM] * (moments // 6)
        for moment, number in enumerate(signals):
            if moment % 2 == 0:
                output.unlink(missing_ok=True)
            process = rig.start(file, output)
            time.sleep(draw.uniform(0, whole_s * 1.05))
            stages["after its end" if process.poll() is not None else
                   "with folders" if any(rig.temp.iterdir()) else "without folders"] += 1
            process.send_signal(number)
            if process.wait() not in (0, -number):
                problems[f"ends with status {process.returncode}"] += 1
                print(f"status {process.returncode} after {number.name}:", output.read_text()[:400] if output.exists() else "")
            look(rig, process.pid, output, problems, number)
    print(f"{len(signals)} signals, {moments} of them SIGKILL, within {whole_s:.2f} s each:", ", ".join(f"{count} {name}" for name, count in stages.items()))
    if problems:
        sys.exit("left behind: " + ", ".join(f"{name} {count} times" for name, count in problems.items()))


main()
