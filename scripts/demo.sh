#!/usr/bin/env bash
# Sets the machine up, builds, then does the main job: trains a small
# GPT-2-shaped model on the King James Bible, byte by byte, and reports the loss
# on text that it has not seen. Files are left in build/demo/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./scripts/setup.sh

demo=build/demo
mkdir -p "$demo"

# One verse a line, in the order of the books, without the references.
bible -p /usr/lib -f Gen1:1-Rev22:21 </dev/null | sed 's/^[^ ]* //' >"$demo/bible.txt"
verses=$(wc -l <"$demo/bible.txt")
if [ "$verses" -lt 31000 ]; then
  echo "demo: error: expected 31102 verses from the program 'bible', but got $verses" >&2
  exit 1
fi

# The last twentieth is held out.
train_verses=$((verses * 19 / 20))
head -n "$train_verses" "$demo/bible.txt" >"$demo/train.txt"
tail -n "+$((train_verses + 1))" "$demo/bible.txt" >"$demo/valid.txt"

cat >"$demo/config.json" <<'JSON'
{
  "architectures": ["GPT2LMHeadModel"],
  "model_type": "gpt2",
  "vocab_size": 256,
  "n_layer": 6,
  "n_head": 6,
  "n_embd": 192,
  "n_positions": 256,
  "n_ctx": 256,
  "activation_function": "gelu_new",
  "layer_norm_epsilon": 1e-05,
  "resid_pdrop": 0.0,
  "embd_pdrop": 0.0,
  "attn_pdrop": 0.0,
  "tie_word_embeddings": true
}
JSON

echo "demo: training on $(wc -c <"$demo/train.txt") bytes, $(wc -c <"$demo/valid.txt") held out"
exec build/bin/nlp-train "$demo/config.json" \
  --data="$demo/train.txt" --eval-data="$demo/valid.txt" --eval-every=100 \
  --seq-len=128 --global-batch=8 --steps=1000 --data-order=shuffled \
  --lr=2e-3 --warmup=50 --schedule=cosine --weight-decay=0.1 --beta2=0.95 \
  --max-grad-norm=1.0 --seed=1 --metrics="$demo/metrics.jsonl" "$@"
