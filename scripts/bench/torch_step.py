#===- torch_step.py - A training step in PyTorch -------------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Times the training step of a model in PyTorch on the CPU, as JSON.

Reads the shape of a GPT-2 or Llama from a config.json, draws random weights
and tokens, and runs forward, backward, clipping by the global norm and AdamW.
Prints one line: seconds (median of the steps after the first two), times, rss
(peak resident bytes of this process), parameters, torch, mode.

The model is written here, without transformers, in the way that is fast on each
PyTorch from 1.13 on: scaled_dot_product_attention, rms_norm and fused AdamW are
used where they exist. Under --dtype=bf16 autocast chooses; the loss is in f32.
"""
import argparse
import json
import math
import os
import resource
import statistics
import sys
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--config", required=True, help="a config.json")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--seq-len", type=int, default=256)
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--mode", choices=["eager", "compile"],
                        default="eager")
    parser.add_argument("--adamw", choices=["plain", "fused"],
                        default="plain")
    parser.add_argument("--checkpoint", action="store_true",
                        help="recompute each block in the backward pass")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--clip", type=float, default=1.0)
    options = parser.parse_args()
    if options.steps < 3:
        parser.error("--steps: expected 3 or more, the first two warm up")
    return options


OPTIONS = arguments()
os.environ["OMP_NUM_THREADS"] = str(OPTIONS.threads)  # before torch reads it

try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError as error:
    sys.exit(f"torch_step.py: error: {error}")


def attend(q, k, v):
    """Causal attention; q [batch, heads, seq, width], k and v fewer heads."""
    if k.shape[1] != q.shape[1]:
        groups = q.shape[1] // k.shape[1]
        k, v = (t.repeat_interleave(groups, 1) for t in (k, v))
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    length = q.shape[2]
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
    return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v


def run_block(block, *values):
    if not OPTIONS.checkpoint:
        return block(*values)
    from torch.utils.checkpoint import checkpoint
    return checkpoint(block, *values, use_reentrant=False)


def heads(t, count):
    """[batch, seq, count * width] to [batch, count, seq, width]."""
    return t.view(t.shape[0], t.shape[1], count, -1).transpose(1, 2)


def merge(t):
    return t.transpose(1, 2).flatten(2)


class Gpt2Block(nn.Module):

    def __init__(self, c):
        super().__init__()
        width, self.heads = c["n_embd"], c["n_head"]
        inner = c.get("n_inner") or 4 * width
        epsilon = c.get("layer_norm_epsilon", 1e-5)
        self.ln_1 = nn.LayerNorm(width, epsilon)
        self.c_attn = nn.Linear(width, 3 * width)
        self.attn_proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width, epsilon)
        self.c_fc = nn.Linear(width, inner)
        self.mlp_proj = nn.Linear(inner, width)

    def forward(self, x):
        parts = self.c_attn(self.ln_1(x)).chunk(3, 2)
        q, k, v = (heads(t, self.heads) for t in parts)
        x = x + self.attn_proj(merge(attend(q, k, v)))
        inner = F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh")
        return x + self.mlp_proj(inner)


class Gpt2(nn.Module):

    def __init__(self, c):
        super().__init__()
        if c.get("activation_function", "gelu_new") != "gelu_new":
            sys.exit("torch_step.py: error: expected gelu_new in a GPT-2")
        self.wte = nn.Embedding(c["vocab_size"], c["n_embd"])
        self.wpe = nn.Embedding(c["n_positions"], c["n_embd"])
        self.blocks = nn.ModuleList(Gpt2Block(c) for _ in range(c["n_layer"]))
        self.ln_f = nn.LayerNorm(c["n_embd"], c.get("layer_norm_epsilon", 1e-5))

    def forward(self, inputs, targets):
        x = self.wte(inputs) + self.wpe(torch.arange(inputs.shape[1]))
        for block in self.blocks:
            x = run_block(block, x)
        logits = F.linear(self.ln_f(x), self.wte.weight)
        return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


class RmsNorm(nn.Module):

    def __init__(self, width, epsilon):
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(torch.ones(width)), epsilon

    def forward(self, x):
        if hasattr(F, "rms_norm"):
            return F.rms_norm(x, self.weight.shape, self.weight, self.epsilon)
        scale = torch.rsqrt(x.float().pow(2).mean(-1, True) + self.epsilon)
        return (x.float() * scale).to(x.dtype) * self.weight


def rotate(t, cos, sin):
    a, b = t.chunk(2, -1)
    return t * cos + torch.cat((-b, a), -1) * sin


class LlamaBlock(nn.Module):

    def __init__(self, c):
        super().__init__()
        width, inner = c["hidden_size"], c["intermediate_size"]
        self.heads = c["num_attention_heads"]
        self.kv_heads = c.get("num_key_value_heads") or self.heads
        head = c.get("head_dim") or width // self.heads
        epsilon = c.get("rms_norm_eps", 1e-6)
        self.attn_norm = RmsNorm(width, epsilon)
        self.q = nn.Linear(width, self.heads * head, bias=False)
        self.k = nn.Linear(width, self.kv_heads * head, bias=False)
        self.v = nn.Linear(width, self.kv_heads * head, bias=False)
        self.o = nn.Linear(self.heads * head, width, bias=False)
        self.mlp_norm = RmsNorm(width, epsilon)
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x, cos, sin):
        y = self.attn_norm(x)
        q = rotate(heads(self.q(y), self.heads), cos, sin)
        k = rotate(heads(self.k(y), self.kv_heads), cos, sin)
        v = heads(self.v(y), self.kv_heads)
        q, k = q.to(v.dtype), k.to(v.dtype)  # cos and sin are f32
        x = x + self.o(merge(attend(q, k, v)))
        y = self.mlp_norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):

    def __init__(self, c):
        super().__init__()
        width = c["hidden_size"]
        head = c.get("head_dim") or width // c["num_attention_heads"]
        self.embed = nn.Embedding(c["vocab_size"], width)
        self.blocks = nn.ModuleList(
            LlamaBlock(c) for _ in range(c["num_hidden_layers"]))
        self.norm = RmsNorm(width, c.get("rms_norm_eps", 1e-6))
        self.head = nn.Linear(width, c["vocab_size"], bias=False)
        if c.get("tie_word_embeddings", False):
            self.head.weight = self.embed.weight
        theta = c.get("rope_theta", 10000.0)
        rates = theta ** (-torch.arange(0, head, 2).float() / head)
        places = torch.arange(OPTIONS.seq_len).float()
        angles = torch.outer(places, rates).repeat(1, 2)  # [seq, head]
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, inputs, targets):
        x = self.embed(inputs)
        for block in self.blocks:
            x = run_block(block, x, self.cos, self.sin)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def build():
    with open(OPTIONS.config) as f:
        config = json.load(f)
    kinds = {"gpt2": Gpt2, "llama": Llama}
    kind = config.get("model_type")
    if kind not in kinds:
        sys.exit(f"torch_step.py: error: expected model_type gpt2 or llama, "
                 f"but got {kind}")
    model = kinds[kind](config)
    for parameter in model.parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=0.02)
    return model, config["vocab_size"]


def optimizer_for(model):
    more = {}
    if OPTIONS.adamw == "fused":
        if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 4):
            sys.exit("torch_step.py: error: fused AdamW on the CPU needs "
                     "PyTorch 2.4")
        more["fused"] = True
    return torch.optim.AdamW(model.parameters(), lr=OPTIONS.lr, **more)


def main():
    torch.set_num_threads(OPTIONS.threads)
    torch.manual_seed(0)
    model, vocabulary = build()
    step = model
    if OPTIONS.mode == "compile":
        if not hasattr(torch, "compile"):
            sys.exit("torch_step.py: error: torch.compile needs PyTorch 2.0")
        step = torch.compile(model)
    optimizer = optimizer_for(model)
    shape, half = (OPTIONS.batch, OPTIONS.seq_len), OPTIONS.dtype == "bf16"
    times, losses = [], []
    for _ in range(OPTIONS.steps):
        inputs = torch.randint(vocabulary, shape)
        targets = torch.randint(vocabulary, shape)
        start = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            loss = step(inputs, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), OPTIONS.clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        times.append(time.perf_counter() - start)
        losses.append(loss.item())
    print(json.dumps(dict(
        seconds=statistics.median(times[2:]), times=times,
        rss=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        parameters=sum(p.numel() for p in model.parameters()),
        torch=torch.__version__, mode=OPTIONS.mode, adamw=OPTIONS.adamw,
        dtype=OPTIONS.dtype, threads=OPTIONS.threads, loss=losses[-1])))


if __name__ == "__main__":
    main()
