#!/usr/bin/env bash
# Installs the build, builds examples/plugin against the installed copy alone,
# and takes the plugin's marks through the installed tools: clones appear, the
# arena shrinks, the losses stay the same to the bit.
#
#   plugin.sh BUILD SOURCE
set -euo pipefail
build=$(realpath "$1")
source=$(realpath "$2")
dir=$build/test/install
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir"

fail() {
  echo "plugin.sh: error: $*" >&2
  exit 1
}

cmake --install "$build" --prefix "$dir/prefix" >install.log
# Nothing below may fall back on the build or the source tree.
config=$source/test/Integration/fixtures/gpt2-tiny/config.json
tokens=$source/test/Integration/fixtures/gpt2-tiny/tokens.bin
cp -r "$source/examples/plugin" plugin
PATH=$dir/prefix/bin:$PATH
export XDG_CACHE_HOME=$dir/cache

cmake -G Ninja -S plugin -B plugin/build -DCMAKE_PREFIX_PATH="$dir/prefix" \
  >configure.log
cmake --build plugin/build >build.log || fail "$(cat build.log)"

# Headers bring what they need, also without the build's precompiled headers.
(cd prefix/include && find nlp -name '*.h' | LC_ALL=C sort) |
  sed 's/.*/#include "&"/' >headers.cpp
llvm=$(sed -n 's/^MLIR_DIR:PATH=\(.*\)\/lib\/cmake\/mlir$/\1/p' plugin/build/CMakeCache.txt)
"${CXX:-c++}" -std=c++20 -fsyntax-only -Iprefix/include \
  -isystem "$llvm/include" headers.cpp

nlp-import "$config" --global-batch=4 -o graph.mlir >/dev/null
for name in plain marked; do
  pass=
  [ "$name" = plain ] || pass='example-mark-recompute{min-bytes-per-kflop=100},'
  nlp-opt graph.mlir --load-pass-plugin=plugin/build/MarkRecompute.so \
    --pass-pipeline="builtin.module(nlp-to-joint,${pass}nlp-plan)" \
    --mlir-print-debuginfo -o $name.mlir
  nlp-opt $name.mlir --nlp-apply-recompute --mlir-print-debuginfo -o $name.applied.mlir
  nlp-compile $name.mlir -o $name
  ./$name --data="$tokens" --steps=3 --metrics=$name.jsonl >/dev/null
  grep -o '"loss":[^,]*' $name.jsonl >$name.losses
  ./$name --describe | sed -n 's/^arena.*(\([0-9]*\) bytes)/\1/p' >$name.bytes
done

grep -q 'storage = \[recompute' marked.mlir || fail "the plugin marked nothing"
clones=$(grep -c 'fused<"recompute">' marked.applied.mlir) ||
  fail "expected clones of the marked ops"
! grep -q 'fused<"recompute">' plain.applied.mlir || fail "clones without marks"
cmp plain.losses marked.losses || fail "the plan changed the losses"
[ "$(wc -l <plain.losses)" -eq 3 ] || fail "expected the losses of 3 steps"
[ "$(cat marked.bytes)" -lt "$(cat plain.bytes)" ] ||
  fail "expected fewer than $(cat plain.bytes) bytes, but got $(cat marked.bytes)"
echo "plugin: $clones clones, arena $(cat plain.bytes) -> $(cat marked.bytes) bytes"

# A plan of its own: the table of nlp-plan and the arena tell what it is worth.
sed 's/"n_layer": 2/"n_layer": 9/' "$source/examples/gpt2-bytes.json" >nine.json
nlp-import nine.json --global-batch=4 -o nine.mlir >/dev/null
for name in keep third; do
  pass=
  [ "$name" = keep ] || pass='example-keep-every-third,'
  nlp-opt nine.mlir --load-pass-plugin=plugin/build/KeepEveryThird.so \
    --pass-pipeline="builtin.module(nlp-to-joint,${pass}nlp-plan)" \
    --mlir-print-debuginfo -o $name.mlir
  nlp-plan $name.mlir >$name.table
  nlp-compile $name.mlir -o $name
  ./$name --data="$source/LICENSE" --steps=3 --metrics=$name.jsonl >/dev/null
  grep -o '"loss":[^,]*' $name.jsonl >$name.losses
  sed -n 's/^  peak .*(\([0-9]*\) bytes).*/\1/p' $name.table >$name.bytes
  [ "$(./$name --describe | sed -n 's/^arena.*(\([0-9]*\) bytes)/\1/p')" = \
    "$(cat $name.bytes)" ] || fail "expected the arena of the table of $name"
done
cmp keep.losses third.losses || fail "the plan changed the losses"
[ "$(cat third.bytes)" -lt "$(cat keep.bytes)" ] ||
  fail "expected fewer than $(cat keep.bytes) bytes, but got $(cat third.bytes)"
echo "plugin: every third input, arena $(cat keep.bytes) -> $(cat third.bytes) bytes"

# The main tool, the runtime library and the machine files are found from PATH.
nlp-train "$config" --machine=l4 --data="$tokens" --steps=1 >train.log
