"""The JSON Schema of assignments: it is one itself, takes the bundled manifests, and is as strict as the loader.

Usage: assignment_schema.py ASSIGNMENTS_FOLDER
"""

import copy
import json
import pathlib
import sys

import jsonschema


def places(node, path=()):
    """Path of every object below node, node included."""
    if isinstance(node, dict):
        yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def at(node, path):
    for key in path:
        node = node[key]
    return node


def main():
    folder = pathlib.Path(sys.argv[1])
    schema = json.loads((folder / "schema" / "assignment.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = []
    manifests = sorted(folder.glob("*/assignment.json"))
    if not manifests:
        failures.append(f"no assignment below {folder}")
    optional = {"$schema", "correctness_large", "timing", "timing_emulated", "work", "bytes", "flops", "ceiling", "against", "shape", "policy",
                "early_exit_barrier", "rms_factor"}
    for file in manifests:
        manifest = json.loads(file.read_text())
        for error in validator.iter_errors(manifest):
            failures.append(f"{file}: {list(error.absolute_path)}: {error.message}")
        for path in places(manifest):
            is_case = path[:1] == ("cases",) and len(path) == 3
            if not is_case:
                changed = copy.deepcopy(manifest)
                at(changed, path)["unknown_key"] = 1
                if validator.is_valid(changed):
                    failures.append(f"{file}: an unknown key is accepted at {path}")
            for key in at(manifest, path):
                changed = copy.deepcopy(manifest)
                del at(changed, path)[key]
                # Which dimensions a case needs is said by the manifest itself.
                if not is_case and validator.is_valid(changed) != (key in optional):
                    failures.append(f"{file}: leaving out {(*path, key)} is {'refused' if key in optional else 'accepted'}")
    print("\n".join(failures) or f"{len(manifests)} manifests are valid")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
