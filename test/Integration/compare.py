#===- compare.py - Compares a run with a recorded one --------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Compares what a training binary wrote with a recorded run.

  compare.py losses METRICS.jsonl expected.json [--rtol 1e-4] [--norm-rtol R]
      The losses and gradient norms, step by step; R is --rtol unless given.
      B may be the metrics of another run, too.
  compare.py tensors A.safetensors B.safetensors [--rtol 1e-5]
      |a - b| <= rtol |b| for each tensor, in the Euclidean norm.
  compare.py gradients A.safetensors B.safetensors [--rtol 1e-3] [--floor 1e-7]
      |a - b| <= rtol |b| + floor |all of B| for each tensor.
      With --before=X --lr=L, A holds the weights after one step of plain
      gradient descent from X: its gradients are (x - a) / L.

B is what is right. Names and shapes must be the same on both sides. Prints the
largest difference; exits with 1 and names what differs, 2 on wrong usage.
Needs numpy only. Sums are in f64 and use no BLAS.
"""
import argparse
import json
import math
import sys

import numpy as np

TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8",
         "I32": "<i4", "I16": "<i2", "I8": "<i1", "U8": "<u1", "BOOL": "<u1"}


def read_safetensors(path):
    """A dictionary of f64 arrays."""
    with open(path, "rb") as f:
        data = f.read()
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8:
        raise ValueError(f"{path}: expected a header of {size} bytes, but the "
                         f"file has {len(data)}")
    header, data = json.loads(data[8:8 + size]), data[8 + size:]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        if entry["dtype"] not in TYPES or not 0 <= begin <= end <= len(data):
            raise ValueError(f"{path}: cannot read {name}: {entry}")
        values = np.frombuffer(data[begin:end], TYPES[entry["dtype"]])
        if entry["dtype"] == "BF16":  # the upper half of an f32
            values = (values.astype("<u4") << 16).view("<f4")
        tensors[name] = values.astype(np.float64).reshape(entry["shape"])
    return tensors


def norm(array):
    return math.sqrt(np.sum(np.square(array)))


def ratio(difference, scale):
    if difference == 0:
        return 0.0
    return difference / scale if scale > 0 else math.inf


def read_metrics(path):
    """The lines of training steps; evaluations have lines too."""
    with open(path) as f:
        rows = [json.loads(line) for line in f if line.strip()]
    return [row for row in rows if "step" in row and "loss" in row]


def compare_losses(got_path, want_path, rtol, norm_rtol):
    rows = read_metrics(got_path)
    if want_path.endswith(".jsonl"):
        right = read_metrics(want_path)
        want = {"losses": [row["loss"] for row in right],
                "grad_norms": [row["grad_norm"] for row in right]}
    else:
        with open(want_path) as f:
            want = json.load(f)
    failures, report = [], []
    if len(rows) != len(want["losses"]):
        failures.append(f"expected {len(want['losses'])} steps, but got "
                        f"{len(rows)}")
    for key, column, limit in (("loss", "losses", rtol),
                               ("grad_norm", "grad_norms", norm_rtol)):
        worst = 0.0
        for row, right in zip(rows, want[column]):
            value = row.get(key)
            if not isinstance(value, (int, float)):
                failures.append(f"step {row['step']}: {key} expected {right}, "
                                f"but got {value}")
                continue
            off = ratio(abs(value - right), abs(right))
            worst = max(worst, off)
            if not off <= limit:  # a NaN fails too
                failures.append(f"step {row['step']}: {key} expected {right}, "
                                f"but got {value}: off by {off:.2e}, allowed "
                                f"{limit:.0e}")
        report.append(f"{key} {worst:.1e}")
    return failures, f"{len(rows)} steps, largest difference: " + \
        ", ".join(report)


def read_gradients(path, before_path, rate):
    """The gradients of the step from `before_path` to `path`. A rate that is a
    large power of two keeps them exact to the last bit of the weights."""
    after, before = read_safetensors(path), read_safetensors(before_path)
    if after.keys() != before.keys():
        raise ValueError(f"{path}: expected the tensors of {before_path}")
    return {name: (before[name] - after[name]) / rate for name in after}


def compare_tensors(got_path, got, want_path, rtol, floor):
    want = read_safetensors(want_path)
    failures = [f"{name}: missing in {got_path}"
                for name in sorted(want.keys() - got.keys())]
    failures += [f"{name}: not in {want_path}"
                 for name in sorted(got.keys() - want.keys())]
    everything = math.sqrt(sum(norm(t) ** 2 for t in want.values()))
    worst, where = 0.0, "none"
    for name in sorted(want.keys() & got.keys()):
        a, b = got[name], want[name]
        if a.shape != b.shape:
            failures.append(f"{name}: expected shape {list(b.shape)}, but got "
                            f"{list(a.shape)}")
            continue
        difference, scale = norm(a - b), norm(b)
        allowed = rtol * scale + floor * everything
        off = ratio(difference, scale)
        if off > worst:
            worst, where = off, name
        if not difference <= allowed:
            failures.append(f"{name}: |a - b| = {difference:.3e}, allowed "
                            f"{allowed:.3e}, |b| = {scale:.3e}, relative "
                            f"{off:.2e}")
    return failures, f"{len(want)} tensors, largest relative difference " \
        f"{worst:.1e} ({where})"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["losses", "tensors", "gradients"])
    parser.add_argument("got", metavar="A")
    parser.add_argument("want", metavar="B")
    parser.add_argument("--rtol", type=float)
    parser.add_argument("--norm-rtol", type=float)
    parser.add_argument("--floor", type=float)
    parser.add_argument("--before")
    parser.add_argument("--lr", type=float, default=1.0)
    options = parser.parse_args()
    rtol = options.rtol
    if rtol is None:
        rtol = dict(losses=1e-4, tensors=1e-5, gradients=1e-3)[options.what]
    floor = options.floor
    if floor is None:
        floor = 1e-7 if options.what == "gradients" else 0.0
    norm_rtol = rtol if options.norm_rtol is None else options.norm_rtol
    try:
        if options.what == "losses":
            failures, summary = compare_losses(options.got, options.want, rtol,
                                               norm_rtol)
        else:
            got = read_gradients(options.got, options.before, options.lr) \
                if options.before else read_safetensors(options.got)
            failures, summary = compare_tensors(options.got, got, options.want,
                                                rtol, floor)
    except (OSError, ValueError, KeyError, TypeError) as error:
        failures, summary = [f"{type(error).__name__}: {error}"], None
    for failure in failures:
        print(f"compare.py: error: {failure}", file=sys.stderr)
    if summary:
        print(summary)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
