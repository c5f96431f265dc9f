#!/usr/bin/env python3
"""Shows docs.py documents with known faults and counts what it finds.

  selftest.py BUILD
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import docs

# Text of a document, and how many errors each check should report.
CASES = [
    ("```mlir\n%y = nlp.exp %x : tensor<2xf32>\n```\n", {}),
    ("```mlir\n%y = nlp.exp %x : tensor<2xi32>\n```\n", {"examples": 1}),
    ("```mlir\n%y = nlp.absent %x : tensor<2xf32>\n```\n", {"examples": 1}),
    ("```mlir\n%r = nlp.read @w : tensor<2xf32>\n```\n", {"examples": 1}),
    ("<!-- with: nlp.parameter @w : tensor<2xf32> init ones -->\n"
     "```mlir\n%r = nlp.read @w : tensor<2xf32>\n```\n", {}),
    ("```mlir\n#nlp.op_plan<storage = [keep]>\n```\n", {}),
    ("```mlir\n#nlp.op_plan<storage = [lose]>\n```\n", {"examples": 1}),
    ("Example: `nlp.slot @s : tensor<f32>`\n", {}),
    ("Example: `nlp.slot @s : f32`\n", {"examples": 1}),
    ("```mlir\nnlp.turn\n```\n", {}),
    ("```sh\ntrue\n```\n", {}),
    ("```sh\nfalse\ntrue\n```\n", {"commands": 1}),
    ("<!-- not run: it fails -->\n```sh\nfalse\n```\n", {}),
    ("```console\n$ echo a; echo b; echo c\na\n…\n```\n", {}),
    ("```console\n$ echo a b c\na … c\n```\n", {}),
    ("```console\n$ echo a b c\na … d\n```\n", {"commands": 1}),
    ("```console\n$ echo 1.5MiB x\n2KiB x\n```\n", {"commands": 1}),
    ("<!-- numbers vary -->\n```console\n$ echo 1.5MiB x\n2KiB x\n```\n", {}),
    ("```mlir\nmodule {\n}\n```\n<!-- makes: m -->\n"
     "```console\n$ head -1 m\nmodule {\n```\n", {}),
    ("<!-- from: a.txt -->\n```text\none\n…\nthree\n```\n[this](a.txt)\n", {}),
    ("<!-- from: a.txt -->\n```text\none\nthree\n```\n", {"quotes": 1}),
    ("<!-- from: ABSENT.md -->\n```text\nx\n```\n", {"quotes": 1}),
    ("see [that](ABSENT.md)\n", {"quotes": 1}),
    ("see `lib/Absent.cpp`\n", {"quotes": 1}),
]

build = os.path.realpath(sys.argv[1])
failures = 0
for text, wanted in CASES:
    with tempfile.TemporaryDirectory() as root:
        here = os.path.join(root, "build")
        os.makedirs(os.path.join(here, "test"))
        os.symlink(os.path.join(build, "bin"), os.path.join(here, "bin"))
        with open(os.path.join(root, "README.md"), "w") as out:
            out.write(text)
        with open(os.path.join(root, "a.txt"), "w") as out:
            out.write("one\ntwo\nthree\n")
        for name, check in docs.CHECKS.items():
            errors, _ = check(here, root)
            if len(errors) != wanted.get(name, 0):
                print(f"{name}: expected {wanted.get(name, 0)} errors, but got "
                      f"{errors} in:\n{text}")
                failures += 1
print(f"selftest: {len(CASES)} cases, {failures} failures")
sys.exit(1 if failures else 0)
