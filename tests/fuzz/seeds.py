#!/usr/bin/env python3
"""Writes first inputs for the fuzz targets, one folder a target:  seeds.py FOLDER PRINT_RESULTS

PRINT_RESULTS is the program of that name of a build with tests. Inputs are what the targets understand: real manifests and expressions, wire messages, a small
repository as objects (git) and as files (bare). `scripts/fuzz --minimize` merges them with what was
found into tests/fuzz/corpus.
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write(folder, target, name, data):
    path = pathlib.Path(folder, target)
    path.mkdir(parents=True, exist_ok=True)
    path.joinpath(name).write_bytes(data)


def manifests(out):
    for path in ROOT.glob("assignments/*/assignment.json"):
        write(out, "manifest", path.parent.name, path.read_bytes())
    for name, text in {"work": "2*m*n*k", "ceil": "ceil_div(n, 256)", "max": "max(m, n) % (k - 1)",
                       "minus": "-(-9223372036854775807 - 1) / -1"}.items():
        write(out, "expr", name, text.encode())


def rosters(out):
    plain = b"id,repository,ref,folder\nada,https://h/ada.git,main,hw1\n\"b, c\",/srv/b,,\n"
    write(out, "roster", "plain", b"\0" + plain)
    write(out, "roster", "semicolons", b"\0" + b"\xef\xbb\xbfStudent ID;Repository\r\n7;\"x\"\"y\"\r\n")
    template = b"https://h/hw1-{github_username}.git"
    write(out, "roster", "template", bytes([len(template)]) + template + b'"identifier","github_username"\n"1","ada"\n')


def results(out, program):
    texts = subprocess.run([program], check=True, capture_output=True).stdout
    for number_of, text in enumerate(texts.split(b"\n}\n")):
        if text.strip():
            write(out, "result", f"sample-{number_of}", text + b"\n}\n")


# ---- the wire of the repository reader ----

def number(value):
    return struct.pack("<q", value)


def string(text):
    return number(-1) if text is None else number(len(text)) + text.encode()


def wire(out):
    answer = (number(0) + number(0) + string(None) + number(0) + string("/r") + string("main") +
              string("ab" * 20) + string("cd" * 20) + number(1700000000) + string("vector_add.hip") +
              string("__global__"))
    write(out, "wire", "answer", b"\0" + answer)
    missing = (number(0) + number(17) + string("there is no file") + number(-1) + string("/r") +
               string(None) + string(None) + string(None) + number(0) + string(None) + number(0))
    write(out, "wire", "missing", b"\0" + missing)
    write(out, "wire", "failure", b"\0" + number(1) + number(5) + string("no network"))
    request = (string("https://h/x") + string(None) + string("hw1") + string(None) + string("/tmp/w") +
               number(1) + number(2) + number(3) + number(1) + string("vector_add.hip"))
    write(out, "wire", "request", b"\1" + request)


# ---- the measured process ----

REPLY = struct.Struct("<IIIi64s256s64siiIIQQQdQ")
MAGIC = 0x77673031
REPORT_MAGIC = 0x77677270


def reply(op, status=1, error=0, error_name=b"", text=b"", event_ms=0.5):
    return REPLY.pack(MAGIC, op, status, error, error_name, text, b"cpu", 1, 1, 32, 0, 1 << 30, 1 << 20,
                      1000, event_ms, 10)


def protocol(out):
    for type_number in range(8):
        for judge in range(4):
            head = bytes([2, type_number, judge, 0])
            write(out, "protocol", f"run-{type_number}-{judge}", head + reply(2) + bytes(range(200)))
    write(out, "protocol", "error", bytes([2, 4, 0, 0]) + reply(2, 4, 719, b"hipErrorLaunchFailure", b"x"))
    write(out, "protocol", "load", bytes([1, 4, 0, 0]) + reply(1))


def place(file=b"a.hip", line=3, function=b"k(int)"):
    return struct.pack("<64sII96s6I", file, line, 1, function, 0, 0, 0, 1, 0, 0)


def finding(kind, severity=1, text=b"thread reads element 5"):
    return (struct.pack("<II", kind, severity) + place() + place(line=0) +
            struct.pack("<96s64sqQIIIIQ320s", b"k", b"c", 5, 4, 4, kind % 3, 0, 0, 2, text))


def counter(line):
    return struct.pack("<96s64sII13Q", b"k", b"a.hip", line, 0, *range(1, 14))


def report(out):
    head = struct.pack("<IIQQQ96sII", REPORT_MAGIC, 1, 3, 0, 0, b"k", 2, 0)
    for kind in range(1, 19):
        body = head + bytes([2, 0]) + finding(kind) + bytes([1]) + finding(kind % 18 + 1, 2)
        body += struct.pack("<I", 2) + bytes([2, 0]) + counter(0) + bytes([1]) + counter(7)
        body += bytes([kind % 7, 11, 0, kind % 4])
        write(out, "report", f"kind-{kind}", bytes([0]) + body + body)


# ---- git ----

def tree(*entries):
    return b"".join(f"{mode} {name}".encode() + b"\0" + bytes([number]) + bytes(19)
                    for mode, name, number in entries)


def commit(tree_number):
    return (f"tree {tree_number:02x}{'0' * 38}\nauthor A <a@b> 1700000000 +0000\n"
            "committer A <a@b> 1700000000 +0000\n\nwork\n").encode()


def tag(number):
    return f"object {number:02x}{'0' * 38}\ntype commit\ntag v1\ntagger A <a@b> 1 +0000\n\nx\n".encode()


def short_string(text):
    return bytes([len(text)]) + text.encode()


def store(choices, refs, objects):
    data = bytes(choices) + bytes([len(refs)])
    for name, target, number in refs:
        data += short_string(name) + short_string(target) + bytes([number])
    for kind, body in objects:
        data += bytes([kind]) + struct.pack("<H", len(body)) + body
    return data


def git_objects(out):
    blob, folder, root, top, v1 = 0, 1, 2, 3, 4
    objects = [(0, b"__global__ void vector_add() {}\n"), (1, tree(("100644", "vector_add.hip", blob))),
               (1, tree(("40000", "hw1", folder), ("100644", "matmul.hip", blob))), (2, commit(root)),
               (3, tag(top))]
    refs = [("HEAD", "refs/heads/main", 0), ("refs/heads/main", "", top), ("refs/tags/v1", "", v1),
            ("refs/heads/x", "refs/heads/main", 0)]
    for ref in range(6):
        for where in range(5):
            write(out, "git", f"plain-{ref}-{where}", store([ref, where, 1], refs, objects))
    links = [(0, b"../hw1/real.hip"), (1, tree(("120000", "vector_add.hip", 0), ("100644", "real.hip", 5))),
             (1, tree(("40000", "hw1", 1), ("120000", "a", 6), ("160000", "sub", 5))), (2, commit(2)), (3, tag(3)),
             (0, b"code"), (0, b"/etc"), (1, tree(("40000", "again", 7), ("100644", "VECTOR_ADD.HIP", 5)))]
    write(out, "git", "links", store([0, 1, 1], refs, links))
    write(out, "git", "circle", store([0, 0, 1], [("HEAD", "", 3)], links[:2] + [links[7]] + [(2, commit(7))] + links[4:]))
    lfs = [(0, b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")] + objects[1:]
    write(out, "git", "lfs", store([0, 1, 0], refs, lfs))


BARE = ["HEAD", "config", "packed-refs", "refs/heads/main", "refs/heads/other", "refs/tags/v1", "pack", "idx"]


def git(folder, *arguments):
    environment = dict(os.environ, GIT_AUTHOR_DATE="1700000000 +0000", GIT_COMMITTER_DATE="1700000000 +0000",
                       GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@b", "-C", folder, *arguments]
    return subprocess.run(command, check=True, env=environment, capture_output=True).stdout


def git_files(out):
    def record(name, data):
        return bytes([BARE.index(name)]) + struct.pack("<H", len(data)) + data

    with tempfile.TemporaryDirectory() as folder:
        git(folder, "init", "-q", "-b", "main")
        pathlib.Path(folder, "vector_add.hip").write_text("__global__ void vector_add() {}\n" * 20)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "work")
        pathlib.Path(folder, "vector_add.hip").write_text("__global__ void vector_add() {}\n" * 20 + "// more\n")
        git(folder, "commit", "-q", "-a", "-m", "more")
        git(folder, "tag", "-a", "v1", "-m", "v1")
        git(folder, "gc", "-q")
        top = pathlib.Path(folder, ".git")
        pack = next(top.glob("objects/pack/*.pack")).read_bytes()
        index = next(top.glob("objects/pack/*.idx")).read_bytes()
        head = git(folder, "rev-parse", "HEAD")
        refs = top.joinpath("packed-refs").read_bytes()
    packed = record("pack", pack) + record("idx", index)
    write(out, "bare", "packed", bytes([0]) + record("packed-refs", refs) + packed)
    write(out, "bare", "tag", bytes([2]) + record("packed-refs", refs) + packed)
    write(out, "bare", "loose", bytes([1]) + record("refs/heads/main", head) + packed)
    write(out, "bare", "detached", bytes([0]) + record("HEAD", head) + packed)
    write(out, "bare", "config", bytes([0]) + record("config", b"[core]\n\tbare = true\n[include]\n\tpath = x\n") +
          record("refs/heads/main", head) + packed)
    write(out, "bare", "truncated", bytes([0]) + record("refs/heads/main", head) + record("pack", pack[:200]) +
          record("idx", index))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for make in (manifests, rosters, wire, protocol, report, git_objects, git_files):
        make(sys.argv[1])
    results(sys.argv[1], sys.argv[2])


main()
