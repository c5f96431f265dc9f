#===- less_gradients.py - Two plans and runs, compared -------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""less_gradients.py FOLDER: in.json and in.jsonl against behind.json and .jsonl.

Plans `in` and `behind` the backward pass have the same predicted time; the first
takes less memory, and has fewer bytes of gradients at its peak. Parts of both add
up to the peak, which is what the runs report. Runs agree in loss and norm.
"""
import json
import os
import sys


def load(name):
    with open(os.path.join(sys.argv[1], f"{name}.json")) as file:
        plan = json.load(file)
    with open(os.path.join(sys.argv[1], f"{name}.jsonl")) as file:
        steps = [json.loads(line) for line in file]
    parts = plan["ranks"][0]["breakdown"]
    peak = plan["peak_bytes"]
    assert sum(parts.values()) == peak, (name, parts, peak)
    assert {step["memory_bytes"] for step in steps} == {peak}, (name, peak)
    assert plan["lower_bound_seconds"] <= plan["step_seconds"], name
    return plan, peak, parts["gradients"], [
        (step["loss"], step["grad_norm"]) for step in steps]


within, behind = load("in"), load("behind")
print(f"peak {within[1]} and {behind[1]}, gradients {within[2]} and {behind[2]}")
assert within[0]["decisions"]["update_in_backward"]
assert not behind[0]["decisions"]["update_in_backward"]
assert within[0]["step_seconds"] == behind[0]["step_seconds"]
assert within[1] < behind[1] and within[2] < behind[2]
assert within[3] == behind[3]
