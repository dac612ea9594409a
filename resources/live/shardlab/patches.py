# SPDX-License-Identifier: Apache-2.0
"""Functions of other packages that tell when they are called, until they are put back."""
import functools

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

    def put(self, owner, name, replacement):
        own = name in vars(owner) if hasattr(owner, "__dict__") else False
        self.replaced.append((owner, name, getattr(owner, name, None), own))
        setattr(owner, name, replacement)

    def around(self, owner, name, before, after, swap=None):
        """`before(*args, **kwargs)` returns what `after(that, result, *args, **kwargs)` is given once the original has
        returned; where the original raises, `result` is the exception. `swap(that, *args)` returns the positional
        arguments that the original is given instead. False: there is no such function."""
        original = getattr(owner, name, None)
        if original is None:
            return False

        @functools.wraps(original)
        def replacement(*args, **kwargs):
            if is_compiling():  # what is compiled is the original
                return original(*args, **kwargs)
            try:
                known = before(*args, **kwargs) if before is not None else None
                given = args if swap is None else swap(known, *args)
            except Exception:
                return original(*args, **kwargs)
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
                try:
                    after(known, result, *args, **kwargs)
                except Exception:
                    pass
            return result

        self.put(owner, name, replacement)
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
