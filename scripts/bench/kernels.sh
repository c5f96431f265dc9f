#!/bin/sh
# Rates of the generated kernels at GPT-2's sizes, as a share of this machine's
# copy rate: scripts/bench/kernels.sh [pointwise|norm|loss|optimizer|movement]
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
ninja -C "$build" KernelBench >/dev/null
exec "$build/test/unit/Conversion/KernelBench" "$@"
