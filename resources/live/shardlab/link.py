# SPDX-License-Identifier: Apache-2.0
"""The queue of events, and the thread that sends them (resources/manual/72-links.md)."""
import collections
import os
import random
import select
import socket
import struct
import sys
import threading
import time

from .checksum import crc32c

MOST_QUEUED = 1 << 16   # events; further ones are dropped
MOST_AT_ONCE = 1024     # events in a frame
MOST_UNACKNOWLEDGED = 1 << 14
TICK = 0.1              # seconds between two looks at the queue
RETRY = 0.5             # seconds between two attempts to connect
LARGEST_FRAME = 1 << 20
STILL = 1.0             # seconds without an event after which it is told what the program is in

RECORD = struct.Struct("<qqqdiIiiBBBB")
LETTERS = {1: "F", 2: "B", 3: "I", 4: "W", 5: "R", 6: "SEND_F", 7: "RECV_F", 8: "SEND_B", 9: "RECV_B"}
OVERFLOW, ALL_LAYERS = 67, -3.0


def frame(kind, body):
    content = bytes([kind]) + body
    return struct.pack("<II", len(content), crc32c(content)) + content


def text(words):
    data = str(words).encode("utf-8", "replace")[:60000]
    length, prefix = len(data), b""
    while length >= 0x80:
        prefix += bytes([length & 0x7F | 0x80])
        length >>= 7
    return prefix + bytes([length]) + data


def boot_id():
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.readline().strip()
    except OSError:
        return ""


def words(kind, name, stage, microbatch):
    """What an event is called in a sentence: "2F3", "all_reduce"."""
    if kind in LETTERS and stage is not None and stage >= 0:
        return "%d%s%d" % (stage, LETTERS[kind], max(0, microbatch if microbatch is not None else 0))
    return {12: "the optimizer", 14: "a step"}.get(kind, str(name) if name else "what has no name")


class Refused(Exception):
    """The listener wants nothing of this program: no further attempt is made."""


class Sender:
    """Takes events at once and sends them from a thread of its own.

    An event is the tuple (begin, end, bytes, value, step, name, stage, microbatch, kind, lane, action). Times may be
    moments whose nanoseconds() is None until a device has reached them, and a value may have a number() that is not
    known yet: such an event, and those behind it, go once it is.
    """

    def __init__(self, host, port, token, rank, world, program):
        self.place = (host, port)
        self.token, self.rank, self.world, self.program = token, rank, world, program
        self.caller = random.SystemRandom().getrandbits(64)
        self.started = time.monotonic_ns()
        self.lock = threading.Lock()
        self.fresh = collections.deque()  # as they were given
        self.queue = []                   # packed and not acknowledged, oldest first
        self.kept = 0                     # the length of `queue`
        self.first = 0                    # how many were before the queue's first
        self.names = {}
        self.dropped = 0
        self.open = []                    # what the program is in: (begin, kind, name, stage, microbatch, waits)
        self.last = None                  # the event that was given last
        self.failure = None               # why the program ends, where it fails
        self.chores = []                  # called now and then from the thread
        self.closing = threading.Event()
        self.socket = None
        self.thread = threading.Thread(target=self._run, name="shardlab", daemon=True)
        self.thread.start()

    def put(self, event):
        if len(self.fresh) + self.kept >= MOST_QUEUED:
            with self.lock:
                self.dropped += 1
            return
        self.last = event
        self.fresh.append(event)

    def _pack(self):
        """Moves what is settled from `fresh` to `queue`, and returns the names that it was the first to use."""
        named = []
        while self.fresh and len(self.queue) < MOST_UNACKNOWLEDGED:
            begin, end, size, value, step, name, stage, microbatch, kind, lane, action = self.fresh[0]
            try:
                if not isinstance(begin, int):
                    begin = begin.nanoseconds()
                if not isinstance(end, int):
                    end = end.nanoseconds()
                if not isinstance(value, (int, float)):
                    value = value.number()
                if begin is None or end is None or value is None:
                    break
                number = 0
                if name is not None:
                    name = str(name)
                    number = self.names.get(name)
                    if number is None:
                        number = self.names[name] = len(self.names) + 1
                        named.append((name, number))
                if kind != OVERFLOW or value > 0:  # a value that was settled late may say that there was none
                    record = RECORD.pack(begin, max(begin, end), int(size), ALL_LAYERS if kind == OVERFLOW else float(value),
                                         int(step), number, -1 if stage is None else int(stage),
                                         -1 if microbatch is None else int(microbatch), kind, lane, action, 0)
                    self.queue.append(record)
            except Exception:  # an event that makes no sense is nothing to the program
                pass
            self.kept = len(self.queue)
            self.fresh.popleft()
        return named

    def _run(self):
        while True:
            try:
                self._talk()
                return  # all is said
            except Refused as refusal:
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

    def _greet(self):
        self.socket = socket.create_connection(self.place, timeout=5)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.heard = b""
        greeting = struct.pack("<IBQ", 1, 2, self.caller) + text(self.program) + text(self.token)
        self.socket.sendall(frame(32, greeting))
        self.taken = None
        until = time.monotonic() + 5
        while self.taken is None and time.monotonic() < until:
            self._hear(0.1)
        if self.taken is None:
            raise OSError("no welcome")
        now = time.monotonic_ns()
        self.socket.sendall(frame(48, struct.pack("<iiiqq", self.rank, self.world, os.getpid(), now, self.started) +
                                  text(boot_id()) + text(socket.gethostname())))

    def _talk(self):
        self._greet()
        for name, number in list(self.names.items()):
            self._name(name, number)
        sent, told, told_doing = max(self.taken, self.first), 0, None
        while True:
            ending = self.closing.is_set()
            for chore in self.chores:
                chore()
            acknowledged = max(0, self.taken - self.first)
            del self.queue[:acknowledged]
            self.first += acknowledged
            for name, number in self._pack():
                self._name(name, number)
            self.kept = len(self.queue)
            batch = self.queue[sent - self.first:][:MOST_AT_ONCE]
            dropped = self.dropped
            if batch or dropped != told:
                self.socket.sendall(frame(51, struct.pack("<QQI", sent, dropped, len(batch)) + b"".join(batch)))
                sent, told, told_doing = sent + len(batch), dropped, None
            elif ending and not self.queue and not self.fresh:
                self.socket.sendall(frame(43, text(self.failure) if self.failure else b""))
                return
            else:
                doing = self._doing()
                if doing is not None and doing != told_doing:
                    since, step, waits, what = doing
                    self.socket.sendall(frame(52, struct.pack("<qiB", since, step, waits) + text(what)))
                    told_doing = doing
            self._hear(0 if len(batch) == MOST_AT_ONCE else 0.005 if ending else TICK)

    def _doing(self):
        """(since, step, waits, words) of a program that has recorded nothing for a while."""
        last, now = self.last, time.monotonic_ns()
        place = self.open[-1:]  # another thread may just empty it
        since = place[0][0] if place else last[1] if last else None
        if not isinstance(since, int) or now - since < STILL * 1e9:
            return None
        if last is not None and isinstance(last[1], int) and now - last[1] < STILL * 1e9:
            return None
        step = last[4] if last is not None else -1
        if place:
            _, kind, name, stage, microbatch, waits = place[0]
            return since, step, bool(waits), "in " + words(kind, name, stage, microbatch)
        return since, step, False, "after " + words(last[8], last[5], last[6], last[7])

    def _name(self, name, number):
        self.socket.sendall(frame(50, struct.pack("<I", number) + text(name)))

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
            if crc32c(content) != checksum:
                raise OSError("what arrived was damaged")
            if content[0] in (34, 49):
                self.taken = struct.unpack_from("<Q", content, 1)[0]
            elif content[0] == 33:
                raise Refused("refused: " + content[2:].decode("utf-8", "replace"))
