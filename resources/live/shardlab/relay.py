# SPDX-License-Identifier: Apache-2.0
"""One connection for all ranks of a node: they call the relay beside them, and it passes on what they say.

    python -m shardlab.relay HOST:PORT --token-file FILE -- torchrun train.py

runs the command with SHARDLAB_ADDRESS and SHARDLAB_TOKEN_FILE set for its ranks, and ends as the command does. HOST:PORT is
that of `shardlab listen`, or of a tunnel to it. Each rank keeps a connection of its own inside (channels of
resources/manual/72-links.md), so that one that dies is named as it would be without a relay. Where the listener is not
there the command runs all the same, and once it is there, or is there again, what the ranks still have is sent.
"""
import argparse
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import threading

from .link import TICK, Link, Token, keep_calling

OPEN, DATA, TAKEN, CLOSE = 70, 71, 72, 73
WINDOW = 1 << 18   # bytes of a channel that may be on the way in a direction
PIECE = 1 << 16


class Channel:
    """A rank's connection."""

    def __init__(self, number, rank):
        self.number, self.rank = number, rank
        self.credit = WINDOW  # bytes that the listener still takes
        self.pending = b""    # for the rank
        self.over = False     # the listener has closed it

    def frame(self, link, kind, body=b""):
        link.send(kind, struct.pack("<I", self.number) + body)

    def read(self, link):
        """False: the rank has gone."""
        try:
            data = self.rank.recv(min(PIECE, self.credit))
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        self.credit -= len(data)
        self.frame(link, DATA if data else CLOSE, data)
        return bool(data)

    def write(self, link):
        """False: the rank has gone."""
        try:
            sent = self.rank.send(self.pending)
        except BlockingIOError:
            return True
        except OSError:
            self.frame(link, CLOSE)
            return False
        self.pending = self.pending[sent:]
        self.frame(link, TAKEN, struct.pack("<I", sent))
        return True


class Relay:
    """Listens on a port of its own for the ranks of this node."""

    def __init__(self, place, token):
        self.place, self.token = place, token
        self.caller = random.SystemRandom().getrandbits(64)
        self.server = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.address = "127.0.0.1:%d" % self.server.getsockname()[1]
        self.channels = {}
        self.opened = 0
        self.closing = threading.Event()
        self.thread = threading.Thread(target=self._run, name="shardlab relay", daemon=True)
        self.thread.start()

    def close(self, patience=10.0):
        """Passes on what the ranks have said, waiting `patience` seconds at most."""
        self.closing.set()
        self.thread.join(patience)

    def _run(self):
        refusal = keep_calling(lambda token: Link(self.place, 3, self.caller, "shardlab.relay", token), self._talk, self.token,
                               self.closing)
        if refusal is not None:
            print("shardlab.relay: " + str(refusal), file=sys.stderr)
            self.server.close()  # the ranks of this node need not try again

    def _talk(self, link):
        """Until the link breaks, or all is said. Ranks whose connection ends call again, and nothing is lost."""
        while select.select([self.server], [], [], 0)[0]:
            self.server.accept()[0].close()  # it called when there was nobody to pass it on to, and has waited for long
        try:
            self._pass(link)
        finally:
            for channel in self.channels.values():
                channel.rank.close()
            self.channels.clear()

    def _pass(self, link):
        while True:
            listening = [each.rank for each in self.channels.values() if each.credit > 0]
            talking = [each.rank for each in self.channels.values() if each.pending]
            ready, free, _ = select.select([link.socket, self.server, *listening], talking, [], TICK)
            if self.closing.is_set() and not self.channels and self.server not in ready:
                return
            if self.server in ready:
                self._accept(link)
            if link.socket in ready:
                for kind, body in link.frames(0):
                    self._take(kind, body)
            for channel in list(self.channels.values()):
                there = (channel.rank not in ready or channel.read(link)) and \
                        (channel.rank not in free or channel.write(link))
                if not there or channel.over and not channel.pending:
                    channel.rank.close()
                    del self.channels[channel.number]

    def _accept(self, link):
        rank, _ = self.server.accept()
        rank.setblocking(False)
        self.opened += 1
        channel = self.channels[self.opened] = Channel(self.opened, rank)
        channel.frame(link, OPEN)

    def _take(self, kind, body):
        number, = struct.unpack_from("<I", body)
        channel = self.channels.get(number)
        if channel is None:
            return  # it has just been closed here
        if kind == DATA:
            channel.pending += body[4:]
        elif kind == TAKEN:
            channel.credit += struct.unpack_from("<I", body, 4)[0]
        elif kind == CLOSE:
            channel.over = True


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m shardlab.relay", description=__doc__.splitlines()[0])
    parser.add_argument("address", metavar="HOST:PORT", help="where shardlab listen is, or a tunnel to it")
    parser.add_argument("--token-file", default=os.environ.get("SHARDLAB_TOKEN_FILE"), help="as shardlab listen wrote it")
    parser.add_argument("command", nargs="+", help="what starts the ranks of this node, after --")
    given = parser.parse_args(arguments)
    host, _, port = given.address.rpartition(":")
    if not port.isdigit():
        parser.error("no port in %r: HOST:PORT is wanted, as shardlab listen prints it" % given.address)
    if not given.token_file:
        parser.error("no token: --token-file, or SHARDLAB_TOKEN_FILE in the environment, names its file")
    try:
        open(given.token_file).close()
    except OSError as problem:
        parser.error("cannot read the token: %s" % problem)
    token = Token(path=given.token_file)
    relay = Relay((host.strip("[]") or "127.0.0.1", int(port)), token)
    environment = dict(os.environ, SHARDLAB_ADDRESS=relay.address, SHARDLAB_TOKEN_FILE=os.path.abspath(given.token_file))
    try:
        command = subprocess.Popen(given.command, env=environment)
    except OSError as problem:
        print("shardlab.relay: cannot start %s: %s" % (given.command[0], problem), file=sys.stderr)
        return 127
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: command.send_signal(number))
    status = command.wait()
    relay.close()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
