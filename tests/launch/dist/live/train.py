# SPDX-License-Identifier: Apache-2.0
"""A small torch training script that shows what it does while it trains."""
import sys

import torch

import shardlab

torch.manual_seed(1)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
if not shardlab.connect(program="train.py, PyTorch"):
    sys.exit(2)
for step in range(int(sys.argv[1])):
    with shardlab.step(step):
        optimizer.zero_grad()
        total = 0.0
        for microbatch in range(4):
            with shardlab.span("load batch"):
                inputs = torch.randn(16, 32)
                targets = inputs.sum(dim=1, keepdim=True)
            with shardlab.span("F", stage=0, microbatch=microbatch):
                loss = torch.nn.functional.mse_loss(model(inputs), targets) / 4
            with shardlab.span("B", stage=0, microbatch=microbatch):
                loss.backward()
            total += loss.item()
        with shardlab.span("optimizer"):
            optimizer.step()
        shardlab.counter("loss", total)
        shardlab.counter("weights", sum(p.norm().item() for p in model.parameters()))
shardlab.close(60)
