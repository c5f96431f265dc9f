#===- planner.py - How good plans are, by model --------------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Gaps and floors of the planner: scripts/bench/planner.py FOLDER [NAME...]

For each configuration of the folder that imports (or of those whose names hold
one of NAME), and for GPT-3 175B, with one sequence of as many tokens as the model
takes, 8192 at most:

  rows      of --frontier, after these checks: no row is dominated, no peak is
            above its budget, seconds fall as budgets rise, no plan is faster
            than its bound
  lowest    budget of the table: the peak of --recompute=block or the smallest of
            the frontier, whichever is larger, and which of them that is
  largest   and mean gap to the lower bound over --budgets evenly spaced budgets
  gap       from there to the peak with everything kept, each planned by itself
  /floor    the smallest peak over the bytes below which it is proven that no plan
            exists, with the shapes of the smallest plan
  seconds   of user time for the frontier and for one plan, the mean

Ends with exit 1 where a check fails.
"""
import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GPT3 = {
    "model_type": "gpt2",
    "n_embd": 12288,
    "n_layer": 96,
    "n_head": 96,
    "n_positions": 2048,
    "vocab_size": 50257,
    "activation_function": "gelu_new",
}
LONGEST = 8192
# More than any of the models takes.
UNLIMITED = "1000TiB"
# Sums in another order differ by rounding.
BOUND_TOLERANCE = 1e-9
# Floors are found to this share of the smallest peak.
FLOOR_RESOLUTION = 1e-3
# Rows of the table with a larger gap are listed.
LISTED_GAP = 0.005


class Model:
    """One configuration with the arguments that all of its runs share."""

    def __init__(self, name, path, options, folder):
        self.name = name
        with open(path) as file:
            config = json.load(file)
        positions = config.get("max_position_embeddings") \
            or config.get("n_positions") or config.get("n_ctx") or LONGEST
        self.arguments = [os.path.join(options.bin, "nlp-plan"), path,
                          f"--seq-len={min(LONGEST, positions)}",
                          f"--machine={options.machine}", *options.options]
        self.folder = folder
        self.seconds = []

    def run(self, *more):
        """Exit code, messages and user seconds of one run of nlp-plan."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([*self.arguments, *more], capture_output=True,
                              text=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        return done.returncode, done.stderr.strip(), seconds

    def plan(self, *more):
        """The plan as a dictionary, whether or not it fits."""
        path = os.path.join(self.folder, "plan.json")
        code, message, seconds = self.run(*more, f"--json={path}")
        if code not in (0, 3):
            raise RuntimeError(message or f"exit {code}")
        self.seconds.append(seconds)
        with open(path) as file:
            return json.load(file)

    def frontier(self):
        """Rows of numbers, and user seconds."""
        path = os.path.join(self.folder, "frontier.csv")
        code, message, seconds = self.run(f"--frontier={path}",
                                          f"--memory-budget={UNLIMITED}")
        if code:
            raise RuntimeError(message or f"exit {code}")
        with open(path) as file:
            rows = [{key: float(value) for key, value in row.items()}
                    for row in csv.DictReader(file)]
        return rows, seconds


def check_frontier(rows):
    """What is wrong with the rows of a frontier."""
    for row in rows:
        if row["peak_bytes"] > row["budget_bytes"]:
            yield f"peak {row['peak_bytes']:.0f} above its budget"
        if row["step_seconds"] < \
                (1 - BOUND_TOLERANCE) * row["lower_bound_seconds"]:
            yield (f"{row['peak_bytes']:.0f} bytes: {row['step_seconds']} s is "
                   f"below the bound of {row['lower_bound_seconds']} s")
    for low, high in zip(rows, rows[1:]):
        if high["budget_bytes"] <= low["budget_bytes"]:
            yield f"budgets do not rise at {high['budget_bytes']:.0f}"
        # Rows that differ below the resolution of the file look the same.
        if high["step_seconds"] > low["step_seconds"]:
            yield f"{high['budget_bytes']:.0f} bytes are slower than fewer"


def check_table(plans):
    """What is wrong with plans of rising budgets."""
    for plan in plans:
        budget = plan["budget_bytes"]
        if not plan["feasible"]:
            yield (f"{budget} bytes do not fit, though "
                   f"{plan['min_feasible_bytes']} are said to do")
        elif plan["peak_bytes"] > budget:
            yield f"peak {plan['peak_bytes']} above its budget {budget}"
    for low, high in zip(plans, plans[1:]):
        if high["step_seconds"] > low["step_seconds"]:
            yield (f"{high['budget_bytes']} bytes take {high['step_seconds']} s, "
                   f"{low['budget_bytes']} bytes {low['step_seconds']} s")


def find_floor(model, smallest):
    """Bytes below which the bound of the smallest shapes is infinite.

    Found by bisection, to a thousandth of `smallest`."""
    low, high = 0.5 * smallest, smallest
    while high - low > FLOOR_RESOLUTION * smallest:
        middle = (low + high) / 2
        if model.plan(f"--memory-budget={int(middle)}")["lower_bound_seconds"] is None:
            low = middle
        else:
            high = middle
    return low


def measure(model, budgets):
    rows, frontier_seconds = model.frontier()
    failures = list(check_frontier(rows))
    smallest = rows[0]["peak_bytes"]
    block = model.plan(f"--memory-budget={UNLIMITED}", "--recompute=block")
    full = model.plan(f"--memory-budget={UNLIMITED}")
    lowest = max(smallest, block["peak_bytes"])
    which = "block" if block["peak_bytes"] > smallest else "frontier"
    high = full["peak_bytes"]
    model.seconds.clear()
    plans = [model.plan("--memory-budget="
                        f"{int(lowest + (high - lowest) * i / (budgets - 1))}")
             for i in range(budgets)]
    failures += check_table(plans)
    gaps = [plan["gap"] for plan in plans]
    seconds = sum(model.seconds) / len(model.seconds)
    floor = find_floor(model, smallest)
    print(f"{model.name:42} {len(rows):4} {lowest / 2**30:9.3f} {which:8} "
          f"{high / 2**30:9.3f} {max(gaps):8.3%} {sum(gaps) / budgets:8.3%} "
          f"{smallest / 2**30:9.3f} {smallest / floor:7.4f} {frontier_seconds:8.1f} "
          f"{seconds:7.2f}", flush=True)
    for plan in plans:
        if plan["gap"] > LISTED_GAP:
            share = (plan["budget_bytes"] - lowest) / max(1, high - lowest)
            print(f"    gap {plan['gap']:.3%} at {plan['budget_bytes']} bytes, "
                  f"{share:.0%} of the way, {plan['decisions']['loss_chunks']} "
                  "loss chunks")
    for failure in failures:
        print(f"    error: {failure}")
    return not failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="of config.json files")
    parser.add_argument("names", nargs="*", help="parts of names; default: all")
    parser.add_argument("--bin", default=os.path.join(HERE, "..", "..", "build", "bin"))
    parser.add_argument("--machine", default="h200")
    parser.add_argument("--budgets", type=int, default=33)
    parser.add_argument("--options", nargs="*", default=[],
                        help="further options of nlp-plan, behind --options=")
    args = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        gpt3 = os.path.join(folder, "gpt3-175b.json")
        with open(gpt3, "w") as file:
            json.dump(GPT3, file)
        paths = [os.path.join(args.folder, name)
                 for name in sorted(os.listdir(args.folder))
                 if name.endswith(".json")] + [gpt3]
        print(f"{'model':42} rows lowest/GiB is       kept/GiB  largest     mean"
              "  smallest  /floor frontier    plan", flush=True)
        for path in paths:
            name = os.path.basename(path).removesuffix(".json")
            if args.names and not any(part in name for part in args.names):
                continue
            try:
                model = Model(name, path, args, folder)
                good &= measure(model, args.budgets)
            except RuntimeError as error:
                print(f"{name:42} {str(error).splitlines()[0][:100]}", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
