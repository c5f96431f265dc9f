"""Replays schedules of `nlp-solve recompute` by the rules of the file format.

Shares nothing with the solver: programs are the JSON files, and every rule is
spelled out here. check(program, answer, budget) raises Wrong where the answer
breaks one. Called as check_recompute.py PROGRAM ANSWER BUDGET_BYTES.
"""

import json
import sys


class Wrong(Exception):
    """What is wrong with an answer."""


class Program:
    """A program with its values looked up."""

    def __init__(self, data):
        self.ops = data["ops"]
        self.results = data["results"]
        self.constants = {value["id"] for value in data["constants"]}
        self.bytes, self.alias, self.producer = {}, {}, {}
        for value in data["constants"]:
            self._define(value, None)
        for index, op in enumerate(self.ops):
            for value in op["outputs"]:
                self._define(value, index)

    def _define(self, value, producer):
        self.bytes[value["id"]] = value["bytes"]
        self.alias[value["id"]] = value.get("alias_of")
        self.producer[value["id"]] = producer

    def root(self, value):
        """The value whose bytes `value` lies in."""
        while self.alias[value] is not None:
            value = self.alias[value]
        return value

    def live_bytes(self, live):
        """What the values `live` take together."""
        return sum(self.bytes[root] for root in {self.root(v) for v in live})

    def can_repeat(self, index):
        return self.ops[index].get("can_repeat", True)

    def inputs(self, index):
        return set(self.ops[index]["inputs"])

    def outputs(self, index):
        return {value["id"] for value in self.ops[index]["outputs"]}

    def keep_everything(self):
        """Seconds and peak of each op once, values dropped after last uses."""
        last = {}
        for index in range(len(self.ops)):
            for value in self.inputs(index) | self.outputs(index):
                last[value] = index
        kept = self.constants | set(self.results)
        schedule = [
            {"op": index,
             "free_after": sorted(v for v in last
                                  if last[v] == index and v not in kept)}
            for index in range(len(self.ops))]
        return replay(self, schedule)


def replay(program, schedule):
    """Seconds and peak bytes of `schedule`; raises Wrong where it cannot be."""
    live = set(program.constants)
    peak, seconds, ran = program.live_bytes(live), 0.0, set()
    last_once = -1
    for position, step in enumerate(schedule):
        where = f"execution {position} (op {step['op']})"
        index = step["op"]
        if not 0 <= index < len(program.ops):
            raise Wrong(f"{where}: no such op")
        if not program.can_repeat(index):
            if index <= last_once:
                raise Wrong(f"{where}: runs once, and before op {last_once}")
            last_once = index
        missing = program.inputs(index) - live
        if missing:
            raise Wrong(f"{where}: inputs {sorted(missing)} are not live")
        live |= program.outputs(index)
        peak = max(peak, program.live_bytes(live))
        seconds += program.ops[index]["seconds"]
        ran.add(index)
        freed = step["free_after"]
        if len(set(freed)) != len(freed):
            raise Wrong(f"{where}: frees a value twice")
        if set(freed) - live:
            raise Wrong(f"{where}: frees {sorted(set(freed) - live)}, "
                        "not live")
        if set(freed) & program.constants:
            raise Wrong(f"{where}: frees a constant")
        live -= set(freed)
    if len(ran) < len(program.ops):
        raise Wrong(f"ops {sorted(set(range(len(program.ops))) - ran)} "
                    "never run")
    if set(program.results) - live:
        raise Wrong(f"results {sorted(set(program.results) - live)} are not "
                    "live at the end")
    return seconds, peak


def check(data, answer, budget):
    """Raises Wrong unless `answer` is a schedule of `data` within `budget`."""
    program = Program(data)
    seconds, peak = replay(program, answer["schedule"])
    if peak > budget:
        raise Wrong(f"peak {peak} above the budget {budget}")
    if peak != answer["peak_bytes"]:
        raise Wrong(f"peak {peak}, but the answer says {answer['peak_bytes']}")
    if abs(seconds - answer["seconds"]) > 1e-9 * seconds:
        raise Wrong(f"{seconds} seconds, but the answer says "
                    f"{answer['seconds']}")
    bound = answer["lower_bound_seconds"]
    once = sum(op["seconds"] for op in program.ops)
    if not once * (1 - 1e-9) <= bound <= seconds * (1 + 1e-12):
        raise Wrong(f"lower bound {bound} not between {once} (each op once) "
                    f"and {seconds}")


if __name__ == "__main__":
    with open(sys.argv[1]) as program_file, open(sys.argv[2]) as answer_file:
        try:
            check(json.load(program_file), json.load(answer_file),
                  int(sys.argv[3]))
        except Wrong as wrong:
            sys.exit(f"check_recompute: error: {wrong}")
    print("check_recompute: the schedule is right")
