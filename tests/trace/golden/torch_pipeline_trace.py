# SPDX-License-Identifier: Apache-2.0
"""Records torch.profiler's traces of a pipeline of two ranks (gloo, CPU) into a folder, and prints what the files hold as
JSON. argv[2] is the schedule: "gpipe" names its annotations "Forward 3", "interleaved" with two stages a rank "PP:2F3".
Each rank's profiler records two cycles of one step, a file each."""
import json
import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe, ScheduleInterleaved1F1B
from torch.profiler import ProfilerActivity, profile, record_function, schedule

MICROBATCHES = 4
CYCLES = 2
WIDTH = 32


def work(rank, folder, kind):
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=rank, world_size=2)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    count = 2 if kind == "gpipe" else 4
    parts = {place: nn.Linear(WIDTH, WIDTH) for place in range(rank, count, 2)}
    stages = [PipelineStage(part, place, count, torch.device("cpu")) for place, part in parts.items()]
    loss = nn.functional.mse_loss
    pipeline = (ScheduleGPipe(stages[0], MICROBATCHES, loss_fn=loss) if kind == "gpipe"
                else ScheduleInterleaved1F1B(stages, MICROBATCHES, loss_fn=loss))
    optimizer = torch.optim.SGD([value for part in parts.values() for value in part.parameters()], lr=0.1)
    first, last = 0 in parts, count - 1 in parts
    norm = torch.ones(100)

    def ready(done):
        done.export_chrome_trace(os.path.join(folder, f"rank{rank}-{done.step_num}.json"))

    with profile(activities=[ProfilerActivity.CPU], record_shapes=True,
                 schedule=schedule(wait=0, warmup=1, active=1, repeat=CYCLES), on_trace_ready=ready) as recorder:
        for _ in range(2 * CYCLES):
            batch = torch.randn(2 * MICROBATCHES, WIDTH)
            with record_function("the whole pipeline"):
                pipeline.step(*([batch] if first else []), target=batch if last else None)
            dist.all_reduce(norm)
            optimizer.step()
            optimizer.zero_grad()
            recorder.step()
    dist.destroy_process_group()


def told(folder, rank):
    files = sorted(name for name in os.listdir(folder) if name.startswith(f"rank{rank}-"))
    spans = []
    for name in files:
        with open(os.path.join(folder, name)) as file:
            spans += [item for item in json.load(file)["traceEvents"] if item["ph"] == "X"]
    annotations = [item["name"] for item in spans if item.get("cat") == "user_annotation"]
    return {"files": files, "annotations": annotations}


if __name__ == "__main__":
    folder = sys.argv[1]
    mp.spawn(work, (folder, sys.argv[2]), nprocs=2)
    print(json.dumps([told(folder, rank) for rank in range(2)]))
