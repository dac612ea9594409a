# SPDX-License-Identifier: Apache-2.0
"""A job of three ranks (gloo, CPU) that hangs: rank 2 never asks for the fourth all-reduce, and each rank dumps PyTorch's
flight recorder into a folder, as hang_rank_0 and so on. Prints "no recorder" where this PyTorch has none for gloo."""
import os
import sys
import time

os.environ["TORCH_FR_BUFFER_SIZE"] = "200"

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

WORLD = 3


def step(values, missing):
    for _ in range(3):
        dist.all_reduce(values)
    return None if missing else dist.all_reduce(values, async_op=True)


def work(rank, folder):
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=rank, world_size=WORLD)
    hanging = step(torch.ones(4, 8), missing=rank == 2)
    dump = torch._C._distributed_c10d._dump_fr_trace(includeCollectives=True, includeStackTraces=True, onlyActive=False)
    name = os.path.join(folder, f"hang_rank_{rank}")
    with open(name + ".part", "wb") as file:
        file.write(dump)
    os.rename(name + ".part", name)
    # The others' all-reduce ends, with an error, once this process does.
    while not all(os.path.exists(os.path.join(folder, f"hang_rank_{other}")) for other in range(WORLD)):
        time.sleep(0.01)
    assert hanging is None or not hanging.is_completed()
    os._exit(0)


if __name__ == "__main__":
    if not hasattr(torch._C._distributed_c10d, "_dump_fr_trace"):
        print("no recorder")
        sys.exit()
    mp.spawn(work, (sys.argv[1],), nprocs=WORLD)
