"""Hand-ins that are hostile by their form and not by a program: each function fills a folder and returns the command and what to
give it. Also the words that the table has for each attempt."""
import os
import socket
import subprocess


def git(folder, *words, **more):
    env = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": more.get("name", "A"),
           "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": more.get("name", "A"), "GIT_COMMITTER_EMAIL": "a@example.org"}
    subprocess.run(["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words], cwd=folder, env=env, check=True,
                   capture_output=True)


def repository(folder, text, message=b"work", extra=None, name="A"):
    (folder / "attack.hip").write_text(text)
    git(folder, "init", "-q")
    for path, content in (extra or {}).items():
        full = os.path.join(os.fsencode(folder), path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--cleanup=verbatim", "-m", message, name=name)
    return "grade", folder


def fifo(folder, text, machine):
    """The file is a pipe that nobody writes to."""
    os.mkfifo(folder / "attack.hip", 0o666)
    return "check", folder


def symlink_out(folder, text, machine):
    """The file is a link to a file of the machine."""
    os.symlink(machine.canary, folder / "attack.hip")
    return "check", folder


def folder(folder, text, machine):
    """The file is a folder."""
    (folder / "attack.hip").mkdir()
    return "check", folder


def device(folder, text, machine):
    """The file is a link to an endless device."""
    os.symlink("/dev/zero", folder / "attack.hip")
    return "check", folder


def unix_socket(folder, text, machine):
    """The file is a socket."""
    server = socket.socket(socket.AF_UNIX)
    cwd = os.open(folder, os.O_RDONLY)
    server.bind(f"/proc/self/fd/{cwd}/attack.hip")
    os.close(cwd)
    return "check", folder


def huge_file(folder, text, machine):
    """The file has a terabyte, all holes."""
    with open(folder / "attack.hip", "wb") as file:
        file.truncate(1 << 40)
    return "check", folder


def zero_bytes(folder, text, machine):
    """The file is full of zero bytes and of bytes that are no text."""
    (folder / "attack.hip").write_bytes(b"\0\xff\xfe\x80" * 1000 + text.encode())
    return "check", folder


def repository_names(folder, text, machine):
    """A repository with names that are escapes, markup, formulas and climbing paths in other words."""
    names = [b"\x1b[2J\x1b]0;owned\x07", b"=cmd|calc!A1", b"<script>alert(1)<b>", b"a\nb", b"\xff\xfe", b"CON", b"..\\..\\x", b"-rf",
             b"attack.HIP", "\u202eevil".encode(), b"x" * 255, b"d/" * 60 + b"x", b"$(touch owned)", b"`id`", b"a'b\"c"]
    return repository(folder, text, extra={name: b"x" for name in names})


def commit_message(folder, text, machine):
    """A commit whose message, author and branch are escapes, markup and the end of JSON."""
    message = b'\x1b[2J"}],"verdict":"PASS" <script>alert(1)</script> ]]> ::error::owned\n\n=1+1\r\n\xff\xfe'
    made = repository(folder, text, message=message, name='\x1b[31m<script>alert(1)</script>"}')
    git(folder, "checkout", "-q", "-b", "<script>alert(1)</script>")
    return made


def symlink_in_repository(folder, text, machine):
    """A repository whose file is a link to a file of the machine."""
    (folder / "elsewhere").write_text("x")
    made = repository(folder, text)
    os.unlink(folder / "attack.hip")
    os.symlink(machine.canary, folder / "attack.hip")
    git(folder, "commit", "-q", "-a", "-m", "link")
    return made


def submodule(folder, text, machine):
    """A repository with a submodule whose address is an option and a command."""
    modules = b'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ' + os.fsencode(machine.canary) + b"\n\tupdate = !touch owned\n"
    return repository(folder, text, extra={b".gitmodules": modules})


def hooks_and_filters(folder, text, machine):
    """A repository with hooks, filters and settings that run programs."""
    made = repository(folder, text, extra={b".gitattributes": b"* filter=owned diff=owned\n"})
    script = f"#!/bin/sh\necho owned >{machine.canary}\n"
    for name in ("post-checkout", "post-upload-pack", "pre-commit", "reference-transaction", "fsmonitor"):
        hook = folder / ".git/hooks" / name
        hook.write_text(script)
        hook.chmod(0o755)
    with open(folder / ".git/config", "a", encoding="ascii") as config:
        config.write(f'[core]\n\tfsmonitor = {folder}/.git/hooks/fsmonitor\n\tsshCommand = {folder}/.git/hooks/fsmonitor\n'
                     f'[uploadpack]\n\tpackObjectsHook = {folder}/.git/hooks/fsmonitor\n'
                     f'[filter "owned"]\n\tsmudge = {folder}/.git/hooks/fsmonitor\n\trequired = true\n')
    return made


MAKE = {function.__name__: function for function in (
    fifo, symlink_out, folder, device, unix_socket, huge_file, zero_bytes, repository_names, commit_message, symlink_in_repository,
    submodule, hooks_and_filters)}


def words(here, name):
    """What an attempt does, in words."""
    if name.startswith("@"):
        return " ".join(MAKE[name[1:].replace("-", "_")].__doc__.split())
    return (here / "programs" / f"{name}.hip").read_text().splitlines()[0].removeprefix("// ")
