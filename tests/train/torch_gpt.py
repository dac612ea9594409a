#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gpt again on PyTorch's own operations: trains it on one batch from given weights and reports the losses.

torch_gpt.py DIRECTORY reads there model.json, weights.bin (fp32, all parameters one after the other), tokens.bin and
targets.bin (int32), and writes gradients.bin (of the first step, before clipping, same order as the weights) and
losses.json.
"""
import json
import pathlib
import sys

import torch
import torch.nn.functional as F

folder = pathlib.Path(sys.argv[1])
model = json.loads((folder / "model.json").read_text())
torch.set_num_threads(1)


def read(name, kind):
    return torch.frombuffer(bytearray((folder / name).read_bytes()), dtype=kind)


block = read("weights.bin", torch.float32)
weights, offset = {}, 0
for parameter in model["parameters"]:
    count = torch.Size(parameter["shape"]).numel()
    weights[parameter["name"]] = block[offset : offset + count].view(parameter["shape"]).clone().requires_grad_()
    offset += count
assert offset == block.numel()
shape = (model["samples"], model["sequence"])
tokens = read("tokens.bin", torch.int32).long().view(shape)
targets = read("targets.bin", torch.int32).long().view(shape)


def norm(x, name):
    return F.layer_norm(x, x.shape[-1:], weights[name + ".weight"], weights[name + ".bias"])


def linear(x, name):
    return x @ weights[name + ".weight"] + weights[name + ".bias"]


def attention(x, name):
    samples, sequence, hidden = x.shape
    heads = (samples, sequence, model["heads"], hidden // model["heads"])
    q, k, v = (part.view(heads).transpose(1, 2) for part in linear(x, name + ".c_attn").split(hidden, 2))
    scores = q @ k.transpose(-2, -1) / (heads[3] ** 0.5)
    future = torch.ones(sequence, sequence, dtype=torch.bool).triu(1)
    mixed = scores.masked_fill(future, float("-inf")).softmax(-1) @ v
    return linear(mixed.transpose(1, 2).reshape(samples, sequence, hidden), name + ".c_proj")


def loss():
    x = weights["wte.weight"][tokens] + weights["wpe.weight"]
    for layer in range(model["layers"]):
        h = f"h.{layer}"
        x = x + attention(norm(x, h + ".ln_1"), h + ".attn")
        inner = F.gelu(linear(norm(x, h + ".ln_2"), h + ".mlp.c_fc"), approximate="tanh")
        x = x + linear(inner, h + ".mlp.c_proj")
    logits = norm(x, "ln_f") @ weights["wte.weight"].T
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


groups = [
    {
        "params": [weights[p["name"]] for p in model["parameters"] if p["decays"] == decays],
        "weight_decay": model["weight_decay"] if decays else 0.0,
    }
    for decays in (True, False)
]
optimizer = torch.optim.AdamW(groups, lr=model["learning_rate"], betas=model["betas"], eps=model["epsilon"])
losses = []
for step in range(model["steps"]):
    optimizer.zero_grad()
    value = loss()
    value.backward()
    if step == 0:
        gradients = torch.cat([weights[p["name"]].grad.flatten() for p in model["parameters"]])
        (folder / "gradients.bin").write_bytes(bytes(gradients.contiguous().view(torch.uint8).tolist()))
    torch.nn.utils.clip_grad_norm_(list(weights.values()), model["clip"])
    optimizer.step()
    losses.append(value.item())
(folder / "losses.json").write_text(json.dumps(losses))
