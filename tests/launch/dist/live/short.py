# SPDX-License-Identifier: Apache-2.0
"""A plain loop of short steps: short.py STEPS. Prints the loss of each. SHARDLAB_SHARE says how much watching may take."""
import sys

import torch

import shardlab

MICROBATCHES = 2
torch.manual_seed(1)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.GELU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
shardlab.watch(model=model, optimizer=optimizer)
for step in range(int(sys.argv[1])):
    optimizer.zero_grad()
    losses = []
    for _ in range(MICROBATCHES):
        loss = model(torch.randn(4, 16)).square().mean()
        loss.backward()
        losses.append(loss.item())
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(sum(losses) / MICROBATCHES)
    if step == 20:
        with torch.no_grad():
            model(torch.randn(4, 16))
