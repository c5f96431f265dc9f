#===- step.py - A training step against PyTorch's ------------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Measures a training step of this project and of PyTorch side by side.

First each PyTorch variant (interpreter, eager or compiled, plain or fused
AdamW) runs a few steps, and the fastest is kept. Then both sides run in turns
(A B A B), since other work on a machine moves times by more than they differ;
the first two steps of each run warm up and do not count. Prints both medians,
their ratio, and both peaks of resident memory above the model state (16 bytes a
parameter: f32 weight, gradient and two moments). Both sides have the same
model, shapes, optimizer settings and number of threads.

PyTorch: `python3 -m venv DIR && DIR/bin/pip install torch`, then
--python=DIR/bin/python; or Debian's python3-torch with libopenblas0-pthread.
"""
import argparse
import itertools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from array import array

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.path.join(HERE, "..", "..", "build", "bin")
STATE_BYTES = 16
WARMUP = 2


def fail(message):
    print(f"step.py: error: {message}", file=sys.stderr)
    sys.exit(1)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default="gpt2-124m",
                        help="gpt2-124m, llama-135m or a config.json")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--seq-len", type=int, default=256)
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=6,
                        help="of each run, the two that warm up included")
    parser.add_argument("--python", action="append", metavar="PATH",
                        help="an interpreter with PyTorch (repeatable); "
                        "default: python3 and /usr/bin/python3")
    parser.add_argument("--plan-option", action="append", default=[],
                        metavar="OPTION", help="passed to nlp-plan "
                        "(repeatable), as --plan-option=--recompute=block")
    parser.add_argument("--bin", default=BIN, help="folder of the built tools")
    parser.add_argument("--torch-only", action="store_true")
    parser.add_argument("--json", metavar="FILE", help="write the figures too")
    parser.add_argument("--bar", type=float, metavar="RATIO",
                        help="exit with 1 when the ratio of times is above")
    options = parser.parse_args()
    if options.steps <= WARMUP or options.rounds < 1:
        parser.error(f"expected --steps above {WARMUP} and --rounds above 0")
    named = os.path.join(HERE, "models", options.model + ".json")
    options.config = named if os.path.exists(named) else options.model
    if not os.path.isfile(options.config):
        parser.error(f"--model: no {options.model}")
    return options


def cpu_flags():
    with open("/proc/cpuinfo") as f:
        return next((set(line.split()) for line in f
                     if line.startswith("flags")), set())


def environment(python, threads):
    """Debian's OpenBLAS and PyTorch do not know newer CPUs: tell them."""
    env = dict(os.environ, OMP_NUM_THREADS=str(threads))
    flags = cpu_flags()
    if os.path.realpath(python).startswith("/usr/bin/"):
        if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= flags:
            env.update(OPENBLAS_CORETYPE="SKYLAKEX",
                       ATEN_CPU_CAPABILITY="avx512")
        elif {"avx2", "fma"} <= flags:
            env.update(OPENBLAS_CORETYPE="HASWELL", ATEN_CPU_CAPABILITY="avx2")
    return env


def run_torch(options, variant, steps, *more):
    """Returns a run's figures, or the reason why there are none."""
    python, mode, adamw = variant
    command = [python, os.path.join(HERE, "torch_step.py"),
               f"--config={options.config}", f"--batch={options.batch}",
               f"--seq-len={options.seq_len}", f"--dtype={options.dtype}",
               f"--threads={options.threads}", f"--mode={mode}",
               f"--adamw={adamw}", f"--steps={steps}", *more]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=environment(python, options.threads))
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        said = done.stderr.strip().splitlines()
        return None, said[-1] if said else f"exit {done.returncode}"
    return json.loads(lines[-1]), None


def fastest_torch(options):
    pythons = options.python or ["python3", "/usr/bin/python3"]
    found = dict.fromkeys(filter(None, map(shutil.which, pythons)))
    best = None
    for python in found:
        for mode, adamw in itertools.product(("eager", "compile"),
                                             ("plain", "fused")):
            variant = (python, mode, adamw)
            figures, reason = run_torch(options, variant, WARMUP + 3)
            name = f"{python} {mode} {adamw}"
            if not figures:
                print(f"  {name}: {reason}", flush=True)
                if "No module named" in reason:
                    break
                continue
            seconds = min(figures["times"][WARMUP:])
            print(f"  {name}: PyTorch {figures['torch']}, {seconds:.3f} s",
                  flush=True)
            if best is None or seconds < best[0]:
                best = seconds, variant, figures["torch"]
    if best is None:
        fail("expected an interpreter with PyTorch, but found none among "
             + ", ".join(pythons))
    return best[1:]


def tool(options, name):
    path = os.path.join(options.bin, name)
    if not os.access(path, os.X_OK):
        fail(f"expected a built {name} at {os.path.normpath(path)}")
    return path


def call(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{os.path.basename(command[0])}: exit {done.returncode}: "
             f"{done.stderr.strip()}")


def compile_ours(options, folder):
    """Config to executable; returns the binary, the plan, the seconds."""
    planned, plan, binary = (os.path.join(folder, name) for name in (
        "planned.mlir", "plan.json", "train"))
    numerics = "exact" if options.dtype == "f32" else "mixed"
    start = time.perf_counter()
    call([tool(options, "nlp-plan"), options.config,
          f"--seq-len={options.seq_len}", f"--global-batch={options.batch}",
          f"--micro-batch={options.batch}", f"--numerics={numerics}",
          *options.plan_option, "-o", planned, f"--json={plan}"])
    call([tool(options, "nlp-compile"), planned, "-o", binary])
    seconds = time.perf_counter() - start
    with open(plan) as f:
        return binary, json.load(f), seconds


def write_tokens(options, path):
    with open(options.config) as f:
        vocabulary = json.load(f)["vocab_size"]
    count = options.steps * options.batch * options.seq_len + 1
    rng = random.Random(0)
    tokens = array("H", (rng.randrange(vocabulary) for _ in range(count)))
    if sys.byteorder == "big":
        tokens.byteswap()
    with open(path, "wb") as f:
        tokens.tofile(f)


def run_ours(options, binary, tokens, folder):
    metrics = os.path.join(folder, "metrics.jsonl")
    log = os.path.join(folder, "log.txt")
    if os.path.exists(metrics):
        os.remove(metrics)
    command = [binary, f"--data={tokens}", f"--steps={options.steps}",
               "--lr=1e-4", "--schedule=constant", "--max-grad-norm=1.0",
               f"--metrics={metrics}"]
    with open(log, "w") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=out, cwd=folder,
            env=dict(os.environ, OMP_NUM_THREADS=str(options.threads)))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        with open(log) as f:
            fail(f"training binary: exit {process.returncode}: "
                 f"{f.read().strip()[-500:]}")
    with open(metrics) as f:
        rows = [json.loads(line) for line in f if line.strip()]
    rows = [row for row in rows if "step_seconds" in row]
    return dict(times=[row["step_seconds"] for row in rows],
                rss=usage.ru_maxrss * 1024, memory=rows[-1]["memory_bytes"])


def summarize(runs, parameters):
    times = [t for run in runs for t in run["times"][WARMUP:]]
    rss = max(run["rss"] for run in runs)
    return dict(seconds=statistics.median(times), fastest=min(times), rss=rss,
                above_state=rss - STATE_BYTES * parameters)


def row(name, figures):
    return (f"  {name:10} {figures['seconds']:8.3f} s (fastest "
            f"{figures['fastest']:.3f} s), peak {figures['rss'] / 2**20:7.0f} "
            f"MiB, above state {figures['above_state'] / 2**20:7.0f} MiB")


def main():
    options = arguments()
    print(f"{os.path.basename(options.config)}, batch {options.batch} x "
          f"{options.seq_len}, {options.dtype}, {options.threads} threads, "
          f"load {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs, result = [], [], {}
        if not options.torch_only:
            binary, plan, result["compile_seconds"] = compile_ours(options,
                                                                   folder)
            tokens = os.path.join(folder, "tokens.bin")
            write_tokens(options, tokens)
            print(f"  config to executable {result['compile_seconds']:.1f} s")
        variant, version = fastest_torch(options)
        for _ in range(options.rounds):
            if not options.torch_only:
                ours.append(run_ours(options, binary, tokens, folder))
            figures, reason = run_torch(options, variant, options.steps)
            if not figures:
                fail(f"{variant[0]}: {reason}")
            theirs.append(figures)

    parameters = theirs[0]["parameters"]
    result["pytorch"] = dict(summarize(theirs, parameters), torch=version,
                             mode=variant[1], adamw=variant[2])
    if ours:
        if plan["parameters"] != parameters:
            fail(f"expected {parameters} parameters as in PyTorch, but got "
                 f"{plan['parameters']}")
        result["ours"] = dict(summarize(ours, parameters),
                              arena=ours[-1]["memory"],
                              planned=plan["peak_bytes"])
        print(row("nlp-opt", result["ours"]))
    print(row("PyTorch", result["pytorch"]) + f" ({version} {variant[1]} "
          f"{variant[2]})")
    if ours:
        mine, other = result["ours"], result["pytorch"]
        result["time_ratio"] = mine["seconds"] / other["seconds"]
        result["memory_ratio"] = (mine["above_state"]
                                  / max(1, other["above_state"]))
        print(f"  ratio of times {result['time_ratio']:.2f}, of memory above "
              f"state {result['memory_ratio']:.2f}; arena "
              f"{mine['arena'] / 2**20:.0f} MiB, planned "
              f"{mine['planned'] / 2**20:.0f} MiB, predicted step "
              f"{plan['step_seconds']:.3f} s")
    if options.json:
        with open(options.json, "w") as f:
            json.dump(result, f, indent=1)
            f.write("\n")
    if ours and options.bar and result["time_ratio"] > options.bar:
        fail(f"expected a ratio of at most {options.bar}, but got "
             f"{result['time_ratio']:.3f}")


if __name__ == "__main__":
    main()
