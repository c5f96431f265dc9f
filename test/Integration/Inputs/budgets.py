#===- budgets.py - Random models under random budgets --------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""budgets.py FOLDER [--draws N] [--runs N] [--seed N] [--only DRAW]

Draws a model, options and a budget, and checks what nlp-plan says:

  fits     the peak is within the budget, and the runtime program, replayed by
           replay.py from its text, never has two live buffers on one byte in an
           arena of that many bytes; of --runs of them the binary trains two steps
           and reports that many bytes
  does not exit 3 where, and only where, the budget is below min_feasible_bytes,
           which is the same whatever budget is asked for, does as a budget, and is
           no more than --recompute=block needs

Each replay is also given a program whose buffers were moved onto each other, and
has to find it. At least 60 % of the draws fit below what keeping everything takes.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import random_models
import replay

WORKERS = 2
LEAST_SHARE = 0.6
UNLIMITED = "1TiB"


class Failed(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Failed(message)


class Draw:
    """One model with its options and a budget between, below or above."""

    def __init__(self, seed, number, folder):
        self.draw = random.Random(f"{seed}.{number}")
        self.folder = os.path.join(folder, str(number))
        os.makedirs(self.folder, exist_ok=True)
        self.config = random_models.draw_model(self.draw)
        self.path = self.file("config.json")
        with open(self.path, "w") as file:
            json.dump(self.config, file)
        self.options = random_models.draw_options(self.draw) + ["--threads=2"]
        self.budget, self.is_squeezed, self.plan = None, False, None

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command, codes=(0,)):
        done = subprocess.run(command, capture_output=True, text=True)
        require(done.returncode in codes,
                f"{' '.join(command)}: exit {done.returncode}: "
                f"{done.stderr.strip()[-300:]}")
        return done

    def ask(self, budget, *more):
        """nlp-plan's exit code and plan for a budget."""
        done = self.run("nlp-plan", self.path, *self.options, *more,
                        f"--memory-budget={budget}", "--json",
                        self.file("plan.json"), codes=(0, 3))
        with open(self.file("plan.json")) as file:
            plan = json.load(file)
        require(plan["feasible"] == (done.returncode == 0),
                f"exit {done.returncode}, but feasible is {plan['feasible']}")
        if plan["feasible"]:
            require(plan["min_feasible_bytes"] <= plan["peak_bytes"] <= budget_of(
                budget), f"expected {plan['min_feasible_bytes']} <= "
                    f"{plan['peak_bytes']} <= {budget}")
        return done, plan

    def check(self):
        _, keep = self.ask(UNLIMITED, "--recompute=none")
        done, least = self.ask(1)
        require(done.returncode == 3, "one byte is enough")
        low, high = least["min_feasible_bytes"], keep["peak_bytes"]
        kind = self.draw.random()
        if kind < 0.9 and low < high:
            self.budget = self.draw.randrange(low, high)
        elif kind < 0.97:
            self.budget = self.draw.randrange(low // 2, low)
        else:
            self.budget = self.draw.randrange(high, 2 * high)
        done, self.plan = self.ask(self.budget, "-o", self.file("planned.mlir"))
        require((done.returncode == 0) == (self.budget >= low),
                f"exit {done.returncode} for {self.budget} bytes, but {low} are "
                "said to be enough, and no fewer")
        self.is_squeezed = low <= self.budget < high
        if done.returncode == 0:
            self.replay()
        else:
            self.check_verdict(done.stderr, low)

    def check_verdict(self, message, low):
        told = self.plan["min_feasible_bytes"]
        require(told == low, f"{told} bytes and {low} are both said to be least")
        require(f"({low} bytes)" in message,
                f"the message does not name {low}: {message}")
        done, _ = self.ask(low)
        require(done.returncode == 0, f"{low} bytes are not enough")
        _, block = self.ask(1, "--recompute=block")
        require(low <= block["min_feasible_bytes"],
                f"the smallest budget is {low}, but --recompute=block needs "
                f"{block['min_feasible_bytes']}")

    def replay(self):
        path = self.file("runtime.mlir")
        self.run("nlp-compile", self.file("planned.mlir"), "--emit=runtime",
                 "--threads=2", "-o", path)
        with open(path) as file:
            text = file.read()
        arena, _ = replay.replay(text)
        require(arena == self.plan["peak_bytes"],
                f"the arena has {arena} bytes, planned are "
                f"{self.plan['peak_bytes']}")
        moved = re.sub(r"nlprt\.alloc +(\w+) \{offset = \d+",
                       r"nlprt.alloc \1 {offset = 0", text)
        try:
            replay.replay(moved)
        except replay.ReplayError:
            return
        raise Failed("the replay accepts buffers that lie on each other")

    def train(self):
        tokens, metrics = self.file("tokens.bin"), self.file("metrics.jsonl")
        self.run(sys.executable, os.path.join(os.path.dirname(__file__),
                                              "tokens.py"),
                 "3000", str(self.config["vocab_size"]), tokens)
        self.run("nlp-train", self.path, *self.options, f"--data={tokens}",
                 f"--memory-budget={self.budget}", "--steps=2",
                 f"--metrics={metrics}")
        with open(metrics) as file:
            used = [json.loads(line)["memory_bytes"] for line in file]
        require(used == [self.plan["peak_bytes"]] * 2,
                f"used {used} bytes, planned {self.plan['peak_bytes']}")


def budget_of(budget):
    return float("inf") if budget == UNLIMITED else budget


def run_all(draws, action):
    """Messages of what failed, in the order of the draws."""
    def guard(numbered):
        number, draw = numbered
        try:
            action(draw)
            return None
        except (Failed, replay.ReplayError) as error:
            return (f"draw {number}: {json.dumps(draw.config)} "
                    f"{' '.join(draw.options)} --memory-budget={draw.budget}: "
                    f"{error}")
    with ThreadPoolExecutor(WORKERS) as pool:
        return [message for message in pool.map(guard, draws) if message]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="number of one draw")
    args = parser.parse_args()
    numbers = range(args.draws) if args.only is None else [args.only]
    draws = [(number, Draw(args.seed, number, args.folder)) for number in numbers]
    failures = run_all(draws, Draw.check)
    squeezed = [pair for pair in draws if pair[1].is_squeezed]
    misfits = sum(not draw.plan["feasible"] for _, draw in draws if draw.plan)
    if args.only is None and len(squeezed) < LEAST_SHARE * len(draws):
        failures.append(f"expected {LEAST_SHARE:.0%} of the draws to fit below "
                        f"keeping everything, but got {len(squeezed)} of "
                        f"{len(draws)}")
    if not failures:
        failures = run_all(squeezed[:args.runs], Draw.train)
    for failure in failures:
        print(f"budgets.py: error: {failure}", file=sys.stderr)
    print(f"{len(draws)} draws, {len(squeezed)} fit below keeping everything, "
          f"{misfits} do not fit, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
