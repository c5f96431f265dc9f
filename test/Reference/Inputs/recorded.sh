#!/bin/sh
# Runs the interpreter as one of the recorded PyTorch runs was, and compares 20
# losses and gradient norms, and the first gradients.
#
#   recorded.sh MODEL PREFIX    MODEL: a folder of Integration/fixtures;
#                               PREFIX: of temporary files
#
# Debian's own python3 has numpy; another one may come first in PATH.
set -e
here=$(dirname "$0")
integration=$here/../../Integration
model=$integration/fixtures/$1
python=/usr/bin/python3

setting() {
  $python -c "import json, sys
print(eval(sys.argv[2], json.load(open(sys.argv[1]))))" \
    "$model/expected.json" "$1"
}

nlp-import "$model" --seq-len="$(setting seq_len)" \
  --global-batch="$(setting batch)" -o "$2.graph.mlir"
nlp-opt "$2.graph.mlir" -nlp-autodiff -nlp-add-optimizer -o "$2.joint.mlir"
nlp-interpret "$2.joint.mlir" --steps="$(setting steps)" \
  --data="$model/tokens.bin" --weights="$model/model.safetensors" \
  --schedule=constant --warmup=0 --lr="$(setting 'optimizer["lr"]')" \
  --beta1="$(setting 'optimizer["beta1"]')" \
  --beta2="$(setting 'optimizer["beta2"]')" \
  --eps="$(setting 'optimizer["eps"]')" \
  --weight-decay="$(setting 'optimizer["weight_decay"]')" \
  --max-grad-norm="$(setting 'optimizer["max_grad_norm"]')" \
  --metrics="$2.jsonl" --save-gradients="$2.safetensors"
$python "$integration/compare.py" losses "$2.jsonl" "$model/expected.json" \
  --rtol 2e-6
$python "$integration/compare.py" gradients "$2.safetensors" \
  "$model/gradients.safetensors" --rtol 1e-5
