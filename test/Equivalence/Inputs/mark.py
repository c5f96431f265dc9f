#===- mark.py - Write plan attributes into a module ----------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Writes decisions into a joint module, as a planner would.

  nlp-opt joint.mlir -mlir-print-op-generic | mark.py [--recompute REGEX]
      [--every N] [--micro-batch N] [--loss-chunks N] [--schedule KIND]
      | nlp-opt -nlp-apply-...

--recompute marks all results of the forward ops whose names match, with --every
each N-th of them. With --micro-batch, the step gets a plan, of which
--loss-chunks and --schedule are parts.
"""
import argparse
import re
import sys

OP = re.compile(r'^(\s*%\w+(?::(\d+))? = "nlp\.)(\w+)("\([^)]*\))(?: <\{(.*)\}>)?')


def with_attribute(line, head, attributes, attribute, rest):
    both = ", ".join(part for part in (attributes, attribute) if part)
    return f"{head} <{{{both}}}>{rest}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recompute", default="$^")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--micro-batch", type=int)
    parser.add_argument("--loss-chunks", type=int, default=1)
    parser.add_argument("--schedule", default="none")
    options = parser.parse_args()
    forward, matches = False, 0
    for line in sys.stdin:
        if '"nlp.step"' in line and options.micro_batch:
            plan = ("#nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>,"
                    " zero = 0, sequence_parallel = false, micro_batch = "
                    f"{options.micro_batch}, loss_chunks = {options.loss_chunks}"
                    f", schedule = <{options.schedule}>, numerics = exact, "
                    "budget = 0>")
            line = line.replace("<{", f"<{{plan = {plan}, ", 1)
        if '"nlp.segment"' in line:
            forward = "segment_kind forward_backward" in line
        if '"nlp.turn"' in line:
            forward = False
        op = OP.match(line)
        if forward and op and re.fullmatch(options.recompute, op[3]):
            matches += 1
            if matches % options.every == 0:
                storage = ", ".join(["recompute"] * int(op[2] or 1))
                line = with_attribute(
                    line, op[1] + op[3] + op[4], op[5],
                    f"plan = #nlp.op_plan<storage = [{storage}]>",
                    line[op.end():])
        sys.stdout.write(line)
    if options.recompute != "$^" and not matches:
        sys.exit(f"mark.py: error: no op matches {options.recompute}")


if __name__ == "__main__":
    main()
