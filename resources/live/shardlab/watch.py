# SPDX-License-Identifier: Apache-2.0
"""Finds by itself what a training program with PyTorch does, and records it."""
import collections
import os
import sys
import threading
import time

from . import record
from .link import STILL
from .loops import watch_backward, watch_model
from .memory import Memory
from .moments import HostClock, clock_for
from .patches import Patches
from .share import Share
from .steps import GRADIENT_NORM, LEARNING_RATE, LOSS, TOKENS, Losses, Updates, rate, tokens_in

FORWARD, BACKWARD, WEIGHT_GRAD, STEP, VALIDATION = 1, 2, 4, 14, 15
WITHOUT_DETAILS = 1.0  # the value of a step of which nothing else is told but its loss and the like
_runs = []


def _listed(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _plain_optimizer(optimizer):
    """What wrappers (of accelerate, say) stand around."""
    while not hasattr(optimizer, "param_groups") and hasattr(optimizer, "optimizer"):
        optimizer = optimizer.optimizer
    inner = getattr(optimizer, "optimizer", None)
    return inner if inner is not None and hasattr(inner, "param_groups") else optimizer


def _scaler_of(optimizers):
    """The GradScaler that a wrapper of an optimizer (accelerate's) keeps; None: there is none."""
    for optimizer in optimizers:
        while optimizer is not None:
            scaler = getattr(optimizer, "scaler", None)
            if hasattr(scaler, "unscale_") and hasattr(scaler, "update"):
                return scaler
            optimizer = getattr(optimizer, "optimizer", None)
    return None


class Run:
    """What is known of the program's present step."""

    def __init__(self, clock=None, share=None):
        self.clock = clock or HostClock()
        self.now = self.clock.now
        self.patches = Patches()
        self.share = Share(self.patches, share, computes=type(self.clock) is HostClock)
        self.step = 0
        self.begin = None        # of the step; None: nothing of it has happened
        self.muted = 0
        self.current = None      # the F, B, I or W that is under way, as enter() notes it
        self.context = None      # what a collective is for: (kind, action, stage, microbatch, piece)
        self.pipelined = False   # a schedule computes: the model's own hooks say nothing
        self.stages = {}         # by id of a module
        self.last = (0, FORWARD, None, 0, 0, False)  # that began last
        self.forwards = self.backwards = 0  # of the step
        self.most_held = 0       # the most forwards of the step that waited for their backward
        self.tokens = 0
        self.copies = 1          # replicas that read tokens of their own
        self.reports = True      # it is the rank that tells what concerns all ranks
        self.unscaled = {}       # by id of a scaled loss: (it, weakly, and the loss), as a GradScaler made it
        self.memory = self.updates = self.loss = None
        self.brief = False       # of the present step no details are told, and what is may be told later
        self.fast = False        # and what that takes is not measured
        self.bare = False        # and of the losses nothing is told either
        self.norms = []          # of such a step: (norm of the gradient, the tensor's version)
        self.untold = collections.deque()  # such steps: (number, begin, end, loss, norms, rate, tokens)
        self.telling = threading.Lock()

    put = staticmethod(record.put)

    def report(self, kind, value):
        """A number of the step that all ranks know, or would make of their own part: one of them tells it."""
        if self.reports:
            at = self.now()
            self.put(kind, record.HOST, None, at, at, value=value)

    # Steps.

    def begins(self):
        """The step's first work; those that follow begin where the one before ended."""
        if self.begin is None:
            self.begin = self.now()
            record.set_step(self.step)

    def gradients_there(self):
        if self.memory is not None:
            self.memory.gradients(self.step)

    def step_ends(self):
        self.tell()
        self.begins()
        end, details = self.now(), self.patches.details
        if self.memory is not None and details:
            self.memory.step_ends(self.step, end)
        loss = record.safely(self.loss.end)
        if self.reports and loss is not None:
            self.put(LOSS, record.HOST, None, end, end, 0, loss)
        if self.tokens:
            # Who reads tokens tells how many, which may be another rank than that with the loss.
            self.put(TOKENS, record.HOST, None, end, end, 0, rate(self.tokens * self.copies, self.begin, end))
        self.put(STEP, record.HOST, None, self.begin, end, 0, 0.0 if details else WITHOUT_DETAILS)
        self.begin, self.tokens, self.forwards, self.backwards, self.most_held = end, 0, 0, 0, 0
        if self.unscaled:
            self.unscaled.clear()
        self._next_step()
        record.set_step(self.step)

    def _next_step(self):
        details = self.patches.details
        self.share.step_ended(self.step)
        self.step += 1
        if not details and self.patches.details and self.memory is not None:
            self.memory.resumes()
        self.brief = not self.patches.details and self.updates.simple and type(self.clock) is HostClock
        self.fast = self.brief and not self.patches.timed
        self.bare = self.brief and self.share.bare

    def brief_ends(self, learning_rate):
        """Between the steps with details: what is not done here is done for several steps at once."""
        end = self.now()
        self.untold.append((self.step, self.begin, end, self.loss.end(), self.norms, learning_rate, self.tokens))
        self.norms = []
        self.begin, self.forwards, self.backwards, self.tokens = end, 0, 0, 0
        if self.patches.timed:
            self.share.measured(self.step)
            self.fast, self.bare = not self.patches.timed, self.share.bare
        if self.step + 1 == self.share.next:
            self.patches.timed = False
            self._next_step()
            if self.patches.timed:
                self.patches.start()
            self.tell()
        else:
            self.step += 1
        record.present_step = self.step

    def tell(self):
        """The steps that were not told yet; from any thread."""
        to, untold = record.sender, self.untold
        if not untold or to is None:
            return
        with self.telling:
            while untold:
                step, begin, end, loss, norms, learning_rate, tokens = untold.popleft()

                def number(kind, value):
                    if value is not None:
                        to.put((end, end, 0, value, step, 0, -1, -1, kind, record.HOST, 0))

                if self.reports:
                    number(LEARNING_RATE, learning_rate)
                    for norm, version in norms:
                        number(GRADIENT_NORM, norm.item() if norm._version == version else None)
                    number(LOSS, loss)
                if tokens:
                    number(TOKENS, rate(tokens * self.copies, begin, end))
                to.put((begin, end, 0, WITHOUT_DETAILS, step, 0, -1, -1, STEP, record.HOST, 0))

    def evaluation(self, begins):
        """A pass without backward: no part of a step."""
        if begins:
            self.muted += 1
            self.evaluating = self.now()
            return
        self.muted -= 1
        now = self.now()
        self.put(VALIDATION, record.HOST, None, self.evaluating, now)
        if self.idle:
            self.begin = now if self.begin is not None else None

    def doing(self):
        """What the program is in, as the sending thread tells it where nothing happens for long."""
        if self.patches.details or not isinstance(self.begin, int) or self.muted:
            return self.current
        if time.monotonic_ns() - self.begin < STILL * 1e9:
            return None
        inside = self.patches.inside()
        return inside and (self.begin, *inside)

    @property
    def idle(self):
        """Nothing has been computed since the last step's end."""
        return not self.forwards and not self.backwards

    # Computing: of schedules and adapters. What a loop of the program's own computes is in loops.py.

    def compute_begins(self, kind, stage, microbatch):
        if self.muted:
            return None
        if kind != FORWARD and self.forwards - self.backwards > self.most_held:
            self.look()
        begin = self.now()
        if self.begin is None:
            self.begin = begin
            record.set_step(self.step)
        before = self.current
        self.current = self.last = record.entry(kind, None, stage, microbatch, False, begin)
        return kind, stage, microbatch, begin, before

    def compute_ends(self, known):
        if known is None:
            return
        kind, stage, microbatch, begin, self.current = known
        self.put(kind, record.COMPUTE, None, begin, self.now(), 0, 0.0, None, stage, microbatch)
        if kind == FORWARD:
            self.forwards += 1
        elif kind != WEIGHT_GRAD:
            self.backwards += 1

    def look(self):
        """Before the first backward after forwards of which the step keeps most until theirs."""
        self.most_held = self.forwards - self.backwards
        if self.memory is not None:
            self.memory.look()

    def place(self, modules=()):
        """Stage and microbatch of what is done for these modules now."""
        for module in modules:
            if id(module) in self.stages:
                stage = self.stages[id(module)]
                return stage, (self.current or self.last)[4]
        return (self.current or self.last)[3:5]

    def lowest_stage(self):
        return min(self.stages.values(), default=0)

    def last_microbatch(self):
        return self.last[4]

    def losses(self, tensors, plain=False):
        """`plain`: as Losses.ask() has it."""
        for each in tensors:
            scaled, loss = self.unscaled.get(id(each), (None, None))
            if scaled is not None and scaled() is each:
                each, plain = loss, False
            self.loss.ask(each, plain)

    def count_tokens(self, args, kwargs):
        count = 0 if self.muted else tokens_in(args, kwargs)
        self.tokens += count
        return count

    def stop(self):
        """Puts everything back as it was; what was recorded stays."""
        record.safely(self.tell)
        self.patches.undo()
        if self.updates is not None:
            record.safely(self.updates.undo)
        if self in _runs:
            _runs.remove(self)


def _data_axis(models):
    """The group that the replicas of these models form; None: there is one replica, or it is not known."""
    for model in models:
        if hasattr(model, "process_group") and hasattr(model, "reducer"):
            return model.process_group
        for parameter in model.parameters():
            mesh = getattr(parameter, "device_mesh", None)
            names = getattr(mesh, "mesh_dim_names", None) or ()
            if mesh is None:
                continue
            for axis, name in enumerate(names):
                if "dp" in name or "data" in name or "shard" in name or "replicate" in name:
                    return mesh.get_group(axis)
            if mesh.ndim == 1 and hasattr(model, "unshard"):
                return mesh.get_group(0)
    return None


def _is_first(models, group, dist):
    """Whether this rank is the first of its replicas and of those that share its tensors."""
    if group is not None and dist.get_process_group_ranks(group)[0] != dist.get_rank():
        return False
    meshes = [parameter.device_mesh for model in models for parameter in model.parameters()
              if hasattr(parameter, "device_mesh")]
    return all(place == 0 for mesh in meshes for place in mesh.get_coordinate() or [0])


def _begin(model, optimizer, scaler, schedule, program, loss, own_loop, share):
    if _runs:
        return _runs[-1]
    if record.sender is None and not os.environ.get("SHARDLAB_ADDRESS"):
        return Run()  # nobody listens: nothing is touched
    torch = sys.modules.get("torch")
    if torch is None:
        import torch
    dist = torch.distributed
    there = dist.is_available() and dist.is_initialized()
    if record.sender is None and not record.connect(
            rank=dist.get_rank() if there else None, world=dist.get_world_size() if there else None,
            program=program or "%s, PyTorch %s" % (sys.argv[0].rsplit("/", 1)[-1] or "Python",
                                                   torch.__version__.split("+")[0])):
        return Run()

    from .collectives import Collectives
    from .pipelining import Pipelining, stages_of
    from .replicas import Buckets, FullyShard
    stages = [stage for each in _listed(schedule) for stage in stages_of(each)]
    models = _listed(model) or [stage.submod for stage in stages]
    parameters = list({id(each): each for one in models for each in one.parameters()}.values())
    run = Run(clock_for(parameters), share)
    for stage in stages:
        for module in stage.submod.modules():
            run.stages[id(module)] = stage.stage_index
    run.pipelined = bool(stages) or own_loop
    if scaler is None:
        scaler = record.safely(lambda: _scaler_of(_listed(optimizer)))
    optimizers = [_plain_optimizer(each) for each in _listed(optimizer)]
    run.loss = Losses(run.clock, loss)
    record.sender.around, record.sender.step = run.doing, lambda: run.step
    record.sender.chores.append(lambda: record.safely(run.clock.tend))
    record.sender.chores.append(lambda: record.safely(run.tell))
    record.before_put = run.tell
    record.safely(lambda: setattr(run, "memory", Memory(run, parameters, optimizers)))
    for watched in (lambda: Pipelining(run, run.patches), lambda: Collectives(run, run.patches),
                    lambda: FullyShard(run, run.patches)):
        record.safely(watched)
    run.updates = record.safely(lambda: Updates(run, run.patches, optimizers, scaler))
    if not run.pipelined:
        for each in models:
            record.safely(lambda each=each: watch_model(run, torch, each))
        record.safely(lambda: watch_backward(run, torch))
    for one in models:
        if type(one).__name__ == "DistributedDataParallel":
            record.safely(lambda one=one: Buckets(run, one))
    if there:
        group = record.safely(lambda: _data_axis(models))
        run.copies = group.size() if group is not None else 1
        first = dist.get_rank() == 0 if not run.pipelined else record.safely(lambda: _is_first(models, group, dist))
        run.reports = bool(first) and (not stages or any(stage.is_last for stage in stages))
        if not first:
            run.count_tokens = lambda *_: None
    _runs.append(run)
    return run


def watch(model=None, optimizer=None, scaler=None, schedule=None, *, program=None, loss="mean",
          own_loop=False, share=None):
    """Records from now on what the program does, without a change to its loop.

    `model`: a module, or the parts of one; wrapped in DistributedDataParallel or by fully_shard before. `optimizer`: one or
    several; each update of all of them ends a step. `scaler`: a torch.amp.GradScaler, whose update() then ends it; that of
    an optimizer which accelerate has wrapped is found without a word.
    `schedule`: of torch.distributed.pipelining; its stages' modules are the model where none is given. `loss`: "mean" or
    "sum" over a step's backward calls, the latter where the script divides each by their number.

    `own_loop`: the program's loop tells itself what it computes, as the adapters do.

    `share`: the largest part of a step's time that watching may take, 0.01 where neither it nor SHARDLAB_SHARE says another
    one. Of steps that are too short for it, only each second, fourth, eighth … is recorded in detail (share.py); the others
    say so. 1: each step is.

    Returns an object whose stop() puts everything back. Where nobody listens it changes nothing. It raises nothing.
    """
    try:
        return _begin(model, optimizer, scaler, schedule, program, loss, own_loop, share)
    except Exception as problem:
        print("shardlab: not everything is watched: %s: %s" % (type(problem).__name__, problem), file=sys.stderr)
        return Run()
