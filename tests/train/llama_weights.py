#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small random Llama of transformers, or a relative: what it looks like on disk, its loss and its gradients.

llama_weights.py make DIRECTORY SEED [FAMILY] writes there saved/ (as transformers saves), gradients/ (the same tensors, each the
gradient of the loss), tied/ (without an output projection), biased/ (with a bias), half/ (saved in bf16), tokens.bin and
targets.bin (int32, samples × sequence) and loss.txt. A family that predicts ahead has a module of a DeepSeek-V3 besides
(arXiv 2412.19437, section 2.2): further.bin has its targets, −1 for none, ahead.txt its loss, and gradients/ are those of
both losses.
llama_weights.py check DIRECTORY FOLDER exits with 0 where transformers loads FOLDER and finds the weights of saved/.
"""
import json
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
    if type(ours) is not type(theirs):  # it was written as another family, which has the same blocks
        tokens = torch.arange(16).view(2, 8)
        assert torch.allclose(ours(tokens).logits, theirs(tokens).logits, rtol=1e-4, atol=1e-4)
        sys.exit(0)
    names = dict(theirs.named_parameters())
    assert names.keys() == dict(ours.named_parameters()).keys()
    for name, value in ours.named_parameters():
        assert torch.equal(value, names[name]), name
    tokens = torch.arange(16).view(2, 8)
    assert torch.equal(ours(tokens).logits, theirs(tokens).logits)
    saved, written = load_file(folder / "saved" / "model.safetensors"), load_file(f"{sys.argv[3]}/model.safetensors")
    assert saved.keys() == written.keys(), saved.keys() ^ written.keys()
    for name, value in saved.items():  # transformers leaves modules out
        assert torch.equal(value, written[name]), name
    sys.exit(0)

torch.manual_seed(int(sys.argv[3]))
TURNS = ["sliding_attention", "full_attention", "sliding_attention"]
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
    "deepseek v3 that predicts ahead": ("deepseek_v3", {"q_lora_rank": 20, "kv_lora_rank": 24, "qk_nope_head_dim": 10,
        "qk_rope_head_dim": 6, "v_head_dim": 12, "num_key_value_heads": 6, "first_k_dense_replace": 1,
        "n_routed_experts": 8, "num_experts_per_tok": 2, "n_group": 4, "topk_group": 2, "n_shared_experts": 1, "moe_intermediate_size": 20,
        "num_hidden_layers": 4}),  # of which the module has the last
    "deepseek v3 with one group": ("deepseek_v3", {"q_lora_rank": None, "kv_lora_rank": 24, "qk_nope_head_dim": 10,
        "qk_rope_head_dim": 6, "v_head_dim": 12, "num_key_value_heads": 6, "first_k_dense_replace": 0,
        "n_routed_experts": 5, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "n_shared_experts": 1,
        "moe_intermediate_size": 20}),
    "gpt-oss": ("gpt_oss", {"head_dim": 10, "num_local_experts": 5, "num_experts_per_tok": 2, "hidden_size": 64,
        "intermediate_size": 96, "sliding_window": 5, "swiglu_limit": 0.6, "swiglu_alpha": 1.5, "rope_parameters": {
            "rope_type": "yarn", "rope_theta": 1000.0, "factor": 4.0, "original_max_position_embeddings": 32,
            "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False}}),
    "gpt-oss, all layers full": ("gpt_oss", {"head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2,
        "layer_types": ["full_attention"] * 3, "tie_word_embeddings": True, "hidden_size": 64, "intermediate_size": 32,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000.0}}),
    "deepseek v3 with yarn": ("deepseek_v3", {"q_lora_rank": None, "kv_lora_rank": 24, "qk_nope_head_dim": 7,
        "qk_rope_head_dim": 8, "v_head_dim": 15, "num_key_value_heads": 6, "first_k_dense_replace": 3,
        "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32, "mscale": 1.0,
            "mscale_all_dim": 1.0, "beta_fast": 32, "beta_slow": 1}}),
    "deepseek v2": ("deepseek_v2", {"q_lora_rank": 20, "kv_lora_rank": 24, "qk_nope_head_dim": 10, "qk_rope_head_dim": 6,
        "v_head_dim": 12, "num_key_value_heads": 6, "first_k_dense_replace": 1, "n_routed_experts": 7,
        "num_experts_per_tok": 3, "n_shared_experts": 2, "moe_intermediate_size": 20}),
    "dots1": ("dots1", {"first_k_dense_replace": 1, "n_routed_experts": 12, "num_experts_per_tok": 3, "n_group": 4,
        "topk_group": 2, "n_shared_experts": 2, "moe_intermediate_size": 20, "routed_scaling_factor": 1.7,
        "norm_topk_prob": True, "sliding_window": 5, "layer_types": TURNS}),
    "ministral": ("ministral", {"head_dim": 10, "sliding_window": 5, "layer_types": TURNS}),
    "cwm": ("cwm", {"head_dim": 10, "sliding_window": 5, "layer_types": TURNS}),
    "phi3": ("phi3", {"sliding_window": 5}),
    "starcoder2": ("starcoder2", {"tie_word_embeddings": True}),
    "starcoder2 without biases": ("starcoder2", {"use_bias": False, "sliding_window": 5, "hidden_act": "gelu"}),
    "arcee": ("arcee", {"head_dim": 10}),
    "arcee with biases": ("arcee", {"attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True}),
    "stablelm": ("stablelm", {"rope_parameters": {"rope_type": "default", "rope_theta": 1000.0,
                                                  "partial_rotary_factor": 1.0}}),
    "stablelm with biases": ("stablelm", {"use_qkv_bias": True, "rope_parameters": {
        "rope_type": "default", "rope_theta": 1000.0, "partial_rotary_factor": 1.0}}),
    "seed-oss": ("seed_oss", {"head_dim": 10, "attention_dropout": 0.0, "residual_dropout": 0.0}),
    "granite": ("granite", {"attention_multiplier": 8 ** -0.5}),
    "helium": ("helium", {"head_dim": 8, "attention_bias": True}),
    "ernie 4.5": ("ernie4_5", {"head_dim": 12, "use_bias": True, "tie_word_embeddings": True}),
    "smollm3": ("smollm3", {"no_rope_layers": [1, 1, 1]}),
    "internlm3": ("internlm3", {"head_dim": 10, "attention_bias": True, "mlp_bias": True}),
}
family = sys.argv[4] if len(sys.argv) > 4 else "llama"
kind, parts = FAMILIES[family]
predicts = family.endswith("that predicts ahead")
config = AutoConfig.for_model(kind, **{
    "hidden_size": 48, "intermediate_size": 112, "num_hidden_layers": 3, "num_attention_heads": 6, "num_key_value_heads": 2,
    "vocab_size": 131, "max_position_embeddings": 64, "tie_word_embeddings": False, "pad_token_id": None} | parts)
model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").float()
with torch.no_grad():
    for value in model.parameters():
        value.add_(torch.randn_like(value) * 0.1)  # norms too
    for name, value in model.named_buffers():
        if name.endswith("e_score_correction_bias"):
            value.add_(torch.randn_like(value) * 0.1)


class Module(torch.nn.Module):
    """What a module has beside its block, which is the model's last, and what it shares with the model."""

    def __init__(self):
        super().__init__()
        norm = type(model.model.norm)
        self.enorm, self.hnorm, self.norm = (norm(config.hidden_size, config.rms_norm_eps) for _ in range(3))
        self.eh_proj = torch.nn.Linear(2 * config.hidden_size, config.hidden_size, bias=False)

    def tensors(self):
        block = f"model.layers.{config.num_hidden_layers - 1}."
        own = {"enorm": self.enorm, "hnorm": self.hnorm, "eh_proj": self.eh_proj, "shared_head.norm": self.norm,
               "embed_tokens": model.model.embed_tokens, "shared_head.head": model.lm_head}
        return {f"{block}{name}.weight": part.weight.detach().clone() for name, part in own.items()}


def save(name):
    """As published: a block more than the model says it has, with the module's tensors."""
    model.save_pretrained(folder / name)
    if not predicts: return
    file, said = folder / name / "model.safetensors", json.loads((folder / name / "config.json").read_text())
    save_file(load_file(file) | module.tensors(), file, {"format": "pt"})
    said |= {"num_hidden_layers": config.num_hidden_layers - 1, "num_nextn_predict_layers": 1}
    (folder / name / "config.json").write_text(json.dumps(said))


module = Module() if predicts else None
if predicts:
    with torch.no_grad():
        for value in module.parameters(): value.add_(torch.randn_like(value) * 0.1)
save("saved")
weights = load_file(folder / "saved" / "model.safetensors")


def variant(name, tensors):
    shutil.copytree(folder / "saved", folder / name)
    save_file({key: value.contiguous() for key, value in tensors.items()}, folder / name / "model.safetensors")


variant("half", {name: value.to(torch.bfloat16) for name, value in weights.items()})
variant("tied", {name: value for name, value in weights.items() if name != "lm_head.weight"})
variant("biased", weights | {"model.layers.1.self_attn.q_proj.bias": torch.zeros(48)})
if kind == "gpt_oss":  # experts in four bits, and the same unpacked by transformers
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors
    packed, unpacked = dict(weights), dict(weights)
    for name in [name for name in weights if name.endswith(("gate_up_proj", "down_proj"))]:
        experts, inputs, outputs = packed.pop(name).shape
        blocks = torch.randint(256, (experts, outputs, inputs // 32, 16), dtype=torch.uint8)
        scales = torch.randint(100, 140, (experts, outputs, inputs // 32), dtype=torch.uint8)
        packed |= {name + "_blocks": blocks, name + "_scales": scales}
        unpacked[name] = convert_moe_packed_tensors(blocks, scales, dtype=torch.float32)
    variant("packed", packed)
    said = json.loads((folder / "packed" / "config.json").read_text())
    said["quantization_config"] = {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}
    (folder / "packed" / "config.json").write_text(json.dumps(said))
    variant("unpacked", unpacked)

samples, sequence = 3, 16
tokens = torch.randint(config.vocab_size, (samples, sequence))
targets = torch.randint(config.vocab_size, (samples, sequence))
write = lambda name, tensor: (folder / name).write_bytes(tensor.contiguous().numpy().tobytes())
write("tokens.bin", tokens.int())
write("targets.bin", targets.int())

def entropy(logits, wanted):
    return F.cross_entropy(logits.flatten(0, 1), wanted.flatten().long(), ignore_index=-1, reduction="sum")

if predicts:
    stack, layers, norm = model.model, model.model.layers, model.model.norm
    stack.layers = layers[:-1]
    hidden = stack(tokens, use_cache=False).last_hidden_state
    loss = entropy(model.lm_head(hidden), targets) / targets.numel()
    both = torch.cat((module.enorm(stack.embed_tokens(targets)), module.hnorm(hidden)), -1)
    stack.layers, stack.norm = layers[-1:], module.norm
    ahead = stack(inputs_embeds=module.eh_proj(both), use_cache=False).last_hidden_state
    further = torch.cat((targets[:, 1:], torch.full((samples, 1), -1)), 1)
    of_module = entropy(model.lm_head(ahead), further) / targets.numel()
    (loss + 0.3 * of_module).backward()
    stack.layers, stack.norm = layers, norm
    write("further.bin", further.int())
    (folder / "ahead.txt").write_text(repr(of_module.item()))
else:
    loss = F.cross_entropy(model(tokens).logits.flatten(0, 1), targets.flatten())
    loss.backward()
(folder / "loss.txt").write_text(repr(loss.item()))
with torch.no_grad():  # as transformers writes weights: it may hold those of all experts as one
    for value in [*model.parameters(), *(module.parameters() if predicts else ())]:
        value.copy_(value.grad)
save("gradients")
