# SPDX-License-Identifier: Apache-2.0
"""Trainers that keep the loop to themselves: trainers.py huggingface|accelerate|lightning|megatron FOLDER [RANKS]. Four
steps of two microbatches; RANKS of Lightning, each started with its LOCAL_RANK."""
import sys

import torch

which, folder, ranks = *sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 1
torch.manual_seed(1)
torch.set_num_threads(1)
STEPS, MICROBATCHES = 4, 2


def huggingface():
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

    import shardlab.adapters.huggingface

    model = GPT2LMHeadModel(GPT2Config(n_layer=1, n_embd=32, n_head=2, vocab_size=64, n_positions=16))
    rows = [{"input_ids": ids, "labels": ids} for ids in torch.randint(64, (32, 16))]
    arguments = TrainingArguments(folder, max_steps=STEPS, per_device_train_batch_size=4, eval_strategy="steps", eval_steps=2,
                                  gradient_accumulation_steps=MICROBATCHES, logging_steps=1, report_to=[], use_cpu=True,
                                  save_strategy="no", disable_tqdm=True)
    Trainer(model, arguments, train_dataset=rows, eval_dataset=rows[:8],
            callbacks=[shardlab.adapters.huggingface.callback()]).train()


def accelerate():
    """A loop whose optimizer accelerate has wrapped, with a scaler that it takes on a GPU alone; the second step overflows."""
    from accelerate import Accelerator
    from accelerate.optimizer import AcceleratedOptimizer

    import shardlab

    Accelerator(cpu=True)
    model = torch.nn.Sequential(torch.nn.Embedding(64, 32), torch.nn.Linear(32, 64))
    scaler = torch.amp.GradScaler("cpu", init_scale=512.0)
    optimizer = AcceleratedOptimizer(torch.optim.AdamW(model.parameters()), scaler=scaler)
    shardlab.watch(model=model, optimizer=optimizer, loss="sum")
    for step in range(STEPS):
        for _ in range(MICROBATCHES):
            ids = torch.randint(64, (4, 16))
            loss = torch.nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten()) / MICROBATCHES
            scaler.scale(loss * (float("inf") if step == 1 else 1.0)).backward()
        optimizer.step()
        optimizer.zero_grad()


def lightning():
    import lightning.pytorch as pl

    import shardlab.adapters.lightning

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Embedding(64, 32), torch.nn.Linear(32, 64))

        def forward(self, ids):
            return torch.nn.functional.cross_entropy(self.layers(ids).flatten(0, 1), ids.flatten())

        def training_step(self, batch, number):
            return self(batch)

        def validation_step(self, batch, number):
            self.log("val_loss", self(batch))

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), lr=1e-3)

    rows = torch.utils.data.DataLoader(torch.randint(64, (32, 16)), batch_size=4)
    pl.Trainer(accelerator="cpu", devices=ranks, strategy="ddp" if ranks > 1 else "auto", max_steps=STEPS, accumulate_grad_batches=MICROBATCHES, logger=False, barebones=False,
               enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, limit_val_batches=2,
               callbacks=[shardlab.adapters.lightning.callback()]).fit(Module(), rows, rows)


def megatron():
    """The two functions by which every schedule of Megatron-Core computes; the schedules themselves want a GPU."""
    import torch.distributed as dist
    from megatron.core import ModelParallelConfig, parallel_state
    from megatron.core.pipeline_parallel import schedules
    from megatron.core.timers import Timers

    import shardlab.adapters.megatron

    torch.cuda.synchronize = lambda *_: None  # Megatron's timers wait for a GPU
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:0", rank=0, world_size=1)
    parallel_state.initialize_model_parallel()

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Embedding(64, 32), torch.nn.Linear(32, 64))
            self.config = ModelParallelConfig(pipeline_dtype=torch.float32)

        def set_input_tensor(self, tensor):
            pass

        def forward(self, ids):
            return self.layers(ids)

    class Optimizer:
        """As Megatron's: an update says whether it was made, and the norm; the second one overflows."""

        def __init__(self, model):
            self.inner, self.updates = torch.optim.AdamW(model.parameters()), 0
            self.param_groups, self.state = self.inner.param_groups, self.inner.state

        def get_loss_scale(self):
            return torch.tensor(512.0)

        def step(self):
            self.updates += 1
            if self.updates != 2:
                self.inner.step()
            self.inner.zero_grad()
            return self.updates != 2, 1.5, None

    def forward(batches, model):
        ids = next(batches)
        return model(ids), lambda output: (torch.nn.functional.cross_entropy(output.flatten(0, 1), ids.flatten()), {})

    model = Model()
    optimizer, timers = Optimizer(model), Timers(1, "all")
    shardlab.adapters.megatron.watch([model], optimizer)
    for _ in range(STEPS):
        batches = iter(torch.randint(64, (MICROBATCHES, 4, 16)))
        timers("forward-backward", log_level=1).start()
        # All forwards before the backwards, as in a warm-up: a backward is told by what it is given.
        outputs = [schedules.forward_step(forward, batches, model, MICROBATCHES, None, [], model.config, 1)[0]
                   for _ in range(MICROBATCHES)]
        for output in outputs:
            schedules.backward_step(None, output, None, None, model.config)
        timers("forward-backward").stop()
        optimizer.step()


{"huggingface": huggingface, "accelerate": accelerate, "lightning": lightning, "megatron": megatron}[which]()
