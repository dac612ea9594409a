# SPDX-License-Identifier: Apache-2.0
"""The parts of the package that need no PyTorch: python3 parts.py, silent where all is well."""
import random
import sys
import time

from shardlab import memory, moments, record, share
from shardlab.checksum import crc32c
from shardlab.link import Sender, Token
from shardlab.patches import Patches
from shardlab.share import Share

seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().getrandbits(32)
draw = random.Random(seed)
print("seed", seed)


def bit_by_bit(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def checksums():
    """With numpy, where there is one, and without."""
    try:
        import numpy
    except ImportError:
        numpy = None
    for way in (None, numpy):
        sys.modules["numpy"] = way
        checksums_agree()
    if numpy is None:
        del sys.modules["numpy"]


def checksums_agree():
    assert crc32c(b"123456789") == 0xE3069283
    for size in [0, 1, 3, 511, 512, 513, 1023, 1024, 1025] + [draw.randrange(9000) for _ in range(20)]:
        data = draw.randbytes(size)
        assert crc32c(data) == bit_by_bit(data), size


class Time:
    """The processor's clock, which goes on by a little with every look at it."""
    now = 10 ** 15

    def monotonic_ns(self):
        self.now += 100
        return self.now


class Device:
    """A GPU: its clock runs at a rate of its own from a zero of its own, and it is behind with its work."""

    def __init__(self, clock):
        self.clock, self.rate, self.zero = clock, 1 + draw.uniform(-1e-5, 1e-5), draw.randrange(10 ** 12)
        self.behind = 0

    def Event(self, enable_timing=False):
        return Event(self)

    class Stream:
        pass


class Event:
    def __init__(self, device):
        self.device = device

    def record(self, stream=None):
        # What goes into a stream of its own waits for nobody's work.
        self.when = self.device.clock.monotonic_ns() + (self.device.behind if stream is None else 0)

    def query(self):
        return self.device.clock.now >= self.when

    def synchronize(self):
        while not self.query():
            self.device.clock.now += 100

    def elapsed_time(self, other):
        return (other.when - self.when) * self.device.rate * 1e-6


def device_times():
    clock = moments.time = Time()
    device = Device(clock)
    told = moments.DeviceClock(None, device)
    asked = []
    for _ in range(300):
        device.behind = draw.randrange(3_000_000)
        moment = told.now()
        asked.append((moment, moment.event.when))
        assert device.behind == 0 or moment.nanoseconds() is None
        clock.now += draw.randrange(200_000_000)
        told.tend()
        while asked and asked[0][1] <= clock.now:
            moment, when = asked.pop(0)
            # 5 s between anchors, at 1e-5: 50 us at most, and the looks at the clock.
            assert abs(moment.nanoseconds() - when) < 60_000
            assert moment.nanoseconds() == moment.told
    assert len(told.free) <= 4, "events are used again"
    moments.time = time


class Later:
    def __init__(self):
        self.known = None

    def nanoseconds(self):
        return self.known

    number = nanoseconds


def order():
    """What is not settled yet holds back what comes after it; what makes no sense is left out."""
    sender = Sender("127.0.0.1", 1, Token("token"), 0, 1, "parts")  # nobody listens there
    moment, value = Later(), Later()
    sender.put((1, 2, 0, 0.0, 0, "first", -1, -1, 97, 1, 0))
    sender.put((3, moment, 0, 0.0, 0, None, 0, 0, 1, 0, 0))
    sender.put((5, 6, 0, value, 0, None, -1, -1, 32, 3, 0))
    sender.put((7, 8, "no number", 0.0, 0, None, 0, 0, 1, 0, 0))
    sender.put((9, 9, 0, 0.0, 0, None, 0, 0, 67, 3, 2))  # no overflow after all
    assert sender._pack() == [("first", 1)] and sender.kept == 1
    moment.known = 4
    assert sender._pack() == [] and sender.kept == 2
    value.known = 2.5
    sender._pack()
    assert sender.kept == 3 and not sender.fresh
    sender.closing.set()


def doing():
    sender = Sender("127.0.0.1", 1, Token("token"), 0, 1, "parts")
    past = time.monotonic_ns() - 5_000_000_000
    sender.put((past, past, 0, 0.0, 3, None, 2, 7, 1, 0, 0))
    assert sender._doing() == (past, 3, False, "after 2F7")
    sender.open.append((past + 1, 7, None, 2, 8, True))
    assert sender._doing() == (past + 1, 3, True, "in 2RECV_F8")
    sender.open.append((time.monotonic_ns(), 0, "all_reduce", -1, -1, True))
    assert sender._doing() is None
    sender.around = lambda: (past + 2, 1, None, 2, 9, False)
    sender.open.pop()
    assert sender._doing() == (past + 2, 3, False, "in 2F9")
    sender.open.append((past + 3, 0, "all_reduce", -1, -1, True))
    assert sender._doing() == (past + 3, 3, True, "in all_reduce")
    sender.closing.set()


def looks():
    """Of short steps, as many are looked at as take a thousandth of the time; of long ones each."""
    class Run:
        told = 0

        def put(self, kind, *_):
            self.told += kind == 48

    for length in (10 ** 6, 10 ** 8, 10 ** 9, 10 ** 10):
        clock = memory.time = Time()
        run, begin = Run(), clock.now
        watched = memory.Memory(run, [], [])
        plain = watched._now

        def now():
            clock.now += 10 ** 6  # each step that is looked at takes two of these
            return plain()

        watched._now = now
        for step in range(1000):
            clock.now += length
            watched.step_ends(step, clock.now)
        paid = (clock.now - begin) / memory.SHARE
        looked = (run.told - memory.FIRST) * 2e6
        assert run.told == 1000 if length == 10 ** 10 else 0.9 * paid - 2e6 <= looked <= paid, (length, run.told)
    memory.time = time


def shares():
    """Of steps that are too short, as many are told in detail as keep the mean within the share, and not half as many."""
    said, instant = [], record.instant
    for _ in range(50):
        clock = share.time = Time()
        step, told = 10 ** draw.uniform(5, 9), Patches()
        whole = step * 10 ** draw.uniform(-4, 0)
        least, allowed = whole * draw.uniform(0, 0.2), draw.choice((0.01, 0.05))
        watched = Share(told, allowed)
        record.instant = said.append
        costs, numbers = [], []
        for number in range(4 * share.MOST):
            costs.append(whole if told.details else least / 4 if watched.bare else least)
            numbers += [number] if told.details else []
            if told.timed:
                told.taken = costs[-1]
            clock.now += int(step)
            watched.step_ended(number)
        every, late = watched.every, costs[-2 * share.MOST:]
        assert numbers[:share.WHOLE] == list(range(share.WHOLE))
        assert all(number % every == 0 for number in numbers if number >= 4 * share.EVERY * every), (every, numbers)
        mean = sum(late) / len(late)
        # The time of a step is measured to some looks at the clock.
        limit = allowed * step / share.AFTER
        assert mean <= limit * 1.02 or every == share.MOST, (mean / step, allowed, every)
        low = least / 4 if watched.bare else least
        assert every == 1 or low + (whole - low) / (every / 2) > 0.98 * limit, (every, whole / step, low / step)
        assert watched.bare == (every > 1 and 2 * least > limit), (every, least / step, allowed)
    assert any("details of every 4th step: a step takes " in each for each in said), said
    assert [share.ordinal(1 << power) for power in (1, 2, 5, 9, 10)] == ["2nd", "4th", "32nd", "512th", "1024th"]
    assert share.duration(8.2e6) == "8.2 ms" and share.most_allowed(None) == 0.01 and share.most_allowed(0.5) == 0.5
    told = Patches()
    watched = Share(told, 1)
    for number in range(100):
        clock.now += 10
        watched.step_ended(number)
        assert told.details and not told.timed
    share.time, record.instant = time, instant


def patches():
    class Owner:
        def work(self, number):
            if number < 0:
                raise ValueError("below zero")
            return number + 1

    class Child(Owner):
        pass

    seen, all_of = [], Patches()
    original = Owner.work
    assert all_of.around(Owner, "work", lambda _, number: number, lambda known, result, *_: seen.append((known, result)))
    assert all_of.around(Child, "work", lambda *_: 1 / 0, lambda *_: seen.append("never"))
    assert not all_of.around(Owner, "rest", None, None)
    assert Owner().work(1) == 2 and seen == [(1, 2)]
    assert Child().work(2) == 3 and seen == [(1, 2), (2, 3)], "what goes wrong in here does not matter"
    try:
        Owner().work(-1)
        raise AssertionError("the program's own exceptions stay")
    except ValueError as problem:
        assert seen[-1] == (-1, problem)
    all_of.details = False
    assert Owner().work(3) == 4 and len(seen) == 3, "no details are told"
    assert all_of.around(Owner, "work", None, lambda known, result, *_: seen.append(result), always=True)
    assert Owner().work(4) == 5 and seen[-1] == 5
    all_of.timed = True
    assert Owner().work(5) == 6 and all_of.stop() > 0 and all_of.stop() == 0
    inside = []
    Owner.rest = lambda *_: inside.append(all_of.inside())
    all_of.around(Owner, "rest", None, None, place=lambda _, number: (1, None, 2, number, False))
    Owner().rest(7)
    assert inside == [(1, None, 2, 7, False)] and all_of.inside() is None
    all_of.undo()
    assert Owner.work is original and "work" not in vars(Child)


for part in (checksums, device_times, order, doing, looks, shares, patches):
    part()
assert record.sender is None
