#===- same_meaning.py - One step under many budgets ----------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""same_meaning.py FOLDER CONFIG OPTION...: budgets and chunks change no result.

Trains 5 steps with the micro-batch that the options fix. For one count of chunks,
budgets from the smallest to the one that keeps everything give losses and weights
of the same bits, in arenas that are within them and of which at least three differ;
figures of other counts of chunks agree with those to 1e-5.
"""
import json
import os
import struct
import subprocess
import sys

STEPS = 5
SHARES = (0.0, 0.02, 0.15, 0.5, 1.0)
CHUNKS = (1, 2, 5)
TOLERANCE = 1e-5

folder, config, *options = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
tokens = os.path.join(folder, "tokens.bin")
failures = []


def run(*command, codes=(0,)):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit(f"same_meaning.py: error: {' '.join(command)}: exit "
                 f"{done.returncode}: {done.stderr.strip()[-300:]}")


def plan(*more):
    path = os.path.join(folder, "plan.json")
    run("nlp-plan", config, *options, *more, "--json", path, codes=(0, 3))
    with open(path) as file:
        return json.load(file)


def train(*more):
    """Losses with norms, the saved weights, and bytes used."""
    metrics, weights = (os.path.join(folder, name)
                        for name in ("metrics.jsonl", "weights.safetensors"))
    run("nlp-train", config, *options, *more, f"--data={tokens}",
        f"--steps={STEPS}", "--lr=1e-3", "--warmup=0", "--eps=1e-3", "--seed=3",
        f"--metrics={metrics}", f"--save={weights}")
    with open(metrics) as file:
        lines = [json.loads(line) for line in file]
    with open(weights, "rb") as file:
        saved = file.read()
    return ([(line["loss"], line["grad_norm"]) for line in lines], saved,
            {line["memory_bytes"] for line in lines})


def floats(saved):
    """All elements of a safetensors file of f32."""
    header = 8 + struct.unpack("<Q", saved[:8])[0]
    return struct.unpack(f"<{(len(saved) - header) // 4}f", saved[header:])


def distance(a, b):
    """The largest difference, relative to the largest number."""
    scale = max(map(abs, a))
    return max(abs(x - y) for x, y in zip(a, b)) / scale


with open(config) as file:
    vocabulary = json.load(file)["vocab_size"]
run(sys.executable, os.path.join(os.path.dirname(__file__), "tokens.py"), "9000",
    str(vocabulary), tokens)
reference = None
for chunks in CHUNKS:
    fixed = f"--loss-chunks={chunks}"
    low = plan(fixed, "--memory-budget=1")["min_feasible_bytes"]
    high = plan(fixed, "--memory-budget=1TiB")["peak_bytes"]
    first, arenas = None, set()
    for share in SHARES if chunks == CHUNKS[0] else (0.0, 1.0):
        budget = int(low + share * (high - low))
        figures, saved, used = train(fixed, f"--memory-budget={budget}")
        arenas |= used
        if len(used) != 1 or max(used) > budget:
            failures.append(f"{chunks} chunks in {budget} bytes: used {used}")
        first = first or (figures, saved)
        if figures != first[0] or saved != first[1]:
            failures.append(f"{chunks} chunks in {budget} bytes: other "
                            f"{'weights' if figures == first[0] else 'losses'} "
                            f"than in {low}")
    reference = reference or first
    if chunks == CHUNKS[0] and len(arenas) < 3:
        failures.append(f"expected three arenas or more, but got {arenas}")
    for name, a, b in (
            ("losses", sum(reference[0], ()), sum(first[0], ())),
            ("weights", floats(reference[1]), floats(first[1]))):
        if distance(a, b) > TOLERANCE:
            failures.append(f"{chunks} chunks: {name} differ from those of "
                            f"{CHUNKS[0]} by {distance(a, b):.1e}")
    print(f"{chunks} chunks: {sorted(arenas)} bytes, loss {first[0][-1][0]}")
for failure in failures:
    print(f"same_meaning.py: error: {failure}", file=sys.stderr)
sys.exit(1 if failures else 0)
