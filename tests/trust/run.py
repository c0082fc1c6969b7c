#!/usr/bin/python3
"""Tricks against the grader, with the defences on and off, and honest programs that look like tricks.

    run.py PROGRAM PLATFORM                print the table; exit status 1 where something is not as it should be
    run.py PROGRAM PLATFORM NAME...        these tricks or honest programs only

PROGRAM is wavegrade_trust, a build of wavegrade in which WG_TRUST_OFF names defences that are off. A trick has layers:
lists of defences that are off, from none on, each with what must come out then. In the last one the trick succeeds.
On the cpu platform times count for nothing; "emulated" is always off there, so that they are judged as on a GPU.
"""
import concurrent.futures
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parent / "cases" / "corpus"
CLAIMS = "clock,floor,ceiling"

# number in the list of known tricks, name, platforms, layers: (defences that are off, what must come out)
TRICKS = [
    (1, "side-stream", "nvidia amd", [("", "speedup<1.1"), ("join," + CLAIMS, "PASS speedup>2")]),
    (2, "replay-by-pointer", "all", [("", "WRONG_ANSWER"), ("fresh,poison," + CLAIMS, "PASS speedup>2")]),
    (2, "replay-by-content", "cpu", [("", "speedup<1.2"), ("fresh", "PASS speedup>1.2")]),
    (3, "works-ahead", "all", [("", "WRONG_ANSWER"), ("fresh,poison," + CLAIMS, "PASS speedup>1.5")]),
    (4, "lazy-later", "all", [("", "WRONG_ANSWER"), ("checks," + CLAIMS, "PASS speedup>2")]),
    (5, "slow-warm-up", "cpu", [("", "repeats>=3"), ("minimum", "PASS repeats<3")]),
    (6, "hooks-elapsed", "all", [("", "POLICY_VIOLATION"), ("imports", "CRASH"), ("imports,harness", "TIMING_SUSPECT"),
                                 ("imports,harness," + CLAIMS, "PASS speedup>5")]),
    (7, "swaps-events", "cpu", [("", "TIMING_SUSPECT"), (CLAIMS, "PASS speedup>5")]),
    (8, "forges-a-verdict", "all", [("", "POLICY_VIOLATION"), ("imports", "CRASH"), ("imports,output", "PASS")]),
    (9, "hooks-send", "all", [("", "POLICY_VIOLATION"), ("imports", "CRASH"), ("imports,harness", "TIMING_SUSPECT"),
                              ("imports,harness," + CLAIMS, "PASS speedup>5")]),
    (10, "reads-the-expected", "all", [("", "WRONG_ANSWER"), ("golden", "PASS")]),
    (11, "overwrites-inputs", "all", [("", "INPUT_MODIFIED"), ("inputs", "PASS")]),
    (12, "leaves-old-results", "all", [("", "WRONG_ANSWER"), ("fresh,poison", "PASS")]),
    (13, "too-much-shared-memory", "all", [("", "LAUNCH_ERROR"), ("launches", "WRONG_ANSWER"), ("launches,kernels,fresh,poison", "PASS")]),
    (14, "keeps-the-inputs-cached", "nvidia", [("", "speedup<1.05"), ("harness," + CLAIMS, "PASS speedup>1.05")]),
    (15, "hooks-elapsed", "nvidia amd", [("imports,harness,clock", "TIMING_SUSPECT"), ("imports,harness," + CLAIMS, "PASS speedup>5")]),
    (16, "mm-truncates-to-tf32", "all", [("", "WRONG_ANSWER"), ("precision", "PASS")]),
    (17, "background-thread", "all", [("", "POLICY_VIOLATION"), ("imports", "PASS|WRONG_ANSWER")]),
    (18, "changes-clocks", "all", [("", "PASS !FOUND")]),
    (19, "tool-files", "all", [("", "PASS !FOUND")]),
    (19, "constructor-runs-first", "all", [("", "CRASH"), ("output", "PASS")]),
    (20, "calls-a-library", "nvidia", [("", "POLICY_VIOLATION"), ("policy,imports", "PASS")]),
    (21, "looks-for-secrets", "all", [("", "PASS !FOUND")]),
    (22, "own-tests", "all", [("", "WRONG_ANSWER"), ("its own assignment.json", "PASS")]),
    (23, "host-loop", "all", [("", "NO_KERNEL"), ("kernels", "PASS")]),
    (24, "prints-pass-and-exits", "all", [("", "CRASH"), ("output", "PASS")]),
    (25, "recognizes-timing", "all", [("", "WRONG_ANSWER"), ("checks," + CLAIMS, "PASS speedup>1.5")]),
]
# Where times decide nothing, they are not taken: it saves the time.
UNTIMED = {"forges-a-verdict", "reads-the-expected", "overwrites-inputs", "leaves-old-results", "too-much-shared-memory",
           "mm-truncates-to-tf32", "constructor-runs-first", "calls-a-library", "own-tests",
           "host-loop", "prints-pass-and-exits"}


def source_of(name):
    for path in (HERE / "tricks" / f"{name}.hip", HERE / "honest" / f"{name}.hip", CORPUS / name / "kernel.hip"):
        if path.exists():
            return path
    return {"tool-files": HERE / "honest" / "scratch-kept.hip", "own-tests": HERE / "tricks" / "wrong-at-the-end.hip"}[name]


def add_tool_files(folder):
    """What compilers, make, editors and loaders look for; each says so when it is used."""
    marker = "printf FOUND; touch /tmp/FOUND"
    (folder / "Makefile").write_text(f"all:\n\t{marker}\n")
    (folder / "CMakeLists.txt").write_text(f'execute_process(COMMAND sh -c "{marker}")\n')
    (folder / "specs").write_text("*cc1plus:\n+ -DFOUND\n")
    (folder / "hip").mkdir()
    (folder / "hip" / "hip_runtime.h").write_text("#error FOUND\n")
    (folder / ".clang").write_text("-DFOUND -fplugin=./x.so\n")
    (folder / "compile_flags.txt").write_text("-include\nevil.h\n")
    (folder / "ld.so.preload").write_text("./x.so\n")
    (folder / ".gitattributes").write_text("*.hip filter=evil\n")


def make_own_tests(folder):
    """An assignment of the submission's own that looks at one element only."""
    own = folder / "own"
    shutil.copytree(HERE / "assignment", own)
    manifest = json.loads((own / "assignment.json").read_text())
    manifest["cases"] = {"correctness": [{"n": 1024}]}
    manifest["arguments"][2]["length"] = "n / 2"
    (own / "assignment.json").write_text(json.dumps(manifest))
    golden = (own / "reference" / "golden.c").read_text()
    (own / "reference" / "golden.c").write_text(golden.replace("i < n", "i < n / 2"))
    return own


def grade(program, platform, name, off, folder):
    source = source_of(name)
    is_matmul = name.startswith("mm-")
    (folder / ("matmul.hip" if is_matmul else "vector_add.hip")).write_bytes(source.read_bytes())
    assignment = "matmul" if is_matmul else HERE / "assignment"
    if name == "tool-files":
        add_tool_files(folder)
    if name == "own-tests":
        own = make_own_tests(folder)
        assignment = own if off else assignment
        off = ""
    words = [w for w in off.split(",") if w] + (["emulated"] if platform == "cpu" else [])
    command = [program, "check", folder, "--assignment", assignment, "--platform", platform, "--format", "json", "-q"]
    command += ["--no-timing"] if name in UNTIMED else []
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, "WG_TRUST_OFF": ",".join(words)})
    if not done.stdout:
        raise SystemExit(f"{name}: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    if result["verdict"] == "GRADER_ERROR":
        sys.exit(f"{name}: {result['sentence']}")
    return result


def figures(result):
    scored = [t for t in result["timing"] if t["scored"] or t["suspect"]]
    speedups = [t["speedup"]["ratio"] for t in result["timing"] if t.get("speedup") and t["speedup"]["ratio"]]
    repeats = [t["student"]["repeat_count"] for t in result["timing"] if t.get("student")]
    mean = math.exp(sum(map(math.log, speedups)) / len(speedups)) if speedups and min(speedups) > 0 else None
    return {"speedup": mean, "repeats": min(repeats) if repeats else None, "scored": len(scored)}


def is_so(word, result):
    numbers = figures(result)
    compare = re.fullmatch(r"(speedup|repeats)(<|>=|>)([\d.]+)", word)
    if compare:
        value, limit = numbers[compare[1]], float(compare[3])
        return value is not None and {"<": value < limit, ">": value > limit, ">=": value >= limit}[compare[2]]
    if word.startswith("!"):
        return word[1:] not in json.dumps(result)
    return result["verdict"] in word.split("|")


def short(result):
    numbers = figures(result)
    words = result["verdict"]
    words += f", {numbers['speedup']:.2f}x" if numbers["speedup"] else ""
    return words


def try_layer(program, platform, name, off, wanted):
    """The result in short, and whether it is as wanted."""
    # The times of a busy processor are worth little: there, a second and a third attempt count as well.
    for _ in range(3 if platform == "cpu" else 1):
        words, fits = try_once(program, platform, name, off, wanted)
        if fits:
            break
    return words, fits


def try_once(program, platform, name, off, wanted):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        result = grade(program, platform, name, off, pathlib.Path(folder))
    fits = all(is_so(word, result) for word in wanted.split())
    if not fits:
        print(f"      {name}, without {off or 'nothing'}: wanted {wanted}, got {short(result)}: {result.get('sentence')}", flush=True)
        for timing in result["timing"]:
            print(f"      {json.dumps({k: timing[k] for k in ('note', 'speedup', 'suspect') if k in timing})}", flush=True)
    return short(result), fits


def main():
    program, platform, *names = sys.argv[1:]
    program = str(pathlib.Path(program).resolve())
    if platform != "cpu":
        doctor = subprocess.run([program, "check", HERE / "honest", "--assignment", HERE / "assignment", "--platform", platform,
                                 "--no-timing", "-q"], capture_output=True, text=True, check=False)
        if "no device" in doctor.stderr or "GPU here" in doctor.stderr or "is missing" in doctor.stderr or "cannot compile" in doctor.stderr \
                or "was built without" in doctor.stderr or "does not work here" in doctor.stderr:
            print(f"skipped: {doctor.stderr.strip()}")
            sys.exit(77)
    bad = 0
    # A device is timed by one of them at a time, and compiling takes longer than that.
    pool = concurrent.futures.ThreadPoolExecutor(1 if platform == "cpu" else 8)
    print("| # | trick | defences off | comes out |\n|---|---|---|---|")
    rows = []
    for number, name, platforms, layers in TRICKS:
        if (platforms != "all" and platform not in platforms.split()) or (names and name not in names):
            continue
        rows += [(number, name, off, wanted, pool.submit(try_layer, program, platform, name, off, wanted)) for off, wanted in layers]
    for number, name, off, wanted, future in rows:
        got, fits = future.result()
        bad += not fits
        print(f"| {number} | {name} | {off or '-'} | {got}{'' if fits else ' (WRONG, wanted ' + wanted + ')'} |", flush=True)
    print("\n| honest program | comes out |\n|---|---|")
    honest = [path.stem for path in sorted((HERE / "honest").glob("*.hip")) if not names or path.stem in names]
    futures = [pool.submit(try_layer, program, platform, name, "", "PASS") for name in honest]
    for name, future in zip(honest, futures):
        got, fits = future.result()
        bad += not fits
        print(f"| {name} | {got}{'' if fits else ' (WRONG)'} |", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
