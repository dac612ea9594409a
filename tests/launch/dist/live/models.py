# SPDX-License-Identifier: Apache-2.0
"""Forwards of a model that is compiled, scripted, copied or saved while it is watched: they are recorded, and the model stays
what it was. Nobody listens."""
import collections
import copy
import io
import os

os.environ.update(SHARDLAB_ADDRESS="127.0.0.1:1", SHARDLAB_TOKEN="token")

import torch  # noqa: E402

import shardlab  # noqa: E402
from shardlab import record  # noqa: E402

torch.set_num_threads(1)
STEPS = 3


def counts(call, model, optimizer):
    """(F, B, validations, steps) of some steps and a pass without gradients."""
    record.sender.fresh.clear()
    for _ in range(STEPS):
        optimizer.zero_grad()
        call(torch.randn(2, 8)).sum().backward()
        optimizer.step()
    with torch.no_grad():
        call(torch.randn(2, 8))
    kinds = collections.Counter(event[8] for event in record.sender.fresh)
    return tuple(kinds[kind] for kind in (1, 2, 15, 14))


def check(name, prepare, later, forwards):
    """`prepare(model)` before watch(), `later(model)` returns what is called after it."""
    torch._dynamo.reset()
    model = prepare(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU()))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = set(vars(model))
    run = shardlab.watch(model=model, optimizer=optimizer)
    got = counts(later(model), model, optimizer)
    run.stop()
    expected = (STEPS if forwards else 0, STEPS, 1 if forwards else 0, STEPS)
    assert got == expected, "%s: %s, not %s" % (name, got, expected)
    assert set(vars(model)) == before, name
    model(torch.randn(2, 8))


def compiled(model):
    model.compile(backend="eager")
    return model


def saved(model):
    torch.save(model, io.BytesIO())
    return model


shardlab.connect()
check("plain", lambda model: model, lambda model: model, True)
check("torch.compile", lambda model: torch.compile(model, backend="eager"), lambda model: model, True)
check("compile()", compiled, lambda model: model, True)
check("script", torch.jit.script, lambda model: model, True)
check("saved", lambda model: model, saved, True)
check("a copy", lambda model: model, copy.deepcopy, False)
check("within what is compiled", lambda model: model,
      lambda model: torch.compile(lambda x: model(x) + 1, backend="eager", fullgraph=True), False)
