#===- same-evaluation.py - Compares losses on held-out data ---*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""same-evaluation.py METRICS REFERENCE: the last eval_loss of a run's metrics is
the mean of the losses in REFERENCE, to 1e-6 of it."""
import json
import sys

got, want = ([json.loads(line) for line in open(path)]
             for path in sys.argv[1:3])
loss = [row["eval_loss"] for row in got if "eval_loss" in row][-1]
losses = [row["loss"] for row in want]
mean = sum(losses) / len(losses)
if not abs(loss - mean) <= 1e-6 * mean:
    sys.exit(f"eval_loss is {loss}, the mean of {len(losses)} losses is {mean}")
print(f"{loss} is {mean} to {abs(loss - mean) / mean:.1e}")
