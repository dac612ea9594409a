# SPDX-License-Identifier: Apache-2.0
"""A plain training loop whose ranks share the batch or the tensors, and knows nothing of Shardlab but one line.

    replicas.py ddp|fsdp|tensor [--steps N]

RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT as torchrun sets them.
"""
import sys

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

import shardlab

how, steps = sys.argv[1], int(sys.argv[2])
MICROBATCHES = 2
torch.manual_seed(1)
torch.set_num_threads(1)
dist.init_process_group("gloo")


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(32, 64), torch.nn.Linear(64, 32)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(x)))


model = torch.nn.Sequential(torch.nn.Embedding(64, 32), Block(), Block(), torch.nn.Linear(32, 64))
mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp" if how == "tensor" else "dp",))
if how == "ddp":
    model = torch.nn.parallel.DistributedDataParallel(model, process_group=mesh.get_group())
elif how == "fsdp":
    from torch.distributed.fsdp import fully_shard
    for block in model[1:3]:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
else:
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    for block in model[1:3]:
        parallelize_module(block, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, 1.0, steps)

run = shardlab.watch(model=model, optimizer=optimizer, loss="sum")

for step in range(steps):
    for microbatch in range(MICROBATCHES):
        ids = torch.randint(64, (4, 16))
        output = model(ids)
        loss = torch.nn.functional.cross_entropy(output.flatten(0, 1), ids.flatten()) / MICROBATCHES
        loss.backward()
    if how != "tensor":  # some parameters are whole there, others are not
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
    if step == 1:
        with torch.no_grad():
            model(ids)
run.stop()
dist.barrier()
dist.destroy_process_group()
