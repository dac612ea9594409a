# SPDX-License-Identifier: Apache-2.0
"""Schedules' CSV files through torch.distributed.pipelining, without process groups or stages.

  torch_csv.py write FOLDER        writes KIND-compute.csv and KIND-comms.csv as torch dumps them
  torch_csv.py read FILE P V M     loads a compute-only file as torch does, and prints what torch then holds
"""
import csv
import sys
from pathlib import Path

from torch.distributed.pipelining import schedules


def bare(cls, **members):
    schedule = cls.__new__(cls)
    for name, value in members.items():
        setattr(schedule, name, value)
    return schedule


def runtime(p, v, m):
    """What lowers and loads schedules, with the members that those parts read; newer ones as their constructor has them."""
    return bare(schedules._PipelineScheduleRuntime, pp_group_size=p, _num_stages=p * v, _n_microbatches=m, _stages=[],
                pipeline_order={}, pipeline_order_with_comms={}, _max_active_stages=3, _unshard_lookahead="auto",
                _defer_reduce_grad_wait=False, _defer_pp_recv=False, _max_outstanding_sends=None)


def order(cls, p, v, m):
    rounds = max(1, m // p)
    schedule = bare(cls, pp_group_size=p, _n_microbatches=m, _stages=[None] * v, _num_stages=p * v, num_stages=p * v,
                    n_local_stages=v, number_of_rounds=rounds, microbatches_per_round=m // rounds)
    return {rank: schedule._calculate_single_rank_operations(rank) for rank in range(p)}


KINDS = {
    "interleaved-1f1b": (schedules.ScheduleInterleaved1F1B, 2, 2, 4),
    "zb-v": (schedules.ScheduleZBVZeroBubble, 2, 2, 4),
    "dualpipe-v": (schedules.ScheduleDualPipeV, 2, 2, 6),
}


def write(folder):
    for kind, (cls, p, v, m) in KINDS.items():
        compute = folder / f"{kind}-compute.csv"
        actions = order(cls, p, v, m)
        with open(compute, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            for rank in range(p):
                writer.writerow(actions[rank])
        lowered = runtime(p, v, m)
        lowered._load_csv(str(compute), format="compute_only")
        lowered._dump_csv(str(compute), format="compute_only")
        lowered._dump_csv(str(folder / f"{kind}-comms.csv"), format="compute_comms")


def read(file, p, v, m):
    loaded = runtime(p, v, m)
    loaded._load_csv(file, format="compute_only")
    for rank in range(p):
        print(",".join(str(action) for action in loaded.pipeline_order[rank] if action))


if sys.argv[1] == "write":
    write(Path(sys.argv[2]))
else:
    read(sys.argv[2], *map(int, sys.argv[3:6]))
