#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small random Llama of transformers, or a relative: what it looks like on disk, its loss and its gradients.

llama_weights.py make DIRECTORY SEED [FAMILY] writes there saved/ (as transformers saves), gradients/ (the same tensors, each the
gradient of the loss), tied/ (without an output projection), biased/ (with a bias), half/ (saved in bf16), tokens.bin and
targets.bin (int32, samples × sequence) and loss.txt.
llama_weights.py check DIRECTORY FOLDER exits with 0 where transformers loads FOLDER and finds the weights of saved/.
"""
import pathlib
import shutil
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM

mode, folder = sys.argv[1], pathlib.Path(sys.argv[2])
torch.set_num_threads(1)
if mode == "check":
    ours = AutoModelForCausalLM.from_pretrained(sys.argv[3], dtype=torch.float32, attn_implementation="eager")
    theirs = AutoModelForCausalLM.from_pretrained(folder / "saved", dtype=torch.float32, attn_implementation="eager")
    names = dict(theirs.named_parameters())
    assert names.keys() == dict(ours.named_parameters()).keys()
    for name, value in ours.named_parameters():
        assert torch.equal(value, names[name]), name
    tokens = torch.arange(16).view(2, 8)
    assert torch.equal(ours(tokens).logits, theirs(tokens).logits)
    sys.exit(0)

torch.manual_seed(int(sys.argv[3]))
FAMILIES = {
    "llama": ("llama", {"rms_norm_eps": 1e-5}),
    "llama3": ("llama", {"rms_norm_eps": 1e-5, "rope_theta": 500000.0, "tie_word_embeddings": True, "rope_scaling": {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 32}}),
    "llama with biases": ("llama", {"attention_bias": True, "mlp_bias": True, "hidden_act": "gelu"}),
    "mistral": ("mistral", {"sliding_window": None, "rope_theta": 1000000.0}),
    "mistral with a window": ("mistral", {"sliding_window": 5}),
    "qwen2": ("qwen2", {"rope_theta": 1000000.0}),
    "qwen2, tied": ("qwen2", {"tie_word_embeddings": True}),
    "qwen3": ("qwen3", {"head_dim": 20, "rope_theta": 1000000.0}),
    "mixtral": ("mixtral", {"num_local_experts": 5, "num_experts_per_tok": 2}),
    "qwen3-moe": ("qwen3_moe", {"head_dim": 16, "num_experts": 6, "num_experts_per_tok": 3, "moe_intermediate_size": 28,
                                "norm_topk_prob": True, "rope_theta": 1000000.0}),
    "qwen3-moe, softmax over all": ("qwen3_moe", {"head_dim": 8, "num_experts": 6, "num_experts_per_tok": 2,
                                                  "moe_intermediate_size": 28, "tie_word_embeddings": True}),
    "qwen3 with yarn": ("qwen3", {"head_dim": 16, "tie_word_embeddings": True, "rope_scaling": {
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}}),
    "deepseek v3": ("deepseek_v3", {"q_lora_rank": 20, "kv_lora_rank": 24, "qk_nope_head_dim": 10, "qk_rope_head_dim": 6,
        "v_head_dim": 12, "num_key_value_heads": 6, "first_k_dense_replace": 3, "rope_theta": 1000.0}),
    "deepseek v3 with experts": ("deepseek_v3", {"q_lora_rank": 20, "kv_lora_rank": 24, "qk_nope_head_dim": 10,
        "qk_rope_head_dim": 6, "v_head_dim": 12, "num_key_value_heads": 6, "first_k_dense_replace": 1, "rope_theta": 1000.0,
        "n_routed_experts": 12, "num_experts_per_tok": 3, "n_group": 4, "topk_group": 2, "n_shared_experts": 2,
        "moe_intermediate_size": 20, "routed_scaling_factor": 1.7}),
    "deepseek v3 with one group": ("deepseek_v3", {"q_lora_rank": None, "kv_lora_rank": 24, "qk_nope_head_dim": 10,
        "qk_rope_head_dim": 6, "v_head_dim": 12, "num_key_value_heads": 6, "first_k_dense_replace": 0,
        "n_routed_experts": 5, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "n_shared_experts": 1,
        "moe_intermediate_size": 20}),
    "deepseek v3 with yarn": ("deepseek_v3", {"q_lora_rank": None, "kv_lora_rank": 24, "qk_nope_head_dim": 7,
        "qk_rope_head_dim": 8, "v_head_dim": 15, "num_key_value_heads": 6, "first_k_dense_replace": 3,
        "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32, "mscale": 1.0,
            "mscale_all_dim": 1.0, "beta_fast": 32, "beta_slow": 1}}),
}
kind, parts = FAMILIES[sys.argv[4] if len(sys.argv) > 4 else "llama"]
config = AutoConfig.for_model(kind, **{
    "hidden_size": 48, "intermediate_size": 112, "num_hidden_layers": 3, "num_attention_heads": 6, "num_key_value_heads": 2,
    "vocab_size": 131, "max_position_embeddings": 64, "tie_word_embeddings": False} | parts)
model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").float()
with torch.no_grad():
    for value in model.parameters():
        value.add_(torch.randn_like(value) * 0.1)  # norms too
    for name, value in model.named_buffers():
        if name.endswith("e_score_correction_bias"):
            value.add_(torch.randn_like(value) * 0.1)
model.save_pretrained(folder / "saved")
weights = load_file(folder / "saved" / "model.safetensors")


def variant(name, tensors):
    shutil.copytree(folder / "saved", folder / name)
    save_file({key: value.contiguous() for key, value in tensors.items()}, folder / name / "model.safetensors")


variant("half", {name: value.to(torch.bfloat16) for name, value in weights.items()})
variant("tied", {name: value for name, value in weights.items() if name != "lm_head.weight"})
variant("biased", weights | {"model.layers.1.self_attn.q_proj.bias": torch.zeros(48)})

samples, sequence = 3, 16
tokens = torch.randint(config.vocab_size, (samples, sequence))
targets = torch.randint(config.vocab_size, (samples, sequence))
loss = F.cross_entropy(model(tokens).logits.flatten(0, 1), targets.flatten())
loss.backward()
write = lambda name, tensor: (folder / name).write_bytes(tensor.contiguous().numpy().tobytes())
write("tokens.bin", tokens.int())
write("targets.bin", targets.int())
(folder / "loss.txt").write_text(repr(loss.item()))
with torch.no_grad():  # as transformers writes weights: it may hold those of all experts as one
    for value in model.parameters():
        value.copy_(value.grad)
model.save_pretrained(folder / "gradients")
