#!/usr/bin/python3
"""Follows a guide: writes the files it shows, runs the commands it shows, compares what they print.

    run.py WAVEGRADE GUIDE.md

What is followed, in order and in one empty folder, are fenced blocks whose info string says so:

    ```console run            lines "$ command"; the other lines are what it prints: a glob a line,
    ```console run exit=1     "..." for any number of lines; nothing: whatever it prints is fine
    ```c file=path/to/it      becomes that file

A command must succeed; exit=N is for the last one of its block.
"""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def blocks(text):
    """(line, words of the info string, body) of every fenced block."""
    for match in re.finditer(r"^```(\S+) +([^\n`]+)\n(.*?)^```$", text, re.M | re.S):
        yield text.count("\n", 0, match.start()) + 1, match.group(2).split(), match.group(3)


def matches(lines, patterns):
    if not patterns:
        return not lines
    if patterns[0] == "...":
        return any(matches(lines[skip:], patterns[1:]) for skip in range(len(lines) + 1))
    # A bracket stands for itself: guides show real output.
    pattern = patterns[0].replace("[", "[[]")
    return bool(lines) and fnmatch.fnmatchcase(lines[0], pattern) and matches(lines[1:], patterns[1:])


def commands(body):
    """[command, expected lines] of a console block."""
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found:
            found[-1][1].append(line)
    return found


def follow(guide, program, folder):
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(folder), "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
                   "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "somebody", "GIT_AUTHOR_EMAIL": "somebody@example.invalid",
                   "GIT_COMMITTER_NAME": "somebody", "GIT_COMMITTER_EMAIL": "somebody@example.invalid"}
    followed = 0
    for line, words, body in blocks(guide.read_text()):
        settings = dict(word.partition("=")[::2] for word in words)
        if "file" in settings:
            path = folder / settings["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body)
        if "run" not in settings:
            continue
        steps = commands(body)
        for number, (command, expected) in enumerate(steps):
            status = int(settings.get("exit", 0)) if number + 1 == len(steps) else 0
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
            followed += 1
            if done.returncode != status or (expected and not matches(done.stdout.splitlines(), expected)):
                print(f"{guide}:{line}: $ {command}\nexit {done.returncode}, expected {status}; it printed:\n{done.stdout}")
                return 1
    if not followed:
        print(f"{guide}: nothing to follow")
    return 0 if followed else 1


def main():
    program, guide = (pathlib.Path(one).resolve() for one in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(follow(guide, program, pathlib.Path(folder)))


if __name__ == "__main__":
    main()
