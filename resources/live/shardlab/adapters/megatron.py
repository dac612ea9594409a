# SPDX-License-Identifier: Apache-2.0
"""Megatron-Core: shardlab.adapters.megatron.watch(model, optimizer) before the training loop.

Its forward_backward_func computes by two functions of one module, whatever the schedule; its communicator exchanges, its
optimizer says how an update went, and its timers name stretches of time.
"""
from .. import record
from ..collectives import bytes_of
from ..watch import watch as watch_program

COLLECTIVE, ANNOTATION = 97, 100
FORWARD, BACKWARD, OPTIMIZER, GRADIENT_NORM, LOSS_SCALE, OVERFLOW = 1, 2, 12, 34, 46, 67
MESSAGES = ("recv_forward", "recv_backward", "send_forward", "send_backward", "send_forward_recv_backward",
            "send_backward_recv_forward", "send_forward_recv_forward", "send_backward_recv_backward")


def _first(value):
    while isinstance(value, (list, tuple)):
        value = value[0] if value else None
    return value


class _Schedules:
    """F and B with stage and microbatch. A backward belongs to the forward whose output it is given."""

    def __init__(self, run, patches):
        from megatron.core import parallel_state
        from megatron.core.pipeline_parallel import p2p_communication, schedules
        self.run, self.state = run, parallel_state
        self.counts, self.places = {}, {}
        patches.around(schedules, "forward_step", self._forward_begins, self._forward_ends, always=True)
        patches.around(schedules, "backward_step", self._backward_begins, lambda known, *_, **__: run.compute_ends(known))
        communicator = getattr(p2p_communication, "P2PCommunicator", p2p_communication)
        for name in MESSAGES:
            patches.around(communicator, name,
                           lambda *_, name=name, **__: (run.now(), record.enter(0, name, waits=True)),
                           lambda known, result, *args, name=name, **__: self._exchanged(known, result, args, name))

    def _stage(self, chunk):
        if chunk is None:
            chunk = getattr(self.state, "get_virtual_pipeline_model_parallel_rank", lambda: None)()
        return self.state.get_pipeline_model_parallel_rank() + \
            (chunk or 0) * self.state.get_pipeline_model_parallel_world_size()

    def _forward_begins(self, *_, current_microbatch=None, vp_stage=None, **__):
        import torch
        if not torch.is_grad_enabled():
            return None
        if not self.run.patches.details:
            self.run.forwards += 1
            return ()
        if self.run.idle:
            self.counts.clear()
        stage = self._stage(vp_stage)
        count = self.counts[stage] = self.counts.get(stage, -1) + 1
        return self.run.compute_begins(FORWARD, stage, count if current_microbatch is None else current_microbatch)

    def _forward_ends(self, known, result, *_, **__):
        if known is None:
            return
        if known:
            self.run.compute_ends(known)
        output = _first(result)
        if output is not None and not isinstance(result, BaseException):
            if known:
                self.places[id(output)] = known[1:3]
            if output.numel() == 1:  # of the last stage it is the loss, divided by the number of microbatches
                self.run.losses([output])

    def _backward_begins(self, input_tensor, output_tensor, *_, **__):
        stage, microbatch = self.places.pop(id(_first(output_tensor)), self.run.last[3:5])
        return self.run.compute_begins(BACKWARD, stage, microbatch)

    def _exchanged(self, known, result, args, name):
        begin, place = known
        record.leave(place)
        if not isinstance(result, BaseException):
            tensors = [*args, *(result if isinstance(result, tuple) else [result])]
            self.run.put(COLLECTIVE, record.COMM, name, begin, self.run.now(), bytes_of(tensors))


def _watch_timers(run, patches):
    from megatron.core.timers import Timer
    begins = {}
    patches.around(Timer, "start", lambda timer, *_, **__: begins.update({id(timer): run.now()}), None)
    patches.around(Timer, "stop", None,
                   lambda _, __, timer, *___, **____: run.put(ANNOTATION, record.HOST, timer.name,
                                                             begins.pop(id(timer)), run.now()))


def _watch_optimizer(run, patches, optimizer):
    def begins(*_, **__):
        run.begins()
        if run.patches.details:
            run.gradients_there()
        scale = getattr(optimizer, "get_loss_scale", lambda: None)()
        return run.now(), record.enter(OPTIMIZER), run.clock.number(scale) if scale is not None else None

    def ends(known, result, *_, **__):
        begin, place, scale = known
        record.leave(place)
        if isinstance(result, BaseException):
            return
        updated, norm = result[:2] if isinstance(result, tuple) else (True, None)
        stage = run.last[3]
        if run.patches.details:
            run.put(OPTIMIZER, record.COMPUTE, None, begin, run.now(), stage=stage)
        if norm is not None:
            run.report(GRADIENT_NORM, run.clock.number(norm))
        if scale is not None:
            run.report(LOSS_SCALE, scale)
        if not updated:
            at = run.now()
            run.put(OVERFLOW, record.COMPUTE, None, at, at, 0, 1.0, stage=stage, microbatch=run.last[4], action=BACKWARD)
            record.instant("step skipped: a gradient is not finite")
        run.step_ends()

    patches.around(optimizer, "step", begins, ends, always=True)


def watch(model, optimizer, **more):
    """As shardlab.watch() does for a loop of the program's own; `model` is Megatron's list of chunks, or one."""
    run = watch_program(model=model, own_loop=True, loss="sum", **more)
    if record.sender is not None:
        from megatron.core import parallel_state as state
        run.reports = bool(record.safely(lambda: state.is_pipeline_last_stage(ignore_virtual=True) and
                                         state.get_data_parallel_rank(with_context_parallel=True) == 0 and
                                         state.get_tensor_model_parallel_rank() == 0))
        for watched in (lambda: _Schedules(run, run.patches), lambda: _watch_timers(run, run.patches),
                        lambda: _watch_optimizer(run, run.patches, optimizer)):
            record.safely(watched)
    return run
