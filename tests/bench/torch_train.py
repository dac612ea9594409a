# SPDX-License-Identifier: Apache-2.0
"""The models of train_speed in PyTorch, to be measured beside it: pre-norm GPT with tied embeddings, GELU by tanh, AdamW.

usage: torch_train.py SHAPE THREADS fp32|bf16 STEPS [eager|compile] [cpu|cuda]
With RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set: DistributedDataParallel over gloo, the batch for each process.
Prints one JSON object.
"""
import json
import os
import statistics
import sys
import time

import torch
from torch import distributed, nn
from torch.nn import functional

#         layers, hidden, heads, sequence, vocabulary, batch; the vocabulary padded to what is fast, as train_speed's on GPUs
SHAPES = {
    "gpt2": (12, 768, 12, 64, 50304, 4),
    "medium": (6, 384, 6, 256, 50304, 4),
    "small": (4, 128, 4, 128, 256, 8),
    "gpt2-1024": (12, 768, 12, 1024, 50304, 16),
}
WARM_UP = 3


def attend(q, k, v):
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    tokens, width = q.shape[-2:]  # before PyTorch 2
    later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    scores = (q @ k.transpose(-2, -1) / width**0.5).masked_fill(later, float("-inf"))
    return functional.softmax(scores, -1) @ v


class Block(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.project = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.widen, self.shrink = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        parts = self.qkv(self.norm_1(x)).split(hidden, dim=2)
        q, k, v = (part.view(batch, tokens, self.heads, -1).transpose(1, 2) for part in parts)
        mixed = attend(q, k, v)
        x = x + self.project(mixed.transpose(1, 2).reshape(batch, tokens, hidden))
        return x + self.shrink(functional.gelu(self.widen(self.norm_2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, layers, hidden, heads, sequence, vocabulary):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, hidden), nn.Embedding(sequence, hidden)
        self.blocks = nn.Sequential(*(Block(hidden, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(hidden)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, inputs, targets):
        x = self.tokens(inputs) + self.positions.weight[: inputs.shape[1]]
        logits = self.norm(self.blocks(x)) @ self.tokens.weight.T
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def main():
    shape, threads, precision, steps = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    layers, hidden, heads, sequence, vocabulary, batch = SHAPES[shape]
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    device = sys.argv[6] if len(sys.argv) > 6 else "cpu"
    model = Gpt(layers, hidden, heads, sequence, vocabulary).to(device)
    world = int(os.environ.get("WORLD_SIZE", 1))
    trained = model
    if world > 1:
        distributed.init_process_group("gloo")
        trained = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    elif len(sys.argv) > 5 and sys.argv[5] == "compile":
        trained = torch.compile(model)
    # The fastest of its three loops over parameters, where this torch has it for the processor.
    try:
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    except (RuntimeError, TypeError):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    seconds = []
    for _ in range(WARM_UP + steps):
        text = torch.randint(0, vocabulary, (batch, sequence + 1)).to(device)
        if world > 1:
            distributed.barrier()
        if device == "cuda":
            torch.cuda.synchronize()
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=precision == "bf16"):
            loss = trained(text[:, :-1], text[:, 1:])
        loss.backward()
        optimizer.step()
        if device == "cuda":
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    seconds = seconds[WARM_UP:]
    median = statistics.median(seconds)
    if int(os.environ.get("RANK", 0)) == 0:
        print(json.dumps({"step_ms": 1e3 * median, "best_ms": 1e3 * min(seconds), "worst_ms": 1e3 * max(seconds),
                          "tokens_per_second": world * batch * sequence / median, "vocabulary": vocabulary, "torch": torch.__version__}))


main()
