#===- random_models.py - Small models of all kinds -----------*- python -*-===#
#
# Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===-----------------------------------------------------------------------===#
"""Draws configurations that import, and the options that shape their steps.

Widths are odd where the family allows it, heads share keys and values or not,
embeddings are tied or not; dropout is on in a half of those that have it.
"""

# Shallow ones are more frequent: they are planned sooner.
LAYERS = (1, 1, 2, 2, 3, 3, 4, 5, 6)


def draw_gpt2(draw):
    heads = draw.randint(1, 4)
    rate = draw.choice([0.0, 0.1])
    return {
        "model_type": "gpt2", "n_layer": draw.choice(LAYERS), "n_head": heads,
        "n_embd": heads * draw.randint(3, 17), "n_positions": 64,
        "vocab_size": draw.randint(17, 400), "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5, "initializer_range": 0.05,
        "attn_pdrop": rate, "embd_pdrop": rate, "resid_pdrop": rate,
        "tie_word_embeddings": draw.random() < 0.7,
    }


def draw_llama_like(draw, family):
    """Llama and what came after it: rotary positions, RMS norms, SiLU."""
    shared, sharing = draw.randint(1, 3), draw.randint(1, 3)
    head = 2 * draw.randint(2, 9)
    config = {
        "model_type": family, "num_hidden_layers": draw.choice(LAYERS),
        "num_attention_heads": shared * sharing, "num_key_value_heads": shared,
        "hidden_size": draw.randrange(9, 71, 2), "head_dim": head,
        "intermediate_size": draw.randrange(15, 151, 2),
        "max_position_embeddings": 64, "vocab_size": draw.randint(17, 400),
        "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
        "initializer_range": 0.05, "attention_dropout": draw.choice([0.0, 0.1]),
        "tie_word_embeddings": draw.random() < 0.5,
    }
    if family == "mistral":
        config["sliding_window"] = draw.choice([None, 8])
    if family == "qwen2":  # its heads have the width of the model together
        config["hidden_size"] = head * shared * sharing
        del config["head_dim"]
    return config


FAMILIES = ("gpt2", "llama", "mistral", "qwen2", "qwen3")


def draw_model(draw):
    family = draw.choice(FAMILIES)
    return draw_gpt2(draw) if family == "gpt2" else draw_llama_like(draw, family)


def draw_options(draw):
    """Sequence, batch, and what of the plan is fixed."""
    length, batch = draw.randint(3, 36), draw.choice([1, 2, 3, 4, 6])
    options = [f"--seq-len={length}", f"--global-batch={batch}",
               "--clip=" + draw.choice(["on", "off"])]
    micro_batch = draw.choice([size for size in range(1, batch + 1)
                               if batch % size == 0])
    if draw.random() < 0.5:
        options.append(f"--micro-batch={micro_batch}")
    if draw.random() < 0.5:
        # No more chunks than the smallest micro-batch has tokens.
        options.append(f"--loss-chunks={draw.randint(1, min(9, length))}")
    return options
