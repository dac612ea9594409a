# SPDX-License-Identifier: Apache-2.0
"""Shows a program that is no Shardlab run on Shardlab's timeline while it runs.

    import shardlab
    shardlab.connect()                                  # address, token, rank and world from the environment
    for step in range(steps):
        with shardlab.step(step):
            with shardlab.span("F", stage=0, microbatch=3):
                ...
            with shardlab.span("all_reduce", lane="comm", bytes=1 << 20):
                ...
            shardlab.counter("loss", value)
    shardlab.close()

`shardlab listen` prints what the environment has to hold: SHARDLAB_ADDRESS and SHARDLAB_TOKEN_FILE (or
SHARDLAB_TOKEN). Rank and world are RANK and WORLD_SIZE, as torchrun sets them, 0 and 1 otherwise.

Nothing here raises into the program, and nothing waits: events go into a bounded queue, which a thread of its own sends;
where the queue is full they are dropped, counted, and the count is shown. Without a listener all of it does nothing. A
lost connection is taken up again where it broke. No other package is needed. Times are of the processor: what a GPU
does has ended when the program has waited for it (torch.cuda.synchronize()), not before.
"""
import atexit
import os
import random
import select
import socket
import struct
import sys
import threading
import time

__all__ = ["connect", "close", "span", "step", "instant", "counter", "dropped"]

# What names stand for on the timeline (resources/manual/72-links.md). Other names are shown as they are.
KINDS = {"F": 1, "forward": 1, "B": 2, "backward": 2, "I": 3, "input gradient": 3, "W": 4, "weight gradient": 4,
         "R": 5, "recompute": 5, "optimizer": 12, "validation": 15}
COUNTERS = {"loss": 32, "validation loss": 33, "gradient norm": 34, "learning rate": 35, "tokens/s": 36}
LANES = {"compute": 0, "comm": 1, "copy": 2, "host": 3}
NAMED = {0: 96, 1: 97, 2: 98, 3: 100}  # kernel, collective, copy, annotation
STEP, NAMED_COUNTER, MARK = 14, 112, 120

MOST_QUEUED = 1 << 16   # events; further ones are dropped
MOST_AT_ONCE = 1024     # events in a frame
MOST_UNACKNOWLEDGED = 1 << 14
TICK = 0.05             # seconds between two looks at the queue
RETRY = 0.5             # seconds between two attempts to connect
LARGEST_FRAME = 1 << 20

_RECORD = struct.Struct("<qqqdiIiiBBH")

_TABLE = []
for _byte in range(256):
    for _ in range(8):
        _byte = _byte >> 1 ^ (0x82F63B78 if _byte & 1 else 0)
    _TABLE.append(_byte)


def _crc32c(data):
    crc, table = 0xFFFFFFFF, _TABLE
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def _frame(kind, body):
    content = bytes([kind]) + body
    return struct.pack("<II", len(content), _crc32c(content)) + content


def _text(text):
    data = str(text).encode("utf-8", "replace")[:60000]
    length, prefix = len(data), b""
    while length >= 0x80:
        prefix += bytes([length & 0x7F | 0x80])
        length >>= 7
    return prefix + bytes([length]) + data


def _boot_id():
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.readline().strip()
    except OSError:
        return ""


class _Refused(Exception):
    """The listener wants nothing of this program: no further attempt is made."""


class _Sender:
    """The queue, and the thread that empties it."""

    def __init__(self, host, port, token, rank, world, program):
        self.place = (host, port)
        self.token, self.rank, self.world, self.program = token, rank, world, program
        self.caller = random.SystemRandom().getrandbits(64)
        self.started = time.monotonic_ns()
        self.lock = threading.Lock()
        self.queue = []       # packed events that have not been acknowledged, oldest first
        self.first = 0        # how many were before the queue's first
        self.names = {}
        self.dropped = 0
        self.closing = threading.Event()
        self.socket = None
        self.thread = threading.Thread(target=self._run, name="shardlab", daemon=True)
        self.thread.start()

    def put(self, kind, lane, name, begin, end, size, value, step, stage, microbatch):
        with self.lock:
            if len(self.queue) >= MOST_QUEUED:
                self.dropped += 1
                return
            number = 0
            if name is not None:
                number = self.names.setdefault(str(name), len(self.names) + 1)
            self.queue.append(_RECORD.pack(begin, end, size, value, step, number, stage, microbatch, kind, lane, 0))

    def _run(self):
        while True:
            try:
                self._talk()
                return  # all is said
            except _Refused as refusal:
                print("shardlab: " + str(refusal), file=sys.stderr)
                return
            except Exception:  # the network may do anything: the program must not notice
                pass
            finally:
                if self.socket is not None:
                    self.socket.close()
                    self.socket = None
            if self.closing.wait(RETRY):
                return

    def _talk(self):
        self.socket = socket.create_connection(self.place, timeout=5)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.heard = b""
        greeting = struct.pack("<IBQ", 1, 2, self.caller) + _text(self.program) + _text(self.token)
        self.socket.sendall(_frame(32, greeting))
        self.taken = None
        until = time.monotonic() + 5
        while self.taken is None and time.monotonic() < until:
            self._hear(0.1)
        if self.taken is None:
            raise OSError("no welcome")
        now = time.monotonic_ns()
        self.socket.sendall(_frame(48, struct.pack("<iiiqq", self.rank, self.world, os.getpid(), now, self.started) +
                                   _text(_boot_id()) + _text(socket.gethostname())))
        named, sent, told = 0, max(self.taken, self.first), 0
        while True:
            ending = self.closing.is_set()
            with self.lock:
                del self.queue[:max(0, self.taken - self.first)]
                self.first = max(self.first, self.taken)
                names = list(self.names.items())[named:]
                room = MOST_UNACKNOWLEDGED - (sent - self.first)
                batch = self.queue[sent - self.first:][:max(0, min(room, MOST_AT_ONCE))]
                dropped, empty = self.dropped, not self.queue
            for name, number in names:
                self.socket.sendall(_frame(50, struct.pack("<I", number) + _text(name)))
            named += len(names)
            if batch or dropped != told:
                self.socket.sendall(_frame(51, struct.pack("<QQI", sent, dropped, len(batch)) + b"".join(batch)))
                sent, told = sent + len(batch), dropped
            elif empty and ending:
                self.socket.sendall(_frame(43, b""))
                return
            self._hear(0 if len(batch) == MOST_AT_ONCE else TICK)

    def _hear(self, patience):
        if not select.select([self.socket], [], [], patience)[0]:
            return
        data = self.socket.recv(1 << 16)
        if not data:
            raise OSError("the listener has gone")
        self.heard += data
        while len(self.heard) >= 8:
            length, checksum = struct.unpack_from("<II", self.heard)
            if not 0 < length <= LARGEST_FRAME:
                raise OSError("what arrived was damaged")
            if len(self.heard) < 8 + length:
                return
            content, self.heard = self.heard[8:8 + length], self.heard[8 + length:]
            if _crc32c(content) != checksum:
                raise OSError("what arrived was damaged")
            if content[0] in (34, 49):
                self.taken = struct.unpack_from("<Q", content, 1)[0]
            elif content[0] == 33:
                raise _Refused("refused: " + content[2:].decode("utf-8", "replace"))


_sender = None
_step = -1   # of all threads: what autograd's threads do belongs to it too
_steps = 0   # the number of the next step without one


def _safely(act):
    """What goes wrong here is not the program's concern."""
    try:
        return act()
    except Exception:
        return None


def connect(address=None, token=None, token_file=None, rank=None, world=None, program=None):
    """Begins to send. False: no address or no token was given; then everything else does nothing."""
    global _sender

    def begin():
        global _sender
        where = address or os.environ.get("SHARDLAB_ADDRESS", "")
        secret = token or os.environ.get("SHARDLAB_TOKEN", "")
        path = token_file or os.environ.get("SHARDLAB_TOKEN_FILE", "")
        if not secret and path:
            with open(path) as file:
                secret = file.readline().strip()
        if not where or not secret:
            return False
        host, _, port = where.rpartition(":")
        if _sender is None:
            _sender = _Sender(host.strip("[]") or "127.0.0.1", int(port), secret,
                              int(os.environ.get("RANK", 0)) if rank is None else int(rank),
                              int(os.environ.get("WORLD_SIZE", 1)) if world is None else int(world),
                              program or os.path.basename(sys.argv[0] or "Python"))
            atexit.register(close)
        return True

    return bool(_safely(begin))


def close(patience=2.0):
    """Sends what is queued, waiting `patience` seconds at most, and takes leave."""
    global _sender
    sender, _sender = _sender, None
    if sender is not None:
        sender.closing.set()
        _safely(lambda: sender.thread.join(patience))


def dropped():
    """How many events were dropped because the queue was full."""
    return _sender.dropped if _sender is not None else 0


def _put(kind, lane, name, begin, end, size, value, step, stage, microbatch):
    if _sender is not None:
        at = _step if step is None else step
        _safely(lambda: _sender.put(kind, lane, name, begin, end, int(size), float(value), int(at),
                                    -1 if stage is None else int(stage), -1 if microbatch is None else int(microbatch)))


class span:
    """A stretch of time: F, B, I, W, R, optimizer, or any name; `lane` one of compute, comm, copy, host."""

    def __init__(self, name, stage=None, microbatch=None, lane=None, bytes=0, step=None):
        self.name, self.stage, self.microbatch, self.lane, self.bytes, self.step = name, stage, microbatch, lane, bytes, step

    def __enter__(self):
        self.begin = time.monotonic_ns()
        return self

    def __exit__(self, *problem):
        end = time.monotonic_ns()
        kind = KINDS.get(self.name) if self.lane is None else None
        if kind is None:
            lane = LANES.get(self.lane, 3)
            _put(NAMED[lane], lane, self.name, self.begin, end, self.bytes, 0, self.step, self.stage, self.microbatch)
        else:
            _put(kind, 3 if kind == 15 else 0, None, self.begin, end, self.bytes, 0, self.step, self.stage, self.microbatch)
        return False


class step:
    """One optimizer step: what the program sends within belongs to it. Without a number: the one after the last."""

    def __init__(self, number=None):
        self.number = number

    def __enter__(self):
        global _step, _steps
        if not isinstance(self.number, int):
            self.number = _steps
        self.before, _step, _steps = _step, self.number, self.number + 1
        self.begin = time.monotonic_ns()
        return self

    def __exit__(self, *problem):
        global _step
        _put(STEP, 3, None, self.begin, time.monotonic_ns(), 0, 0, self.number, None, None)
        _step = self.before
        return False


def instant(name, step=None):
    """A moment with a name."""
    now = time.monotonic_ns()
    _put(MARK, 3, name, now, now, 0, 0, step, None, None)


def counter(name, value, step=None):
    """A number at this moment: loss, learning rate, gradient norm, tokens/s, validation loss, or any name."""
    now = time.monotonic_ns()
    kind = COUNTERS.get(name)
    _put(kind or NAMED_COUNTER, 3, None if kind else name, now, now, 0, value, step, None, None)


def _forget_in_child():
    global _sender
    _sender = None  # its thread and its connection are the parent's


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
