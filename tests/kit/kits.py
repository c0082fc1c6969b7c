"""kits.py WAVEGRADE SAMPLES SCHEMAS: Gradescope's and Autolab's kits in folders laid out like theirs."""
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import jsonschema

WAVEGRADE, SAMPLES, SCHEMAS = (pathlib.Path(one).resolve() for one in sys.argv[1:4])


def check(condition, *what):
    if not condition:
        sys.exit(" ".join(str(one)[:2000] for one in what))


def fits(schema_name, document):
    schema = json.loads((SCHEMAS / f"{schema_name}.schema.json").read_text())
    for error in jsonschema.Draft202012Validator(schema).iter_errors(document):
        sys.exit(f"{schema_name}: {error.json_path}: {error.message}")


def run(command, where, path, **variables):
    """Only what a platform's machine has: no wavegrade unless `path` brings it."""
    environment = {"PATH": f"{path}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(where), "LC_ALL": "C.UTF-8", **variables}
    return subprocess.run([str(one) for one in command], cwd=where, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL)


def kit(folder, *arguments):
    made = subprocess.run([str(WAVEGRADE), "kit", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    check(made.returncode == 0, made.stderr)
    return folder / made.stdout.strip()


def stand_in(folder, name, script):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def unzip(archive, root):
    shutil.rmtree(root, ignore_errors=True)
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    with zipfile.ZipFile(archive) as opened:
        check(opened.testzip() is None, "a broken zip")
        for entry in opened.infolist():
            path = pathlib.Path(opened.extract(entry, root / "source"))
            path.chmod(entry.external_attr >> 16 & 0o777)
    return root


def gradescope_result(root, path):
    ended = run([root / "source" / "run_autograder"], root, path, AUTOGRADER_ROOT=str(root))
    check(ended.returncode == 0, "run_autograder:", ended.returncode, ended.stdout)
    document = json.loads((root / "results" / "results.json").read_text())
    fits("gradescope", document)
    return document


def gradescope(folder):
    with_tools = WAVEGRADE.parent
    root = unzip(kit(folder, "gradescope", "vector_add", "--folder", "lab 1/it's"), folder / "autograder")
    submission = root / "submission" / "lab 1" / "it's"
    submission.mkdir(parents=True)
    setup = run([root / "source" / "setup.sh"], root, with_tools, AUTOGRADER_ROOT=str(root))
    check(setup.returncode == 0 and "is here already" in setup.stdout, setup.stdout)

    document = gradescope_result(root, with_tools)
    check(document["score"] == 0 and "MISSING_FILE" in document["output"], document)
    shutil.copy(SAMPLES / "tail_bug.hip", submission / "vector_add.hip")
    document = gradescope_result(root, with_tools)
    check(0 < document["score"] < 80 and "a[1000]" in document["output"], document)
    shutil.copy(SAMPLES / "good_vector_add.hip", submission / "vector_add.hip")
    document = gradescope_result(root, with_tools)
    check(document["score"] == 80, "not all points that count here:", document)

    # Our own fault: no score, whatever ended it.
    (root / "source" / "assignment" / "reference" / "golden.c").write_text("broken\n")
    document = gradescope_result(root, with_tools)
    check("score" not in document and "not graded" in document["output"], document)
    stand_in(folder / "dead", "wavegrade", "kill -9 $$")
    document = gradescope_result(root, folder / "dead")
    check("score" not in document and "status 137" in document["output"], document)


def gradescope_installs(folder):
    """Which way setup.sh takes; the tools are stand-ins that leave a note, and wavegrade appears when it was installed."""
    tools = folder / "tools"
    log = folder / "log"
    appears = f'echo "$0 $*" >>{log}; printf "#!/bin/sh\\necho \\$* >>{log}\\n" >{tools}/wavegrade; chmod +x {tools}/wavegrade'

    def setup(*arguments):
        log.write_text("")
        shutil.rmtree(tools, ignore_errors=True)
        for name in ("apt-get", "cmake"):
            stand_in(tools, name, appears)
        root = unzip(kit(folder, "gradescope", "vector_add", *arguments), folder / "installing")
        return run([root / "source" / "setup.sh"], root, tools, AUTOGRADER_ROOT=str(root)), log.read_text()

    (folder / "wavegrade.deb").write_bytes(b"!<arch>\ndebian-binary   1700000000  0     0     100644  4         `\n2.0\n")
    ended, notes = setup("--deb", "wavegrade.deb")
    check(ended.returncode == 0 and "apt-get install" in notes and "source/wavegrade.deb" in notes, ended.stdout, notes)
    check("lint --no-timing" in notes, "the installed program was not tried", notes)
    with tarfile.open(folder / "source.tar", "w") as opened:
        script = b"#!/bin/sh\nexit 0\n"
        entry = tarfile.TarInfo("wavegrade-1/scripts/setup")
        entry.size, entry.mode = len(script), 0o755
        opened.addfile(entry, io.BytesIO(script))
    ended, notes = setup("--source", "source.tar")
    check(ended.returncode == 0 and "cmake --install" in notes and "apt-get" not in notes, ended.stdout, notes)
    ended, notes = setup()
    check(ended.returncode == 1 and "there is no wavegrade" in ended.stdout, ended.stdout)


def refusals(folder):
    """A kit that cannot work is not made."""
    (folder / "text").write_text("neither package nor archive\n")
    with tarfile.open(folder / "other.tar", "w") as opened:
        opened.addfile(tarfile.TarInfo("other/README"))
    for arguments, words in ((("--deb", "text"), "not a Debian package"), (("--source", "text"), "not a tar archive"),
                             (("--source", "other.tar"), "git archive"), (("--source", "."), "is a folder"), (("--folder", "../x"), "leads out")):
        made = subprocess.run([str(WAVEGRADE), "kit", "gradescope", "vector_add", "-o", "none.zip", *arguments], cwd=folder,
                              capture_output=True, text=True, check=False)
        check(made.returncode == 64 and words in made.stderr and not (folder / "none.zip").exists(), arguments, made.returncode, made.stderr)


def autolab(folder):
    outer = kit(folder, "autolab", "vector_add", "-o", "kit.tar")
    work = folder / "autolab"
    work.mkdir()
    with tarfile.open(outer) as opened:
        check(set(opened.getnames()) == {"autograde-Makefile", "autograde.tar", "README.txt"}, opened.getnames())
        guide = opened.extractfile("README.txt").read().decode()
        for name in ("autograde-Makefile", "autograde.tar"):
            (work / name).write_bytes(opened.extractfile(name).read())
    (work / "autograde-Makefile").rename(work / "Makefile")

    def scores(path):
        ended = run(["make"], work, path)
        check(ended.returncode == 0, ended.stdout)
        document = json.loads(ended.stdout.rstrip("\n").split("\n")[-1])
        fits("autolab-scores", document)
        shutil.rmtree(work / "autograde")
        return document["scores"], ended.stdout

    with_tools = WAVEGRADE.parent
    points, output = scores(with_tools)
    check(set(points.values()) == {0} and "MISSING_FILE" in output, output)
    shutil.copy(SAMPLES / "good_vector_add.hip", work / "vector_add.hip")
    points, output = scores(with_tools)
    check(points == {"build": 10, "correctness": 50, "memory": 20}, points)
    for name in points:
        check(f"  {name} " in guide, "not in the guide:", name)
    stand_in(folder / "dead", "wavegrade", "echo to standard error >&2; exit 2")
    points, output = scores(folder / "dead")
    check(points == {} and "status 2" in output, output)


def main():
    with tempfile.TemporaryDirectory(prefix="wavegrade-kits-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        gradescope(folder)
        gradescope_installs(folder)
        refusals(folder)
        autolab(folder)
        one, two = (kit(folder, "gradescope", "matmul", "-o", out).read_bytes() for out in ("one.zip", "two.zip"))
        check(one == two, "the same kit differs from run to run")
    print("Gradescope: set up, graded, at fault; Autolab: graded, at fault")


main()
