"""The recompute problem as mixed-integer programs, solved by CBC.

solve_steps: the whole problem up to a number of executions. Step t runs one op
or none (x[t,o]); L[t,v] says that value v is live before step t, and H[t,s]
that storage s is during it:

  minimize  sum of seconds[o] x[t,o]
  (1) sum over o of x[t,o] <= 1, and steps that run nothing come last
  (2) sum over t of x[t,o] >= 1                            each op runs
      = 1 for ops that may not repeat, of which each is behind the one before
  (3) x[t,o] <= L[t,v]                   for inputs v of o
  (4) L[t+1,v] <= L[t,v] + sum of x[t,o] for o that make v; L[0,v] = 0
  (5) L[end,v] = 1                       for results v
  (6) H[t,s] >= L[t,v], H[t,s] >= sum of x[t,o] for v in s, o that make v
  (7) sum of bytes[s] H[t,s] <= budget less constants

Any order and any repetition of at most `steps` executions is a solution, and
nothing else is. Where each op that may be added takes at least m seconds, a
plan that takes d seconds more than each op once has at most d / m more
executions, so that `needed_steps` are enough for the true optimum.

solve_stages: Checkmate's model (Jain et al., MLSys 2020). Stage t computes op
t of the program's order for the first time, after recomputing some earlier
ones, in that order, each at most once in a stage: x[k] says that slot k of the
sequence 0, 0 1, 0 1 2, ... runs its op; a last stage makes results again. Ops
that may not repeat have only the first of their slots. The rest is as above,
with slots for steps. A restriction: its optimum is never below the true one. It equals it
where some fastest plan `fits_stages` and the ops stand in the order in which
that plan runs them first (`reorder`).
"""

import os
import re
import subprocess
import tempfile

from check_recompute import Program


class Model:
    """Rows of an LP file."""

    def __init__(self):
        self.objective, self.rows = [], []
        self.binaries, self.bounds = [], []

    def add(self, terms, sense, constant):
        """A row: sum of (coefficient, variable) `terms` SENSE `constant`."""
        merged = {}
        for coefficient, variable in terms:
            merged[variable] = merged.get(variable, 0) + coefficient
        terms = [(c, v) for v, c in merged.items() if c]
        if terms:
            self.rows.append(f"{sum_of(terms)} {sense} {constant}")

    def binary(self, name):
        self.binaries.append(name)
        return name

    def unit(self, name):
        """A variable from 0 to 1 that need not be whole."""
        self.bounds.append(f"0 <= {name} <= 1")
        return name

    def text(self):
        rows = "\n".join(f" r{i}: {row}" for i, row in enumerate(self.rows))
        return (f"Minimize\n obj: {sum_of(self.objective)}\nSubject To\n{rows}"
                "\nBounds\n " + "\n ".join(self.bounds) +
                "\nBinaries\n " + "\n ".join(self.binaries) + "\nEnd\n")


def sum_of(terms):
    # Lines of an LP file are short.
    parts = [f"{'+' if c >= 0 else '-'} {abs(c)} {v}" for c, v in terms]
    return "\n  ".join(" ".join(parts[i:i + 8])
                       for i in range(0, len(parts), 8))


def run_cbc(model, seconds):
    """("optimal", objective), ("infeasible", None) or ("stopped", None)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.lp")
        out = os.path.join(folder, "solution.txt")
        with open(path, "w") as file:
            file.write(model.text())
        command = ["cbc", path, "-sec", str(seconds), "-ratio", "0",
                   "-allow", "0"]
        printed = subprocess.run(
            [*command, "-solve", "-solution", out], capture_output=True,
            check=True, text=True).stdout
        first = ""
        if os.path.exists(out):  # not where presolve finds no solution
            with open(out) as file:
                first = file.readline()
    found = re.match(r"Optimal - objective value ([-\d.e+]+)", first)
    if found:
        return "optimal", float(found[1])
    if "nfeasible" in first or "Problem is infeasible" in printed:
        return "infeasible", None
    return "stopped", None


def storages_of(program):
    """Values by storage, of those storages that are no constants."""
    storages = {}
    for value, producer in program.producer.items():
        if producer is not None and program.root(value) not in program.constants:
            storages.setdefault(program.root(value), []).append(value)
    return storages


def constant_bytes(program):
    return program.live_bytes(program.constants)


def needed_steps(program, seconds):
    """Executions within which any plan of fewer than `seconds` ends."""
    once = sum(op["seconds"] for op in program.ops)
    least = min((op["seconds"] for index, op in enumerate(program.ops)
                 if program.can_repeat(index)), default=1)
    return len(program.ops) + int((seconds - once) // least)


def first_runs(schedule):
    """Ops of a schedule in the order in which they first run."""
    return list(dict.fromkeys(step["op"] for step in schedule))


def reorder(data, order):
    """The program with its ops in another order."""
    return {**data, "ops": [data["ops"][op] for op in order]}


def fits_stages(schedule):
    """Whether Checkmate's model of `first_runs` order has this plan."""
    place = {op: i for i, op in enumerate(first_runs(schedule))}
    stage, last = 0, -1
    for step in schedule:
        at = place[step["op"]]
        if at <= last or at > stage:
            return False
        last = at
        if at == stage:
            stage, last = stage + 1, -1
    return True


def solve_stages(data, budget, limit):
    program = Program(data)
    model = Model()
    made = [v for v, producer in program.producer.items()
            if producer is not None]
    storages = storages_of(program)
    room = budget - constant_bytes(program)
    live = {v: None for v in made}
    count = len(program.ops)
    slots = [(o, o == stage) for stage in range(count + 1)
             for o in range(min(stage + 1, count))
             if o == stage or program.can_repeat(o)]
    for k, (o, is_first) in enumerate(slots):
        x = model.binary(f"x_{k}")
        if is_first:
            model.add([(1, x)], "=", 1)
        model.objective.append((program.ops[o]["seconds"], x))
        for v in program.inputs(o) & set(made):
            model.add([(1, x)] + ([(-1, live[v])] if live[v] else []), "<=", 0)
        outputs = program.outputs(o)
        bytes_held = []
        for root, values in storages.items():
            held = [live[v] for v in values if live[v]]
            if set(values) & outputs:
                held.append(x)
            if not held:
                continue
            if len(held) == 1:
                bytes_held.append((program.bytes[root], held[0]))
                continue
            name = model.unit(f"H_{k}_{root}")
            bytes_held.append((program.bytes[root], name))
            for part in held:
                model.add([(1, name), (-1, part)], ">=", 0)
        model.add(bytes_held, "<=", room)
        for v in made:
            if not live[v] and v not in outputs:
                continue
            after = model.unit(f"L_{k}_{v}")
            model.add([(1, after)] + ([(-1, live[v])] if live[v] else []) +
                      ([(-1, x)] if v in outputs else []), "<=", 0)
            live[v] = after
    for v in set(program.results) & set(made):
        model.add([(1, live[v])], "=", 1)
    return run_cbc(model, limit)


def solve_steps(data, budget, steps, limit):
    program = Program(data)
    model = Model()
    ops = range(len(program.ops))
    made = [v for v, producer in program.producer.items()
            if producer is not None]
    x = [[model.binary(f"x_{t}_{o}") for o in ops] for t in range(steps)]
    live = [{v: model.unit(f"L_{t}_{v}") for v in made}
            for t in range(steps + 1)]
    model.objective = [(program.ops[o]["seconds"], x[t][o])
                       for t in range(steps) for o in ops]
    for t in range(steps):
        model.add([(1, x[t][o]) for o in ops], "<=", 1)
        if t:
            model.add([(1, x[t][o]) for o in ops] +
                      [(-1, x[t - 1][o]) for o in ops], "<=", 0)
        for o in ops:
            for v in program.inputs(o) & set(made):
                model.add([(1, x[t][o]), (-1, live[t][v])], "<=", 0)
        for v in made:
            model.add([(1, live[t + 1][v]), (-1, live[t][v]),
                       (-1, x[t][program.producer[v]])], "<=", 0)
        bytes_held = []
        for root, values in storages_of(program).items():
            held = model.unit(f"H_{t}_{root}")
            bytes_held.append((program.bytes[root], held))
            for v in values:
                model.add([(1, held), (-1, live[t][v])], ">=", 0)
            model.add([(1, held)] +
                      [(-1, x[t][o])
                       for o in {program.producer[v] for v in values}],
                      ">=", 0)
        model.add(bytes_held, "<=", budget - constant_bytes(program))
    for o in ops:
        model.add([(1, x[t][o]) for t in range(steps)],
                  ">=" if program.can_repeat(o) else "=", 1)
    once = [o for o in ops if not program.can_repeat(o)]
    for before, after in zip(once, once[1:]):
        for t in range(steps):
            model.add([(1, x[k][after]) for k in range(t + 1)] +
                      [(-1, x[k][before]) for k in range(t)], "<=", 0)
    for v in made:
        model.add([(1, live[0][v])], "=", 0)
    for v in set(program.results) & set(made):
        model.add([(1, live[steps][v])], "=", 1)
    return run_cbc(model, limit)
