#!/usr/bin/python3
"""The abuse suite: hands hostile submissions to the real program and looks at the verdict and at the machine.

    run.py [--user UID] [--jobs N] [--table] WAVEGRADE SCHEMA [ATTEMPT...]

Each attempt of expected.tsv is programs/ATTEMPT.hip behind prelude.hip, or (@NAME) a hand-in that prepare.py makes. It is graded
in each jail that its options ask for. Whatever it is, afterwards these must hold, or the attempt has got through:

    canary      a file beside the grader has the same bytes, mode and dates, and its text is in no output
    processes   nothing runs that carries the attempt's name
    sockets     nobody connected to the listening sockets of this runner (TCP, path, abstract)
    traces      no temporary folder, no mount, no control group, no System V object is left
    machine     host name, core pattern and clock are what they were
    output      the result fits the schema; no format carries control characters or unescaped markup

--user runs the program as that user. --table prints a Markdown table of all attempts.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import jsonschema
import prepare

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 120  # of one grading, on a busy machine
TRIES = 3
FORMATS = ["text", "junit", "github", "gradescope", "autolab"]


def read_table():
    rows = {}
    for line in (HERE / "expected.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, verdicts, options = line.split("\t")
            rows[name] = (verdicts.split(","), set(options.split()) - {"-"})
    return rows


class Machine:
    """What an attempt may not change or reach, and how that is seen."""

    def __init__(self, folder):
        self.secret = "canary-" + secrets.token_hex(12)
        self.canary = folder / "canary"
        self.canary.write_text(self.secret + "\n")
        self.canary.chmod(0o666)
        self.canary_was = self.canary_now()
        self.reached = []
        self.socket_path = folder / "socket"
        self.abstract = "wgabuse-" + secrets.token_hex(4)
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        for kind, address in ((socket.SOCK_STREAM, str(self.socket_path)), (socket.SOCK_STREAM, "\0" + self.abstract)):
            server = socket.socket(socket.AF_UNIX, kind)
            server.bind(address)
            server.listen()
            threading.Thread(target=self.listen, args=(server, repr(address)), daemon=True).start()
        self.socket_path.chmod(0o777)
        threading.Thread(target=self.listen, args=(tcp, "tcp"), daemon=True).start()
        self.settings_were = self.settings()
        self.clock_was = time.time() - time.monotonic()

    def listen(self, server, name):
        while True:
            server.accept()
            self.reached.append(name)

    def canary_now(self):
        info = self.canary.stat()
        return self.canary.read_bytes(), info.st_mode, info.st_uid, info.st_mtime_ns, info.st_nlink

    def settings(self):
        read = lambda path: pathlib.Path(path).read_text() if os.path.exists(path) else ""
        mounts = [line.split(" - ")[0].split()[4] for line in read("/proc/self/mountinfo").splitlines()]
        objects = sum(read(f"/proc/sysvipc/{kind}").count("\n") for kind in ("shm", "msg", "sem"))
        return read("/proc/sys/kernel/core_pattern"), os.uname().nodename, sorted(mounts), objects

    @staticmethod
    def groups(graders):
        """Control groups of graders that were ours (their numbers)."""
        found = subprocess.run(["find", "/sys/fs/cgroup", "-maxdepth", "6", "-name", "wavegrade-*"], capture_output=True, text=True,
                               check=False)
        return [line for line in found.stdout.splitlines() if line.rsplit("/", 1)[1].split("-")[1] in graders]

    @staticmethod
    def processes(name):
        found = []
        for comm in pathlib.Path("/proc").glob("[0-9]*/comm"):
            try:
                if comm.read_text().strip() == name:
                    found.append(comm.parent.name)
            except OSError:
                pass
        return found

    def problems(self):
        found = []
        if self.canary_now() != self.canary_was:
            found.append(f"the canary is {self.canary_now()}, was {self.canary_was}")
        if self.reached:
            found.append(f"sockets were reached: {self.reached}")
        if self.settings() != self.settings_were:
            found.append(f"the machine is {self.settings()}, was {self.settings_were}")
        if abs(time.time() - time.monotonic() - self.clock_was) > 5:
            found.append("the clock was set")
        return found


class Attempt:
    """One grading of one attempt in one jail."""

    def __init__(self, suite, name, jail, number):
        self.suite, self.name, self.jail = suite, name, jail
        self.process = f"wgab{os.getpid() % 10000}-{number}"
        self.verdicts, self.options = suite.table[name]
        self.result, self.texts, self.seconds = None, {}, 0

    def label(self):
        return self.name + ("" if self.jail == "strong" else " (weaker jail)")

    def hand_in(self, folder):
        """The command's first words and operand."""
        if self.name.startswith("@"):
            return prepare.MAKE[self.name[1:].replace("-", "_")](folder, self.suite.program_text("harmless"), self.suite.machine)
        text = self.suite.program_text(self.name).replace("{NAME}", self.process).replace("{HOME}", str(folder))
        (folder / "attack.hip").write_text(text)
        return "check", folder

    def run(self):
        place = pathlib.Path(tempfile.mkdtemp(prefix="abuse-", dir=self.suite.folder))
        folder, temporary = place / "work", place / "tmp"
        folder.mkdir()
        temporary.mkdir()
        start = time.monotonic()
        problems = []
        try:
            command, operand = self.hand_in(folder)
            for path in (place, folder, temporary):
                os.chmod(path, 0o777)
            for _ in range(TRIES):
                self.grade(command, operand, temporary, "json", problems)
                # Not a verdict: the program itself says that it is to be tried again.
                if not (self.result and "too busy" in (self.result["sentence"] or "")):
                    break
            self.judge(problems)
            if "formats" in self.options and self.result:
                for kind in FORMATS:
                    self.grade(command, operand, temporary, kind, problems)
                self.report(place, problems)
            self.look_at_output(problems)
            left = list(temporary.iterdir())
            if left:
                problems.append(f"temporary files are left: {left}")
        finally:
            subprocess.run(["chmod", "-R", "u+rwx", place], check=False, stderr=subprocess.DEVNULL)
            shutil.rmtree(place, ignore_errors=True)
        left = self.suite.machine.processes(self.process)
        if left:
            problems.append(f"processes are left: {left}")
        problems += self.suite.machine.problems()
        self.seconds = time.monotonic() - start
        return problems

    def grade(self, command, operand, temporary, kind, problems):
        words = [self.suite.program, command, str(operand), "--assignment", str(self.suite.assignment), "--platform", "cpu",
                 "--no-timing", "--jail", self.jail, "--format", kind, "--seed", "1"] + (["-v"] if kind == "text" else [])
        if "no-checked" in self.options:
            words.append("--no-checked")
        try:
            done = self.suite.call(words, temporary)
        except subprocess.TimeoutExpired:
            problems.append(f"not ended after {LIMIT_S} s")
            return
        self.texts[kind] = done.stdout + done.stderr
        if kind == "json":
            self.code, self.words = done.returncode, done.stderr.decode(errors="replace").strip()
            self.result = json.loads(done.stdout) if done.stdout else None

    def report(self, place, problems):
        result, page = place / "result.json", place / "page.html"
        result.write_text(json.dumps(self.result))
        done = subprocess.run([self.suite.program, "report", str(result), "-o", str(page)], capture_output=True, timeout=LIMIT_S, check=False)
        if done.returncode != 0 or not page.exists():
            problems.append(f"no report: {done.stderr.decode(errors='replace').strip()}")
            return
        self.texts["html"] = page.read_bytes()

    def judge(self, problems):
        if self.result is None:
            problems.append(f"no result; exit {self.code}; {self.words}")
            return
        problems += [f"schema: {e.json_path}: {e.message[:200]}" for e in self.suite.validator.iter_errors(self.result)]
        verdict = self.result["verdict"]
        if verdict not in self.verdicts:
            problems.append(f"{verdict}, expected {' or '.join(self.verdicts)}: {self.result.get('sentence')}\n{self.result.get('output') or ''}")
        if self.code != {"PASS": 0, "GRADER_ERROR": 2}.get(verdict, 1):
            problems.append(f"exit {self.code} with {verdict}")
        words = self.result["environment"]["isolation"] or ""
        if ("bubblewrap" in words) != (self.jail == "strong"):
            problems.append(f"isolation is '{words}'")

    def look_at_output(self, problems):
        for kind, text in self.texts.items():
            if self.suite.machine.secret.encode() in text or b"root:x:0:" in text:
                problems.append(f"{kind} has the text of a secret file")
            # JSON, and the page that has it inside, are for programs: the text in it is what the submission printed.
            controls = rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]" + (b"" if kind in ("json", "html") else rb"|\xe2\x80[\xaa-\xae]")
            bad = re.search(controls, text)
            if bad:
                problems.append(f"{kind} has a control character: {text[max(0, bad.start() - 40):bad.end() + 20]!r}")
            try:
                text.decode()
            except UnicodeDecodeError as e:
                problems.append(f"{kind} is not UTF-8: {e}")
            if kind in ("junit", "html") and (b"<script>alert" in text or b"<img src=x" in text):
                problems.append(f"{kind} has unescaped markup")
            if kind == "github" and re.search(rb"(?m)^::error::owned|^::set-output|^##\[error", text):
                problems.append("github obeys the submission's commands")


class Suite:
    def __init__(self, options, folder):
        self.program, self.user, self.folder = self.install(pathlib.Path(options.program).resolve(), folder), options.user, folder
        self.table = read_table()
        self.assignment = folder / "assignment"
        shutil.copytree(HERE / "assignment", self.assignment)
        self.validator = jsonschema.Draft202012Validator(json.loads(pathlib.Path(options.schema).read_text()))
        self.cache = folder / "cache"
        self.cache.mkdir()
        self.cache.chmod(0o777)
        self.machine = Machine(folder)
        self.graders = set()
        self.libexec = pathlib.Path(self.program).parent / "libexec/wavegrade"

    @staticmethod
    def install(program, folder):
        """Where any user can reach it, wherever it was built."""
        place = folder / "installed"
        place.mkdir()
        shutil.copy2(program, place)
        for part in ("libexec", "share"):
            shutil.copytree(program.parent / part, place / part)
        return str(place / program.name)

    def program_text(self, name):
        body = "static void attack_once() {}\n" if name == "harmless" else (HERE / "programs" / f"{name}.hip").read_text()
        machine = self.machine
        values = {"CANARY": machine.canary, "PORT": machine.port, "SOCKET": machine.socket_path, "ABSTRACT": machine.abstract,
                  "PID": os.getpid(), "ASSIGNMENT": self.assignment, "LIBEXEC": self.libexec}
        text = (HERE / "prelude.hip").read_text() + body
        for key, value in values.items():
            text = text.replace("{" + key + "}", str(value))
        return text

    def call(self, words, temporary):
        if self.user is not None:
            words = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"] + words
        env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(self.cache),
               "HOME": str(temporary), "WG_ABUSE_SECRET": self.machine.secret}
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
            self.graders.add(str(process.pid))
            try:
                out, err = process.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            return subprocess.CompletedProcess(words, process.returncode, out, err)

    def attempts(self, names):
        plan = []
        for name in names:
            options = self.table[name][1]
            if self.user is not None and "user" not in options:
                continue
            jails = ["strong", "landlock"] if "both" in options or self.user is not None else ["strong"]
            plan += [(name, jail) for jail in jails]
        return [Attempt(self, name, jail, i) for i, (name, jail) in enumerate(plan)]


def run_all(suite, options):
    attempts = suite.attempts(options.attempts or suite.table)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for attempt, problems in zip(attempts, pool.map(Attempt.run, attempts)):
            bad += bool(problems)
            verdict = attempt.result["verdict"] if attempt.result else "-"
            if options.table:
                print(f"| {attempt.label()} | {prepare.words(HERE, attempt.name)} | {verdict} | {'; '.join(problems) or 'unharmed'} |")
            else:
                print(f"{'BAD' if problems else 'ok '} {attempt.label():44} {verdict:16} {attempt.seconds:5.1f} s")
                for line in problems:
                    print(f"    {line}")
            sys.stdout.flush()
    left = suite.machine.groups(suite.graders)
    if left:
        bad += 1
        print(f"control groups are left: {left}")
    print(f"{len(attempts)} attempts, {bad} got through or were judged wrongly")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("program")
    parser.add_argument("schema")
    parser.add_argument("attempts", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="abuse-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        bad = run_all(Suite(options, pathlib.Path(folder)), options)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
