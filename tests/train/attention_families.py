#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small random model of transformers whose attention has what a block of Shardlab can say, under Shardlab's names.

attention_families.py DIRECTORY SEED FAMILY writes weights/NAME and gradients/NAME (fp32, the gradient of the loss), tokens.bin
and targets.bin (int32, samples × sequence) and loss.txt. What a block cannot say stands still:
  bloom    the norm behind its token embedding is left out
  mpt      as it is; its norms have no shifts, which are zeros here and have no gradient
  gemma2   the norms behind its branches are left out
  gpt_oss  a gated block in the place of its experts
"""
import pathlib
import sys

import torch
import torch.nn.functional as F
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.models.llama.modeling_llama import LlamaMLP

folder, seed, family = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
torch.set_num_threads(1)
torch.manual_seed(seed)
HIDDEN, HEADS, KEYS, WIDTH, INNER, LAYERS, VOCABULARY = 48, 6, 2, 10, 112, 3, 131
LLAMA = {"hidden_size": HIDDEN, "num_attention_heads": HEADS, "num_key_value_heads": KEYS, "head_dim": WIDTH,
         "intermediate_size": INNER, "num_hidden_layers": LAYERS, "vocab_size": VOCABULARY, "tie_word_embeddings": False,
         "sliding_window": 5, "rope_parameters": {"rope_type": "default", "rope_theta": 1000.0}}
CONFIGS = {
    "bloom": {"hidden_size": HIDDEN, "n_head": HEADS, "n_layer": LAYERS, "vocab_size": VOCABULARY},
    "mpt": {"d_model": HIDDEN, "n_heads": HEADS, "n_layers": LAYERS, "vocab_size": VOCABULARY, "max_seq_len": 64},
    "gemma2": LLAMA | {"query_pre_attn_scalar": WIDTH, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0},
    "gpt_oss": LLAMA,
}
config = AutoConfig.for_model(family, **CONFIGS[family])
model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").float()


class Dense(LlamaMLP):
    def forward(self, x):
        return super().forward(x), None


if family == "bloom":
    model.transformer.word_embeddings_layernorm = torch.nn.Identity()
if family == "gemma2":
    for layer in model.model.layers:
        layer.post_attention_layernorm = layer.post_feedforward_layernorm = torch.nn.Identity()
if family == "gpt_oss":
    config.mlp_bias, config.hidden_act = True, "silu"
    for layer in model.model.layers:
        layer.mlp = Dense(config)
with torch.no_grad():
    for name, value in model.named_parameters():
        value.add_(torch.randn_like(value) * (1.0 if name.endswith("sinks") else 0.15))

tokens = torch.randint(1, VOCABULARY, (3, 16))  # 0 pads in Gemma: PyTorch leaves its row without a gradient
targets = torch.randint(VOCABULARY, (3, 16))
loss = F.cross_entropy(model(tokens).logits.flatten(0, 1), targets.flatten())
loss.backward()


def apart(joined):
    """[heads · 3 · width, …] of Bloom as all queries, all keys, all values."""
    return joined.unflatten(0, (HEADS, 3, -1)).transpose(0, 1).flatten(0, 2)


def grouped(q, k, v):
    """For each head of keys the queries that share it, the key, its value."""
    parts = [x.unflatten(0, (KEYS, -1)) for x in (q, k, v)]
    return torch.cat(parts, 1).flatten(0, 1)


def ours(of, gradients):
    """Shardlab's tensors, linear in those of transformers but for what is constant."""
    made = {}
    if family in ("bloom", "mpt"):
        made["wte.weight"] = of("transformer." + ("word_embeddings" if family == "bloom" else "wte") + ".weight")
        names = (("input_layernorm", "self_attention.query_key_value", "self_attention.dense", "post_attention_layernorm",
                  "mlp.dense_h_to_4h", "mlp.dense_4h_to_h") if family == "bloom" else
                 ("norm_1", "attn.Wqkv", "attn.out_proj", "norm_2", "ffn.up_proj", "ffn.down_proj"))
        for i in range(LAYERS):
            place = f"transformer.{'h' if family == 'bloom' else 'blocks'}.{i}."
            for name, theirs in zip(("ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"), names):
                turn = apart if name == "attn.c_attn" and family == "bloom" else lambda x: x
                weight = turn(of(place + theirs + ".weight"))
                made[f"h.{i}.{name}.weight"] = weight.T if weight.dim() == 2 else weight
                if family == "bloom":
                    made[f"h.{i}.{name}.bias"] = turn(of(place + theirs + ".bias"))
        last = "transformer." + ("ln_f" if family == "bloom" else "norm_f")
        made["ln_f.weight"] = of(last + ".weight")
        if family == "bloom":
            made["ln_f.bias"] = of(last + ".bias")
        elif not gradients:
            for name in [name for name in made if ".ln_" in name or name.startswith("ln_f")]:
                made[name.replace("weight", "bias")] = torch.zeros(HIDDEN)
        return made
    # The factors of Gemma's norms are 1 + what it stores, and its embeddings are √hidden times what it stores.
    gemma, root = family == "gemma2", HIDDEN ** 0.5
    norm = lambda name: of(name + ".weight") + (1 if gemma and not gradients else 0)
    table = of("model.embed_tokens.weight")
    made["wte.weight"] = table if not gemma else table / root if gradients else table * root
    made["lm_head.weight"], made["ln_f.weight"] = of("lm_head.weight"), norm("model.norm")
    for i in range(LAYERS):
        place = f"model.layers.{i}."
        made[f"h.{i}.ln_1.weight"] = norm(place + "input_layernorm")
        made[f"h.{i}.ln_2.weight"] = norm(place + ("pre_feedforward_layernorm" if gemma else "post_attention_layernorm"))
        for part in ("weight",) if gemma else ("weight", "bias"):
            turn = (lambda x: x.T) if part == "weight" else lambda x: x
            get = lambda name: of(f"{place}{name}.{part}")
            made[f"h.{i}.attn.qkv.{part}"] = turn(grouped(*(get(f"self_attn.{x}_proj") for x in "qkv")))
            made[f"h.{i}.attn.c_proj.{part}"] = turn(get("self_attn.o_proj"))
            made[f"h.{i}.mlp.gate_up.{part}"] = turn(torch.cat([get("mlp.gate_proj"), get("mlp.up_proj")]))
            made[f"h.{i}.mlp.c_proj.{part}"] = turn(get("mlp.down_proj"))
        if not gemma:
            made[f"h.{i}.attn.sinks"] = of(place + "self_attn.sinks")
    return made


parameters = dict(model.named_parameters())
for kind, of in (("weights", lambda name: parameters[name].detach()), ("gradients", lambda name: parameters[name].grad)):
    (folder / kind).mkdir(parents=True)
    for name, value in ours(of, kind == "gradients").items():
        (folder / kind / name).write_bytes(value.contiguous().numpy().tobytes())
for name, value in (("tokens", tokens), ("targets", targets)):
    (folder / f"{name}.bin").write_bytes(value.to(torch.int32).numpy().tobytes())
(folder / "loss.txt").write_text(f"{loss.item():.9g}")
