# SPDX-License-Identifier: Apache-2.0
"""Functions of other packages that tell when they are called, until they are put back."""
import functools
import sys
from time import monotonic_ns

try:
    from torch.compiler import is_compiling
except ImportError:  # of an older PyTorch, or there is none
    def is_compiling():
        return False

try:  # is_compiling() in two parts, for where a call counts
    from torch import compiler
    from torch.compiler import is_dynamo_compiling as is_traced
    compiler._is_compiling_flag
except (ImportError, AttributeError):
    class compiler:
        _is_compiling_flag = False

    is_traced = is_compiling


class Patches:
    """Every replacement calls what it replaces with the same arguments, whatever happens in here."""

    def __init__(self):
        self.replaced = []
        self.details = True  # what is called is told; else only what is told of each step
        self.timed = False   # what telling takes is measured
        self.taken = self.since = 0  # nanoseconds; when what is measured began, 0: nothing is
        self.places = {}     # by id of what was replaced: what the program is in while it is called
        self.frames = {}     # by a replacement's code: the same, of the variables of the call

    def start(self):
        self.since = monotonic_ns()

    def pause(self):
        if self.since:
            self.taken += monotonic_ns() - self.since
            self.since = 0

    def stop(self):
        """The nanoseconds that telling has taken since the last stop, and from which on it counts anew."""
        self.pause()
        taken, self.taken = self.taken, 0
        return taken

    def put(self, owner, name, replacement):
        own = name in vars(owner) if hasattr(owner, "__dict__") else False
        self.replaced.append((owner, name, getattr(owner, name, None), own))
        setattr(owner, name, replacement)

    def inside(self):
        """What the program is in, where no details are told that say so: by what its threads are calling. As entry() has
        it (record.py), but for the time; None: in none of what was replaced."""
        for frame in sys._current_frames().values():
            while frame is not None:
                place = self.frames.get(frame.f_code)
                known = place(frame.f_locals) if place is not None else None
                if known is not None:
                    return known
                frame = frame.f_back
        return None

    def _place(self, values):
        place = self.places.get(id(values["original"]))
        return place(*values["args"], **values["kwargs"]) if place is not None else None

    def around(self, owner, name, before, after, swap=None, always=False, place=None):
        """`before(*args, **kwargs)` returns what `after(that, result, *args, **kwargs)` is given once the original has
        returned; where the original raises, `result` is the exception. `swap(that, *args)` returns the positional
        arguments that the original is given instead. `always`: also where no details are told. `place(*args, **kwargs)`:
        what the program is in meanwhile, for inside(). False: there is no such function."""
        original = getattr(owner, name, None)
        if original is None:
            return False

        @functools.wraps(original)
        def replacement(*args, **kwargs):
            if is_compiling():  # what is compiled is the original
                return original(*args, **kwargs)
            timed = self.timed
            if timed:
                self.start()
            if not (always or self.details):
                if timed:
                    self.pause()
                return original(*args, **kwargs)
            try:
                known = before(*args, **kwargs) if before is not None else None
                given = args if swap is None else swap(known, *args)
            except Exception:
                return original(*args, **kwargs)
            finally:
                if timed:
                    self.pause()
            try:
                result = original(*given, **kwargs)
            except BaseException as problem:
                if after is not None:
                    try:
                        after(known, problem, *args, **kwargs)
                    except Exception:
                        pass
                raise
            if after is not None:
                if timed:
                    self.start()
                try:
                    after(known, result, *args, **kwargs)
                except Exception:
                    pass
                if timed:
                    self.pause()
            return result

        self.put(owner, name, replacement)
        self.frames[replacement.__code__] = self._place
        if place is not None:
            self.places[id(original)] = place
        return True

    def undo(self):
        for owner, name, original, own in reversed(self.replaced):
            try:
                if own:
                    setattr(owner, name, original)
                else:
                    delattr(owner, name)
            except Exception:
                pass
        self.replaced = []
