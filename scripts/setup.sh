#!/usr/bin/env bash
# Installs what is missing from Debian's packages, configures build/ and builds.
# Idempotent; takes a moment where nothing is missing. Runs as root or with sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# LLVM 22 comes from bookworm-security, which Debian 12 has in its sources.
packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22
  clang-format-22 lld-22 libclang-rt-22-dev ccache mold ninja-build cmake g++
  libdnnl-dev libopenmpi-dev openmpi-bin coinor-libcbc-dev coinor-cbc
  nlohmann-json3-dev libcli11-dev libzip-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  python3 python3-numpy bible-kjv bible-kjv-text
)

# Names the packages that are not installed, one a line.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' \
    "${packages[@]}" 2>/dev/null | sed -n 's/ installed$//p') || true
  printf '%s\n' "${packages[@]}" | grep -vxF "$installed" || true
}

install_missing() {
  local missing as_root=()
  mapfile -t missing < <(missing_packages)
  if [ "${#missing[@]}" -eq 0 ]; then
    return
  fi
  if ! command -v apt-get >/dev/null; then
    echo "setup: error: expected a Debian machine with apt-get; missing: ${missing[*]}" >&2
    exit 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "setup: error: expected to run as root or to find sudo; missing: ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 -qq update ||
    echo "setup: warning: some package lists could not be updated; going on" >&2
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -qq -y --no-install-recommends \
    install "${missing[@]}"; then
    echo "setup: error: apt-get failed; LLVM 22 needs Debian 12 with bookworm-security in its sources" >&2
    exit 1
  fi
}

install_missing
if [ ! -f build/build.ninja ]; then
  cmake -G Ninja -S . -B build
fi
cmake --build build --parallel "$(nproc)"
