#===- same-losses.py - Two runs, bit for bit -----------------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""same-losses.py A.jsonl B.jsonl: all figures of all lines but times are equal.

Numbers in metrics have all their digits, so equal text is equal bits.
"""
import json
import sys


def read(path):
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        for key in ("step_seconds", "tokens_per_second", "memory_bytes"):
            line.pop(key, None)
    return lines


a, b = read(sys.argv[1]), read(sys.argv[2])
if a != b:
    where = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y),
                 min(len(a), len(b)))
    sys.exit(f"same-losses.py: error: line {where + 1} differs:\n  "
             f"{a[where:where + 1]}\n  {b[where:where + 1]}")
print(len(a), "lines are the same")
