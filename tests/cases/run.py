#!/usr/bin/python3
"""Grades kernels of the case corpus with the real program and compares with expected.tsv.

    run.py WAVEGRADE SCHEMA CASE...      check the cases named
    run.py WAVEGRADE SCHEMA --table      print a table of all cases: expected, got, findings and lines
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent


def read_expected():
    rows = {}
    for line in (HERE / "expected.tsv").read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        name, assignment, verdicts, finding, lines = line.split("\t")
        wanted = set()
        if lines != "-":
            for part in lines.split(","):
                first, _, last = part.partition("-")
                wanted.update(range(int(first), int(last or first) + 1))
        rows[name] = (assignment, verdicts.split(","), None if finding == "-" else finding, wanted)
    return rows


def grade(program, assignment, kernel):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / f"{assignment}.hip").write_bytes(kernel.read_bytes())
        done = subprocess.run(
            [program, "check", folder, "--format", "json", "--no-timing"],
            capture_output=True, text=True, timeout=300, check=False)
    return done, json.loads(done.stdout) if done.stdout else None


def problems(result, done, schema, row):
    _, verdicts, kind, lines = row
    if result is None:
        return [f"no JSON; exit {done.returncode}; {done.stderr.strip()}"]
    found = [f"schema: {e.json_path}: {e.message}" for e in jsonschema.Draft202012Validator(schema).iter_errors(result)]
    if result["verdict"] not in verdicts:
        found.append(f"verdict {result['verdict']}, expected {' or '.join(verdicts)}: {result.get('sentence')}")
    if done.returncode != {"PASS": 0, "GRADER_ERROR": 2}.get(result["verdict"], 1):
        found.append(f"exit {done.returncode} with verdict {result['verdict']}")
    if kind and not any(f["kind"] == kind and (not lines or f["line"] in lines) for f in result["findings"]):
        found.append(f"no finding {kind} at line {sorted(lines)}; got " +
                     str([(f["kind"], f["line"]) for f in result["findings"]]))
    if verdicts == ["PASS"] and kind is None:
        loud = [(f["kind"], f["line"], f["text"]) for f in result["findings"] if f["severity"] != "note"]
        if loud:
            found.append(f"false alarms: {loud}")
    return found


def main():
    program, schema_path, *names = sys.argv[1:]
    schema = json.loads(pathlib.Path(schema_path).read_text())
    expected = read_expected()
    table = names == ["--table"]
    bad = 0
    for name in sorted(expected) if table else names:
        row = expected[name]
        done, result = grade(program, row[0], HERE / "corpus" / name / "kernel.hip")
        wrong = problems(result, done, schema, row)
        bad += bool(wrong)
        if table and result:
            seen = sorted({f"{f['kind']}@{f['line']}" for f in result["findings"]})
            print(f"{'ok ' if not wrong else 'BAD'} {name:38} {','.join(row[1]):34} {result['verdict']:18} {' '.join(seen[:4])}", flush=True)
        for line in wrong:
            print(f"{name}: {line}", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
