"""Compares `nlp-solve recompute` with CBC on random programs.

compare_recompute.py INSTANCES MAX_NODES [--limit=SECONDS] [--seed=N]

With 12 nodes an instance takes half a second, with 20 some ten seconds.

Each instance is a random program with a budget strictly between its smallest
peak and that of keeping everything. The tool's answer is replayed, then:

- CBC solves Checkmate's model with the ops in the order of the file, and in the
  order in which the answer runs them first. Both are restrictions of the
  problem: the answer is never slower. Where the answer itself is one of the
  second model's solutions, they must be equal.
- Where so few executions may matter that the whole problem (any order, any
  repetition) is small enough for CBC, that must be equal.
- The general solver, without exact search, must keep its own bound; how far it
  is above the optimum is printed.

An answer that is slower than CBC's is an error, whatever it claims to be, and
so is less than 95 % of equal ones in the second model.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import recompute_milp as milp
from check_recompute import Program, check
from recompute_graphs import make_program

# The whole problem is given to CBC up to this many steps times ops.
MAX_CELLS = 100


def run_tool(data, budget, *flags):
    """The answer of nlp-solve, or its error where no plan keeps the budget."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "in"), os.path.join(folder, "out")
        with open(path, "w") as file:
            json.dump(data, file)
        result = subprocess.run(
            ["nlp-solve", "recompute", path, f"--budget={budget}", "-o", out,
             *flags], capture_output=True, text=True)
        if result.returncode == 3:
            return result.stderr
        if result.returncode:
            raise RuntimeError(result.stderr)
        with open(out) as file:
            answer = json.load(file)
    check(data, answer, budget)
    return answer


def draw(seed, max_nodes):
    """A program and a budget that leaves something to decide, or None."""
    rng = random.Random(seed)
    data = make_program(seed, rng.randint(6, max_nodes))
    _, keep_everything = Program(data).keep_everything()
    error = run_tool(data, 1)
    smallest = int(re.search(r"known to do is (\d+)", error)[1])
    if smallest + 1 >= keep_everything:
        return None
    return data, rng.randint(smallest + 1, keep_everything - 1)


def compare(seed, max_nodes, limit):
    """Figures of one instance, by name; None where there is none."""
    drawn = draw(seed, max_nodes)
    if drawn is None:
        return None
    data, budget = drawn
    answer = run_tool(data, budget)
    if isinstance(answer, str):
        return {"seed": seed, "wrong": "no plan above the smallest peak"}
    seconds = answer["seconds"]
    figures = {"seed": seed, "nodes": len(data["ops"]), "seconds": seconds,
               "proven": answer["lower_bound_seconds"] >= seconds * (1 - 1e-9)}

    def note(name, outcome, must_equal):
        status, best = outcome
        figures[name] = best if status == "optimal" else status
        if status == "stopped":
            return
        if status == "optimal" and best < seconds - 1e-6:
            figures["wrong"] = f"{name} is faster: {best}"
        elif must_equal and (status != "optimal" or best > seconds + 1e-6):
            figures["wrong"] = f"{name} should be equal: {outcome}"

    note("file order", milp.solve_stages(data, budget, limit), False)
    order = milp.first_runs(answer["schedule"])
    fits = milp.fits_stages(answer["schedule"])
    note("own order",
         milp.solve_stages(milp.reorder(data, order), budget, limit), fits)
    figures["fits"] = fits
    steps = milp.needed_steps(Program(data), seconds)
    if steps * len(data["ops"]) <= MAX_CELLS:
        note("any order", milp.solve_steps(data, budget, steps, limit), True)

    general = run_tool(data, budget, "--no-exact")
    figures["general"] = ("none" if isinstance(general, str)
                          else general["seconds"])
    if not isinstance(general, str):
        bound = general["lower_bound_seconds"]
        if figures["proven"] and (
                general["seconds"] < seconds * (1 - 1e-9) or
                bound > seconds * (1 + 1e-9)):
            figures["wrong"] = f"general: {general['seconds']}, bound {bound}"
    return figures


def report(all_figures):
    """Prints a summary; the instances that are wrong."""
    count = len(all_figures)
    proven = sum(figures.get("proven", False) for figures in all_figures)
    print(f"{count} instances, {proven} proven optimal")
    for name in ("file order", "own order", "any order"):
        values = [(f["seconds"], f[name]) for f in all_figures if name in f]
        solved = [(s, v) for s, v in values if isinstance(v, float)]
        equal = sum(abs(s - v) < 1e-6 for s, v in solved)
        none = sum(v == "infeasible" for _, v in values)
        print(f"CBC, {name}: {equal} equal, {len(solved) - equal} slower, "
              f"{none} without a plan, {len(values) - len(solved) - none} "
              "not solved in time")
    gaps = [f["general"] / f["seconds"] - 1 for f in all_figures
            if isinstance(f.get("general"), float | int)]
    print(f"without exact search: {sum(g < 1e-9 for g in gaps)} equal, "
          f"{sum(g < 0.01 for g in gaps)} within 1 %, worst "
          f"{100 * max(gaps, default=0):.1f} %, mean "
          f"{100 * sum(gaps) / max(1, len(gaps)):.2f} %, "
          f"{count - len(gaps)} without a plan")
    return [figures for figures in all_figures if "wrong" in figures]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("instances", type=int)
    parser.add_argument("max_nodes", type=int)
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    found, seed = [], arguments.seed
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        while len(found) < arguments.instances:
            count = arguments.instances - len(found)
            found += filter(None, pool.map(
                lambda s: compare(s, arguments.max_nodes, arguments.limit),
                range(seed, seed + count)))
            seed += count
    wrong = report(found)
    for figures in wrong:
        print(f"compare_recompute: error: {figures}", file=sys.stderr)
    equal = sum(isinstance(f.get("own order"), float) and
                abs(f["own order"] - f["seconds"]) < 1e-6 for f in found)
    if equal < 0.95 * len(found):
        print(f"compare_recompute: error: only {equal} of {len(found)} are "
              "equal to CBC", file=sys.stderr)
    sys.exit(1 if wrong or equal < 0.95 * len(found) else 0)


if __name__ == "__main__":
    main()
