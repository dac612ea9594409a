# SPDX-License-Identifier: Apache-2.0
"""What a program says of itself: spans, steps, moments and numbers."""
import atexit
import os
import sys
import time

from .link import Sender, Token

# What names stand for on the timeline (resources/manual/72-links.md). Other names are shown as they are.
KINDS = {"F": 1, "forward": 1, "B": 2, "backward": 2, "I": 3, "input gradient": 3, "W": 4, "weight gradient": 4,
         "R": 5, "recompute": 5, "optimizer": 12, "validation": 15}
COUNTERS = {"loss": 32, "validation loss": 33, "gradient norm": 34, "learning rate": 35, "tokens/s": 36}
LANES = {"compute": 0, "comm": 1, "copy": 2, "host": 3}
NAMED = {0: 96, 1: 97, 2: 98, 3: 100}  # kernel, collective, copy, annotation
STEP, VALIDATION, NAMED_COUNTER, MARK = 14, 15, 112, 120
COMPUTE, COMM, COPY, HOST = range(4)

sender = None
before_put = None   # tells what was recorded before
present_step = -1   # of all threads: what autograd's threads do belongs to it too
_steps = 0   # the number of the next step without one


def safely(act):
    """What goes wrong here is not the program's concern."""
    try:
        return act()
    except Exception:
        return None


def _note_failures():
    """A program that ends by an exception has not finished."""
    before = sys.excepthook

    def hook(kind, value, trace):
        if sender is not None:
            lines = [line.strip() for line in str(value).splitlines() if line.strip()]
            sender.failure = "ended with " + kind.__name__ + (": " + lines[0][:300] if lines else "")
        before(kind, value, trace)

    sys.excepthook = hook


def connect(address=None, token=None, token_file=None, rank=None, world=None, program=None):
    """Begins to send. False: no address or no token was given; then everything else does nothing."""

    def begin():
        global sender
        where = address or os.environ.get("SHARDLAB_ADDRESS", "")
        secret = Token(token or os.environ.get("SHARDLAB_TOKEN", ""))
        if not secret.text:
            secret = Token(path=token_file or os.environ.get("SHARDLAB_TOKEN_FILE", ""))
        if not where or not secret.read():
            return False
        host, _, port = where.rpartition(":")
        if sender is None:
            sender = Sender(host.strip("[]") or "127.0.0.1", int(port), secret,
                            int(os.environ.get("RANK", 0)) if rank is None else int(rank),
                            int(os.environ.get("WORLD_SIZE", 1)) if world is None else int(world),
                            program or os.path.basename(sys.argv[0] or "Python"))
            _note_failures()
            atexit.register(close)
        return True

    return bool(safely(begin))


def close(patience=2.0):
    """Sends what is queued, waiting `patience` seconds at most, and takes leave."""
    global sender
    if before_put is not None:
        safely(before_put)
    ending, sender = sender, None
    if ending is not None:
        ending.closing.set()
        safely(lambda: ending.thread.join(patience))


def dropped():
    """How many events were dropped because the queue was full."""
    return sender.dropped if sender is not None else 0


def put(kind, lane, name, begin, end, size=0, value=0.0, step=None, stage=-1, microbatch=-1, action=0):
    """An event as it goes over the link; times and the value may be settled later (link.py)."""
    to = sender
    if to is not None:
        if before_put is not None:
            before_put()
        to.put((begin, end, size, value, present_step if step is None else step, 0 if name is None else str(name), stage,
                microbatch, kind, lane, action))


def enter(kind, name=None, stage=-1, microbatch=-1, waits=False, since=None):
    """Notes what the program is in, so that it can be said where it hangs. Returns what leave() wants. `since`: the time
    of it, where the processor's clock has just been asked."""
    to = sender
    if to is None:
        return None
    place = entry(kind, name, stage, microbatch, waits, since)
    to.open.append(place)
    return place


def entry(kind, name, stage, microbatch, waits, since=None):
    """What a program is in, as the sending thread tells it where the program hangs."""
    return since if isinstance(since, int) else time.monotonic_ns(), kind, name, stage, microbatch, waits


def leave(place):
    to = sender
    if to is None or place is None:
        return
    if to.open and to.open[-1] is place:  # nearly always: what began last ends first
        to.open.pop()
    elif place in to.open:
        to.open.remove(place)


def set_step(number):
    """What is recorded from now on belongs to this step; −1: to none."""
    global present_step
    present_step = number


class span:
    """A stretch of time: F, B, I, W, R, optimizer, or any name; `lane` one of compute, comm, copy, host."""

    def __init__(self, name, stage=None, microbatch=None, lane=None, bytes=0, step=None):
        self.name, self.stage, self.microbatch, self.lane, self.bytes, self.step = name, stage, microbatch, lane, bytes, step

    def __enter__(self):
        self.kind = KINDS.get(self.name) if self.lane is None and isinstance(self.name, str) else None
        self.place = enter(self.kind or 0, self.name, self.stage, self.microbatch, self.lane == "comm")
        self.begin = time.monotonic_ns()
        return self

    def __exit__(self, *problem):
        end = time.monotonic_ns()
        try:
            leave(self.place)
            if self.kind is None:
                lane = LANES.get(self.lane, HOST) if self.lane is None or isinstance(self.lane, str) else COMPUTE
                put(NAMED[lane], lane, self.name, self.begin, end, self.bytes, 0, self.step, self.stage, self.microbatch)
            else:
                lane = HOST if self.kind == VALIDATION else COMPUTE
                put(self.kind, lane, None, self.begin, end, self.bytes, 0, self.step, self.stage, self.microbatch)
        except Exception:  # what goes wrong here is not the program's concern
            pass
        return False


class step:
    """One optimizer step: what the program sends within belongs to it. Without a number: the one after the last."""

    def __init__(self, number=None):
        self.number = number

    def __enter__(self):
        global present_step, _steps
        if not isinstance(self.number, int):
            self.number = _steps
        self.before, present_step, _steps = present_step, self.number, self.number + 1
        self.begin = time.monotonic_ns()
        return self

    def __exit__(self, *problem):
        global present_step
        safely(lambda: put(STEP, HOST, None, self.begin, time.monotonic_ns(), step=self.number))
        present_step = self.before
        return False


def instant(name, step=None):
    """A moment with a name."""
    now = time.monotonic_ns()
    safely(lambda: put(MARK, HOST, name, now, now, step=step))


def counter(name, value, step=None):
    """A number at this moment: loss, learning rate, gradient norm, tokens/s, validation loss, or any name."""

    def act():
        now, kind = time.monotonic_ns(), COUNTERS.get(name)
        put(kind or NAMED_COUNTER, HOST, None if kind else name, now, now, value=float(value), step=step)

    safely(act)


def _forget_in_child():
    global sender
    sender = None  # its thread and its connection are the parent's


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
