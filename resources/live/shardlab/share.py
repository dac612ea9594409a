# SPDX-License-Identifier: Apache-2.0
"""How much of a step watching may take, and so of which steps all details are recorded.

A step that is long enough is recorded whole. Of shorter ones each second, fourth, eighth … is: the others tell when they
began and ended, their loss and the like, and that their details were left out. What is recorded of a step is measured where
it happens, by clocks around it in some of the steps. Ranks need not agree on the number: the steps whose number one power
of two divides are among those of any smaller one.
"""
import collections
import math
import os
import statistics
import time

from . import record

WHOLE = 8    # steps at the beginning with all details, whatever they take
SETTLED = 3  # of these, those that look at all there is, and are not measured
EVERY = 16   # of the steps of a kind, one is measured
MOST = 1024  # steps from one with details to the next
KNOWN = 5    # measurements of a kind that count
AFTER = 2    # what the clocks see times this: the program finds less in the caches behind it (tests/bench/results.md)
LOWER = 1.25  # details come more often again once they would do so if they took so many times as much


def most_allowed(share):
    """The largest share of a step's time that watching may take: as it was given, as the environment says, or 1 %."""
    try:
        return float(share if share is not None else os.environ.get("SHARDLAB_SHARE") or 0.01)
    except (TypeError, ValueError):
        return 0.01


def ordinal(number):
    """2nd and 32nd, but 4th and 512th."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return "%d%s" % (number, ending)


def duration(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6)):
        if nanoseconds >= size:
            return "%.3g %s" % (nanoseconds / size, unit)
    return "%.3g µs" % (nanoseconds / 1e3)


class Share:
    """Switches the details of `patches` on and off, where a step ends. `computes`: the thread that ends the steps computes
    them too; its own time counts then, as what else a busy machine does takes no more of the steps for being watched."""

    def __init__(self, patches, share, computes=False):
        self.patches, self.share = patches, most_allowed(share)
        self.now, self.of = (time.thread_time_ns, " of its thread's time") if computes else (time.monotonic_ns, "")
        self.every = 1        # steps from one with details to the next
        self.next = 0         # the next one with details
        self.bare = False     # the others tell their times alone, for their losses would take too much
        self.counts = [0, 0]  # how often steps without and with details were there to be measured
        self.taken = [collections.deque(maxlen=KNOWN), collections.deque(maxlen=KNOWN)]  # ns, without and with details
        self.steps = collections.deque(maxlen=2 * KNOWN + 1)  # ns of the last ones
        self.seen = None      # (steps that had ended, when) at the last look
        self.left_out = []    # is called where details are left out from now on

    def step_ended(self, number):
        if self.share >= 1:
            return
        patches, number, now = self.patches, number + 1, self.now()
        if self.seen is not None:
            self.steps.append((now - self.seen[1]) / (number - self.seen[0]))
        self.seen = number, now
        details = patches.details
        if patches.timed:
            self.measured(number - 1)
        patches.details = number < WHOLE or number % self.every == 0
        if details and not patches.details:
            for act in self.left_out:
                act()
        if details or patches.details:
            self.next = (number // self.every + 1) * self.every
            patches.timed = number >= SETTLED and self._wanted(patches.details)

    def measured(self, number):
        """The step `number` was, and has ended."""
        patches = self.patches
        self.taken[patches.details].append(patches.stop())
        if patches.details or len(self.taken[0]) == KNOWN:
            self._decide()
            self.next = (number // self.every + 1) * self.every
        patches.timed = not patches.details and len(self.taken[0]) < KNOWN

    def _wanted(self, details):
        self.counts[details] += 1
        return len(self.taken[details]) < KNOWN or self.counts[details] % EVERY == 0

    def _decide(self):
        if len(self.taken[1]) < KNOWN:
            return
        step = statistics.median(self.steps)
        whole, least = (statistics.median(each) if each else 0 for each in reversed(self.taken))
        every = self._needed(step, whole, least)
        if every < self.every:
            every = min(self.every, self._needed(step, LOWER * whole, LOWER * least))
        bare = every > 1 and (self.bare or 2 * least > self.share * step / AFTER)
        if every == self.every and bare == self.bare:
            return
        if bare != self.bare:
            self.taken[0].clear()
            every = min(every, max(2, self._needed(step, whole, 0)))  # until it is known what is left
        self.every, self.bare = every, bare
        if every == 1:
            record.instant("details of each step again")
        else:
            record.instant("details of every %s step: a step takes %s%s, its details %s%s" % (
                ordinal(every), duration(step), self.of, duration(whole),
                "; the others tell their times alone" if bare else ""))

    def _needed(self, step, whole, least):
        """The least power of two of steps in which one with details keeps all of them within the share."""
        allowed = self.share * step / AFTER
        if whole <= allowed:
            return 1
        return min(MOST, 1 << math.ceil(math.log2((whole - least) / (allowed - least)))) if allowed > least else MOST
