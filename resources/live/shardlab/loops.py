# SPDX-License-Identifier: Apache-2.0
"""A model without a schedule: one stage, whose microbatches are its forwards and the backward calls on its losses.

All of it happens among operations that leave nothing of this package in the processor's caches, so that what a call
touches costs more than what it computes. So forward and backward each stand whole in one function here, which calls into
the rest only where something is seldom.
"""
import functools
import time

from . import record
from .patches import compiler, is_traced

FORWARD, BACKWARD = 1, 2


def _evaluated(run, call, args, kwargs):
    """A pass without backward."""
    record.safely(lambda: run.evaluation(True))
    try:
        return call(*args, **kwargs)
    finally:
        record.safely(lambda: run.evaluation(False))


def watch_model(run, torch, model):
    """The whole call is seen from outside, at the place where PyTorch looks for a compiled one: hooks would cost more than
    all that is recorded, and would become part of what is compiled."""
    now, patches, grad_enabled, words = run.now, run.patches, torch.is_grad_enabled, True
    # Lightning leaves what stands around replicas in evaluation after its first pass.
    inner = model.module if type(model).__name__ == "DistributedDataParallel" else model
    place = "_compiled_call_impl"
    if type(model).__name__ == "OptimizedModule" or not hasattr(model, place):  # the former hands it to what it wraps
        place = "forward"
    original = getattr(model, place) or model._call_impl

    def forward(*args, **kwargs):
        nonlocal words
        if not is_traced() and run.fast and inner.training and grad_enabled():
            run.forwards += 1
            return original(*args, **kwargs)
        to = record.sender
        if to is None or run.muted or run.pipelined or is_traced() or compiler._is_compiling_flag:
            return original(*args, **kwargs)
        if not inner.training or not grad_enabled():
            return _evaluated(run, original, args, kwargs)
        timed = patches.timed
        if timed:
            patches.start()
        try:
            microbatch = run.forwards
            run.forwards = microbatch + 1
            details = patches.details
            if details:
                if words:
                    words = bool(run.count_tokens(args, kwargs))
                if run.begin is None:
                    run.begins()
                begin = now()
                entry = (begin if type(begin) is int else time.monotonic_ns(), FORWARD, None, 0, microbatch, False)
                before = run.current
                run.current = run.last = entry
        except Exception:  # what goes wrong here is not the program's concern
            details = False
        if timed:
            patches.pause()
        if not details:
            return original(*args, **kwargs)
        try:
            return original(*args, **kwargs)
        finally:
            try:
                if timed:
                    patches.start()
                end, run.current = now(), before
                to.append((begin, end, 0, 0.0, record.present_step, 0, 0, microbatch, FORWARD, record.COMPUTE, 0))
                if timed:
                    patches.pause()
            except Exception:
                pass

    patches.put(model, place, forward)
    patches.frames[forward.__code__] = lambda _: (FORWARD, None, 0, run.forwards - 1, False)


def watch_backward(run, torch):
    now, patches, loss, original = run.now, run.patches, run.loss, torch.Tensor.backward

    @functools.wraps(original)
    def backward(tensor, *args, **kwargs):
        if not is_traced() and run.fast and not args and not kwargs and loss.version is not None:
            if not run.bare:
                loss.kept.append(tensor)
            return original(tensor)
        to = record.sender
        plain = not args and not kwargs  # then it is a loss, or an error
        if (to is None or run.muted or run.pipelined or is_traced() or compiler._is_compiling_flag or
                not plain and tensor.numel() != 1):
            return original(tensor, *args, **kwargs)
        timed = patches.timed
        if timed:
            patches.start()
        try:
            if run.bare:
                pass
            elif plain and loss.version is not None and not run.unscaled:
                loss.kept.append(tensor)
            else:
                run.losses((tensor,), plain)
            microbatch = run.backwards
            details = patches.details
            if details:
                if run.begin is None:
                    run.begins()
                if run.forwards - microbatch > run.most_held:
                    run.look()
                begin = now()
                entry = (begin if type(begin) is int else time.monotonic_ns(), BACKWARD, None, 0, microbatch, False)
                before = run.current
                run.current = run.last = entry
            run.backwards = microbatch + 1
        except Exception:
            details = False
        if timed:
            patches.pause()
        if not details:
            return original(tensor, *args, **kwargs)
        try:
            return original(tensor, *args, **kwargs)
        finally:
            try:
                if timed:
                    patches.start()
                end, run.current = now(), before
                to.append((begin, end, 0, 0.0, record.present_step, 0, 0, microbatch, BACKWARD, record.COMPUTE, 0))
                if timed:
                    patches.pause()
            except Exception:
                pass

    patches.put(torch.Tensor, "backward", backward)
    patches.frames[backward.__code__] = lambda _: (BACKWARD, None, 0, max(len(loss.kept), len(loss.seen)) - 1, False)
