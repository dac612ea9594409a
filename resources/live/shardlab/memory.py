# SPDX-License-Identifier: Apache-2.0
"""What a rank holds: by the allocator of its GPU, or as its process on the host.

To ask takes time: where steps are short, only so many of them are looked at that it takes a thousandth of the program's.
"""
import os
import time

from . import record

PARAMETERS, GRADIENTS, OPTIMIZER, ACTIVATIONS = range(4)
MEMORY_USED, MEMORY_PEAK = 40, 48
FIRST = 3   # steps that are looked at whatever they take
EVERY = 50  # steps between two looks at all tensors: what they hold hardly changes
SHARE = 1000


def held(tensor):
    """Bytes of this rank's part of a tensor."""
    local = getattr(tensor, "_local_tensor", tensor)
    return local.numel() * local.element_size()


class Memory:
    def __init__(self, run, parameters, optimizers):
        self.run, self.parameters, self.optimizers = run, parameters, optimizers
        self.known = [0, 0, 0]
        self.told = {}
        self.cuda = None
        self.page = 0
        if parameters and parameters[0].is_cuda:
            import torch
            self.cuda, self.device = torch.cuda, parameters[0].device
            self.peak_before = self.cuda.memory_stats(self.device).get("allocated_bytes.all.peak", 0)
        else:
            self.page = os.sysconf("SC_PAGE_SIZE")
            self.statm = os.open("/proc/self/statm", os.O_RDONLY)
        self.base = self.most = self._now()
        self.looks = True  # at the present step
        self.ended = self.paid = time.monotonic_ns()  # the step before; what the looks so far may have taken
        self.counted = self.summed = 0

    def _now(self):
        if self.cuda is not None:
            return self.cuda.memory_allocated(self.device)
        return int(os.pread(self.statm, 64, 0).split()[1]) * self.page

    def look(self):
        """Where much is held."""
        if self.looks:
            self.most = max(self.most, self._now())

    def step_ends(self, step, at):
        """`at`: when, on the run's clock."""
        begin = time.monotonic_ns()
        if self.looks:
            self._tell(step, at)
            self.paid = begin + SHARE * (time.monotonic_ns() - begin)
        self.looks = step + 1 < FIRST or 2 * begin - self.ended >= self.paid  # once the next has taken as long as this
        self.ended = begin

    def _tell(self, step, at):
        self.look()
        if step < FIRST or step - self.counted >= EVERY:
            self._count()
            self.counted = step
        if self.cuda is not None:
            # The program may have counters of its own on the peak, so that it is not set back here.
            peak = self.cuda.memory_stats(self.device).get("allocated_bytes.all.peak", 0)
            if peak > self.peak_before:
                self.most, self.peak_before = max(self.most, peak), peak
            activations = max(0, self.most - sum(self.known))
        else:
            activations = max(0, self.most - self.base)
        for category, size in enumerate((*self.known, activations)):
            if self.told.get(category) != size:
                self.told[category] = size
                self.run.put(MEMORY_USED + category, record.HOST, None, at, at, size)
        self.run.put(MEMORY_PEAK, record.HOST, None, at, at, sum(self.known) + activations)
        self.base = self.most = self._now()

    def resumes(self):
        """A step begins that is looked at, after others that were not."""
        if self.looks:
            self.base = self.most = self._now()

    def gradients(self, step):
        """Before the update, when all gradients are there."""
        if step >= FIRST and step - self.summed < EVERY:
            return
        self.summed = step
        self.known[GRADIENTS] = max(self.known[GRADIENTS],
                                    sum(held(each.grad) for each in self.parameters if each.grad is not None))

    def _count(self):
        self.known[PARAMETERS] = sum(map(held, self.parameters))
        self.known[OPTIMIZER] = sum(held(value) for optimizer in self.optimizers for state in optimizer.state.values()
                                    for value in (state.values() if isinstance(state, dict) else ())
                                    if hasattr(value, "element_size"))
