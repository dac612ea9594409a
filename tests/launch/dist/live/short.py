# SPDX-License-Identifier: Apache-2.0
"""A plain loop of short steps: short.py STEPS [WHERE]. Prints the loss of each. SHARDLAB_SHARE says how much watching may
take. WHERE: it hangs in a first forward, a later one or a backward of its last step."""
import sys
import time

import torch

import shardlab

MICROBATCHES = 2
STEPS, WHERE = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""


class Hanging(torch.autograd.Function):
    @staticmethod
    def forward(context, rows):
        if WHERE == "forward %d" % microbatch and step == STEPS - 1:
            time.sleep(3600)
        return rows.clone()

    @staticmethod
    def backward(context, gradient):
        if WHERE == "backward" and step == STEPS - 1:
            time.sleep(3600)
        return gradient


class Hangs(torch.nn.Module):
    def forward(self, rows):
        return Hanging.apply(rows)


torch.manual_seed(1)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(16, 16), Hangs() if WHERE else torch.nn.GELU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
shardlab.watch(model=model, optimizer=optimizer)
for step in range(STEPS):
    optimizer.zero_grad()
    losses = []
    for microbatch in range(MICROBATCHES):
        loss = model(torch.randn(4, 16)).square().mean()
        loss.backward()
        losses.append(loss.item())
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(sum(losses) / MICROBATCHES)
    if step == 20:
        with torch.no_grad():
            model(torch.randn(4, 16))
