# SPDX-License-Identifier: Apache-2.0
"""torch.distributed.pipelining: the F, B, I and W of its schedules, and the messages between their stages.

All schedules of PyTorch compute through the methods of a stage and exchange through two functions of one module, so that
GPipe, 1F1B, the interleaved and the zero-bubble ones need nothing of their own, and those to come need nothing either.
"""
from . import record

FORWARD, BACKWARD, INPUT_GRAD, WEIGHT_GRAD = 1, 2, 3, 4
SEND_F, RECV_F, SEND_B, RECV_B = 6, 7, 8, 9
WAIT = 13
AT_ONCE = 50_000  # ns that a wait takes for what is there already
OPERATIONS = {"get_fwd_send_ops": SEND_F, "get_fwd_recv_ops": RECV_F, "get_bwd_send_ops": SEND_B,
              "get_bwd_recv_ops": RECV_B}


class _Timed:
    """A work whose wait() is timed."""

    def __init__(self, work, run):
        self.work, self.run, self.begin, self.end = work, run, None, None

    def wait(self, *args, **kwargs):
        self.begin = self.run.now()
        try:
            return self.work.wait(*args, **kwargs)
        finally:
            self.end = self.run.now()

    def __getattr__(self, name):
        return getattr(self.work, name)

    def had_gone(self):
        """Whether nothing was left to wait for. When it went gloo does not tell; nobody needed it later."""
        return isinstance(self.end, int) and self.end - self.begin < AT_ONCE


class Pipelining:
    def __init__(self, run, patches):
        self.run = run
        self.waiting = {}  # a last stage's forward, which ends with the loss: by stage
        self.flights = {}  # by id of a work: (work, begin, when it was posted, messages)
        try:
            from torch.distributed.pipelining import schedules
            from torch.distributed.pipelining.stage import _PipelineStageBase as Stage
        except ImportError:
            return
        around = patches.around
        def place(kind):
            return lambda stage, chunk, *_, **__: (kind, None, stage.stage_index, chunk, False)

        around(Stage, "forward_one_chunk", self._forward_begins, self._forward_ends, place=place(FORWARD))
        around(Stage, "backward_one_chunk", self._backward_begins, self._compute_ends, place=place(BACKWARD))
        around(Stage, "backward_weight_one_chunk", self._weight_begins, self._compute_ends, place=place(WEIGHT_GRAD))
        for name, kind in OPERATIONS.items():
            around(Stage, name, None,
                   lambda _, ops, stage, chunk, kind=kind: self._mark(ops, kind, stage.stage_index, chunk))
        around(schedules, "_batch_p2p", lambda *a, **k: self.run.now(), self._posted)
        around(schedules, "_wait_batch_p2p", self._wait_begins, self._wait_ends,
               lambda known, works: (known[3],), place=lambda *_: (0, "an exchange with another stage", -1, -1, True))
        base = schedules._PipelineSchedule
        around(base, "_maybe_compute_loss", None, self._loss_computed)
        around(base, "_update_losses", self._losses, None, always=True)
        around(base, "eval", lambda *a, **k: run.evaluation(True), lambda *a, **k: run.evaluation(False), always=True)
        for single in ("PipelineScheduleSingle", "PipelineScheduleMulti"):
            around(getattr(schedules, single), "step", self._step_begins, self._step_ends, always=True)

    def _step_begins(self, schedule, *args, **kwargs):
        self.run.pipelined = True
        self.run.begins()
        if any(stage.is_first for stage in stages_of(schedule)):
            self.run.count_tokens(args, kwargs)

    def _step_ends(self, *_, **__):
        self._settle()
        self.flights.clear()

    def _forward_begins(self, stage, chunk, *_, **__):
        self._settle()
        return self.run.compute_begins(FORWARD, stage.stage_index, chunk)

    def _forward_ends(self, known, result, stage, *_, **__):
        if stage.is_last and not isinstance(result, BaseException):
            self.waiting[stage.stage_index] = known
        else:
            self.run.compute_ends(known)

    def _loss_computed(self, _, __, ___, stage, *____, **_____):
        known = self.waiting.pop(stage.stage_index, None)
        if known is not None:
            self.run.compute_ends(known)

    def _settle(self):
        """A forward that no loss followed."""
        for stage in list(self.waiting):
            self.run.compute_ends(self.waiting.pop(stage))

    def _backward_begins(self, stage, chunk, loss=None, full_backward=True, *_, **__):
        self._settle()
        if not stage.has_backward:
            return None
        return self.run.compute_begins(BACKWARD if full_backward else INPUT_GRAD, stage.stage_index, chunk)

    def _weight_begins(self, stage, chunk, *_, **__):
        self._settle()
        return self.run.compute_begins(WEIGHT_GRAD, stage.stage_index, chunk) if stage.has_backward else None

    def _compute_ends(self, known, *_, **__):
        if known is not None:
            self.run.compute_ends(known)

    def _mark(self, ops, kind, stage, chunk):
        for op in ops:
            op.shardlab = (kind, stage, chunk, op.tensor.numel() * op.tensor.element_size())

    def _posted(self, begin, works, ops, *_, **__):
        messages, posted = [op.shardlab for op in ops], self.run.now()
        if len(works) == len(messages):
            for work, message in zip(works, messages):
                self.flights.setdefault(id(work), (work, begin, posted, [message]))
        elif works:  # one work stands for all of them
            self.flights.setdefault(id(works[-1]), (works[-1], begin, posted, messages))

    def _wait_begins(self, works):
        messages = [message for work in works if id(work) in self.flights
                    for message in self.flights[id(work)][3]]
        receives = [message for message in messages if message[0] in (RECV_F, RECV_B)]
        first = (receives or messages or [None])[0]
        place = record.enter(first[0], None, first[1], first[2], True) if first else None
        return self.run.now(), place, receives[0] if receives else None, [_Timed(work, self.run) for work in works]

    def _wait_ends(self, known, result, works):
        begin, place, received, waits = known
        record.leave(place)
        if isinstance(result, BaseException):
            return
        sums = {}
        for wait in waits:
            _, since, posted, messages = self.flights.pop(id(wait.work), (None, None, None, ()))
            for kind, stage, chunk, size in messages:
                end = posted if kind in (SEND_F, SEND_B) and wait.had_gone() else wait.end
                first, _, together = sums.get((kind, stage, chunk), (since, end, 0))
                sums[kind, stage, chunk] = (first, end, together + size)
        for (kind, stage, chunk), (since, end, size) in sums.items():
            self.run.put(kind, record.COMM, None, since, end, size, stage=stage, microbatch=chunk)
        if received is not None:
            kind, stage, chunk, _ = received
            self.run.put(WAIT, record.COMPUTE, None, begin, self.run.now(), stage=stage, microbatch=chunk, action=kind)

    def _losses(self, schedule, stages, *_, **__):
        losses = getattr(schedule, "_internal_losses", None)
        last = any(stage.is_last for stage in (stages if isinstance(stages, list) else [stages]))
        if losses and last and not self.run.bare and len(losses) == schedule._n_microbatches:
            self.run.losses(losses)


def stages_of(schedule):
    """The stages that this rank holds of a schedule."""
    stages = getattr(schedule, "_stages", None)
    return list(stages) if stages else [schedule._stage]
