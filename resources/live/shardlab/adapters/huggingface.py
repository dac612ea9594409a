# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer: Trainer(..., callbacks=[shardlab.adapters.huggingface.callback()])."""
from .. import record
from ..watch import watch


def callback(**more):
    """A TrainerCallback; `more` goes to shardlab.watch()."""
    from transformers import TrainerCallback

    class Callback(TrainerCallback):
        run = None

        def on_train_begin(self, args, state, control, model=None, optimizer=None, **_):
            # A step's backward calls are divided by their number since Transformers 4.46.
            self.run = watch(model=model, optimizer=optimizer, **{"loss": "sum", **more})

        def on_evaluate(self, args, state, control, metrics=None, **_):
            if metrics and "eval_loss" in metrics:
                record.counter("validation loss", metrics["eval_loss"], step=max(0, state.global_step - 1))

        def on_train_end(self, args, state, control, **_):
            if self.run is not None:
                self.run.stop()

    return Callback()
