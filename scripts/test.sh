#!/usr/bin/env bash
# Sets the machine up, builds, then runs every test; ends with ctest's summary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./scripts/setup.sh
exec ctest --test-dir build --output-on-failure
