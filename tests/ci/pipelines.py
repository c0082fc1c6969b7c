"""pipelines.py SOURCE BUILD PACKAGES: what CI systems would run, run here: GitHub's action, GitLab's job, the installer."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import yaml

SOURCE, BUILD, PACKAGES = (pathlib.Path(one).resolve() for one in sys.argv[1:4])
SAMPLES = SOURCE / "scripts" / "samples"
SYSTEM = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def check(condition, *what):
    if not condition:
        sys.exit(" ".join(str(one)[:3000] for one in what))


def run(command, where, path=f"{BUILD}:{SYSTEM}", **variables):
    environment = {"PATH": path, "HOME": str(where), "LC_ALL": "C.UTF-8", **variables}
    return subprocess.run([str(one) for one in command], cwd=where, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL)


def stand_in(folder, name, script):
    folder.mkdir(exist_ok=True, parents=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


# ---- GitHub: the steps of the composite action, in order, as a runner would do them ----

def github_step(step, inputs, where):
    """A step's script, with its expressions replaced by what the inputs say."""
    variables = {"GITHUB_ACTION_PATH": str(SOURCE), "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(where),
                 "GITHUB_STEP_SUMMARY": str(where / ".summary"), "GITHUB_OUTPUT": str(where / ".output")}
    for name, value in step.get("env", {}).items():
        variables[name] = re.sub(r"\$\{\{ inputs\.([a-z0-9-]+) \}\}", lambda match: inputs[match.group(1)], value)
        check("${{" not in variables[name], "an expression that is not understood:", value)
    return run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], where, **variables)


def github(where, **given):
    action = yaml.safe_load((SOURCE / "action.yml").read_text())
    inputs = {name: str(one["default"]) for name, one in action["inputs"].items()}
    check(set(given) <= set(inputs), "inputs:", given)
    inputs.update(given)
    ended = None
    for step in action["runs"]["steps"]:
        if "run" in step:
            ended = github_step(step, inputs, where)
            if ended.returncode:
                break
    return ended, (where / ".output").read_text()


def check_github(folder):
    where = folder / "github"
    (where / "week 1").mkdir(parents=True)
    shutil.copy(SAMPLES / "tail_bug.hip", where / "week 1" / "vector_add.hip")
    ended, output = github(where, folder="week 1", reports="out $(touch pwned)")
    check(ended.returncode == 1, ended.returncode, ended.stdout)
    check(re.fullmatch(r"digest=[0-9a-f]{16}\n", output), output)
    lines = ended.stdout.splitlines()
    check(all(re.match("::(error|warning|notice) ", line) for line in lines), "not only commands:", ended.stdout)
    check(lines[0].startswith("::error file=week 1/vector_add.hip,line=6,"), lines[0])
    check("OUT_OF_BOUNDS" in (where / ".summary").read_text(), "no summary")
    reports = where / "out $(touch pwned)"
    check((reports / "result.json").exists() and not (where / "pwned").exists(), "reports")
    ElementTree.parse(reports / "junit.xml")
    (where / ".output").unlink()
    ended, _ = github(where, **{"folder": "week 1", "fail-on": "never", "min-score": "10"})
    check(ended.returncode == 0, ended.stdout)
    shutil.copy(SAMPLES / "good_vector_add.hip", where / "week 1" / "vector_add.hip")
    ended, _ = github(where, **{"folder": "week 1", "assignment": "vector_add", "min-score": "100"})
    check(ended.returncode == 0 and "::notice title=PASS::" in ended.stdout, ended.stdout)


# ---- GitLab: the job, by gitlab-ci-local on this machine's shell ----

def gitlab(where, *arguments):
    program = PACKAGES / "node_modules" / ".bin" / "gitlab-ci-local"
    node = pathlib.Path(shutil.which("node") or shutil.which("nodejs")).parent
    return run([program, "--no-color", *arguments], where, path=f"{BUILD}:{node}:{SYSTEM}")


def check_gitlab(folder):
    where = folder / "gitlab"
    made = run([BUILD / "wavegrade", "new", "course", "gitlab", "--assignments", "vector_add", "--project", "courses/wavegrade"], folder)
    check(made.returncode == 0, made.stdout)
    template = (where / ".gitlab-ci.yml").read_text()
    included = re.sub(r"  - project: courses/wavegrade\n    file: scripts/ci/gitlab.yml", "  - local: scripts/ci/gitlab.yml", template)
    check(included != template, "the template includes something else:", template)
    (where / "scripts" / "ci").mkdir(parents=True)
    shutil.copy(SOURCE / "scripts" / "ci" / "gitlab.yml", where / "scripts" / "ci")
    (where / ".gitlab-ci.yml").write_text(included)
    shutil.copy(SAMPLES / "tail_bug.hip", where / "vector_add" / "vector_add.hip")
    identity = ["-c", "user.name=student", "-c", "user.email=student@example.invalid"]
    for command in (["init", "-q", "-b", "main"], ["remote", "add", "origin", "https://gitlab.example.invalid/student/lab.git"],
                    ["add", "."], [*identity, "commit", "-q", "-m", "lab"]):
        check(run(["git", *command], where).returncode == 0, command)

    job = "wavegrade: [vector_add,vector_add]"
    listed = gitlab(where, "--list")
    check(listed.returncode == 0 and "schema validated" in listed.stdout, listed.stdout)
    check(job in listed.stdout, "the job is not in a pipeline:", listed.stdout)
    ended = gitlab(where, "--force-shell-executor", job)
    check(ended.returncode == 1 and "OUT_OF_BOUNDS" in ended.stdout, ended.returncode, ended.stdout)
    shutil.copy(SAMPLES / "good_vector_add.hip", where / "vector_add" / "vector_add.hip")
    ended = gitlab(where, "--force-shell-executor", job)
    check(ended.returncode == 0, ended.stdout)
    suite = ElementTree.parse(where / "wavegrade-report" / "junit.xml").getroot()
    check(suite.get("failures") == "0" and int(suite.get("tests")) > 10, suite.attrib)

    (where / "scripts" / "ci" / "gitlab.yml").write_text((SOURCE / "scripts" / "ci" / "gitlab.yml").read_text().replace("artifacts:", "artefacts:"))
    check(gitlab(where, "--list").returncode != 0, "the validator takes anything")


# ---- The installer ----

def check_install(folder):
    """Which way scripts/ci/install takes. The source is a copy with stand-ins; apt-get and cmake leave a note."""
    source, tools, log, cache = (folder / name for name in ("source", "tools", "log", "cache"))
    (source / "scripts" / "ci").mkdir(parents=True)
    for name in ("assignments", "grader", "reference", "sandbox"):
        (source / name).mkdir()
    (source / "CMakeLists.txt").write_text("one\n")
    (source / "CMakePresets.json").write_text("{}\n")
    shutil.copy(SOURCE / "scripts" / "ci" / "install", source / "scripts" / "ci")
    note = f'echo "$(basename "$0") $*" >>{log}'
    stand_in(source / "scripts", "setup", note)
    stand_in(tools, "apt-get", note)
    stand_in(tools, "cmake", f"{note}; mkdir -p {source}/build/ci")
    stand_in(tools, "cpack", f"{note}; echo built >wavegrade_1_amd64.deb; echo amd >wavegrade-amd_1_amd64.deb")
    stand_in(tools, "sudo", 'exec "$@"')
    stand_in(tools, "curl", f'{note}; while [ "$1" != -o ]; do shift; done; echo fetched >"$2"')

    def install(*arguments, **variables):
        log.write_text("")
        ended = run([source / "scripts" / "ci" / "install", *arguments], folder, path=f"{tools}:/usr/bin:/bin", WAVEGRADE_CACHE=str(cache), **variables)
        return ended, log.read_text()

    first, notes = install()
    check(first.returncode == 0 and "cpack -G DEB" in notes and "/cache/wavegrade-" in notes, first.stdout, notes)
    check([path.read_text() for path in cache.iterdir()] == ["built\n"], "what was kept:", list(cache.iterdir()))
    again, notes = install()
    check(again.returncode == 0 and "cmake" not in notes and "apt-get install" in notes, "built twice", notes)
    before, _ = install("--digest")
    (source / "grader" / "new.c").write_text("")
    after, _ = install("--digest")
    check(before.stdout != after.stdout, "another source, the same key")

    (folder / "given.deb").write_text("given\n")
    ended, notes = install("given.deb")
    check(ended.returncode == 0 and "cmake" not in notes and "apt-get install" in notes, ended.stdout, notes)
    ended, notes = install("https://packages.example.invalid/wavegrade.deb")
    check(ended.returncode == 0 and "curl" in notes and "=https" in notes, ended.stdout, notes)
    ended, notes = install("http://packages.example.invalid/wavegrade.deb")
    check(ended.returncode == 2 and "apt-get" not in notes, ended.stdout, notes)
    ended, notes = install("given.deb", WAVEGRADE_SHA256="0" * 64)
    check(ended.returncode == 2 and "apt-get" not in notes, "a wrong package was installed", ended.stdout, notes)
    stand_in(tools, "wavegrade", "echo wavegrade 1")
    ended, notes = install()
    check(ended.returncode == 0 and notes == "" and "is here already" in ended.stdout, ended.stdout, notes)


def main():
    with tempfile.TemporaryDirectory(prefix="wavegrade-ci-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        os.umask(0o022)
        check_install(folder)
        check_github(folder)
        check_gitlab(folder)
    print("GitHub's action, GitLab's job and the installer do what they should")


main()
