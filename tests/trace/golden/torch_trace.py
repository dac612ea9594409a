# SPDX-License-Identifier: Apache-2.0
"""Records a trace of torch.profiler on two ranks (gloo, CPU) into a folder, as rank0.json and rank1.json.gz, and prints
what the files hold as JSON: counts and sums that an import must find again."""
import gzip
import json
import os
import shutil
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

STEPS = 3


def work(rank, folder):
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=rank, world_size=2)
    torch.set_num_threads(1)
    model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32)))
    optimizer = torch.optim.AdamW(model.parameters())
    name = os.path.join(folder, f"rank{rank}.json")
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True,
                 schedule=schedule(wait=0, warmup=1, active=STEPS),
                 on_trace_ready=lambda done: done.export_chrome_trace(name)) as recorder:
        for _ in range(STEPS + 1):
            loss = model(torch.randn(8, 32)).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            recorder.step()
    dist.destroy_process_group()


def told(name):
    with open(name) as file:
        trace = json.load(file)
    spans = [item for item in trace["traceEvents"] if item["ph"] == "X" and item["cat"] != "Trace"]
    gloo = [item for item in spans if item["name"].startswith("gloo:")]
    steps = [item for item in spans if item["name"].startswith("ProfilerStep#")]
    return {
        "rank": trace["distributedInfo"]["rank"],
        "host": trace["host_name"],
        "spans": len(spans),
        "collectives": len(gloo),
        "steps": len(steps),
        "step_seconds": [item["dur"] * 1e-6 for item in steps],
        "names": len({item["name"] for item in spans} - {item["name"] for item in steps}),
        "memory": sum(item["name"] == "[memory]" for item in trace["traceEvents"]),
        "flows": sum(item["ph"] in "stf" for item in trace["traceEvents"]),
        "begin": min(round(item["ts"] * 1000) + trace["baseTimeNanoseconds"] for item in spans),
    }


if __name__ == "__main__":
    folder = sys.argv[1]
    mp.spawn(work, (folder,), nprocs=2)
    print(json.dumps([told(os.path.join(folder, f"rank{rank}.json")) for rank in range(2)]))
    with open(os.path.join(folder, "rank1.json"), "rb") as plain, gzip.open(os.path.join(folder, "rank1.json.gz"), "wb") as packed:
        shutil.copyfileobj(plain, packed)
    os.remove(os.path.join(folder, "rank1.json"))
