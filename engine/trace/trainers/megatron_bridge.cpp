// SPDX-License-Identifier: Apache-2.0
// A recipe of Megatron-Bridge: the ConfigContainer of megatron/bridge/training/config.py of 0.3, and its pretrain().
#include "engine/layout/block_parts.h"
#include "engine/trace/trainers/recipe.h"
#include "engine/trace/trainers/trainer_text.h"

#include <fmt/format.h>

namespace shardlab::trace {
namespace {

constexpr std::string_view megatronBridge = "Megatron-Bridge";

/// A section of the container, and the class that fills it.
struct BridgeSection {
    std::string_view call;  ///< as RecipeField::bridge names it
    std::string_view name;  ///< the container's field
    std::string_view type;
};
constexpr BridgeSection bridgeSections[] = {
    {"model", "model", "GPTModelProvider"},
    {"train", "train", "TrainingConfig"},
    {"optimizer", "optimizer", "OptimizerConfig"},
    {"scheduler", "scheduler", "SchedulerConfig"},
    {"ddp", "ddp", "DistributedDataParallelConfig"},
    {"dist", "dist", "DistributedInitConfig"},
    {"overlap", "comm_overlap", "CommOverlapConfig"},
    {"precision", "mixed_precision", "MixedPrecisionConfig"},
    {"dataset", "dataset", "GPTDatasetConfig"},
    {"tokenizer", "tokenizer", "TokenizerConfig"},
    {"checkpoint", "checkpoint", "CheckpointConfig"},
    {"logger", "logger", "LoggerConfig"},
    {"rng", "rng", "RNGConfig"},
};

void refuseForBridge(const Layout& layout, std::vector<Fault>& faults) {
    refuseForRecipe(layout, megatronBridge, faults, true);
}

/// What Megatron-LM has no arguments for, and the provider of GPT-OSS has otherwise by default.
void addGptOss(Recipe& recipe, const ModelSpec& model) {
    const BlockSpec& b = model.block;
    recipe.add("model", "vocab_size", std::to_string(model.vocabulary));
    recipe.add("model", "activation_func_clamp_value", numberText(b.gluLimit));
    recipe.add("model", "moe_grouped_gemm", "True", "the products of a rank's experts are one kernel");
    recipe.add("model", "moe_permute_fusion", "False");
    for (const char* name : {"window_size", "window_attn_skip_freq"}) recipe.addMissing("model", name, "None");
    if (b.rotary.scaling != RotaryScaling::Yarn) return;
    for (const char* name : {"position_embedding_type", "rotary_scaling_factor", "mscale", "mscale_all_dim"})
        recipe.drop("model", name);
    recipe.add("model", "position_embedding_type", "\"yarn\"");
    recipe.add("model", "yarn_rotary_scaling_factor", numberText(b.rotary.factor));
    recipe.add("model", "yarn_original_max_position_embeddings", std::to_string(b.rotary.original));
    recipe.add("model", "yarn_beta_fast", numberText(rotaryHigh(b.rotary)));
    recipe.add("model", "yarn_beta_slow", numberText(b.rotary.low));
    recipe.add("model", "yarn_correction_range_round_to_int", b.rotary.truncate ? "True" : "False");
}

ExportedLayout writeBridge(const Layout& layout, const TrainerOptions& options, const std::vector<Sentence>& leftOut) {
    Recipe recipe(layout, &RecipeField::bridge);
    addCoreDefaults(recipe, layout);
    if (hasExperts(layout.model))
        recipe.add("model", "transformer_layer_spec",
                   "partial(get_gpt_decoder_block_spec, use_transformer_engine=True)",
                   "the blocks with and without experts");
    const bool latent = blockParts(layout.model).latent, gptOss = isGptOss(layout.model);
    if (gptOss) addGptOss(recipe, layout.model);
    if (latent) recipe.addMissing("model", "q_lora_rank", "None");
    if (layout.precision.compute == NumberFormat::Fp32) recipe.add("precision", "fp32", "True");
    for (const char* name : {"reset_position_ids", "reset_attention_mask", "eod_mask_loss"})
        recipe.add("dataset", name, "False");
    if (layout.checkpoint.every > 0) recipe.add("checkpoint", "most_recent_k", std::to_string(layout.checkpoint.keep));
    for (const BridgeSection& section : bridgeSections)
        recipe.add("container", section.name,
                   recipe.text(section.call, fmt::format("{}(", section.call != "model" ? section.type
                                                                : latent                ? "MLAModelProvider"
                                                                : gptOss                ? "GPTOSSProvider"
                                                                                        : section.type)));
    return recipeFile(layout, *findTrainerTarget("megatron-bridge"), options, leftOut,
                      fmt::format(R"(from functools import partial

import torch
import torch.nn.functional as F
from megatron.bridge.models.gpt_oss.gpt_oss_provider import GPTOSSProvider
from megatron.bridge.models.gpt_provider import GPTModelProvider
from megatron.bridge.models.mla_provider import MLAModelProvider
from megatron.bridge.training.comm_overlap import CommOverlapConfig
from megatron.bridge.training.config import (
    CheckpointConfig,
    ConfigContainer,
    DistributedDataParallelConfig,
    DistributedInitConfig,
    GPTDatasetConfig,
    LoggerConfig,
    OptimizerConfig,
    RNGConfig,
    SchedulerConfig,
    TrainingConfig,
)
from megatron.bridge.training.gpt_step import forward_step
from megatron.bridge.training.mixed_precision import MixedPrecisionConfig
from megatron.bridge.training.pretrain import pretrain
from megatron.bridge.training.tokenizers.config import TokenizerConfig
from megatron.core.activations import squared_relu
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_decoder_block_spec

config = {}

if __name__ == "__main__":
    pretrain(config, forward_step)
)",
                                  recipe.text("container", "ConfigContainer(")));
}

}  // namespace

TrainerTarget megatronBridgeTarget() {
    static const std::vector<std::string_view> says = [] {
        std::vector<std::string_view> list(megatronSays().begin(), megatronSays().end());
        for (const char* more : {"/checkpoint/keep", "/model/swiglu_limit", "/model/swiglu_alpha"})
            list.emplace_back(more);
        return list;
    }();
    static constexpr std::string_view leaves[] = {"/checkpoint/first"};
    return {.name = "megatron-bridge",
            .program = megatronBridge,
            .description = "a recipe in Python, which torchrun starts",
            .extension = ".megatron-bridge.py",
            .says = says,
            .leaves = leaves,
            .sharesKeyHeads = true,
            .refuse = refuseForBridge,
            .write = writeBridge,
            .start = startRecipe};
}

}  // namespace shardlab::trace
