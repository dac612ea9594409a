# SPDX-License-Identifier: Apache-2.0
"""Two pipeline stages as a Python program would show them; RANK and WORLD_SIZE as torchrun sets them.

usage: sender.py STEPS, or FILE: until some steps after the file is there
"""
import itertools
import os
import sys
import time

import shardlab

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
if not shardlab.connect():
    sys.exit(2)


def turns(wanted):
    if wanted.isdigit():
        yield from range(int(wanted))
        return
    yield from itertools.takewhile(lambda _: not os.path.exists(wanted), itertools.count())
    yield from range(5)


for _ in turns(sys.argv[1]):
    with shardlab.step() as step:
        for microbatch in range(4):
            with shardlab.span("F", stage=rank, microbatch=microbatch):
                time.sleep(0.001)
            with shardlab.span("B", stage=rank, microbatch=microbatch):
                time.sleep(0.001)
        with shardlab.span("all_reduce", lane="comm", bytes=4096):
            time.sleep(0.001)
        with shardlab.span("optimizer", stage=rank):
            pass
        if rank == world - 1:
            shardlab.counter("loss", 5.0 - step.number)
shardlab.instant("done")
# Nothing that is wrong reaches the program.
with shardlab.span("F", stage="no number"):
    pass
shardlab.counter("loss", "no number")
shardlab.connect("no address")
shardlab.close(60)
with shardlab.span("after the end"):
    pass
