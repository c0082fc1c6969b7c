#!/usr/bin/env python3
"""Repositories as nobody should make them, graded by the real program.

  repositories.py WAVEGRADE

Each must end with one of the verdicts that are listed, in bounded time; nothing of what a repository says is run,
nothing outside of it is read, and no password comes out again. What is found is not compiled: its text is no program,
so BUILD_ERROR means that it was read.
"""
import ctypes
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import zlib

FOUND = "BUILD_ERROR"
FILE = "vector_add.hip"
TEXT = "this is no program\n"


class Repository:
    def __init__(self, folder):
        self.path = pathlib.Path(folder)
        self.path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.top = self.path / ".git"

    def git(self, *arguments, data=None):
        environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
        command = ["git", "-c", "user.name=A", "-c", "user.email=a@b", "-C", str(self.path), *arguments]
        return subprocess.run(command, check=True, env=environment, capture_output=True, input=data).stdout.decode().strip()

    def put(self, kind, data):
        """An object that no git would write."""
        data = f"{kind} {len(data)}".encode() + b"\0" + data
        name = hashlib.sha1(data).hexdigest()
        path = self.top / "objects" / name[:2] / name[2:]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(data, 1))
        return name

    def tree(self, *entries):
        return self.put("tree", b"".join(mode + b" " + name + b"\0" + bytes.fromhex(blob) for mode, name, blob in entries))

    def commit(self, tree, message=b"work"):
        name = self.put("commit", b"tree " + tree.encode() + b"\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n" +
                        message + b"\n")
        ref = self.top / "refs/heads/main"
        ref.write_text(name + "\n")
        return name

    def add_file(self, name=FILE, text=TEXT):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "work")


def plain(repository):
    repository.add_file()
    return [FOUND]


def commands(repository):
    """Everything in a repository that makes git run something."""
    run = f"touch {repository.path.parent}/ran"
    (repository.path / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    repository.add_file()
    hooks = repository.top / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        (hooks / name).write_text(f"#!/bin/sh\n{run}\n")
        (hooks / name).chmod(0o755)
    with (repository.top / "config").open("a") as config:
        config.write(f'[core]\nfsmonitor = {run}\nsshCommand = {run}\npager = {run}\neditor = {run}\naskPass = {run}\n'
                     f'gitProxy = {run}\nalternateRefsCommand = {run}\nhooksPath = {hooks}\n'
                     f'[filter "evil"]\nclean = {run}\nsmudge = {run}\nprocess = {run}\nrequired = true\n'
                     f'[credential]\nhelper = "!{run}"\n[uploadpack]\npackObjectsHook = {run}\n'
                     f'[diff "evil"]\ntextconv = {run}\ncommand = {run}\n[gpg]\nprogram = {run}\n'
                     f'[url "ext::{run}"]\ninsteadOf = /\n')
    return [FOUND]


def names(repository):
    """Look-alikes of .git, collisions of case and of Unicode's forms, names that act on a terminal."""
    blob = repository.put("blob", TEXT.encode())
    inner = repository.tree((b"100644", b"config", blob))
    odd = [b".GIT", b".git", b".git ", b".git.", b"GIT~1", b".g\xe2\x80\x8cit", b"..", b".", b"a\\b", b"C:", b"CON", b"\x1b[2J",
           b"\xe2\x80\xae", b"\xff\xfe", b"e\xcc\x81", b"\xc3\xa9", b"new\nline", b"VECTOR_ADD.HIP", b"Vector_Add.hip", b"x" * 4000]
    entries = [(b"40000", name, inner) for name in odd[:6]] + [(b"100644", name, blob) for name in odd[6:]]
    repository.commit(repository.tree(*sorted([*entries, (b"100644", FILE.encode(), blob)], key=lambda entry: entry[1])))
    return [FOUND]


def names_only(repository):
    blob = repository.put("blob", TEXT.encode())
    odd = [b"\x1b]0;x\x07" + FILE.encode(), b"vector_add.hip\n", b"vector_\xd0\xb0dd.hip", b"\xe2\x80\xaevector_add.hip", b"VECTOR_ADD.HIP"]
    repository.commit(repository.tree(*sorted((b"100644", name, blob) for name in odd)))
    return ["MISSING_FILE"]


def twice(repository):
    """One name, two entries; and a tree that is not sorted."""
    first = repository.put("blob", TEXT.encode())
    second = repository.put("blob", b"another text\n")
    repository.commit(repository.tree((b"100644", b"z", first), (b"100644", FILE.encode(), first), (b"100644", FILE.encode(), second)))
    return [FOUND, "MISSING_FILE"]


def modes(repository):
    blob = repository.put("blob", TEXT.encode())
    repository.commit(repository.tree((b"777777", FILE.encode(), blob)))
    return [FOUND, "MISSING_FILE", "FETCH_ERROR"]


def trees(repository):
    """Trees that are no trees: cut off, without modes, of another type, with an id of nothing."""
    for data in (b"100644 " + FILE.encode(), b"\0" * 100, b"100644 " + FILE.encode() + b"\0" + b"\1" * 19):
        repository.commit(repository.put("tree", data))
    return ["MISSING_FILE", "FETCH_ERROR"]


def a_blob_as_tree(repository):
    repository.commit(repository.put("blob", TEXT.encode()))
    return ["MISSING_FILE", "FETCH_ERROR"]


def large_file(repository):
    blob = repository.put("blob", b"\0" * (300 << 20))
    repository.commit(repository.tree((b"100644", FILE.encode(), blob)))
    return ["MISSING_FILE"]


def large_message(repository):
    blob = repository.put("blob", TEXT.encode())
    repository.commit(repository.tree((b"100644", FILE.encode(), blob)), b"x" * (100 << 20))
    return [FOUND, "FETCH_ERROR", "MISSING_FILE"]


def lying_size(repository):
    """An object that says it has four gigabytes."""
    name = "ab" * 20
    path = repository.top / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(b"blob 4294967296\0short"))
    repository.commit(repository.tree((b"100644", FILE.encode(), name)))
    return ["MISSING_FILE", "FETCH_ERROR"]


def deep(repository):
    blob = repository.put("blob", TEXT.encode())
    tree = repository.tree((b"100644", FILE.encode(), blob))
    for _ in range(3000):
        tree = repository.tree((b"40000", b"d" * 200, tree))
    repository.commit(tree)
    return ["MISSING_FILE"]


def dangling(repository):
    repository.add_file()
    (repository.top / "refs/heads/main").write_text("12" * 20 + "\n")
    return ["FETCH_ERROR", "MISSING_FILE"]


def ref_circle(repository):
    repository.add_file()
    (repository.top / "HEAD").write_text("ref: refs/heads/a\n")
    (repository.top / "refs/heads/a").write_text("ref: refs/heads/b\n")
    (repository.top / "refs/heads/b").write_text("ref: refs/heads/a\n")
    return ["FETCH_ERROR", FOUND]


def ref_outside(repository):
    repository.add_file()
    (repository.top / "HEAD").write_text("ref: refs/heads/../../../../../../etc/passwd\n")
    return ["FETCH_ERROR", "MISSING_FILE", FOUND]


def ref_to_a_blob(repository):
    repository.add_file()
    (repository.top / "refs/heads/main").write_text(repository.put("blob", b"x") + "\n")
    return ["FETCH_ERROR"]


def packed(repository):
    repository.add_file()
    repository.git("gc", "-q")
    return next((repository.top / "objects/pack").glob("*.pack")), next((repository.top / "objects/pack").glob("*.idx"))


def truncated_pack(repository):
    pack, _ = packed(repository)
    pack.chmod(0o644)
    os.truncate(pack, pack.stat().st_size // 2)
    return ["FETCH_ERROR", "MISSING_FILE"]


def damaged_pack(repository):
    pack, _ = packed(repository)
    pack.chmod(0o644)
    data = bytearray(pack.read_bytes())
    for at in range(20, len(data) - 20, 3):
        data[at] ^= 0x55
    pack.write_bytes(data)
    return ["FETCH_ERROR", "MISSING_FILE"]


def damaged_index(repository):
    _, index = packed(repository)
    index.chmod(0o644)
    data = bytearray(index.read_bytes())
    data[8 + 4 * 256:] = b"\xff" * (len(data) - 8 - 4 * 256)
    index.write_bytes(data)
    return ["FETCH_ERROR", "MISSING_FILE"]


def pack_of_nothing(repository):
    pack, _ = packed(repository)
    pack.unlink()
    return ["FETCH_ERROR", "MISSING_FILE"]


def fifos(repository):
    repository.add_file()
    for name in ("packed-refs", "shallow", "objects/info/alternates"):
        os.mkfifo(repository.top / name)
    return [FOUND, "FETCH_ERROR", "MISSING_FILE", "GRADER_ERROR"]


def endless_config(repository):
    repository.add_file()
    (repository.top / "config").unlink()
    (repository.top / "config").symlink_to("/dev/zero")
    return [FOUND, "FETCH_ERROR", "GRADER_ERROR"]


def config_includes_itself(repository):
    repository.add_file()
    with (repository.top / "config").open("a") as config:
        config.write("[include]\npath = config\npath = /dev/zero\n")
    return [FOUND, "FETCH_ERROR"]


def secret_repository(repository):
    secret = Repository(repository.path.parent / "secret")
    secret.add_file(FILE, "SECRET\n")
    return secret


def alternates(repository):
    """Objects of somebody else's repository, whose commit is known."""
    secret = secret_repository(repository)
    info = repository.top / "objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{secret.top}/objects\n")
    (repository.top / "refs/heads/main").write_text(secret.git("rev-parse", "HEAD") + "\n")
    return ["FETCH_ERROR", "MISSING_FILE"]


def git_file(repository):
    """A .git that is a file and leads to somebody else's."""
    secret = secret_repository(repository)
    subprocess.run(["rm", "-rf", repository.top], check=True)
    repository.top.write_text(f"gitdir: {secret.top}\n")
    return ["FETCH_ERROR", "MISSING_FILE"]


def linked_objects(repository):
    secret = secret_repository(repository)
    subprocess.run(["rm", "-rf", repository.top / "objects"], check=True)
    (repository.top / "objects").symlink_to(secret.top / "objects")
    (repository.top / "refs/heads/main").write_text(secret.git("rev-parse", "HEAD") + "\n")
    return ["FETCH_ERROR", "MISSING_FILE"]


def common_folder(repository):
    secret = secret_repository(repository)
    (repository.top / "commondir").write_text(f"{secret.top}\n")
    (repository.top / "HEAD").write_text(secret.git("rev-parse", "HEAD") + "\n")
    return ["FETCH_ERROR", "MISSING_FILE"]


def submodule(repository):
    blob = repository.put("blob", b'[submodule "x"]\npath = hw\nurl = ext::sh -c touch% ran\n')
    repository.commit(repository.tree((b"100644", b".gitmodules", blob), (b"160000", FILE.encode(), "12" * 20)))
    return ["MISSING_FILE"]


def partial_clone(repository):
    """What a clone left on its server is missing: no damage, and no fault of the student's."""
    repository.add_file()
    name = repository.git("rev-parse", f"HEAD:{FILE}")
    (repository.top / "objects" / name[:2] / name[2:]).unlink()
    repository.git("config", "remote.origin.promisor", "true")
    return ["GRADER_ERROR"]


def sha256(repository):
    subprocess.run(["rm", "-rf", repository.top], check=True)
    repository.git("init", "-q", "-b", "main", "--object-format=sha256")
    repository.add_file()
    return ["FETCH_ERROR"]


def nested(repository):
    inner = Repository(repository.path / "lab1")
    inner.add_file()
    repository.git("add", "lab1")
    repository.git("commit", "-q", "-m", "work")
    return ["MISSING_FILE"]


CASES = [plain, commands, names, names_only, twice, modes, trees, a_blob_as_tree, large_file, large_message, lying_size, deep,
         dangling, ref_circle, ref_outside, ref_to_a_blob, truncated_pack, damaged_pack, damaged_index, pack_of_nothing, fifos,
         endless_config, config_includes_itself, alternates, git_file, linked_objects, common_folder, submodule,
         partial_clone, sha256, nested]


NEED_LANDLOCK = [git_file, linked_objects, common_folder]


def has_landlock():
    create_ruleset, version = 444, 1
    return ctypes.CDLL(None).syscall(create_ruleset, None, 0, version) > 0


class Grader:
    def __init__(self, program, folder):
        self.program = program
        self.temp = pathlib.Path(folder, "tmp")
        self.temp.mkdir()
        self.failures = []

    def grade(self, location, *arguments):
        command = [self.program, "grade", "--assignment", "vector_add", "--no-timing", "--no-checked", "--format", "json",
                   *arguments, str(location)]
        begin = time.monotonic()
        done = subprocess.run(command, env=dict(os.environ, TMPDIR=str(self.temp)), capture_output=True, timeout=200, check=False)
        return done, time.monotonic() - begin

    def fail(self, what, why, done):
        self.failures.append(what)
        print(f"{what}: {why}\n{done.stdout.decode(errors='replace')[:600]}{done.stderr.decode(errors='replace')[:600]}")

    def expect(self, what, done, verdicts):
        try:
            result = json.loads(done.stdout)
        except ValueError:
            self.fail(what, "no result", done)
            return
        if result["verdict"] not in verdicts:
            self.fail(what, f"{result['verdict']}, wanted {' or '.join(verdicts)}", done)
        if b"SECRET" in done.stdout or b"\x1b" in done.stdout + done.stderr:
            self.fail(what, "what must not come out did", done)


def while_it_changes(grader, folder):
    """Gets a grade, or an answer, whatever happens to the repository meanwhile."""
    repository = Repository(folder / "changing")
    repository.add_file()
    over = threading.Event()

    def change():
        number = 0
        while not over.is_set():
            number += 1
            repository.add_file(f"file{number % 7}", f"{number}\n" * 1000)
            repository.git("repack", "-q", "-a", "-d")
            repository.git("prune", "--expire=now")

    thread = threading.Thread(target=change)
    thread.start()
    for _ in range(8):
        done, _ = grader.grade(repository.path)
        grader.expect("while it changes", done, [FOUND, "FETCH_ERROR", "MISSING_FILE", "GRADER_ERROR"])
    over.set()
    thread.join()
    done, _ = grader.grade(repository.path)
    grader.expect("after it changed", done, [FOUND])


def passwords(grader):
    for location in ("https://ada:s3cr3t@127.0.0.1:1/x.git", "https://s3cr3t@127.0.0.1:1/x.git", "ssh://git:s3cr3t@127.0.0.1:1/x.git",
                     "https://ada:s3cr3t@no-such-host.invalid/x", "git://ada:s3cr3t@h/x"):
        done, _ = grader.grade(location)
        if b"s3cr3t" in done.stdout + done.stderr:
            grader.fail(location, "the password came out", done)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="wg-repositories-") as name:
        folder = pathlib.Path(name)
        grader = Grader(sys.argv[1], name)
        cases = [make for make in CASES if make not in NEED_LANDLOCK or has_landlock()]
        for make in cases:
            repository = Repository(folder / make.__name__ / "student")
            verdicts = make(repository)
            done, _ = grader.grade(repository.path)
            grader.expect(make.__name__, done, verdicts)
            if (repository.path.parent / "ran").exists():
                grader.fail(make.__name__, "something of the repository was run", done)
        while_it_changes(grader, folder)
        passwords(grader)
        if any(grader.temp.iterdir()):
            grader.failures.append("temporary folders are left")
    if grader.failures:
        sys.exit("failed: " + ", ".join(grader.failures))
    print(f"{len(cases)} repositories")


main()
