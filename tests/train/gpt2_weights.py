#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small random GPT-2 of transformers: what it looks like on disk and what it predicts.

gpt2_weights.py make DIRECTORY SEED writes there saved/ (as transformers saves), plain/ (names without prefix, masks and
the tied head beside the weights, the older way), half/ (saved in bf16), model.json, tokens.bin (int32, samples ×
sequence) and expected.bin (fp32, for each token of the vocabulary the mean over all positions of its log probability).
gpt2_weights.py check DIRECTORY FOLDER exits with 0 where transformers loads FOLDER and finds the weights of saved/.
"""
import json
import pathlib
import sys

import torch
from safetensors.torch import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel

mode, folder = sys.argv[1], pathlib.Path(sys.argv[2])
torch.set_num_threads(1)
if mode == "check":
    ours = GPT2LMHeadModel.from_pretrained(sys.argv[3])
    theirs = GPT2LMHeadModel.from_pretrained(folder / "saved")
    names = dict(theirs.named_parameters())
    assert names.keys() == dict(ours.named_parameters()).keys()
    for name, value in ours.named_parameters():
        assert torch.equal(value, names[name]), name
    tokens = torch.arange(16).view(2, 8)
    assert torch.equal(ours(tokens).logits, theirs(tokens).logits)
    sys.exit(0)

torch.manual_seed(int(sys.argv[3]))
config = GPT2Config(n_layer=4, n_embd=48, n_head=4, n_positions=24, vocab_size=131, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
model = GPT2LMHeadModel(config).eval()
with torch.no_grad():
    for value in model.parameters():
        value.add_(torch.randn_like(value) * 0.1)  # biases and norms too
model.save_pretrained(folder / "saved")
weights = load_file(folder / "saved" / "model.safetensors")
plain = {name.removeprefix("transformer."): value.clone() for name, value in weights.items()}
for layer in range(config.n_layer):
    plain[f"h.{layer}.attn.bias"] = torch.ones(1, 1, 24, 24).tril()
    plain[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
plain["lm_head.weight"] = plain["wte.weight"].clone()
(folder / "plain").mkdir()
save_file(plain, folder / "plain" / "model.safetensors")
plain["lm_head.weight"] = plain["lm_head.weight"] + 1
(folder / "untied").mkdir()
save_file(plain, folder / "untied" / "model.safetensors")
(folder / "half").mkdir()
save_file({name: value.to(torch.bfloat16) for name, value in weights.items()}, folder / "half" / "model.safetensors")

samples, sequence = 3, 16
tokens = torch.randint(config.vocab_size, (samples, sequence))
with torch.no_grad():
    predicted = model(tokens).logits.double().log_softmax(-1).mean((0, 1))
write = lambda name, tensor: (folder / name).write_bytes(tensor.contiguous().numpy().tobytes())
write("tokens.bin", tokens.int())
write("expected.bin", predicted.float())
(folder / "model.json").write_text(json.dumps({"samples": samples, "sequence": sequence}))
