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
    now, grad_enabled, words = run.now, torch.is_grad_enabled, True
    # Lightning leaves what stands around replicas in evaluation after its first pass.
    inner = model.module if type(model).__name__ == "DistributedDataParallel" else model
    place = "_compiled_call_impl"
    if type(model).__name__ == "OptimizedModule" or not hasattr(model, place):  # the former hands it to what it wraps
        place = "forward"
    original = getattr(model, place) or model._call_impl

    def forward(*args, **kwargs):
        nonlocal words
        to = record.sender
        if to is None or run.muted or run.pipelined or is_traced() or compiler._is_compiling_flag:
            return original(*args, **kwargs)
        if not inner.training or not grad_enabled():
            return _evaluated(run, original, args, kwargs)
        try:
            if words:
                words = bool(run.count_tokens(args, kwargs))
            if run.begin is None:
                run.begins()
            begin, microbatch = now(), run.forwards
            run.forwards = microbatch + 1
            entry = (begin if type(begin) is int else time.monotonic_ns(), FORWARD, None, 0, microbatch, False)
            before = run.current
            run.current = run.last = entry
        except Exception:  # what goes wrong here is not the program's concern
            return original(*args, **kwargs)
        try:
            return original(*args, **kwargs)
        finally:
            try:
                end, run.current = now(), before
                to.append((begin, end, 0, 0.0, record.present_step, 0, 0, microbatch, FORWARD, record.COMPUTE, 0))
            except Exception:
                pass

    run.patches.put(model, place, forward)


def watch_backward(run, torch):
    now, original = run.now, torch.Tensor.backward

    @functools.wraps(original)
    def backward(tensor, *args, **kwargs):
        to = record.sender
        plain = not args and not kwargs  # then it is a loss, or an error
        if (to is None or run.muted or run.pipelined or is_traced() or compiler._is_compiling_flag or
                not plain and tensor.numel() != 1):
            return original(tensor, *args, **kwargs)
        try:
            if run.unscaled:
                run.losses((tensor,))
            else:
                run.loss.backward(tensor, plain)
            if run.begin is None:
                run.begins()
            if run.forwards - run.backwards > run.most_held:
                run.look()
            begin, microbatch = now(), run.backwards
            run.backwards = microbatch + 1
            entry = (begin if type(begin) is int else time.monotonic_ns(), BACKWARD, None, 0, microbatch, False)
            before = run.current
            run.current = run.last = entry
        except Exception:
            return original(tensor, *args, **kwargs)
        try:
            return original(tensor, *args, **kwargs)
        finally:
            try:
                end, run.current = now(), before
                to.append((begin, end, 0, 0.0, record.present_step, 0, 0, microbatch, BACKWARD, record.COMPUTE, 0))
            except Exception:
                pass

    run.patches.put(torch.Tensor, "backward", backward)
