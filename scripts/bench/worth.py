#===- worth.py - What less memory costs in time --------------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Step times of one model under shrinking budgets, and PyTorch's beside them.

"Everything kept" is `--recompute=none --loss-chunks=1`; what its arena has
above the model state (16 bytes a parameter) is the whole, of which each further
plan gets a share, and the last one the smallest budget that there is. PyTorch
runs as it is and with a checkpoint around each block. All run in turns, round
by round, since other work on a machine moves times by more than they differ;
the first step of each run warms up and does not count. Prints medians, what
they cost over everything kept, and what the planner predicted.

Takes the same PyTorch as step.py: --python=DIR/bin/python.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import step

STATE_BYTES = step.STATE_BYTES


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default="gpt2-124m")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--seq-len", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=3,
                        help="of each run, the one that warms up included")
    parser.add_argument("--share", type=float, action="append",
                        help="of the memory above the state (repeatable; "
                        "default: 0.5 and 0.25)")
    parser.add_argument("--python", metavar="PATH",
                        help="an interpreter with PyTorch, or ours only")
    parser.add_argument("--bin", default=step.BIN)
    options = parser.parse_args()
    named = os.path.join(step.HERE, "models", options.model + ".json")
    options.config = named if os.path.exists(named) else options.model
    options.dtype = "f32"
    options.share = options.share or [0.5, 0.25]
    return options


class Ours:
    """A plan of ours, compiled."""

    def __init__(self, name, options, folder, *plan_options):
        self.name, self.options, self.times = name, options, []
        self.folder = os.path.join(folder, name.replace(" ", "-"))
        os.mkdir(self.folder)
        options.plan_option = plan_options
        self.binary, self.plan, _ = step.compile_ours(options, self.folder)
        self.above = (self.plan["peak_bytes"]
                      - STATE_BYTES * self.plan["parameters"])

    def run(self, tokens):
        figures = step.run_ours(self.options, self.binary, tokens, self.folder)
        self.times += figures["times"][1:]
        if figures["memory"] != self.plan["peak_bytes"]:
            step.fail(f"{self.name}: expected an arena of "
                      f"{self.plan['peak_bytes']} bytes, but got "
                      f"{figures['memory']}")


class Theirs:
    """PyTorch, eager with fused AdamW."""

    def __init__(self, name, options, *more):
        self.name, self.options, self.more, self.times = name, options, more, []
        self.plan = None

    def run(self, _):
        figures, reason = step.run_torch(
            self.options, (self.options.python, "eager", "fused"),
            self.options.steps, *self.more)
        if not figures:
            step.fail(reason)
        self.times += figures["times"][1:]
        self.above = figures["rss"] - STATE_BYTES * figures["parameters"]


def smallest_budget(options, folder):
    """The budget below which no plan fits, of this micro-batch."""
    told = os.path.join(folder, "smallest.json")
    done = subprocess.run(
        [step.tool(options, "nlp-plan"), options.config,
         f"--seq-len={options.seq_len}", f"--global-batch={options.batch}",
         f"--micro-batch={options.batch}", "--memory-budget=1MiB",
         f"--json={told}", "-o", os.devnull], capture_output=True, text=True)
    if done.returncode != 3:
        step.fail(f"expected exit code 3 for a budget of 1 MiB, but got "
                  f"{done.returncode}: {done.stderr.strip()[-300:]}")
    with open(told) as file:
        return json.load(file)["min_feasible_bytes"]


def print_row(side, base):
    def more(value, base_value):
        return f"{100 * (value / base_value - 1):+6.1f} %"

    seconds = statistics.median(side.times)
    line = (f"  {side.name:22} {seconds:8.3f} s (fastest {min(side.times):.3f})"
            f"  {more(seconds, statistics.median(base.times))}"
            f"  above state {side.above / 2**20:7.0f} MiB")
    if side.plan:
        predicted = side.plan["step_seconds"]
        line += (f" ({100 * side.above / base.above:5.1f} %), predicted "
                 f"{predicted:.3f} s "
                 f"{more(predicted, base.plan['step_seconds'])}")
    print(line, flush=True)


def main():
    options = arguments()
    print(f"{os.path.basename(options.config)}, batch {options.batch} x "
          f"{options.seq_len}, {options.threads} threads, load "
          f"{os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        tokens = os.path.join(folder, "tokens.bin")
        step.write_tokens(options, tokens)
        keep = Ours("everything kept", options, folder, "--recompute=none",
                    "--loss-chunks=1")
        state = STATE_BYTES * keep.plan["parameters"]
        sides = [keep]
        for share in options.share:
            budget = state + int(share * keep.above)
            sides.append(Ours(f"{100 * share:g} percent", options, folder,
                              f"--memory-budget={budget}"))
        smallest = smallest_budget(options, folder)
        sides.append(Ours("smallest", options, folder,
                          f"--memory-budget={smallest}"))
        ours = list(sides)
        if options.python:
            theirs = [Theirs("PyTorch", options),
                      Theirs("PyTorch, checkpoints", options, "--checkpoint")]
            sides += theirs
        for number in range(options.rounds):
            for side in sides:
                side.run(tokens)
            print(f"round {number + 1} of {options.rounds}")
            for side in ours:
                print_row(side, keep)
            for side in sides[len(ours):]:
                print_row(side, theirs[0])


if __name__ == "__main__":
    sys.exit(main())
