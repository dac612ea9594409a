# SPDX-License-Identifier: Apache-2.0
"""When something happens: on the processor's clock, or on a GPU's, told in the processor's.

Work of a GPU ends later than the call that asks for it. A CUDA event is put into the stream instead, and is read by the
sending thread once the GPU has passed it; nothing waits for it. Events measure times between each other: some of them,
the anchors, are also known on the processor's clock, because the sending thread has put them into a stream of its own
and waited for them there.
"""
import time

ANCHOR_EVERY = 5_000_000_000  # ns: clocks of a GPU and a processor drift apart by microseconds in that time


class HostClock:
    """All work is done when its call returns."""

    now = staticmethod(time.monotonic_ns)

    def tend(self):
        pass

    def number(self, tensor):
        """The value of a tensor with one element."""
        return float(tensor) if isinstance(tensor, (int, float)) else float(tensor.item())

    def numbers(self, tensors):
        """Numbers that have the sum of theirs."""
        return [each.item() for each in tensors]


class _Moment:
    __slots__ = ("clock", "event", "told")

    def __init__(self, clock, event):
        self.clock, self.event, self.told = clock, event, None

    def nanoseconds(self):
        if self.told is None and self.event.query():
            self.told = self.clock.told(self.event)
            self.clock.give_back(self.event)
            self.event = None
        return self.told


class _Number:
    __slots__ = ("copy", "event")

    def __init__(self, copy, event):
        self.copy, self.event = copy, event

    def number(self):
        return float(self.copy) if self.event.query() else None


class DeviceClock:
    """`cuda` is torch.cuda, or what behaves as it does."""

    def __init__(self, torch, cuda):
        self.torch, self.cuda = torch, cuda
        self.free = []  # events are made once and used again
        self.side = None
        self.anchors = []
        self.anchored = 0
        self.capturing = getattr(cuda, "is_current_stream_capturing", lambda: False)
        self.anchor()

    def now(self):
        if self.capturing():  # of what is being captured nothing happens now
            return time.monotonic_ns()
        event = self.free.pop() if self.free else self.cuda.Event(enable_timing=True)
        event.record()
        return _Moment(self, event)

    def give_back(self, event):
        self.free.append(event)

    def number(self, tensor):
        """The value of a tensor with one element, once the GPU has it: nothing waits for that."""
        if not hasattr(tensor, "is_cuda") or not tensor.is_cuda:
            return float(tensor)
        copy = self.torch.empty((), dtype=self.torch.float32, pin_memory=True)
        copy.copy_(tensor.detach().reshape(()), non_blocking=True)
        event = self.cuda.Event()
        event.record()
        return _Number(copy, event)

    def numbers(self, tensors):
        return [self.number(self.torch.stack([each.detach().reshape(()) for each in tensors]).float().sum())]

    def anchor(self):
        if self.side is None:
            self.side = self.cuda.Stream()
        event = self.cuda.Event(enable_timing=True)
        event.record(self.side)
        event.synchronize()
        self.anchored = time.monotonic_ns()
        self.anchors = self.anchors[-1:] + [(event, self.anchored)]

    def tend(self):
        """From the sending thread, now and then."""
        if time.monotonic_ns() - self.anchored > ANCHOR_EVERY:
            self.anchor()

    def told(self, event):
        """The processor's time of an event that the GPU has passed, by the nearest anchor."""
        told = [int(known + anchor.elapsed_time(event) * 1e6) for anchor, known in self.anchors]
        return min(zip(told, self.anchors), key=lambda pair: abs(pair[0] - pair[1][1]))[0]


def clock_for(parameters):
    """The clock of whatever holds these parameters."""
    for parameter in parameters:
        if getattr(parameter, "is_cuda", False):
            import torch
            return DeviceClock(torch, torch.cuda)
        break
    return HostClock()
