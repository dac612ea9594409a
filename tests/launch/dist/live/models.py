# SPDX-License-Identifier: Apache-2.0
"""What a model computes while it is watched is recorded, and the model, its losses and its memory stay what they were: it may
be compiled, scripted, copied or saved, its losses be written into, its graph keep tensors. Nobody listens."""
import collections
import copy
import io
import os
import weakref

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


def losses(use, own=None, steps=6, microbatches=3, share=None):
    """(what was told of each step's loss, what it was): `use(step, loss)` is called after each backward."""
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    run = shardlab.watch(model=model, optimizer=optimizer, share=share)
    record.sender.fresh.clear()
    true = []
    for step in range(steps):
        optimizer.zero_grad()
        seen = []
        for _ in range(microbatches):
            out = model(torch.randn(2, 8))
            loss = (out if own is None else own(out)).square().mean()
            loss.backward()
            seen.append(loss.item())
            use(step, loss)
        optimizer.step()
        true.append(sum(seen) / microbatches)
    run.stop()
    told = [None] * steps
    for event in record.sender.fresh:
        if event[8] == 32:
            told[event[4]] = event[3].number()
    return told, true


def agree(told, true, without=()):
    for step, (one, other) in enumerate(zip(told, true)):
        assert (one is None) == (step in without), (step, told)
        assert one is None or abs(one - other) < 1e-6 * abs(other), (step, told, true)


def written_from(first):
    """The program adds up losses in the first of a step's, from a step on."""
    totals = []

    def use(step, loss):
        if step < first:
            return
        if len(totals) % 3:
            totals[-1] += loss.detach()
            totals.append(totals[-1])
        else:
            totals.append(loss.detach())

    return use


class Keeps(torch.autograd.Function):
    """Keeps a tensor where backward does not free it."""
    kept = []

    @staticmethod
    def forward(ctx, tensor):
        ctx.mine = tensor.clone()
        Keeps.kept.append(weakref.ref(ctx.mine))
        return tensor * 1

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def freed(step, loss):
    """With the loss that the loop itself still has, the tensors of one microbatch live, and no more."""
    assert sum(each() is not None for each in Keeps.kept) <= 2, step


agree(*losses(lambda *_: None))
agree(*losses(written_from(0)))  # seen in the first step: each is asked at once
agree(*losses(written_from(2)), without=(2,))
agree(*losses(freed, Keeps.apply))
# The same where no details are told from step 8 on, and, once it is known what else takes, no losses from step 13 on.
agree(*losses(lambda *_: None, steps=20, share=1e-9), without=range(13, 20))
agree(*losses(written_from(10), steps=20, share=1e-9), without=(10, *range(13, 20)))
agree(*losses(freed, Keeps.apply, steps=20, share=1e-9), without=range(13, 20))
