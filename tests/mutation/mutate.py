#!/usr/bin/python3
"""Breaks correct kernels in small ways and counts how many of the mutants the program finds.

    mutate.py WAVEGRADE [--jobs N] [--only TEXT] [--part K/N] [--list] [--verbose]

Each barrier, each guard and each initialization is taken away in turn, and each index is shifted by one. A mutant is found
when its verdict is not PASS or when it draws an error or a warning. Mutants that change nothing observable are listed, with
the reason, in equivalent.tsv; a survivor that is not listed there is a miss. Exit status 1 when the share of found mutants
falls below the floor, or when a listed equivalent is no longer made (the list is stale).
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLOOR = 0.95

SUBJECTS = [
    ("vector_add", "reference/vector_add/naive.hip"),
    ("vector_add", "reference/vector_add/tuned.hip"),
    ("matmul", "reference/matmul/naive.hip"),
    ("matmul", "reference/matmul/tuned.hip"),
    ("vector_add", "tests/cases/corpus/60-ok-vadd-grid-stride/kernel.hip"),
    ("vector_add", "tests/cases/corpus/ok-vadd-cooperative-grid/kernel.hip"),
    ("matmul", "tests/cases/corpus/64-ok-mm-rect-tiles/kernel.hip"),
    ("matmul", "tests/cases/corpus/66-ok-mm-cooperative-groups/kernel.hip"),
    ("matmul", "tests/cases/corpus/69-ok-mm-register-tiles/kernel.hip"),
    ("matmul", "tests/cases/corpus/ok-mm-double-buffered/kernel.hip"),
    ("matmul", "tests/cases/corpus/ok-mm-dynamic-shared-two-arrays/kernel.hip"),
    ("matmul", "tests/cases/corpus/ok-mm-transposed-scratch/kernel.hip"),
    ("transpose", "reference/transpose/tuned.hip"),
    ("reduction", "reference/reduction/naive.hip"),
    ("reduction", "reference/reduction/tuned.hip"),
    ("histogram", "reference/histogram/tuned.hip"),
    ("scan", "reference/scan/naive.hip"),
    ("scan", "reference/scan/tuned.hip"),
    ("stencil2d", "reference/stencil2d/tuned.hip"),
    ("softmax", "reference/softmax/tuned.hip"),
]

Mutant = collections.namedtuple("Mutant", "assignment subject kind line before after text")


def blank_comments(text):
    """The same text with comments and strings blanked out, so that positions stay the same."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def kernel_spans(code):
    """Positions of the bodies of __global__ and __device__ functions."""
    for match in re.finditer(r"__(?:global|device)__[^;{]*\{", code):
        depth, end = 1, match.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        yield match.end(), end - 1


def closing(code, start, pair):
    """Position of the bracket that closes the one at start."""
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] == pair[0]) - (code[at] == pair[1])
        if depth == 0:
            return at
    return -1


def edits(code, begin, end):
    """(kind, start, stop, replacement) for every small break in one body."""
    body = code[begin:end]
    for match in re.finditer(r"(?:__syncthreads\(\)|\b\w+\.sync\(\)|__syncwarp\([^()]*\))\s*;", body):
        yield "barrier removed", match.start(), match.end(), ";"
    # Guards: comparisons that stand in an if, a ternary or a boolean, not in the head of a loop.
    loops = []
    for match in re.finditer(r"\b(?:for|while)\s*\(", body):
        loops.append((match.end() - 1, closing(body, match.end() - 1, "()")))
    operand = r"[\w.\[\]]+(?:\s*[-+*/%]\s*[\w.\[\]]+)*"
    for match in re.finditer(rf"(?<![<\w.\]])({operand})\s*(<=|>=|<|>)\s*({operand})(?![>\w(])", body):
        if any(a < match.start() < b for a, b in loops) or "<<" in match.group() or ">>" in match.group():
            continue
        if re.search(r"template\b|_cast\b|partition\b", match.group()):
            continue
        # `if (i >= n) return;` is a guard that must go the other way.
        after = body[match.end():match.end() + 40]
        leaves = match.group(2) in (">", ">=") and re.search(r"\)\s*(?:\{\s*)?return", after)
        yield "guard removed", match.start(), match.end(), "false" if leaves else "true"
    for match in re.finditer(r"\b(?:float4?|double|int|unsigned)\s+\w+(?:\[\w+\])*(\s*=\s*(?:0\.0f?|0|\{\}|\{0\.0f?\}|\{0\}))\s*;", body):
        if any(a < match.start() < b for a, b in loops):
            continue
        yield "initialization removed", match.start(1), match.end(1), ""
    for match in re.finditer(r"\[", body):
        stop = closing(body, match.start(), "[]")
        inner = body[match.start() + 1:stop]
        # Not in declarations, whose brackets hold sizes, and not in lambda captures.
        line_start = body.rfind("\n", 0, match.start()) + 1
        head = body[line_start:match.start()]
        if re.match(r"\s*(?:extern\s+)?(?:__shared__\s+)?(?:const\s+)?(?:float[24]?|double|int|unsigned)\s+[\w\[\], ]*$", head):
            continue
        if not inner.strip() or not re.search(r"[\w)\]]\s*$", head):
            continue
        yield "index shifted", match.start() + 1, stop, f"({inner}) + 1"


def mutants():
    for assignment, subject in SUBJECTS:
        text = (ROOT / subject).read_text()
        code = blank_comments(text)
        seen = set()
        for begin, end in kernel_spans(code):
            for kind, start, stop, replacement in edits(code, begin, end):
                at = (begin + start, begin + stop)
                if (kind, at) in seen:
                    continue
                seen.add((kind, at))
                changed = text[:at[0]] + replacement + text[at[1]:]
                line = text.count("\n", 0, at[0]) + 1
                yield Mutant(assignment, subject, kind, line, " ".join(text[at[0]:at[1]].split()), replacement, changed)


def key(mutant):
    return (mutant.subject, str(mutant.line), mutant.kind, mutant.before)


def grade(program, mutant):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / f"{mutant.assignment}.hip").write_text(mutant.text)
        done = subprocess.run([program, "check", folder, "--format", "json", "--no-timing"],
                              capture_output=True, text=True, timeout=600, check=False)
    if not done.stdout:
        return "NO RESULT", []
    result = json.loads(done.stdout)
    loud = [f for f in result["findings"] if f["severity"] != "note"]
    return result["verdict"], [f"{f['kind']}@{f['line']}" for f in loud]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="mutants of subjects whose path contains this")
    parser.add_argument("--part", default="1/1", help="K/N: every Nth mutant, from the Kth")
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    parser.add_argument("--verbose", action="store_true", help="a line for each mutant")
    options = parser.parse_args()

    equivalent = {}
    for line in (HERE / "equivalent.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            subject, number, kind, before, reason = line.split("\t")
            equivalent[(subject, number, kind, before)] = reason
    every = list(mutants())
    stale = set(equivalent) - {key(m) for m in every}
    first, _, step = options.part.partition("/")
    chosen = [m for m in every if options.only in m.subject][int(first) - 1::int(step)]
    if options.list:
        for m in chosen:
            print(f"{m.subject}:{m.line}: {m.kind}: {m.before} -> {m.after or '(nothing)'}")
        return

    by_check, by_kind, survivors = collections.Counter(), collections.defaultdict(collections.Counter), []
    skipped = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for m, (verdict, loud) in zip(chosen, pool.map(lambda m: grade(options.program, m), chosen)):
            found = verdict != "PASS" or loud
            if options.verbose:
                print(f"{'found ' if found else 'ALIVE '} {verdict:18} {m.subject}:{m.line}: {m.kind}: {m.before}  {' '.join(loud[:3])}", flush=True)
            if not found and key(m) in equivalent:
                skipped += 1
                continue
            by_kind[m.kind]["found" if found else "alive"] += 1
            if found:
                by_check[verdict if verdict != "PASS" else "warning only"] += 1
            else:
                survivors.append(m)
    total = sum(by_check.values()) + len(survivors)
    print(f"{total} mutants, {sum(by_check.values())} found, {len(survivors)} alive, {skipped} known to be equivalent")
    for kind, counts in sorted(by_kind.items()):
        print(f"  {kind:24} {counts['found']} of {counts['found'] + counts['alive']}")
    print("found by: " + ", ".join(f"{name} {count}" for name, count in by_check.most_common()))
    for m in survivors:
        print(f"alive: {m.subject}:{m.line}: {m.kind}: {m.before} -> {m.after or '(nothing)'}")
    for entry in sorted(stale):
        print(f"stale in equivalent.tsv: {entry}")
    if stale or not total or sum(by_check.values()) < FLOOR * total:
        sys.exit(1)


if __name__ == "__main__":
    main()
