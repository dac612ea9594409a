# SPDX-License-Identifier: Apache-2.0
"""The queue of events, and the thread that sends them (resources/manual/72-links.md)."""
import collections
import hashlib
import hmac
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
RETRY = 0.5             # seconds between the first two attempts to connect
MOST_RETRY = 2.0        # between later ones: a listener waits 10 s for a rank to come back
LARGEST_FRAME = 1 << 20
STILL = 1.0             # seconds without an event after which it is told what the program is in

RECORD = struct.Struct("<qqqdiIiiBBBx")
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
    """What an event is called in a sentence: "2F3", "2F" where the microbatch is not known, "all_reduce"."""
    if kind in LETTERS and stage is not None and stage >= 0:
        known = microbatch is not None and microbatch >= 0
        return "%d%s%s" % (stage, LETTERS[kind], microbatch if known else "")
    return {12: "the optimizer", 14: "a step"}.get(kind, str(name) if name else "what has no name")


class Refused(Exception):
    """The listener wants nothing of this program, or is not the one that was meant: no further attempt is made."""


class Token:
    """What lets a program in: as it was given, or as it stands in its file now, since a listener that is started anew
    writes another one there. While no listener has the file, it is what was read last."""

    def __init__(self, text="", path=""):
        self.text, self.path = text, path

    def read(self):
        if self.path:
            try:
                with open(self.path) as file:
                    self.text = file.readline().strip() or self.text
            except (OSError, ValueError):
                pass
        return self.text


def keep_calling(connect, talk, token, closing):
    """Lets `talk(connect(token's text))` say all to the listener; None. Where the connection breaks, or nobody listens, it
    calls again after a while, until `closing` is set. Returns why it gave up, where it was refused: but not where the
    token is another one since."""
    pause, chance = RETRY, random.SystemRandom()
    while True:
        known, link = token.read(), None
        try:
            link = connect(known)
            pause = RETRY
            return talk(link)
        except Refused as refusal:
            if token.read() == known:
                return refusal
        except Exception:  # the network may do anything: the program must not notice
            pass
        finally:
            if link is not None:
                link.close()
        if closing.wait(pause * chance.uniform(0.75, 1.25)):  # not all ranks at once
            return None
        pause = min(2 * pause, MOST_RETRY)


def unpack_token(token):
    """(secret, fingerprint) of a token; the fingerprint is None where the link is plain."""
    if not token.startswith("tls"):
        return token, None
    digits = token[3:]
    if len(digits) != 96 or set(digits) - set("0123456789abcdef"):
        raise Refused("the token is damaged: “tls” and 96 hexadecimal digits, as it was printed and written, are one")
    return digits[64:], digits[:64]


def encrypted(connection, fingerprint):
    """The connection over TLS, with the listener whose certificate the token names, and no other."""
    try:
        import ssl
    except ImportError:
        raise Refused("this Python has no ssl, which the token asks for: shardlab listen --no-tls does without") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # no authority has signed it: its fingerprint is compared below
    try:
        connection = context.wrap_socket(connection)
    except ssl.SSLEOFError:
        raise OSError("the listener has gone") from None
    except ssl.SSLError as error:
        raise Refused("what listens there does not speak TLS 1.3, which the token asks for (%s)" % error.reason) from None
    shown = hashlib.sha256(connection.getpeercert(binary_form=True)).hexdigest()
    if not hmac.compare_digest(shown, fingerprint):
        connection.close()
        raise Refused("the listener's certificate is not the one that the token names: the token is another listener's, "
                      "or somebody stands in between")
    return connection


class Link:
    """One connection to the listener, which takes and gives frames. `taken`: what its welcome says."""

    def __init__(self, place, role, caller, program, token):
        secret, fingerprint = unpack_token(token)
        self.socket = socket.create_connection(place, timeout=5)
        try:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if fingerprint is not None:
                self.socket = encrypted(self.socket, fingerprint)
            self.heard = b""
            self.send(32, struct.pack("<IBQ", 1, role, caller) + text(program) + text(secret))
            self.taken = self._welcome()
        except BaseException:
            self.close()
            raise

    def close(self):
        self.socket.close()

    def send(self, kind, body=b""):
        self.socket.sendall(frame(kind, body))

    def frames(self, patience):
        """(kind, body) of what arrives within that many seconds."""
        if not select.select([self.socket], [], [], patience)[0]:
            return
        data = self.socket.recv(1 << 16)  # more than a record of TLS holds, so that nothing waits unseen
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
            if content[0] == 33:
                raise Refused("refused: " + content[2:].decode("utf-8", "replace"))
            yield content[0], content[1:]

    def _welcome(self):
        until = time.monotonic() + 5
        while time.monotonic() < until:
            for kind, body in self.frames(0.1):
                if kind == 34:
                    return struct.unpack_from("<Q", body)[0]
        raise OSError("no welcome")


class Sender:
    """Takes events at once and sends them from a thread of its own.

    An event is the tuple (begin, end, bytes, value, step, name, stage, microbatch, kind, lane, action): the record's fields,
    but for the name, which goes as its number and is 0 where there is none. Times may be moments whose nanoseconds() is
    None until a device has reached them, and a value may have a number() that is not known yet: such an event, and those
    behind it, go once it is.

    `token`: a Token.
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
        self.around = lambda: None        # what the program is in beside these, if anything
        self.step = lambda: -1            # the step that it is in, where that is known beside the events
        self.last = None                  # the event that was packed last
        self.append = self.fresh.append   # takes an event; where the queue is full, only counts it
        self.failure = None               # why the program ends, where it fails
        self.chores = []                  # called now and then from the thread
        self.closing = threading.Event()
        self.link = None
        self.thread = threading.Thread(target=self._run, name="shardlab", daemon=True)
        self.thread.start()

    def put(self, event):
        """Whoever calls append() instead, calls this now and then."""
        if len(self.fresh) + self.kept >= MOST_QUEUED:
            self.append = self._drop
        self.append(event)

    def _drop(self, event):
        with self.lock:
            self.dropped += 1

    def _pack(self):
        """Moves what is settled from `fresh` to `queue`, and returns the names that it was the first to use."""
        named, fresh, queue, pack = [], self.fresh, self.queue, RECORD.pack
        while fresh and len(queue) < MOST_UNACKNOWLEDGED:
            event = fresh[0]
            try:
                # Nearly all are as they will go: while this thread works, the program's may have to wait for it.
                if event[8] == OVERFLOW or event[1] < event[0]:
                    raise TypeError
                queue.append(pack(*event))
            except (TypeError, struct.error):
                try:
                    if not self._settle(event, named):
                        break
                except Exception:  # an event that makes no sense is nothing to the program
                    pass
            self.last = fresh.popleft()
        self.kept = len(queue)
        if len(fresh) + self.kept < MOST_QUEUED:
            self.append = fresh.append
        return named

    def _settle(self, event, named):
        """Packs an event of which something has to be asked or put right; False: it is not known yet."""
        begin, end, size, value, step, name, stage, microbatch, kind, lane, action = event
        if not isinstance(begin, int):
            begin = begin.nanoseconds()
        if not isinstance(end, int):
            end = end.nanoseconds()
        if not isinstance(value, (int, float)):
            value = value.number()
        if begin is None or end is None or value is None:
            return False
        number = 0
        if isinstance(name, str):
            number = self.names.get(name)
            if number is None:
                number = self.names[name] = len(self.names) + 1
                named.append((name, number))
        if kind != OVERFLOW or value > 0:  # a value that was settled late may say that there was none
            self.queue.append(RECORD.pack(begin, max(begin, end), int(size),
                                          ALL_LAYERS if kind == OVERFLOW else float(value), int(step), number,
                                          -1 if stage is None else int(stage),
                                          -1 if microbatch is None else int(microbatch), kind, lane, action))
        return True

    def _run(self):
        refusal = keep_calling(lambda token: Link(self.place, 2, self.caller, self.program, token), self._talk, self.token,
                               self.closing)
        if refusal is not None:
            print("shardlab: " + str(refusal), file=sys.stderr)

    def _greet(self):
        self.taken = self.link.taken
        now, started = time.monotonic_ns(), self.started
        if self.taken < self.first:  # to this listener, which has not heard the first ones, the run begins with what is left
            started = min([RECORD.unpack_from(record)[0] for record in self.queue], default=now)
        self.link.send(48, struct.pack("<iiiqq", self.rank, self.world, os.getpid(), now, started) +
                       text(boot_id()) + text(socket.gethostname()))

    def _talk(self, link):
        self.link = link
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
                self.link.send(51, struct.pack("<QQI", sent, dropped, len(batch)) + b"".join(batch))
                sent, told, told_doing = sent + len(batch), dropped, None
            elif ending and not self.queue and not self.fresh:
                self.link.send(43, text(self.failure) if self.failure else b"")
                return
            else:
                doing = self._doing()
                if doing is not None and doing != told_doing:
                    since, step, waits, what = doing
                    self.link.send(52, struct.pack("<qiB", since, step, waits) + text(what))
                    told_doing = doing
            self._hear(0 if len(batch) == MOST_AT_ONCE else 0.005 if ending else TICK)

    def _doing(self):
        """(since, step, waits, words) of a program that has recorded nothing for a while."""
        last, now = self.fresh[-1] if self.fresh else self.last, time.monotonic_ns()
        # The innermost; another thread may just empty the list.
        place = max((each for each in (*self.open[-1:], self.around()) if each), key=lambda each: each[0], default=None)
        since = place[0] if place else last[1] if last else None
        if not isinstance(since, int) or now - since < STILL * 1e9:
            return None
        if last is not None and isinstance(last[1], int) and now - last[1] < STILL * 1e9:
            return None
        step = max(last[4] if last is not None else -1, self.step())
        if place:
            _, kind, name, stage, microbatch, waits = place
            return since, step, bool(waits), "in " + words(kind, name, stage, microbatch)
        return since, step, False, "after " + words(last[8], last[5], last[6], last[7])

    def _name(self, name, number):
        self.link.send(50, struct.pack("<I", number) + text(name))

    def _hear(self, patience):
        for kind, body in self.link.frames(patience):
            if kind == 49:
                self.taken = struct.unpack_from("<Q", body)[0]
