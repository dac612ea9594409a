#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A layer with experts on PyTorch's own operations, dispatched by one-hot products as in the papers' code.

torch_experts.py DIRECTORY reads there model.json, weights.bin (fp32, all parameters one after the other), input.bin and
given.bin (the output's gradient), and writes output.bin and gradients.bin (of the input, then of the weights in their order).
"""
import json
import pathlib
import sys

import torch
import torch.nn.functional as F

folder = pathlib.Path(sys.argv[1])
model = json.loads((folder / "model.json").read_text())
torch.set_num_threads(1)
shape = (model["samples"], model["sequence"], model["hidden"])
experts, capacity = model["experts"], model["capacity"]


def read(name):
    return torch.frombuffer(bytearray((folder / name).read_bytes()), dtype=torch.float32)


def write(name, tensors):
    flat = torch.cat([tensor.detach().flatten() for tensor in tensors])
    (folder / name).write_bytes(bytes(flat.contiguous().view(torch.uint8).tolist()))


block = read("weights.bin")
weights, offset = {}, 0
for parameter in model["parameters"]:
    count = torch.Size(parameter["shape"]).numel()
    weights[parameter["name"]] = block[offset : offset + count].view(parameter["shape"]).clone().requires_grad_()
    offset += count
x = read("input.bin").view(shape).clone().requires_grad_()

y = F.layer_norm(x, shape[-1:], weights["h.1.ln_2.weight"], weights["h.1.ln_2.bias"])
scores = y @ weights["h.1.moe.gate.weight"]
balance = torch.zeros(())
if model["gate"] == "expert-choice":
    gates = scores.softmax(-1)
    chosen = gates.transpose(1, 2).topk(capacity, dim=-1).indices  # [b, experts, places]
    dispatch = F.one_hot(chosen, shape[1]).float().permute(0, 3, 1, 2)  # [b, s, experts, places]
else:
    choices = model["choices"]
    if model["gate"] == "hierarchical":
        groups, group_choices = model["groups"], model["group_choices"]
        of_groups = y @ weights["h.1.moe.group_gate.weight"]
        best_groups = of_groups.topk(group_choices, dim=-1)
        inside = scores.unflatten(-1, (groups, experts // groups))
        best_inside = inside.topk(choices // group_choices, dim=-1)
        chosen = best_inside.indices + torch.arange(groups).unsqueeze(-1) * (experts // groups)
        taken_groups = best_groups.indices.unsqueeze(-1).expand(*shape[:2], group_choices, choices // group_choices)
        chosen = chosen.gather(2, taken_groups).flatten(-2)
        within = torch.zeros_like(inside).scatter(-1, best_inside.indices, best_inside.values.softmax(-1))
        between = torch.zeros_like(of_groups).scatter(-1, best_groups.indices, best_groups.values.softmax(-1))
        gates = (between.unsqueeze(-1) * within).flatten(-2)
    else:
        best = scores.topk(choices, dim=-1)
        chosen = best.indices
        gates = torch.zeros_like(scores).scatter(-1, chosen, best.values.softmax(-1))
    if model["gate"] in ("switch", "gshard"):
        all_gates = scores.softmax(-1)
        first = F.one_hot(chosen[..., 0], experts).float()
        balance = experts * (first.mean(1) * all_gates.mean(1)).sum(-1).mean()
        if model["gate"] == "switch":
            gates = all_gates
    else:
        sums = gates.sum(1)
        balance = (sums.var(-1, unbiased=False) / sums.mean(-1) ** 2).mean()
    dispatch = torch.zeros(*shape[:2], experts, capacity)
    taken = torch.zeros(shape[0], 1, experts)
    for choice in range(choices):
        mask = F.one_hot(chosen[..., choice], experts).float()
        place = (taken + mask.cumsum(1) - 1) * mask
        fits = mask * (place < capacity)
        dispatch += fits.unsqueeze(-1) * F.one_hot(place.long().clamp(max=capacity - 1), capacity)
        taken = taken + mask.sum(1, keepdim=True)

produced = []
gathered = torch.einsum("bsec,bsh->ebch", dispatch, y)
for e in range(experts):
    name = f"h.1.moe.experts.{e}"
    inner = F.gelu(gathered[e] @ weights[name + ".c_fc.weight"] + weights[name + ".c_fc.bias"], approximate="tanh")
    produced.append(inner @ weights[name + ".c_proj.weight"] + weights[name + ".c_proj.bias"])
output = x + torch.einsum("bsec,ebch->bsh", dispatch * gates.unsqueeze(-1), torch.stack(produced))
((output * read("given.bin").view(shape)).sum() + model["balance"] * balance).backward()
write("output.bin", [output])
write("gradients.bin", [x.grad] + [
    torch.zeros_like(weights[p["name"]]) if weights[p["name"]].grad is None else weights[p["name"]].grad
    for p in model["parameters"]
])
