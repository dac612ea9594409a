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

        def on_log(self, args, state, control, logs=None, **_):
            for name, known in (("eval_loss", "validation loss"), ("grad_norm", "gradient norm")):
                if logs and name in logs:
                    record.counter(known, logs[name], step=max(0, state.global_step - 1))

        def on_prediction_step(self, args, state, control, **_):
            if self.run is not None and not self.run.muted:
                record.safely(lambda: self.run.evaluation(True))

        def on_evaluate(self, args, state, control, **_):
            if self.run is not None and self.run.muted:
                record.safely(lambda: self.run.evaluation(False))

        def on_train_end(self, args, state, control, **_):
            if self.run is not None:
                self.run.stop()

    return Callback()
