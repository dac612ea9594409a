# SPDX-License-Identifier: Apache-2.0
"""Where a step ends: at the optimizer's update, or the loss scale's after it; and what is known by then."""
import weakref

from . import record
from .patches import is_compiling

OPTIMIZER, LOSS, GRADIENT_NORM, LEARNING_RATE, TOKENS, LOSS_SCALE, OVERFLOW = 12, 32, 34, 35, 36, 46, 67


class _Rate:
    """So many in a step, by the second, once both its ends are known."""

    def __init__(self, count, begin, end):
        self.count, self.begin, self.end = count, begin, end

    def number(self):
        begin, end = (each if isinstance(each, int) else each.nanoseconds() for each in (self.begin, self.end))
        return None if begin is None or end is None else self.count * 1e9 / max(1, end - begin)


class _Sum:
    """The sum of numbers that may be known later, times a factor."""

    def __init__(self, numbers, factor):
        self.numbers, self.factor = numbers, factor

    def number(self):
        known = [each if isinstance(each, float) else each.number() for each in self.numbers]
        return None if None in known else sum(known) * self.factor


class Updates:
    """Optimizers and a GradScaler, watched."""

    def __init__(self, run, patches, optimizers, scaler):
        self.run, self.optimizers = run, optimizers
        self.scaler = scaler if scaler is not None and scaler.is_enabled() else None
        self.stepped = set()
        self.begins = {}
        self.handles = []
        for optimizer in optimizers:
            if hasattr(optimizer, "register_step_pre_hook"):
                self.handles.append(optimizer.register_step_pre_hook(lambda opt, *_: self._before(opt)))
                self.handles.append(optimizer.register_step_post_hook(lambda opt, *_: self._after(opt)))
            else:
                patches.around(optimizer, "step", lambda *_, opt=optimizer, **__: self._before(opt),
                               lambda *_, opt=optimizer, **__: self._after(opt))
        if self.scaler is not None:
            patches.around(self.scaler, "step", lambda *_, **__: self.run.begins(), self._scaler_stepped)
            patches.around(self.scaler, "update", lambda *_, **__: self._scale(), self._updated)
            patches.around(self.scaler, "scale", lambda *_, **__: None, self._scaled)
        try:
            import torch
            # Both names of the one function.
            patches.around(torch.nn.utils, "clip_grad_norm_", lambda *_, **__: None, self._clipped)
            patches.around(torch.nn.utils.clip_grad, "clip_grad_norm_", lambda *_, **__: None, self._clipped)
        except (ImportError, AttributeError):
            pass

    def undo(self):
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def _before(self, optimizer):
        if is_compiling():
            return

        def act():
            self.run.begins()
            self.run.gradients_there()
            self.begins[id(optimizer)] = (self.run.now(), record.enter(OPTIMIZER))
        record.safely(act)

    def _after(self, optimizer):
        if is_compiling():
            return

        def act():
            begin, place = self.begins.pop(id(optimizer))
            record.leave(place)
            self.run.put(OPTIMIZER, record.COMPUTE, None, begin, self.run.now(), stage=self.run.lowest_stage())
            self.stepped.add(id(optimizer))
            if self.scaler is None and len(self.stepped) >= len(self.optimizers):
                self._step_ends()
        record.safely(act)

    def _step_ends(self):
        self.stepped.clear()
        rate_now = next((group.get("lr") for optimizer in self.optimizers for group in optimizer.param_groups), None)
        if rate_now is not None:
            self.run.report(LEARNING_RATE, self.run.clock.number(rate_now))
        self.run.step_ends()

    def _clipped(self, _, norm, *__, **___):
        if isinstance(norm, BaseException):
            return
        placements = getattr(norm, "placements", None)
        if placements is not None:
            # Whoever wants the whole norm of sharded gradients asks all ranks for it; that is not ours to do.
            if not all(each.is_replicate() for each in placements):
                return
            norm = norm.to_local()
        self.run.report(GRADIENT_NORM, self.run.clock.number(norm))

    # The loss scale.

    def _scale(self):
        scale = getattr(self.scaler, "_scale", None)
        return self.run.clock.number(scale) if scale is not None else None

    def _scaled(self, _, result, outputs, *__, **___):
        if hasattr(outputs, "numel") and outputs.numel() == 1 and not isinstance(result, BaseException):
            # The graph must not live longer for it.
            self.run.unscaled[id(result)] = (weakref.ref(result), outputs.detach())

    def _scaler_stepped(self, _, result, optimizer, *__, **___):
        """Whether the update was left out: some gradient was not finite."""
        if isinstance(result, BaseException):
            return
        state = self.scaler._per_optimizer_states.get(id(optimizer), {})
        for found in state.get("found_inf_per_device", {}).values():
            at = self.run.now()
            self.run.put(OVERFLOW, record.COMPUTE, None, at, at, 0, self.run.clock.number(found),
                         stage=self.run.lowest_stage(), microbatch=self.run.last_microbatch(), action=2)
        if id(optimizer) not in self.stepped:
            record.instant("step skipped: a gradient is not finite")

    def _updated(self, scale, result, *_, **__):
        if scale is not None:
            self.run.report(LOSS_SCALE, scale)
        self._step_ends()


class Losses:
    """The loss of a step: of a schedule's microbatches, or of the tensors that backward was called on."""

    def __init__(self, run, how):
        self.run, self.how, self.seen = run, how, []

    def end(self):
        seen, self.seen = self.seen, []
        if seen:
            self.run.report(LOSS, _Sum(seen, 1.0 if self.how == "sum" else 1.0 / len(seen)))


def tokens_in(args, kwargs):
    """Elements of the first tensor of whole numbers: token ids."""
    for value in (*args, *kwargs.values()):
        if hasattr(value, "is_floating_point") and value.dim() > 1 and not value.is_floating_point():
            return value.numel()
    return 0


def rate(count, begin, end):
    return _Rate(count, begin, end)
