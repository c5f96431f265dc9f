#!/bin/sh
# What recomputation costs on training steps, and what it must cost, by budget:
# scripts/bench/recompute.sh [gpt2|gpt2-cpu|llama|llama-96|gpt3]
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
ninja -C "$build" RecomputeBench >/dev/null
exec "$build/test/unit/Solver/RecomputeBench" "$@"
