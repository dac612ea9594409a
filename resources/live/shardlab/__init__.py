# SPDX-License-Identifier: Apache-2.0
"""Shows a program that is no Shardlab run on Shardlab's timeline while it runs.

    import shardlab
    shardlab.watch(model=model, optimizer=optimizer, schedule=schedule)   # the training loop stays as it is

finds by itself what PyTorch does (watch.py). What else is to be seen is said:

    with shardlab.step(step):
        with shardlab.span("F", stage=0, microbatch=3):
            ...
        with shardlab.span("all_reduce", lane="comm", bytes=1 << 20):
            ...
        shardlab.counter("loss", value)
    shardlab.close()

after shardlab.connect(), which takes address, token, rank and world from the environment. `shardlab listen` prints what
that has to hold: SHARDLAB_ADDRESS and SHARDLAB_TOKEN_FILE (or SHARDLAB_TOKEN). Rank and world are RANK and WORLD_SIZE,
as torchrun sets them, 0 and 1 otherwise.

Nothing here raises into the program, and nothing waits: events go into a bounded queue, which a thread of its own sends;
where the queue is full they are dropped, counted, and the count is shown. Without a listener all of it does nothing. A
lost connection is taken up again where it broke. No other package is needed. Times of connect(), span and step are of
the processor: what a GPU does has ended when the program has waited for it (torch.cuda.synchronize()), not before.
watch() asks the GPU itself.
"""
from .record import close, connect, counter, dropped, instant, span, step
from .version import __version__
from .watch import watch

__all__ = ["close", "connect", "counter", "dropped", "instant", "span", "step", "watch"]
