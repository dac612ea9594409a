# SPDX-License-Identifier: Apache-2.0
"""The data axis: buckets of DistributedDataParallel, gathers and scatters of fully_shard (FSDP2)."""
from . import record

REDUCE_BUCKETS, SCATTER_GRADIENTS, GATHER_PARAMETERS = 20, 21, 22
SCATTER_ACTION, GATHER_FORWARD, GATHER_BACKWARD = 15, 16, 17


class Buckets:
    """Shows the all-reduce of each bucket of a model in DistributedDataParallel, which PyTorch asks for where Python sees
    it once there is a communication hook: its own, with the same arithmetic. Where the program has a hook, that stays,
    and the collectives that it asks for are seen."""

    def __init__(self, run, model):
        from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
        self.run, self.reduce = run, default_hooks.allreduce_hook
        if not getattr(model, "_comm_hooks", None):
            model.register_comm_hook(model.process_group, self.hook)

    def hook(self, group, bucket):
        if not self.run.patches.details:
            return self.reduce(group, bucket)
        before = self.run.context
        try:
            self.run.context = (REDUCE_BUCKETS, 0, *self.run.place(), bucket.index())
        except Exception:
            pass
        try:
            return self.reduce(group, bucket)
        finally:
            self.run.context = before


class FullyShard:
    """Tells the collectives that a parameter group of fully_shard asks for what they are."""

    def __init__(self, run, patches):
        self.run = run
        self.pieces = {}  # by id of a group: which piece of its stage it is
        try:
            from torch.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup as Group
        except ImportError:
            try:
                from torch.distributed._composable.fsdp._fsdp_param_group import FSDPParamGroup as Group
            except ImportError:
                return
        patches.around(Group, "unshard", self._gathers, self._done)
        patches.around(Group, "post_backward", self._scatters, self._done)

    def _piece(self, group, stage):
        if id(group) not in self.pieces:
            self.pieces[id(group)] = (stage, sum(other == stage for other, _ in self.pieces.values()))
        return self.pieces[id(group)][1]

    def _enter(self, group, kind, action):
        before = self.run.context
        stage, microbatch = self.run.place(getattr(group, "modules", ()))
        self.run.context = (kind, action, stage, microbatch, self._piece(group, stage))
        return (before,)

    def _gathers(self, group, *_, **__):
        backward = "BACKWARD" in str(getattr(group, "_training_state", ""))
        return self._enter(group, GATHER_PARAMETERS, GATHER_BACKWARD if backward else GATHER_FORWARD)

    def _scatters(self, group, *_, **__):
        return self._enter(group, SCATTER_GRADIENTS, SCATTER_ACTION)

    def _done(self, known, *_, **__):
        self.run.context = known[0]
