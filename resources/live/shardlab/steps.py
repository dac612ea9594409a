# SPDX-License-Identifier: Apache-2.0
"""Where a step ends: at the optimizer's update, or the loss scale's after it; and what is known by then."""
import weakref

from . import record
from .patches import is_compiling

MOST_NODES = 100_000  # of a graph that are looked at
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
        self.run, self.patches, self.optimizers = run, patches, optimizers
        self.scaler = scaler if scaler is not None and scaler.is_enabled() else None
        self.simple = self.scaler is None and len(optimizers) == 1
        self.stepped = set()
        self.begins = {}
        self.handles = []
        for optimizer in optimizers:
            if hasattr(optimizer, "register_step_pre_hook"):
                self.handles.append(optimizer.register_step_pre_hook(self._before))
                self.handles.append(optimizer.register_step_post_hook(self._after))
            else:
                patches.around(optimizer, "step", lambda *_, opt=optimizer, **__: self._before(opt),
                               lambda *_, opt=optimizer, **__: self._after(opt), always=True)
        if self.scaler is not None:
            patches.around(self.scaler, "step", lambda *_, **__: self.run.begins(), self._scaler_stepped, always=True)
            patches.around(self.scaler, "update", lambda *_, **__: self._scale(), self._updated, always=True)
            patches.around(self.scaler, "scale", None, self._scaled, always=True)
        try:
            import torch
            self.tensor = torch.Tensor
            # Both names of the one function.
            patches.around(torch.nn.utils, "clip_grad_norm_", None, self._clipped, always=True)
            patches.around(torch.nn.utils.clip_grad, "clip_grad_norm_", None, self._clipped, always=True)
        except (ImportError, AttributeError):
            pass

    def undo(self):
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def _before(self, optimizer, *_):
        if is_compiling() or self.run.brief:
            return
        timed = self.patches.timed
        if timed:
            self.patches.start()
        try:
            self.run.begins()
            if self.patches.details:
                self.run.gradients_there()
                self.begins[id(optimizer)] = (self.run.now(), record.enter(OPTIMIZER))
        except Exception:  # what goes wrong here is not the program's concern
            pass
        if timed:
            self.patches.pause()

    def _after(self, optimizer, *_):
        if is_compiling():
            return
        timed = self.patches.timed
        if timed:
            self.patches.start()
        try:
            if self.run.brief:
                self.run.brief_ends(optimizer.param_groups[0].get("lr"))
                return
            begin, place = self.begins.pop(id(optimizer), (None, None))
            if begin is not None:
                record.leave(place)
                self.run.put(OPTIMIZER, record.COMPUTE, None, begin, self.run.now(), stage=self.run.lowest_stage())
            self.stepped.add(id(optimizer))
            if self.scaler is None and len(self.stepped) >= len(self.optimizers):
                self._step_ends()
        except Exception:
            pass
        finally:
            self.patches.pause()

    def _step_ends(self):
        self.stepped.clear()
        rate_now = next((group.get("lr") for optimizer in self.optimizers for group in optimizer.param_groups), None)
        if rate_now is not None:
            self.run.report(LEARNING_RATE, self.run.clock.number(rate_now))
        self.run.step_ends()

    def _clipped(self, _, norm, *__, **___):
        if isinstance(norm, BaseException):
            return
        if self.run.brief and type(norm) is self.tensor:
            if not self.run.bare:
                self.run.norms.append((norm, norm._version))
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
    """The loss of a step: of a schedule's microbatches, or of the tensors that backward was called on.

    To ask a tensor for its number amid a step costs as much as all else that is recorded of a backward. So the tensors are
    kept and asked at the step's end, where the first step has shown that this is the same: that nothing writes into them
    meanwhile, and that their graphs, which live as long, hold nothing once backward has gone through them.
    """

    def __init__(self, clock, how):
        self.clock, self.how = clock, how
        self.seen = []       # of the present step: numbers, or numbers to come
        self.kept = []       # tensors whose number is asked at the step's end
        self.first = []      # of the first step: (tensor, its version), or None where it must not be kept
        self.version = None  # of a tensor that may be kept, as backward finds it; None: they are asked at once

    def ask(self, tensor, plain):
        """`plain`: backward() is given nothing but its tensor."""
        self.seen.append(self.clock.number(tensor))
        if self.first is not None:
            self.first.append((tensor, tensor._version) if plain and not _holds(tensor) else None)

    def end(self):
        """The step's; None where none was seen, or where a kept one was written into: the next ones are asked at once."""
        (seen, self.seen), (kept, self.kept) = (self.seen, []), (self.kept, [])
        if self.first:
            versions = {each and each[1] for each in self.first}
            if len(versions) == 1 and all(each and each[0]._version == each[1] for each in self.first):
                self.version = versions.pop()
            self.first = None
        if any(each._version != self.version for each in kept):
            self.version = None
            return None
        count = len(seen) + len(kept)
        if kept:
            seen += self.clock.numbers(kept)
        return _Sum(seen, 1.0 if self.how == "sum" else 1.0 / count) if seen else None


def _holds(tensor):
    """Whether some function of the graph is the program's own and may keep tensors where backward does not free them."""
    from torch.autograd.function import BackwardCFunction
    known, ahead = set(), [tensor.grad_fn]
    while ahead:
        node = ahead.pop()
        if node is None or node in known:
            continue
        known.add(node)
        if isinstance(node, BackwardCFunction) or "CppNode" in node.name() or len(known) > MOST_NODES:
            return True
        ahead += [each for each, _ in node.next_functions]
    return False


def tokens_in(args, kwargs):
    """Elements of the first tensor of whole numbers: token ids."""
    for value in (*args, *kwargs.values()):
        if hasattr(value, "is_floating_point") and value.dim() > 1 and not value.is_floating_point():
            return value.numel()
    return 0


def rate(count, begin, end):
    return _Rate(count, begin, end)
