# SPDX-License-Identifier: Apache-2.0
"""A training script with torch.distributed.pipelining that knows nothing of Shardlab but one line.

    schedules.py SCHEDULE --stages S --pipeline P [--data ddp|fsdp] [--scaler] [--die RANK] [--hang RANK]

RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT as torchrun sets them; the pipeline's ranks are the slow axis of the mesh.
"""
import argparse
import os
import signal
import time

import torch
import torch.distributed as dist
import torch.distributed.pipelining as pipelining
from torch.distributed.device_mesh import init_device_mesh

import shardlab

arguments = argparse.ArgumentParser()
arguments.add_argument("schedule")
arguments.add_argument("--stages", type=int, required=True)
arguments.add_argument("--pipeline", type=int, required=True)
arguments.add_argument("--microbatches", type=int, default=8)
arguments.add_argument("--steps", type=int, default=6)
arguments.add_argument("--data", choices=("ddp", "fsdp", "none"), default="none")
arguments.add_argument("--scaler", action="store_true")
arguments.add_argument("--die", type=int, default=-1)
arguments.add_argument("--hang", type=int, default=-1)
arguments.add_argument("--stop", type=int, default=-1)
arguments.add_argument("--at", type=int, default=3)  # the step of what goes wrong
arguments.add_argument("--share", type=float)
arguments.add_argument("--raise", type=int, default=-1, dest="fail")
chosen = arguments.parse_args()

torch.manual_seed(1)
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (chosen.pipeline, world // chosen.pipeline), mesh_dim_names=("pp", "dp"))
place = mesh.get_local_rank("pp")
VOCABULARY, WIDTH, LENGTH, ROWS = 64, 32, 16, 2

step_number = 0


class Block(torch.nn.Module):
    def __init__(self, first, last):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, WIDTH) if first else None
        self.inner = torch.nn.Sequential(torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.GELU(),
                                         torch.nn.Linear(4 * WIDTH, WIDTH))
        self.head = torch.nn.Linear(WIDTH, VOCABULARY) if last else None

    def forward(self, x):
        if step_number == chosen.at and torch.is_grad_enabled():
            if rank == chosen.die:
                os.kill(os.getpid(), signal.SIGKILL)
            if rank == chosen.stop:
                os.kill(os.getpid(), signal.SIGSTOP)
            if rank == chosen.fail:
                raise RuntimeError("this rank was told to fail")
            while rank == chosen.hang:
                time.sleep(0.1)
        if self.embedding is not None:
            x = self.embedding(x)
        x = x + self.inner(x)
        return self.head(x) if self.head is not None else x


schedule_class = getattr(pipelining, "Schedule" + chosen.schedule)
single = chosen.schedule in ("GPipe", "1F1B")
folded = "ZBV" in chosen.schedule or "DualPipeV" in chosen.schedule
mine = [stage for stage in range(chosen.stages)
        if (min(stage, chosen.stages - 1 - stage) if folded else stage % chosen.pipeline) == place]
parts = [Block(stage == 0, stage == chosen.stages - 1) for stage in mine]
if chosen.data == "ddp":
    parts = [torch.nn.parallel.DistributedDataParallel(part, process_group=mesh.get_group("dp")) for part in parts]
elif chosen.data == "fsdp":
    from torch.distributed.fsdp import fully_shard
    for part in parts:
        fully_shard(part.inner, mesh=mesh["dp"])
        fully_shard(part, mesh=mesh["dp"])
stages = [pipelining.PipelineStage(part, stage, chosen.stages, torch.device("cpu"), group=mesh.get_group("pp"))
          for part, stage in zip(parts, mine)]
scaler = torch.amp.GradScaler("cpu", enabled=chosen.scaler)
scaler.scale(torch.zeros(()))  # ranks without the last stage scale nothing else


def loss_of(output, target):
    if chosen.scaler and step_number == 1:  # the gradients of this step overflow
        output.register_hook(lambda gradient: gradient * float("inf"))
    loss = torch.nn.functional.cross_entropy(output.flatten(0, 1), target.flatten())
    return scaler.scale(loss)


schedule = schedule_class(stages[0] if single else stages, chosen.microbatches, loss_fn=loss_of)
optimizer = torch.optim.AdamW([each for part in parts for each in part.parameters()], lr=1e-3)

shardlab.watch(optimizer=optimizer, scaler=scaler, schedule=schedule, share=chosen.share)

for step_number in range(chosen.steps):
    ids = torch.randint(VOCABULARY, (ROWS * chosen.microbatches, LENGTH))
    optimizer.zero_grad()
    schedule.step(*([ids] if 0 in mine else []), target=ids if chosen.stages - 1 in mine else None)
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_([each for part in parts for each in part.parameters()], 1.0)
    scaler.step(optimizer)
    scaler.update()
dist.barrier()
dist.destroy_process_group()
