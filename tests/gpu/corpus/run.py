#!/usr/bin/python3
"""The case corpus on a GPU: verdicts beside those of the cpu platform, and what compute-sanitizer says of the same kernels.

    run.py PROGRAM nvidia|amd [--sanitizer INCLUDE] [--only NAME,NAME]

INCLUDE is the folder of the platform's HIP headers (share/wavegrade/nvidia/include); with it, and where compute-sanitizer is
installed, each kernel is also compiled into a program of its own and run under its four tools. Exit status 1 where a kernel
that is right everywhere does not pass; 77 without a device. That a GPU lets a mistake pass is no failure: the table tells.
"""
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE.parent.parent / "cases"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# They never end, or end the process, or have nothing to launch: a tool has nothing to say about them.
NOT_RUN = re.compile(r"endless|prints-for-ever|spin-grid|exits|aborts|recursion|lfs|host-loop|closes-descriptors|thread|thrust")
# They keep the device busy for others: last, when nothing else runs.
HOGS = re.compile(r"endless|prints-for-ever|spin-grid")
# Right elsewhere, and what this platform has not.
DIFFERENT = {
    "nvidia": {
        "46-mm-shared-64k": "static shared memory ends at 48 KiB",
        "ok-vadd-heap-in-kernel": "the heap of kernels has 8 MiB unless more is asked for",
        "ok-mm-amd-builtins": "builtins of AMD's compiler",
    },
    "amd": {},
}
NO_DEVICE = ("no device", "GPU here", "is missing", "cannot compile", "was built without", "does not work here")


def read_rows(only):
    rows = []
    for line in (CASES / "expected.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, assignment, verdicts, *_ = line.split("\t")
            if assignment in ("vector_add", "matmul") and (not only or name in only):
                rows.append((name, assignment, verdicts.split(",")))
    return rows


def grade(program, platform, name, assignment):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder).chmod(0o755)
        shutil.copy(CASES / "corpus" / name / "kernel.hip", pathlib.Path(folder) / f"{assignment}.hip")
        done = subprocess.run([program, "check", folder, "--platform", platform, "--no-timing", "--format", "json", "-q"],
                              capture_output=True, text=True, timeout=300, check=False)
    return json.loads(done.stdout) if done.stdout else {"verdict": "-", "sentence": done.stderr.strip()}


def build(name, assignment, include, folder):
    program = pathlib.Path(folder) / name
    command = ["nvcc", "-x", "cu", "-std=c++17", "-O1", "-lineinfo", "-w", "--expt-relaxed-constexpr", "--extended-lambda",
               "-arch=native", "-isystem", include, "-o", program, CASES / "corpus" / name / "kernel.hip", HERE / "driver.cu"]
    command += ["-DMATMUL"] if assignment == "matmul" else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return program if done.returncode == 0 else None


def ask(tool, program):
    """"ok", the number of what the tool found, or how it ended."""
    try:
        done = subprocess.run(["compute-sanitizer", "--tool", tool, "--print-limit", "1", program], capture_output=True, text=True,
                              timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "late"
    words = done.stdout + done.stderr
    counts = [int(n) for n in re.findall(r"ERROR SUMMARY: (\d+)", words) + re.findall(r"(\d+) hazards? displayed", words)]
    if not counts:
        return "?"
    return "ok" if max(counts) == 0 else str(max(counts))


def examine(row, include, folder):
    name, assignment, _ = row
    if NOT_RUN.search(name):
        return ["-"] * 4
    program = build(name, assignment, include, folder)
    return [ask(tool, program) for tool in TOOLS] if program else ["no program"] * 4


def main():
    program, platform, *rest = sys.argv[1:]
    options = dict(zip(rest[::2], rest[1::2]))
    include = options.get("--sanitizer")
    rows = read_rows(set(options["--only"].split(",")) if "--only" in options else None)
    first = grade(program, platform, *rows[0][:2])
    if first["verdict"] in ("-", "GRADER_ERROR") and any(words in first["sentence"] for words in NO_DEVICE):
        print(f"skipped: {first['sentence']}")
        sys.exit(77)
    rows.sort(key=lambda row: bool(HOGS.search(row[0])))
    pool = concurrent.futures.ThreadPoolExecutor(12)
    results = [pool.submit(grade, program, platform, *row[:2]) for row in rows if not HOGS.search(row[0])]
    concurrent.futures.wait(results)
    results += [pool.submit(grade, program, platform, *row[:2]) for row in rows[len(results):]]
    concurrent.futures.wait(results)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        is_examined = include and shutil.which("compute-sanitizer") and shutil.which("nvcc")
        said = [pool.submit(examine, row, include, folder) for row in rows] if is_examined else []
        print("| case | right on cpu | " + platform + (" | " + " | ".join(TOOLS) if is_examined else "") + " |")
        print("|---|---|---|" + "---|" * (4 if is_examined else 0))
        for i, (name, _, verdicts) in enumerate(rows):
            result = results[i].result()
            difference = DIFFERENT[platform].get(name)
            is_bad = verdicts == ["PASS"] and result["verdict"] != "PASS" and not difference
            bad += is_bad
            cells = [name, " or ".join(verdicts), result["verdict"] + (" (WRONG)" if is_bad else f" ({difference})" if difference else "")]
            cells += said[i].result() if is_examined else []
            print("| " + " | ".join(cells) + " |", flush=True)
            if is_bad:
                print(f"      {result['sentence']}", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
