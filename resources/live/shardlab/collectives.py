# SPDX-License-Identifier: Apache-2.0
"""Collectives of torch.distributed and of DTensor, named by the axis of the mesh that they go along."""
import collections
import threading

from . import record

COLLECTIVE, TENSOR_ALL_REDUCE, TENSOR_REDUCE_SCATTER, TENSOR_ALL_GATHER = 97, 28, 29, 30
REDUCE_BUCKETS, REDUCE_BUCKETS_ACTION = 20, 14
EAGER = ("all_reduce", "all_gather", "all_gather_into_tensor", "all_gather_single", "all_to_all", "all_to_all_single",
         "barrier", "broadcast", "gather", "reduce", "reduce_scatter", "reduce_scatter_single", "reduce_scatter_tensor",
         "recv", "scatter", "send")
FUNCTIONAL = ("all_gather_single", "all_gather_single_autograd", "all_gather_tensor", "all_gather_tensor_autograd",
              "all_reduce", "all_to_all_single", "all_to_all_single_autograd", "reduce_scatter_single",
              "reduce_scatter_single_autograd", "reduce_scatter_tensor", "reduce_scatter_tensor_autograd")
TENSOR_AXES = ("tp", "tensor", "tensor_parallel", "model", "sp", "mp")
MOST_IN_FLIGHT = 64  # functional collectives that nobody has waited for yet


def plain_name(name):
    """The one name of a collective that PyTorch has had several for."""
    for suffix in ("_autograd", "_into_tensor", "_tensor", "_single"):
        if name.endswith(suffix):
            name = name[:-len(suffix)]
    return name


def axis_of(group):
    """What the axis is called that a group lies on: the name in its device mesh, else the group's own."""
    if isinstance(group, tuple) and len(group) == 2:
        names = getattr(group[0], "mesh_dim_names", None)
        return names[group[1]] if names else "axis %d" % group[1]
    names = getattr(group, "mesh_dim_names", None)
    if names:
        return names[0]
    if group is None:
        return "world"
    description = getattr(group, "group_desc", "") or ""
    if description.startswith("mesh_"):
        return description[len("mesh_"):]
    if description in ("", "undefined"):
        return str(getattr(group, "group_name", "group"))
    return "world" if description == "default_pg" else description


def bytes_of(values):
    """The bytes of the largest tensor among the arguments: of the whole buffer."""
    most = 0
    for value in values:
        if isinstance(value, (list, tuple)) and value and hasattr(value[0], "element_size"):
            most = max(most, sum(each.numel() * each.element_size() for each in value))
        elif hasattr(value, "element_size") and hasattr(value, "numel"):
            most = max(most, value.numel() * value.element_size())
    return most


def _place(tensor):
    """The same for a tensor and its views: whoever waits may hold one of these."""
    return tensor.untyped_storage().data_ptr()


class Collectives:
    def __init__(self, run, patches):
        self.run = run
        self.within = threading.local()  # a collective may be made of another
        self.flights = collections.OrderedDict()
        run.share.left_out.append(self.flights.clear)
        try:
            import torch.distributed as dist
            from torch.distributed.device_mesh import DeviceMesh
        except ImportError:
            return
        self.groups = (dist.ProcessGroup, DeviceMesh)
        for name in EAGER:
            patches.around(dist, name, self._begins(name), self._ends, place=self._waits(name))
        try:
            from torch.distributed import _functional_collectives as functional
        except ImportError:
            return
        for name in FUNCTIONAL:
            patches.around(functional, name, self._begins(name), self._functional_ends, place=self._waits(name))
        patches.around(functional, "wait_tensor", self._wait_begins, self._wait_ends, place=self._waits("a collective"))

    @staticmethod
    def _waits(name):
        name = plain_name(name)
        return lambda *_, **__: (0, name, -1, -1, True)

    def _group(self, args, kwargs):
        for value in (kwargs.get("group"), *args):
            if isinstance(value, self.groups) or (isinstance(value, tuple) and len(value) == 2 and
                                                  isinstance(value[0], self.groups)):
                return value
        return None

    def _begins(self, name):
        name = plain_name(name)

        def begins(*args, **kwargs):
            if getattr(self.within, "depth", 0):
                self.within.depth += 1
                return None
            known = (name, self._group(args, kwargs), bytes_of([*args, *kwargs.values()]), self.run.now(),
                     record.enter(0, name, waits=True))
            self.within.depth = 1
            return known

        return begins

    def _finished(self, known, result):
        """What is to be recorded; None within another collective, or where it failed."""
        self.within.depth -= 1
        if known is None:
            return None
        record.leave(known[4])
        return None if isinstance(result, BaseException) else known

    def _ends(self, known, result, *_, **__):
        known = self._finished(known, result)
        if known is None:
            return
        if result is None or not hasattr(result, "get_future"):
            self._put(known, self.run.now(), self.run.context, self.run.current)
            return
        # The callback runs where the result is there: for NCCL on a stream that waits for it.
        context, current, step = self.run.context, self.run.current, record.present_step
        result.get_future().add_done_callback(
            lambda _: record.safely(lambda: self._put(known, self.run.now(), context, current, step)))

    def _functional_ends(self, known, result, *_, **__):
        known = self._finished(known, result)
        if known is None:
            return
        inner = getattr(result, "elem", None)
        if inner is None:
            self._put(known, self.run.now(), self.run.context, self.run.current)
            return
        self.flights[_place(inner)] = (inner, known, self.run.context, self.run.current)
        while len(self.flights) > MOST_IN_FLIGHT:
            self.flights.popitem(last=False)

    def _wait_begins(self, tensor, *_, **__):
        flight = self.flights.pop(_place(tensor), None)
        return flight, record.enter(0, flight[1][0] if flight else "a collective", waits=True)

    def _wait_ends(self, known, result, *_, **__):
        flight, place = known
        record.leave(place)
        if flight is not None and not isinstance(result, BaseException):
            self._put(flight[1], self.run.now(), flight[2], flight[3])

    def _put(self, known, end, context, current, step=None):
        name, group, size, begin, _ = known
        if context is not None:
            kind, action, stage, microbatch, piece = context
            if name == "all_reduce":
                kind, action = REDUCE_BUCKETS, REDUCE_BUCKETS_ACTION
            self.run.put(kind, record.COMM, None, begin, end, size, piece, step, stage, microbatch, action)
            return
        axis = axis_of(group)
        kind = {"all_reduce": TENSOR_ALL_REDUCE, "reduce_scatter": TENSOR_REDUCE_SCATTER,
                "all_gather": TENSOR_ALL_GATHER}.get(name)
        if kind is not None and current is not None and str(axis).lower() in TENSOR_AXES:
            _, action, _, stage, microbatch, _ = current
            self.run.put(kind, record.COMM, None, begin, end, size, 0.0, step, stage, microbatch, action)
            return
        self.run.put(COLLECTIVE, record.COMM, "%s (%s)" % (name, axis), begin, end, size, 0.0, step)
