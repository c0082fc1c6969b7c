"""formats.py WRITE_EXPORTS: each format as its consumer reads it, for the same seven results."""
import base64
import csv
import html.parser
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import jsonschema

HERE = pathlib.Path(__file__).parent
SAMPLES = ("pass", "wrong_answer", "data_race", "build_error", "grader_error", "not_started", "hostile")
POINTS = {"pass": (50, 50), "wrong_answer": (29.8, 70), "data_race": (10, 80), "build_error": (0, 50), "hostile": (10, 80)}
NOT_GRADED = ("grader_error", "not_started")


def check(condition, *what):
    if not condition:
        sys.exit(" ".join(str(one)[:300] for one in what))


def strict_json(text):
    def pairs(members):
        names = [name for name, _ in members]
        check(len(names) == len(set(names)), "a key twice:", names)
        return dict(members)
    return json.loads(text, parse_constant=lambda name: sys.exit(f"{name} is no JSON"), object_pairs_hook=pairs)


def fits(schema_name, document, where):
    schema = json.loads((HERE / "schemas" / f"{schema_name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for error in jsonschema.Draft202012Validator(schema).iter_errors(document):
        sys.exit(f"{where}: {error.json_path}: {error.message}")


def near(a, b):
    return abs(a - b) < 1e-3


def no_control(text, where):
    for character in text:
        code = ord(character)
        visible = code >= 0x20 or character in "\n\t"
        check(visible and not 0x7f <= code < 0xa0 and code not in (0x202e, 0x2066), where, "has", hex(code))


def texts(node):
    if isinstance(node, str):
        yield node
    for child in (list(node.values()) + list(node) if isinstance(node, dict) else node if isinstance(node, list) else []):
        yield from texts(child)


def json_of(text, where):
    document = strict_json(text)
    for one in texts(document):
        no_control(one, where)
    return document


def check_gradescope(name, text):
    document = json_of(text, name)
    fits("gradescope", document, name)
    scored = [test for test in document["tests"] if "score" in test]
    if name in NOT_GRADED:
        check("score" not in document and not scored, "a fault of ours has a score", document)
        check("not graded" in document["output"].lower(), document["output"])
        return
    points, most = POINTS[name]
    check(near(document["score"], points), document["score"], points)
    check(near(sum(test["score"] for test in scored), points) and sum(test["max_score"] for test in scored) == most, scored)
    for test in scored:
        check((test["status"] == "passed") == (test["score"] == test["max_score"]), test)
    check(document["output_format"] == "text" and all(test["output_format"] == "text" for test in document["tests"]), "markup")


def check_prairielearn(name, text):
    check(len(text.encode()) < 1_000_000, "too large")
    document = json_of(text, name)
    fits("prairielearn", document, name)
    check(document["gradable"] == (name not in NOT_GRADED), document)
    if name not in NOT_GRADED:
        points, most = POINTS[name]
        check(near(document["score"], points / most), document["score"])
        check(near(sum(test["points"] for test in document["tests"]), points), document["tests"])
        check(sum(test["max_points"] for test in document["tests"]) == most, document["tests"])


def check_classroom50(name, text):
    document = json_of(text, name)
    fits("classroom50", document, name)
    for field in ("score", "max-score"):
        check(document[field] == sum(test[field] for test in document["tests"]), field, document)
    check(document["score"] <= document["max-score"], document)
    check(document["datetime"] == "2023-11-14T22:13:20Z", "not the commit's time", document["datetime"])
    check(document["classroom"] == "gpu-2026" and document["review"] == document["commit"], document)
    if name in NOT_GRADED:
        check(document["max-score"] == 0 and document["tests"] == [], document)
    else:
        check(abs(document["score"] - POINTS[name][0]) < 1, document["score"])


def check_github_classroom(name, text):
    check(re.fullmatch(r"[A-Za-z0-9+/]+=*\n", text), "not one line of base64")
    document = json_of(base64.b64decode(text.strip(), validate=True).decode(), name)
    fits("github-classroom", document, name)
    expected = "pass" if name == "pass" else "error" if name in NOT_GRADED else "fail"
    check(document["status"] == expected, document["status"])
    total = sum(test["score"] for test in document["tests"])
    if name in NOT_GRADED:
        check(document["max_score"] == 0, "points of a fault of ours", document)  # the reporter then reports none
    else:
        check(document["max_score"] == POINTS[name][1] and near(total, POINTS[name][0]), document)
    for test in document["tests"]:
        for field in ("name", "message"):  # printed into a workflow's log as they are
            check(not test[field].lstrip().startswith(("::", "##[")), test)


def check_autolab(name, text):
    lines = text.rstrip("\n").split("\n")
    no_control(text, name)
    scores = json_of(lines[-1], name)
    fits("autolab-scores", scores, name)
    if name in NOT_GRADED:
        check(scores == {"scores": {}}, scores)
        return
    feedback = strict_json(lines[-2])
    fits("autolab-feedback", feedback, name)
    check(set(feedback["stages"]) == set(feedback) - {"_presentation", "stages"}, feedback)
    check(near(sum(scores["scores"].values()), POINTS[name][0]), scores)
    check("speed" not in scores["scores"] or name in ("data_race", "hostile"), "points for what was not measured", scores)
    check(feedback["Build"]["compiles"]["passed"] == (name != "build_error"), feedback)


def integer(element, name):
    return int(element.get(name))


SUITE = {"name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname"}


def check_junit(name, text):
    root = ElementTree.fromstring(text)
    check(root.tag == "testsuites" and set(root.attrib) == {"name", "time", "tests", "failures", "errors"}, root.attrib)
    suites = list(root)
    check([suite.tag for suite in suites] == ["testsuite"] and set(suites[0].attrib) == SUITE, suites[0].attrib)
    suite = suites[0]
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp")), suite.get("timestamp"))
    order = [child.tag for child in suite]
    check(order[0] == "properties" and order[-2:] == ["system-out", "system-err"], order)
    check(set(order[1:-2]) == {"testcase"}, order)
    for entry in suite[0]:
        check(entry.tag == "property" and set(entry.attrib) == {"name", "value"}, entry.attrib)
    counts = {"failure": 0, "error": 0, "skipped": 0}
    cases = suite.findall("testcase")
    for case in cases:
        check(set(case.attrib) == {"name", "classname", "time"} and float(case.get("time")) >= 0, case.attrib)
        check(case.get("name"), "a case without name")
        check(len(case) <= 1, "more than one outcome")
        for outcome in case:
            counts[outcome.tag] += 1
            check(set(outcome.attrib) <= {"type", "message"} and "message" in outcome.attrib, outcome.attrib)
            check(len(outcome) == 0, "markup inside")
            no_control(outcome.get("message") + (outcome.text or ""), name)
    for part in (root, suite):
        check(integer(part, "tests") == len(cases), part.attrib)
        check(integer(part, "failures") == counts["failure"] and integer(part, "errors") == counts["error"], part.attrib)
    check(integer(suite, "skipped") == counts["skipped"], suite.attrib)
    check((counts["failure"] + counts["error"] == 0) == (name == "pass"), counts)
    check((counts["error"] > 0) == (name in NOT_GRADED), "errors are ours and failures are theirs", counts)
    check(name not in NOT_GRADED or counts["failure"] == 0, counts)


COMMAND = re.compile(r"::(error|warning|notice) ([^:\n\r]*)::([^\n\r]*)")


def unescape(text):
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",").replace("%25", "%")


def check_github(name, text):
    lines = text.split("\n")
    check(lines.pop() == "" and 1 <= len(lines) <= 10, "annotations:", len(lines))
    levels = []
    for line in lines:
        match = COMMAND.fullmatch(line)
        check(match, "not a command:", line)
        level, properties, message = match.groups()
        values = dict(one.split("=", 1) for one in properties.split(","))
        check(set(values) <= {"file", "line", "col", "endLine", "endColumn", "title"} and values["title"], values)
        check("line" not in values or ("file" in values and int(values["line"]) > 0), values)
        check(message, "an empty message")
        for part in list(values.values()) + [message]:
            check(not re.search("%(?!25|0D|0A|3A|2C)", part), "a bare percent sign:", part)
            no_control(unescape(part).replace("\r", ""), name)
        if name != "hostile" and "file" in values:
            check(unescape(values["file"]) == "week1/lab1/vector_add.hip", values)
        levels.append(level)
    order = ["error", "warning", "notice"]
    if name in ("pass", *NOT_GRADED):
        check("error" not in levels, levels)
    else:
        check(levels[0] == "error" and levels == sorted(levels, key=order.index), levels)
    if name == "data_race":
        check(lines[0] == "::error file=week1/lab1/vector_add.hip,line=18,col=5,title=DATA_RACE::Two threads meet at tile[0]."
              "%0APut a barrier between.", lines[0])


def check_github_summary(name, text):
    check(len(text.encode()) <= 64 << 10, "too long")
    no_control(text, name)
    # It is HTML in Markdown: nothing but our own elements, all of them closed, and no empty line before the end of the block.
    tree = ElementTree.fromstring(f"<summary-file>{text}</summary-file>")
    allowed = {"summary-file", "h3", "p", "table", "tr", "th", "td", "b", "details", "summary", "pre"}
    check({element.tag for element in tree.iter()} <= allowed, {element.tag for element in tree.iter()})
    check("\n\n" not in text.split("<pre>")[0], "a blank line ends the HTML")
    check(("of" in (tree.findtext("table/tr[2]/td") or "")) == (name not in NOT_GRADED), "points")


def check_text(name, text):
    no_control(text, name)


def check_json(name, text):
    document = strict_json(text)
    check(document["schema"] == "wavegrade/result/v1" and "source" not in document["submission"], name)


class Page(html.parser.HTMLParser):
    """Tags that close each other, and what stands in them."""
    VOID = {"meta", "br", "input", "link"}

    def __init__(self, text):
        super().__init__()
        self.open, self.scripts, self.words = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        check(tag not in ("img", "iframe", "object", "form"), "a", tag)
        check(not any(name.startswith("on") for name, _ in attributes), "a handler:", attributes)
        if tag == "script":
            self.scripts.append(dict(attributes).get("type"))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        check(self.open and self.open.pop() == tag, "the end of", tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            check(strict_json(data)["schema"] == "wavegrade/result/v1", data)
        else:
            self.words.append(data)


def check_html(name, text):
    no_control(text, name)
    page = Page(text)
    check(not page.open and page.scripts == ["application/json"], name, page.open, page.scripts)
    words = "".join(page.words)
    if name in NOT_GRADED:
        check("not graded" in words and "costs no points" in words, name)
    else:
        points, most = POINTS[name]
        check(f"{points:.4g} / {most:.4g}" in words, name, f"{points:.4g} / {most:.4g}")


def rows_of(text, where):
    check(text.endswith("\r\n") and "\x00" not in text, where, "line ends")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    for row in rows:
        check(len(row) == len(rows[0]), where, "cells:", row)
        for cell in row:
            check(not re.match(r"[=+\-@\t\r\n|]", cell) or re.fullmatch(r"-?[0-9.]+|-", cell), where, "a formula:", cell)
            no_control(cell, where)
    return rows


def check_class(folder):
    def read(name):
        return (folder / name).read_bytes().decode("utf-8")
    rows = rows_of(read("canvas"), "canvas")
    check(rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Vector addition"], rows[0])
    grades = {row[3]: row[5] for row in rows[1:]}
    check(grades == {"pass": "50", "wrong_answer": "29.8", "data_race": "10", "build_error": "0", "grader_error": "", "not_started": "",
                     "hostile": "10", "'@never": ""}, grades)
    rows = rows_of(read("canvas-scaled"), "canvas")
    check(rows[0][5] == "Vector addition (4711)" and rows[1][5] == "10" and rows[2][5] == "4.26", rows)

    rows = rows_of(read("canvas-filled"), "canvas")
    check(rows[0][6] == "Vector addition (4711)" and rows[1][:7] == ["Points Possible", "", "", "", "", "100", "80"], rows)
    check(rows[2] == ["Beta, B", "12", "s2", "wrong_answer", "Lab; A", "-5", "29.8", "3"], rows[2])
    check(rows[3][6] == "50" and rows[5][6] == "", rows)
    check(rows[4][6] == "33", "what was not graded stays as it was", rows[4])
    check(read("canvas-filled.missing") == "5\n", read("canvas-filled.missing"))
    rows = rows_of(read("canvas-latin-1"), "canvas")
    check(rows[2][0] == "M\u00fcller, \u00c5" and rows[2][6] == "29.8", rows[2])
    check("the gradebook is UTF-16: save it as CSV" in read("canvas-utf-16"), read("canvas-utf-16"))
    check("no column for 'Homework 9'" in read("canvas-no-column"), read("canvas-no-column"))
    check(read("canvas-of-moodle").startswith("error: "), read("canvas-of-moodle"))
    check("not anonymously" in read("canvas-anonymous"), read("canvas-anonymous"))

    rows = rows_of(read("moodle"), "moodle")
    check(rows[0] == ["Identifier", "Grade", "Feedback comments"] and rows[1][:2] == ["Participant 301", "50"], rows)
    check("--gradebook" in read("moodle-needs-worksheet"), read("moodle-needs-worksheet"))
    rows = rows_of(read("moodle-filled"), "moodle")
    check([row[4] for row in rows[1:]] == ["50", "29.8", "33"], rows)
    check(rows[2][8] == "Monday, 30 November 2026" and rows[3][9] == "kept", rows)
    check(rows[2][9].startswith("WRONG_ANSWER: n=1000"), rows[2])

    rows = rows_of(read("csv"), "csv")
    check(rows[7][1].startswith("'=HYPERLINK("), rows[7])
    check(rows[5][rows[0].index("points")] == "" and rows[5][rows[0].index("graded")] == "no", rows[5])
    hidden = rows_of(read("csv-anonymous"), "csv")
    check(not {"name", "repository", "commit"} & set(hidden[0]) and hidden[1][0] == "1", hidden[0])
    check("git.example" not in read("csv-anonymous"), "a repository")
    check({row[hidden[0].index("graded_at")] for row in hidden[1:]} == {""}, "a time")


CHECKS = {
    "text": check_text, "json": check_json, "html": check_html, "junit": check_junit, "github": check_github, "gradescope": check_gradescope,
    "autolab": check_autolab, "prairielearn": check_prairielearn, "classroom50": check_classroom50,
    "github-classroom": check_github_classroom, "github-summary": check_github_summary,
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        written = {path.name for path in pathlib.Path(folder).iterdir()}
        check(written == set(CHECKS) | {"class"}, "formats without a check, or checks without a format:", written ^ set(CHECKS))
        for kind, one in CHECKS.items():
            check({path.name for path in (pathlib.Path(folder) / kind).iterdir()} == set(SAMPLES), kind)
            for name in SAMPLES:
                try:
                    one(name, (pathlib.Path(folder) / kind / name).read_bytes().decode("utf-8"))
                except Exception as error:
                    raise SystemExit(f"{kind}, {name}: {error!r}") from error
                except SystemExit as error:
                    raise SystemExit(f"{kind}, {name}: {error}") from error
        check_class(pathlib.Path(folder) / "class")
    print(f"{len(CHECKS)} formats, {len(SAMPLES)} results each; Canvas, Moodle and CSV for the class")


main()
