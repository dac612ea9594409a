# SPDX-License-Identifier: Apache-2.0
"""What shardlab.watch() costs a training step: the same loop with and without it, in turns, in one process.

usage: watch_overhead.py BUILD [STEPS [TURNS]]
The model's size is chosen so that a step without it takes about 10 ms. BUILD has bin/shardlab, which listens meanwhile. To be
run by a Python with PyTorch, on a machine on which nothing else runs.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "resources/live"))
import shardlab  # noqa: E402
from shardlab import record  # noqa: E402

AIM, MICROBATCHES, WARM_UP = 0.010, 8, 10


def loop(width):
    torch.manual_seed(1)
    model = torch.nn.Sequential(*(layer for _ in range(4) for layer in (torch.nn.Linear(width, width), torch.nn.GELU())))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batch = torch.randn(MICROBATCHES, 16, width)

    def step():
        optimizer.zero_grad()
        for rows in batch:
            (model(rows).square().mean() / MICROBATCHES).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return model, optimizer, step


def seconds(step, steps):
    """(wall time, processor time of this thread) of each step."""
    taken = []
    for _ in range(steps):
        begin, used = time.perf_counter(), time.thread_time()
        step()
        taken.append((time.perf_counter() - begin, time.thread_time() - used))
    return taken


def median(taken, which=0):
    return statistics.median(each[which] for each in taken)


def sized():
    """The loop whose step is nearest to what is aimed at."""
    found = []
    for width in range(64, 1025, 64):
        made = loop(width)
        seconds(made[2], WARM_UP)
        found.append((abs(median(seconds(made[2], WARM_UP), 1) - AIM), width, made))
        if len(found) > 1 and found[-1][0] > found[-2][0]:
            break
    return min(found, key=lambda each: each[0])[1:]


def main():
    build, (steps, turns) = pathlib.Path(sys.argv[1]), map(int, (sys.argv[2:] + ["50", "20"][len(sys.argv) - 2:])[:2])
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        listener = subprocess.Popen([build / "bin/shardlab", "listen", "0", "--output", folder + "/bench.shardlab"],
                                    stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for line in listener.stderr:
            if "SHARDLAB_ADDRESS=" in line:
                os.environ.update(word.split("=", 1) for word in line.split() if word.startswith("SHARDLAB_"))
                break
        width, (model, optimizer, step) = sized()
        shardlab.connect(program="watch_overhead")
        plain, watched, events = [], [], 0
        for _ in range(turns):
            plain += seconds(step, steps)
            run = shardlab.watch(model=model, optimizer=optimizer)
            before = record.sender.first + len(record.sender.queue) + len(record.sender.fresh)
            watched += seconds(step, steps)
            events += record.sender.first + len(record.sender.queue) + len(record.sender.fresh) - before
            run.stop()
        lost = shardlab.dropped()
        shardlab.close(10)
        listener.wait(60)
    print("A step of %d microbatches, width %d, PyTorch %s" % (MICROBATCHES, width, torch.__version__))
    for which, name in enumerate(("wall", "this thread's")):
        without, with_it = median(plain, which), median(watched, which)
        print("  %-20s without %.3f ms, watched %.3f ms, overhead %.2f %%"
              % (name, without * 1e3, with_it * 1e3, (with_it / without - 1) * 100))
    print("  events a step       %.1f" % (events / max(1, len(watched))))
    print("  dropped             %d" % lost)


main()
