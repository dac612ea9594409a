# SPDX-License-Identifier: Apache-2.0
"""A model without a schedule: one stage, whose microbatches are its forwards and the backward calls on its losses.

All of it happens among operations that leave nothing of this package in the processor's caches, so that what a call
touches costs more than what it computes. It is done here without calls into the rest, where that is possible.
"""
import functools
import time

from . import record
from .patches import compiler, is_traced

FORWARD, BACKWARD = 1, 2
ANOTHER, COMPUTES, EVALUATES = range(3)


def _timed(run, kind, call, takes):
    """`call`, recorded as F or B where takes(*args, **kwargs) says that it computes."""
    now = run.now

    def timed(*args, **kwargs):
        if run.muted or run.pipelined or is_traced() or compiler._is_compiling_flag:
            return call(*args, **kwargs)
        what, place, to = ANOTHER, None, record.sender
        try:
            what = takes(*args, **kwargs)
            if what == COMPUTES:
                if run.begin is None:
                    run.begins()
                run.idle = False
                if kind == FORWARD:
                    microbatch = run.forwards
                    run.forwards = microbatch + 1
                else:
                    microbatch = run.backwards
                    run.backwards = microbatch + 1
                    if run.grown:
                        run.look()
                before, run.current, run.last = run.current, (kind, 0, microbatch), (0, microbatch)
                begin = now()
                if to is not None:  # as record.enter() does
                    place = (begin if isinstance(begin, int) else time.monotonic_ns(), kind, None, 0, microbatch, False)
                    to.open.append(place)
        except Exception:  # what goes wrong here is not the program's concern
            what = ANOTHER
        try:
            return call(*args, **kwargs)
        finally:
            try:
                if what == COMPUTES:
                    end, run.current = now(), before
                    run.counts(1 if kind == FORWARD else -1)
                    if to is not None:
                        if to.open and to.open[-1] is place:  # as record.leave() does
                            to.open.pop()
                        else:
                            record.leave(place)
                        to.put((begin, end, 0, 0.0, record.present_step, 0, 0, microbatch, kind, record.COMPUTE, 0))
                elif what == EVALUATES:
                    run.evaluation(False)
            except Exception:
                pass

    return timed


def watch_model(run, torch, model):
    """The whole call is seen from outside, at the place where PyTorch looks for a compiled one: hooks would cost more than
    all that is recorded, and would become part of what is compiled."""
    grad_enabled, words = torch.is_grad_enabled, True
    # Lightning leaves what stands around replicas in evaluation after its first pass.
    inner = model.module if type(model).__name__ == "DistributedDataParallel" else model

    def takes(*args, **kwargs):
        nonlocal words
        if not inner.training or not grad_enabled():
            run.evaluation(True)
            return EVALUATES
        if words:
            words = bool(run.count_tokens(args, kwargs))
        return COMPUTES

    place = "_compiled_call_impl"
    if type(model).__name__ == "OptimizedModule" or not hasattr(model, place):  # the former hands it to what it wraps
        place = "forward"
    original = getattr(model, place) or model._call_impl
    run.patches.put(model, place, _timed(run, FORWARD, original, takes))


def watch_backward(run, torch):
    def takes(tensor, *_, **__):
        if tensor.numel() != 1:
            return ANOTHER
        if run.unscaled:
            run.losses((tensor,))
        else:
            run.loss.seen.append(run.clock.number(tensor))
        return COMPUTES

    original = torch.Tensor.backward
    run.patches.put(torch.Tensor, "backward", functools.wraps(original)(_timed(run, BACKWARD, original, takes)))
