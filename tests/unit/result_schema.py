"""result_schema.py PRINT_RESULTS SCHEMA: what the program writes is what the schema promises, and the schema is strict."""
import copy
import json
import subprocess
import sys

import jsonschema


def documents(text):
    decoder = json.JSONDecoder(parse_constant=lambda name: sys.exit(f"{name} is no JSON"))
    while text.strip():
        document, end = decoder.raw_decode(text.lstrip())
        text = text.lstrip()[end:]
        yield document


def objects(node):
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        yield from objects(child)


def main():
    printed = subprocess.run([sys.argv[1]], capture_output=True, check=True).stdout.decode("utf-8", "strict")
    with open(sys.argv[2], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    results = list(documents(printed))
    assert len(results) == 4, len(results)
    for result in results:
        for error in validator.iter_errors(result):
            sys.exit(f"{error.json_path}: {error.message}")
    assert results[2]["submission"]["source"] and "source" not in results[1]["submission"]
    # Strict: one more field anywhere (dims apart, which are the assignment's) or one less is refused.
    changed = 0
    for index in range(sum(1 for _ in objects(results[1]))):
        result = copy.deepcopy(results[1])
        node = list(objects(result))[index]
        if "n" in node:
            continue
        node["surprise"] = 1
        assert not validator.is_valid(result), f"object {index} takes any field: {node}"
        del node["surprise"]
        del node[next(iter(node))]
        assert not validator.is_valid(result), f"object {index} may lack a field: {node}"
        changed += 1
    print(f"{len(results)} results fit the schema; {changed} objects refuse changes")


main()
