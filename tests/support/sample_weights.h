// SPDX-License-Identifier: Apache-2.0
// Weights as transformers saves them, all zeros: of a GPT-2 of 2 layers and of a Llama of 2 layers, with their
// config.json.
#pragma once

#include "engine/layout/layout.h"
#include "engine/trace/checkpoint/safetensors.h"
#include "tests/support/wings.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace shardlab::test {

struct SampleWeights {
    ModelSpec model;
    nlohmann::json config;
    std::map<std::string, std::vector<std::int64_t>> tensors;

    static SampleWeights gpt2() {
        SampleWeights made;
        made.model.layers = 2;
        made.model.hidden = 8;
        made.model.heads = 2;
        made.model.sequence = 16;
        made.model.vocabulary = 256;
        made.config = nlohmann::json::parse(R"({"activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"],
            "attn_pdrop": 0.1, "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
            "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 16, "n_embd": 8, "n_head": 2, "n_inner": null,
            "n_layer": 2, "n_positions": 16, "n_special": 0, "predict_special_tokens": true, "resid_pdrop": 0.1,
            "summary_activation": null, "summary_type": "cls_index", "summary_use_proj": true,
            "task_specific_params": {"text-generation": {"do_sample": true}}, "vocab_size": 256})");
        made.tensors = {{"wte.weight", {256, 8}}, {"wpe.weight", {16, 8}}, {"ln_f.weight", {8}}, {"ln_f.bias", {8}}};
        for (int layer = 0; layer < 2; ++layer) made.addGpt2Layer(layer);
        return made;
    }

    static SampleWeights llama() {
        SampleWeights made;
        made.model.kind = ModelKind::Llama;
        made.model.layers = 2;
        made.model.hidden = 8;
        made.model.heads = 4;
        made.model.block.kvHeads = 2;
        made.model.sequence = 16;
        made.model.vocabulary = 256;
        made.model.feedForward = {12};
        made.config = nlohmann::json::parse(R"({"architectures": ["LlamaForCausalLM"], "attention_bias": false,
            "attention_dropout": 0.0, "bos_token_id": 1, "dtype": "float32", "eos_token_id": 2, "head_dim": 2,
            "hidden_act": "silu", "hidden_size": 8, "initializer_range": 0.02, "intermediate_size": 12,
            "max_position_embeddings": 64, "mlp_bias": false, "model_type": "llama", "num_attention_heads": 4,
            "num_hidden_layers": 2, "num_key_value_heads": 2, "pretraining_tp": 1, "rms_norm_eps": 1e-05,
            "rope_scaling": null, "rope_theta": 10000.0, "tie_word_embeddings": false, "transformers_version": "4.57.1",
            "use_cache": true, "vocab_size": 256})");
        made.tensors = {
            {"model.embed_tokens.weight", {256, 8}}, {"model.norm.weight", {8}}, {"lm_head.weight", {256, 8}}};
        for (int layer = 0; layer < 2; ++layer) made.addLlamaLayer(layer);
        return made;
    }

    void addGpt2Layer(int layer) {
        const std::string block = "transformer.h." + std::to_string(layer) + ".";
        for (const char* norm : {"ln_1", "ln_2"})
            tensors[block + norm + ".weight"] = tensors[block + norm + ".bias"] = {8};
        for (const auto& [name, in, out] :
             {std::tuple{"attn.c_attn", 8, 24}, {"attn.c_proj", 8, 8}, {"mlp.c_fc", 8, 32}, {"mlp.c_proj", 32, 8}}) {
            tensors[block + name + ".weight"] = {in, out};
            tensors[block + name + ".bias"] = {out};
        }
    }

    void addLlamaLayer(int layer) {
        const std::string block = "model.layers." + std::to_string(layer) + ".";
        for (const char* norm : {"input_layernorm", "post_attention_layernorm"})
            tensors[block + norm + ".weight"] = {8};
        for (const auto& [name, out, in] : {std::tuple{"self_attn.q_proj", 8, 8},
                                            {"self_attn.k_proj", 4, 8},
                                            {"self_attn.v_proj", 4, 8},
                                            {"self_attn.o_proj", 8, 8},
                                            {"mlp.gate_proj", 12, 8},
                                            {"mlp.up_proj", 12, 8},
                                            {"mlp.down_proj", 8, 12}})
            tensors[block + name + ".weight"] = {out, in};
    }

    /// model.safetensors in `folder`, and config.json where `config` is an object.
    void write(const std::filesystem::path& folder, TensorType type = TensorType::F32) const {
        std::filesystem::create_directories(folder);
        SafetensorsHeader header;
        for (const auto& [name, shape] : tensors) header.add(name, type, shape);
        std::ofstream(folder / "model.safetensors", std::ios::binary)
            << writeHeader(header) << std::string(header.dataBytes(), '\0');
        std::filesystem::remove(folder / "config.json");
        if (config.is_object()) std::ofstream(folder / "config.json") << config.dump(2);
    }
};

}  // namespace shardlab::test
