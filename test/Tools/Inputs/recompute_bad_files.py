"""What `nlp-solve recompute` says about files that are not right.

Changes a good file in one place after the other and compares the error. Then
changes it at random: whatever comes, the tool ends with a known exit code, and
an answer that it gives is right.
"""

import copy
import json
import random
import subprocess
import sys
import tempfile

from check_recompute import check

GOOD = {
    "constants": [{"id": 0, "bytes": 8}, {"id": 1, "bytes": 4}],
    "ops": [
        {"name": "one", "seconds": 1.5, "inputs": [0],
         "outputs": [{"id": 2, "bytes": 8, "alias_of": None}]},
        {"name": "two", "seconds": 1.0, "inputs": [2, 1],
         "outputs": [{"id": 3, "bytes": 8, "alias_of": None},
                     {"id": 4, "bytes": 4, "alias_of": 2}]},
        {"name": "three", "seconds": 2.0, "inputs": [3, 4],
         "outputs": [{"id": 5, "bytes": 8, "alias_of": None}]}],
    "results": [5]}

DELETED = object()

# Path, new value, and the error behind the file's name.
CASES = [
    ("constants", DELETED, "expected the field 'constants', but it is missing"),
    ("ops", DELETED, "expected the field 'ops', but it is missing"),
    ("results", DELETED, "expected the field 'results', but it is missing"),
    ("constants", {}, "constants: expected an array, but got an object of 0 fields"),
    ("ops", 7, "ops: expected an array, but got 7"),
    ("results", None, "results: expected an array, but got null"),
    ("ops.0", [], "ops[0]: expected an object with the field 'name', but got an array of 0 elements"),
    ("ops.0.name", DELETED, "ops[0]: expected the field 'name', but it is missing"),
    ("ops.0.name", 3, "ops[0].name: expected a string, but got 3"),
    ("ops.1.seconds", DELETED, "ops[1]: expected the field 'seconds', but it is missing"),
    ("ops.1.seconds", "1", 'ops[1].seconds: expected a number, but got "1"'),
    ("ops.1.seconds", -1, "ops[1].seconds: expected a number from 0 to 2^56, but got -1"),
    ("ops.1.seconds", float("nan"), "ops[1].seconds: expected a number from 0 to 2^56, but got NaN"),
    ("ops.1.seconds", float("inf"), "ops[1].seconds: expected a number from 0 to 2^56, but got Infinity"),
    ("ops.1.seconds", 1e17, "ops[1].seconds: expected a number from 0 to 2^56, but got 1e+17"),
    ("ops.1.can_repeat", 0, "ops[1].can_repeat: expected true or false, but got 0"),
    ("ops.1.can_repeat", False, None),
    ("ops.1.inputs", DELETED, "ops[1]: expected the field 'inputs', but it is missing"),
    ("ops.1.inputs", 2, "ops[1].inputs: expected an array, but got 2"),
    ("ops.1.inputs.0", 99, "ops[1].inputs[0]: expected the id of a value, but there is no value 99"),
    ("ops.1.inputs.0", "x", 'ops[1].inputs[0]: expected an integer, but got "x"'),
    ("ops.1.inputs.0", 0.5, "ops[1].inputs[0]: expected an integer, but got 0.5"),
    ("ops.1.inputs.0", 3, "ops[1].inputs[0]: expected an input of op 1 ('two') that is made before it, but got value 3 of op 1 ('two')"),
    ("ops.0.inputs.0", 5, "ops[0].inputs[0]: expected an input of op 0 ('one') that is made before it, but got value 5 of op 2 ('three')"),
    ("ops.2.outputs", DELETED, "ops[2]: expected the field 'outputs', but it is missing"),
    ("ops.2.outputs.0", 5, "ops[2].outputs[0]: expected an object with the field 'id', but got 5"),
    ("ops.2.outputs.0.id", DELETED, "ops[2].outputs[0]: expected the field 'id', but it is missing"),
    ("ops.2.outputs.0.id", 3, "ops[2].outputs[0]: expected each id once, but value 3 of op 1 ('two') has it already"),
    ("ops.2.outputs.0.id", 1, "ops[2].outputs[0]: expected each id once, but constant 1 has it already"),
    ("constants.1.id", 0, "constants[1]: expected each id once, but constant 0 has it already"),
    ("constants.1.bytes", DELETED, "constants[1]: expected the field 'bytes', but it is missing"),
    ("constants.1.bytes", -8, "constants[1].bytes: expected an integer from 0 to 72057594037927936, but got -8"),
    ("ops.2.outputs.0.bytes", 2**56 + 1, "ops[2].outputs[0].bytes: expected an integer from 0 to 72057594037927936, but got 72057594037927937"),
    ("ops.2.outputs.0.bytes", float("nan"), "ops[2].outputs[0].bytes: expected an integer, but got NaN"),
    ("ops.2.outputs.0.bytes", True, "ops[2].outputs[0].bytes: expected an integer, but got true"),
    ("ops.1.outputs.1.alias_of", 4, "ops[1].outputs[1].alias_of: expected bytes of another value, but value 4 of op 1 ('two') names itself"),
    ("ops.1.outputs.1.alias_of", 77, "ops[1].outputs[1].alias_of: expected the id of a value, but there is no value 77"),
    ("ops.1.outputs.1.alias_of", 5, "ops[1].outputs[1].alias_of: expected bytes of a value that is made before value 4 of op 1 ('two'), but got value 5 of op 2 ('three')"),
    ("ops.1.outputs.1.bytes", 9, "ops[1].outputs[1]: expected at most the 8 bytes of value 2 of op 0 ('one'), which value 4 of op 1 ('two') lies in, but got 9"),
    ("ops.2.outputs.0.alias_of", 4, None),
    ("results.0", 6, "results[0]: expected the id of a value, but there is no value 6"),
    ("results.0", [5], "results[0]: expected an integer, but got an array of 1 element"),
]


def change(data, path, value):
    """A copy of `data` with the place `path` changed."""
    data = copy.deepcopy(data)
    *parents, last = [int(key) if key.isdigit() else key
                      for key in path.split(".")]
    place = data
    for key in parents:
        place = place[key]
    if value is DELETED:
        del place[last]
    else:
        place[last] = value
    return data


def run(folder, text, budget=64):
    path = f"{folder}/program.json"
    out = f"{folder}/out.json"
    with open(path, "w") as file:
        file.write(text)
    result = subprocess.run(
        ["nlp-solve", "recompute", path, f"--budget={budget}", "-o", out],
        capture_output=True, text=True, timeout=60)
    if result.returncode == 0:
        with open(out) as file:
            return result, json.load(file)
    return result, None


def mutate(rng, text):
    """`text` with some bytes changed, moved, repeated or cut off."""
    data = list(text)
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(data))
        end = min(len(data), start + rng.choice([1, 1, 2, 5, 40]))
        kind = rng.randrange(5)
        if kind == 0:
            del data[start:end]
        elif kind == 1:
            data[start:start] = data[start:end]
        elif kind == 2:
            data[start] = rng.choice("0123456789-.eE[]{},:\"nNtI \\\x00\x7f")
        elif kind == 3:
            data[start:end] = rng.choice(
                ["null", "-1", "1e999", "99999999999999999999", "NaN", "[]",
                 "{}", '"id"', "0.5", "true"])
        else:
            place = rng.randrange(len(data))
            data[place:place] = data[start:end]
        if not data:
            data = ["{"]
    return "".join(data)


def main():
    rng = random.Random(1)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for path, value, expected in CASES:
            result, _ = run(folder, json.dumps(change(GOOD, path, value)))
            want = f"nlp-solve: error: {folder}/program.json: {expected}\n"
            if expected is None:
                right = result.returncode == 0
            else:
                right = (result.returncode == 1 and result.stderr == want)
            if not right:
                failures += 1
                print(f"{path} = {value}: exit {result.returncode}\n  got  "
                      f"{result.stderr}  want {want}", file=sys.stderr)
        text = json.dumps(GOOD)
        for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 150):
            changed = mutate(rng, text)
            budget = rng.choice([1, 24, 64, 1 << 62])
            result, answer = run(folder, changed, budget)
            if result.returncode not in (0, 1, 3):
                failures += 1
                print(f"exit {result.returncode} on {changed!r}: "
                      f"{result.stderr}", file=sys.stderr)
            elif answer is not None:
                check(json.loads(changed), answer, budget)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
