# SPDX-License-Identifier: Apache-2.0
"""Lightning: Trainer(..., callbacks=[shardlab.adapters.lightning.callback()])."""
from .. import record
from ..watch import watch


def callback(**more):
    """A Callback of lightning or pytorch_lightning; `more` goes to shardlab.watch()."""
    try:
        from lightning.pytorch.callbacks import Callback as Base
    except ImportError:
        from pytorch_lightning.callbacks import Callback as Base

    class Callback(Base):
        run = None

        def on_train_start(self, trainer, module):
            scaler = getattr(trainer.precision_plugin, "scaler", None)
            self.run = watch(model=trainer.model, optimizer=trainer.optimizers, scaler=scaler, **more)

        def on_validation_start(self, trainer, module):
            if self.run is not None:
                record.safely(lambda: self.run.evaluation(True))

        def on_validation_end(self, trainer, module):
            if self.run is not None:
                record.safely(lambda: self.run.evaluation(False))
                for name, value in trainer.callback_metrics.items():
                    if name in ("val_loss", "validation_loss", "val/loss"):
                        record.counter("validation loss", value)

        def on_train_end(self, trainer, module):
            if self.run is not None:
                self.run.stop()

    return Callback()
