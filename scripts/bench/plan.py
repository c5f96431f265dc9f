#===- plan.py - Seconds that planning takes, by phase --------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Times nlp-plan for models of several depths: scripts/bench/plan.py 24 96 384

The models have the width of GPT-3 175B, or what --config says, with another
number of layers. First the CPU seconds of all of nlp-plan on one core, with
seconds per thousand layers, which stay the same where the time is linear; then
the passes of one plan from graph to arena, as nlp-opt times them without its
verifier. Where other work runs, repeat and take the smallest: --runs.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GPT3 = {
    "model_type": "gpt2",
    "n_embd": 12288,
    "n_head": 96,
    "n_positions": 2048,
    "vocab_size": 50257,
    "activation_function": "gelu_new",
}
PASSES = ["-nlp-to-joint", "-nlp-plan", "-nlp-apply", "-nlp-to-runtime"]
# Passes below this are printed as one line.
SMALLEST_SHARE = 0.01


def run(command):
    """Runs a command; returns its standard error and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"plan.py: error: {' '.join(command)}: {done.stderr.strip()}")
    seconds = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return done.stderr, seconds


def parse_timing(report):
    """Seconds by pass out of what -mlir-timing prints as a list."""
    seconds = {}
    for line in report.splitlines():
        found = re.match(r"\s+([0-9.]+) \( *[0-9.]+%\)  (\S+)$", line)
        if found and found[2] not in ("root", "Total"):
            seconds[found[2]] = float(found[1])
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("layers", type=int, nargs="*", default=[24, 96, 384])
    parser.add_argument("--config", help="config.json of another model")
    parser.add_argument("--bin", default=os.path.join(HERE, "..", "..", "build", "bin"))
    parser.add_argument("--machine", default="a100-80g")
    parser.add_argument("--memory-budget", default="100TiB")
    parser.add_argument("--runs", type=int, default=1)
    args = parser.parse_args()
    # Children inherit it.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    config = GPT3
    if args.config:
        with open(args.config) as file:
            config = json.load(file)
    depth = "n_layer" if config["model_type"] == "gpt2" else "num_hidden_layers"
    with tempfile.TemporaryDirectory() as folder:
        for layers in args.layers:
            model = os.path.join(folder, f"{layers}.json")
            with open(model, "w") as file:
                json.dump({**config, depth: layers}, file)
            plan = [os.path.join(args.bin, "nlp-plan"), model,
                    f"--machine={args.machine}",
                    f"--memory-budget={args.memory_budget}"]
            total = min(run(plan)[1] for _ in range(args.runs))
            print(f"{layers} layers: nlp-plan {total:.2f} s, "
                  f"{1000 * total / layers:.1f} s per thousand layers")
            graph = os.path.join(folder, "graph.mlir")
            _, seconds = run([os.path.join(args.bin, "nlp-import"), model,
                              "-o", graph])
            print(f"  {seconds:7.3f} s  nlp-import, with the text it writes")
            report, _ = run([os.path.join(args.bin, "nlp-opt"), graph, *PASSES,
                             "-verify-each=0", "-mlir-timing",
                             "-mlir-timing-display=list", "-o", os.devnull])
            passes = parse_timing(report)
            for text in ("Parser", "Output", "Rest"):
                passes.pop(text, None)
            rest = SMALLEST_SHARE * sum(passes.values())
            for name, seconds in passes.items():
                if seconds >= rest:
                    print(f"  {seconds:7.3f} s  {name}")
            small = sum(s for s in passes.values() if s < rest)
            print(f"  {small:7.3f} s  other passes", flush=True)


if __name__ == "__main__":
    main()
