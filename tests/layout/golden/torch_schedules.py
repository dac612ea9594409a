# SPDX-License-Identifier: Apache-2.0
"""Writes the compute orders of torch.distributed.pipelining's schedules, one file a kind, into the folder given.

Each case is a line "p=… v=… m=…" and then one line a rank, actions as torch prints them. Left out are idle slots and
gradient reductions; an overlapped pair is written as its two actions, in its order. Only the parts of the schedule
classes that compute an order are used: no process group, no stages.
"""
import sys
from pathlib import Path

from torch.distributed.pipelining import schedules


def bare(cls, **members):
    schedule = cls.__new__(cls)
    for name, value in members.items():
        setattr(schedule, name, value)
    return schedule


def single(cls):
    """Schedules with one stage a rank tell the whole order at once."""
    def orders(p, v, m):
        order = bare(cls, _num_stages=p, _n_microbatches=m)._get_pipeline_order()
        return [order[rank] for rank in range(p)]
    return orders


def one_f_one_b(p, v, m):
    """torch's picture of its 1F1B numbers the last rank's forwards from 1; what it runs begins with 0."""
    orders = single(schedules.Schedule1F1B)(p, v, m)
    orders[-1] = [a._replace(microbatch_index=a.microbatch_index - 1) if a and a.computation_type == schedules.FORWARD else a
                  for a in orders[-1]]
    return orders


def multi(cls):
    def orders(p, v, m):
        rounds = max(1, m // p)
        schedule = bare(cls, pp_group_size=p, _n_microbatches=m, _stages=[None] * v, _num_stages=p * v, num_stages=p * v,
                        n_local_stages=v, number_of_rounds=rounds, microbatches_per_round=m // rounds)
        return [schedule._calculate_single_rank_operations(rank) for rank in range(p)]
    return orders


def shapes(chunks, legal):
    return [(p, v, m) for p in (1, 2, 3, 4, 8) for v in chunks for m in (1, 2, 3, 4, 6, 8, 9, 10, 16, 20) if legal(p, m)]


def in_rounds(p, m):
    return m % max(1, m // p) == 0


KINDS = {
    "gpipe": (single(schedules.ScheduleGPipe), shapes([1], lambda p, m: True)),
    # With fewer microbatches than ranks torch's order names microbatches that there are not.
    "1f1b": (one_f_one_b, shapes([1], lambda p, m: m >= p)),
    "interleaved-1f1b": (multi(schedules.ScheduleInterleaved1F1B), shapes([2, 3], in_rounds)),
    "looped-bfs": (multi(schedules.ScheduleLoopedBFS), shapes([2, 3], lambda p, m: True)),
    # ZB1P with one stage a rank.
    "zb-h1": (multi(schedules.ScheduleInterleavedZeroBubble), shapes([1], in_rounds)),
    "zb-v": (multi(schedules.ScheduleZBVZeroBubble), shapes([2], lambda p, m: True)),
    "dualpipe-v": (multi(schedules.ScheduleDualPipeV), shapes([2], lambda p, m: m >= 2 * p)),
}


COMPUTE = (schedules.FORWARD, schedules.FULL_BACKWARD, schedules.BACKWARD_INPUT, schedules.BACKWARD_WEIGHT)


def texts(actions):
    for action in actions:
        for each in (action.sub_actions or (action,)) if action else ():
            if each.computation_type in COMPUTE:
                yield str(each)


for kind, (orders, cases) in KINDS.items():
    with open(Path(sys.argv[1]) / f"{kind}.txt", "w", encoding="utf-8") as file:
        for p, v, m in cases:
            file.write(f"p={p} v={v} m={m}\n")
            for actions in orders(p, v, m):
                file.write(",".join(texts(actions)) + "\n")
