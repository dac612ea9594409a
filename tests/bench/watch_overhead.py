# SPDX-License-Identifier: Apache-2.0
"""What shardlab.watch() costs a training step: the same loop with and without it, in turns, in one process.

usage: watch_overhead.py BUILD [PAIRS]
A step has one microbatch, and then eight; the model's size is chosen so that it takes about 10 ms without. BUILD has
bin/shardlab, which listens meanwhile. To be run by a Python with PyTorch. Some steps without stand beside as many with, in
changing order, and what is told is the median of the differences of such pairs: what else the machine does falls on both of
a pair. Of a half of a pair the mean of its steps counts, those with details and those without. Beside the time by the clock
stands the processor's time of the training thread, and of the whole process, which has the sending thread's. Each is
measured as watch() does it by itself, and with the details of every step.
"""
import collections
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
from shardlab.link import Sender  # noqa: E402

AIM, WARM_UP = 0.010, 10
STEPS = 16  # of each half of a pair
SETTLE = 64  # watched ones before the first pair, after which it is known of which steps there are details


def loop(width, microbatches):
    torch.manual_seed(1)
    model = torch.nn.Sequential(*(layer for _ in range(4) for layer in (torch.nn.Linear(width, width), torch.nn.GELU())))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batch = torch.randn(microbatches, 16, width)

    def step():
        optimizer.zero_grad()
        for rows in batch:
            (model(rows).square().mean() / microbatches).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return model, optimizer, step


def times():
    return time.perf_counter(), time.thread_time(), time.process_time()


def seconds(step, steps):
    """(by the clock, of this thread, of the process) a step."""
    begin = times()
    for _ in range(steps):
        step()
    return [(after - then) / steps for after, then in zip(times(), begin)]


def sized(microbatches):
    """The loop whose step is nearest to what is aimed at."""
    found = []
    for width in range(64, 2049, 64):
        made = loop(width, microbatches)
        seconds(made[2], WARM_UP)
        taken = seconds(made[2], WARM_UP)[1]
        found.append((abs(taken - AIM), width, made))
        if taken > 1.3 * AIM:
            break
    return min(found, key=lambda each: each[0])[1:]


def recorded():
    """Events so far, sent or not."""
    return record.sender.first + len(record.sender.queue) + len(record.sender.fresh)


def alone(events=10000):
    """Processor's seconds of an event where nothing else is computed: to be put into the queue, and to be packed."""
    silent = object.__new__(Sender)
    silent.fresh, silent.queue, silent.kept, silent.names = collections.deque(), [], 0, {}
    silent.append = silent.fresh.append
    before, record.sender = record.sender, silent
    begin = time.thread_time()
    for _ in range(events):
        record.put(1, record.COMPUTE, None, 5, 6, stage=0, microbatch=3)
    put = time.thread_time()
    while silent.fresh:
        silent._pack()
    packed, record.sender = time.thread_time(), before
    return (put - begin) / events, (packed - put) / events


def main():
    build, pairs = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        listener = subprocess.Popen([build / "bin/shardlab", "listen", "0", "--output", folder + "/bench.shardlab"],
                                    stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for line in listener.stderr:
            if "SHARDLAB_ADDRESS=" in line:
                os.environ.update(word.split("=", 1) for word in line.split() if word.startswith("SHARDLAB_"))
                break
        shardlab.connect(program="watch_overhead")
        print("PyTorch %s, %d pairs of %d steps" % (torch.__version__, pairs, STEPS))
        for microbatches in (1, 8):
            for share in (None, 1):
                compare(microbatches, pairs, share)
        print("an event alone: put %.2f us, packed %.2f us; dropped: %d"
              % (*(each * 1e6 for each in alone()), shardlab.dropped()))
        shardlab.close(10)
        listener.wait(60)


class Paused:
    """A run that is watched now and then."""

    def __init__(self, model, optimizer, share):
        self.run = shardlab.watch(model=model, optimizer=optimizer, share=share)
        self.replaced = [(owner, name, getattr(owner, name), original) for owner, name, original, _ in
                         self.run.patches.replaced]
        self.hooks = list(optimizer._optimizer_step_pre_hooks.items()), list(optimizer._optimizer_step_post_hooks.items())
        self.optimizer = optimizer

    def watches(self, does):
        for owner, name, replacement, original in self.replaced:
            setattr(owner, name, replacement if does else original)
        for hooks, known in zip((self.optimizer._optimizer_step_pre_hooks, self.optimizer._optimizer_step_post_hooks),
                                self.hooks):
            hooks.clear()
            hooks.update(known if does else [])


def compare(microbatches, pairs, share):
    width, (model, optimizer, step) = sized(microbatches)
    watched_run = Paused(model, optimizer, share)
    for _ in range(SETTLE):
        step()
    plain, watched, events = [], [], 0
    for pair in range(pairs):
        for with_it in (pair % 2 == 0, pair % 2 != 0):
            watched_run.watches(with_it)
            step()  # what was left of the other half
            before = recorded()
            (watched if with_it else plain).append(seconds(step, STEPS))
            events += recorded() - before
    watched_run.watches(True)
    watched_run.run.stop()
    each = events / len(watched) / STEPS
    print("a step of %d microbatches, width %d, %.1f events, details of every %d" %
          (microbatches, width, each, watched_run.run.share.every))
    for which, name in enumerate(("by the clock", "of this thread", "of the process")):
        without = statistics.median(of[which] for of in plain)
        more = statistics.median(with_it[which] - of[which] for of, with_it in zip(plain, watched))
        print("  %-15s without %.3f ms, watched %+.3f ms, overhead %.2f %%, %.1f us an event"
              % (name, without * 1e3, more * 1e3, more / without * 100, more / each * 1e6))


if __name__ == "__main__":
    main()
