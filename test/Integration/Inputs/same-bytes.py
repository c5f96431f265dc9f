#===- same-bytes.py - Planned = allocated = measured ---------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""same-bytes.py PLAN.json FOLDER: one number of bytes, told by everything.

FOLDER holds what a binary printed and wrote: describe, metrics.jsonl, log (the
summary), and report, the probe's lines (probe.c). The peak in the plan is that
of each of them, and the sum of its parts; after the first step nothing is
allocated and no page is added.
"""
import json
import os
import re
import sys

failures = []


def equal(what, got, want):
    if got != want:
        failures.append(f"{what}: expected {want}, but got {got}")


def bytes_in(text, name):
    found = re.search(rf"^{name} .*\((\d+) bytes\)$", text, re.M)
    return int(found[1]) if found else None


def check_plan(plan, peak):
    rank = plan["ranks"][0]
    equal("peak of the rank", rank["peak_bytes"], peak)
    equal("sum of the breakdown", sum(rank["breakdown"].values()), peak)
    if min(rank["breakdown"].values()) < 0:
        failures.append(f"a part is negative: {rank['breakdown']}")
    parameters = rank["breakdown"]["parameters"]
    equal("bytes of parameters in f32", parameters >= 4 * plan["parameters"],
          True)
    if not (plan["feasible"] and plan["min_feasible_bytes"] <= peak
            <= plan["budget_bytes"]):
        failures.append("expected smallest budget <= peak <= budget")


def check_probe(path):
    with open(path) as file:
        rows = [[int(word) for word in line.split()] for line in file]
    later = rows[1:]
    for step, made, allocated, _ in later:
        equal(f"step {step}: allocations", made, 0)
        equal(f"step {step}: allocated bytes", allocated, 0)
    equal("resident growth after the first step",
          later[-1][3] - later[0][3], 0)


plan_path, folder = sys.argv[1:3]
read = lambda name: open(os.path.join(folder, name)).read()
with open(plan_path) as file:
    plan = json.load(file)
peak = plan["peak_bytes"]
check_plan(plan, peak)
describe, log = read("describe"), read("log")
equal("arena of --describe", bytes_in(describe, "arena"), peak)
compiled = json.loads(describe[describe.index("{"):])
equal("plan compiled in", compiled["peak_bytes"], peak)
equal("breakdown compiled in", compiled["ranks"], plan["ranks"])
equal("planned in the summary", bytes_in(log, "planned"), peak)
equal("allocated in the summary", bytes_in(log, "allocated"), peak)
grown = re.search(r"^grown +(-?\d+) bytes", log, re.M)
equal("growth in the summary", grown and int(grown[1]) <= 0, True)
used = {json.loads(line)["memory_bytes"]
        for line in read("metrics.jsonl").splitlines()}
equal("memory_bytes of the steps", used, {peak})
check_probe(os.path.join(folder, "report"))
for failure in failures:
    print(f"same-bytes.py: error: {failure}", file=sys.stderr)
print(f"{peak} bytes")
sys.exit(1 if failures else 0)
