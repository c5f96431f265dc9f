#!/usr/bin/env python3
"""Shows each lint a small tree with known faults and counts what it finds."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import layers
import names
import sizes


def banner(name):
    return (f"//===- {name} - Test ---*- C++ -*-===//\n//\n// Part of nlp-opt. "
            f"{names.SPDX}\n//\n//===---===//\n")


# Path, text, and how many errors layers, sizes and names should each report.
CASES = [
    ("lib/Solver/Good.cpp", banner("Good.cpp") +
     '#include "nlp/Solver/Good.h"\n#include "nlp/Support/Units.h"\n'
     '#include "llvm/ADT/STLExtras.h"\n', (0, 0, 0)),
    ("lib/Solver/UsesIR.cpp", banner("UsesIR.cpp") +
     '#include "mlir/IR/Builders.h"\n', (1, 0, 0)),
    ("lib/Planner/UsesOps.cpp", banner("UsesOps.cpp") +
     '#include "nlp/Dialect/NLP/IR/NLPOps.h"\n'
     '#include "nlp/Dialect/NLP/IR/NLPAttrs.h"\n', (1, 0, 0)),
    ("lib/Dialect/NLP/Transforms/UsesPlanner.cpp", banner("UsesPlanner.cpp") +
     '#include "nlp/Planner/Problem.h"\n', (1, 0, 0)),
    ("lib/Nowhere/Lost.cpp", banner("Lost.cpp"), (1, 0, 0)),
    ("runtime/core/Arena.cpp", banner("Arena.cpp") +
     '#include "llvm/ADT/Twine.h"\n', (1, 0, 0)),
    ("lib/Support/Long.cpp", banner("Long.cpp") + "\n" * 600, (0, 1, 0)),
    ("include/nlp/Dialect/NLP/IR/MathOps.td",
     banner("MathOps.td") + "\n" * 400, (0, 1, 0)),
    ("lib/Support/NoBanner.cpp", "int x;\n", (0, 0, 1)),
    ("lib/Support/Open.cpp", banner("Open.cpp") + "// TO" "DO later\n"
     "// TO" "DO: measure on two nodes\n// FIX" "ME: no\n", (0, 0, 2)),
    ("lib/Support/Path.cpp", banner("Path.cpp") + '// see "/wo' 'rk/x"\n',
     (0, 0, 1)),
    ("include/nlp/Planner/Passes.td", banner("Passes.td") +
     'def ApplyOrder : Pass<"nlp-apply-order"> {}\n'
     'def PlanMemory : Pass<"nlprt-plan-memory"> {}\n'
     'def PlanPass : Pass<"nlp-plan"> {}\n'
     'def Misnamed : Pass<"nlp-other"> {}\n', (0, 0, 1)),
    ("lib/Planner/PlanPass.cpp", banner("PlanPass.cpp") +
     "#define GEN_PASS_DEF_PLANPASS\n", (0, 0, 0)),
    ("lib/Planner/Elsewhere.cpp", banner("Elsewhere.cpp") +
     "#define GEN_PASS_DEF_APPLYORDER\n", (0, 0, 1)),
]

failures = 0
for path, text, wanted in CASES:
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, os.path.dirname(path)))
        with open(os.path.join(root, path), "w") as out:
            out.write(text)
        got = tuple(len(lint.check(root)[0]) for lint in (layers, sizes, names))
        if got != wanted:
            print(f"{path}: expected {wanted} errors of layers, sizes and "
                  f"names, but got {got}")
            failures += 1
print(f"selftest: {len(CASES)} cases, {failures} failures")
sys.exit(1 if failures else 0)
