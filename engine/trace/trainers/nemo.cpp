// SPDX-License-Identifier: Apache-2.0
// A recipe of NeMo 2 (nemo_toolkit 2.7, the last with language models): a run.Partial of llm.pretrain for NeMo-Run.
#include "engine/layout/block_parts.h"
#include "engine/trace/trainers/recipe.h"
#include "engine/trace/trainers/trainer_text.h"

#include <fmt/format.h>

namespace shardlab::trace {
namespace {

constexpr std::string_view nemoProgram = "NeMo";

void refuseForNemo(const Layout& layout, std::vector<Fault>& faults) {
    refuseForRecipe(layout, nemoProgram, faults);
    if (blockParts(layout.model).latent)
        refuseField(faults, nemoProgram, "/model/kv_rank", say("latent attention"),
                    say("what is written for it is a GPT whose heads have keys and values of their own"),
                    {say("0; or megatron-bridge"), {"0"}});
}

std::string configOf(std::string_view type) { return fmt::format("run.Config(\n    {},", type); }

/// The model's configuration; the class that scales rotary positions is a llama's by default.
std::string nemoModel(Recipe& recipe, const Layout& layout) {
    const ModelSpec& m = layout.model;
    if (hasExperts(m))
        recipe.add("model", "transformer_layer_spec",
                   "run.Partial(get_gpt_decoder_block_spec, use_transformer_engine=True)",
                   "the blocks with and without experts");
    if (!recipe.has("model", "scale_factor")) return recipe.text("model", configOf("llm.GPTConfig"));
    recipe.addMissing("model", "gated_linear_unit", "False");
    recipe.addMissing("model", "activation_func", "F.gelu");
    recipe.addMissing("model", "add_bias_linear", "True");
    recipe.addMissing("model", "share_embeddings_and_output_weights", "True");
    recipe.addMissing("model", "num_query_groups", std::to_string(m.heads));
    return recipe.text("model", configOf("Llama31Config"));
}

std::string_view nemoScheduler(RateSchedule schedule) {
    switch (schedule) {
    case RateSchedule::Cosine: return "CosineAnnealingScheduler";
    case RateSchedule::Linear: return "WarmupAnnealingScheduler";
    case RateSchedule::Constant: break;
    }
    return "WarmupPolicyScheduler";
}

std::string nemoData(Recipe& recipe, const Layout& layout) {
    const bool reads = readsTokenizer(layout), words = reads && layout.data.tokenizer == TokenizerKind::Gpt2;
    recipe.add("tokenizer", "library", words ? "\"megatron\"" : reads ? "\"huggingface\"" : "\"null\"");
    if (words || !reads) recipe.add("tokenizer", "model_name", words ? "\"GPT2BPETokenizer\"" : "\"null\"");
    recipe.add("data", "tokenizer", recipe.text("tokenizer", configOf("get_nmt_tokenizer")));
    if (layout.data.kind != DataKind::Generator) return recipe.text("data", configOf("llm.PreTrainingDataModule"));
    recipe.drop("data", "split");
    recipe.drop("data", "seed");
    return recipe.text("data", configOf("llm.MockDataModule"));
}

std::string nemoTrainer(Recipe& recipe, const Layout& layout) {
    if (layout.precision.compute == NumberFormat::Fp32) recipe.add("precision", "precision", "\"32\"");
    recipe.add("strategy", "ddp", recipe.text("ddp", configOf("DistributedDataParallelConfig")));
    recipe.add("trainer", "devices", std::to_string(layout.cluster.hosts.front().devices));
    recipe.add("trainer", "num_nodes", std::to_string(layout.cluster.hosts.size()));
    recipe.add("trainer", "accelerator", "\"gpu\"");
    recipe.add("trainer", "use_distributed_sampler", "False");
    recipe.add("trainer", "num_sanity_val_steps", "0");
    recipe.add("trainer", "plugins", recipe.text("precision", configOf("nl.MegatronMixedPrecision")));
    recipe.add("trainer", "strategy", recipe.text("strategy", configOf("nl.MegatronStrategy")));
    recipe.add("trainer", "callbacks",
               fmt::format("[{}]", recipe.text("overlap", configOf("MegatronCommOverlapCallback"))));
    return recipe.text("trainer", configOf("nl.Trainer"));
}

std::string nemoLog(Recipe& recipe, const Layout& layout) {
    if (layout.checkpoint.every > 0) {
        recipe.add("checkpoint", "save_top_k", std::to_string(layout.checkpoint.keep));
        recipe.add("checkpoint", "monitor", "\"step\"", "the latest stay");
        recipe.add("checkpoint", "mode", "\"max\"");
        recipe.add("log", "ckpt", recipe.text("checkpoint", configOf("nl.ModelCheckpoint")));
    }
    return recipe.text("log", configOf("nl.NeMoLogger"));
}

std::string nemoOptimizer(Recipe& recipe, const Layout& layout) {
    const RateSchedule schedule = layout.optimizer.schedule;
    if (schedule == RateSchedule::Cosine) recipe.add("scheduler", "constant_steps", "0");
    recipe.add("optim", "config", recipe.text("optimizer", configOf("OptimizerConfig")));
    recipe.add("optim", "lr_scheduler", recipe.text("scheduler", configOf(nemoScheduler(schedule))));
    return recipe.text("optim", configOf("nl.MegatronOptimizerModule"));
}

ExportedLayout writeNemo(const Layout& layout, const TrainerOptions& options, const std::vector<Sentence>& leftOut) {
    Recipe recipe(layout, &RecipeField::nemo);
    addCoreDefaults(recipe, layout);
    const Sentence seed = say("run.seed is {}; NeMo draws weights with 1234 always", layout.run.seed);
    std::vector<Sentence> left = leftOut;
    left.push_back(seed);
    recipe.add("gpt", "config", nemoModel(recipe, layout));
    const std::string data = nemoData(recipe, layout);
    recipe.add("recipe", "model", recipe.text("gpt", configOf("llm.GPTModel")));
    recipe.add("recipe", "data", data);
    recipe.add("recipe", "trainer", nemoTrainer(recipe, layout));
    recipe.add("recipe", "log", nemoLog(recipe, layout));
    if (layout.checkpoint.every > 0)
        recipe.add("recipe", "resume",
                   "run.Config(nl.AutoResume, resume_if_exists=True, resume_ignore_no_checkpoint=True)");
    recipe.add("recipe", "optim", nemoOptimizer(recipe, layout));
    ExportedLayout made = recipeFile(layout, *findTrainerTarget("nemo"), options, left,
                                     fmt::format(R"(
import nemo_run as run
import torch
import torch.nn.functional as F
from megatron.core.activations import squared_relu
from megatron.core.distributed import DistributedDataParallelConfig
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_decoder_block_spec
from megatron.core.optimizer import OptimizerConfig
from nemo import lightning as nl
from nemo.collections import llm
from nemo.collections.common.tokenizers.tokenizer_utils import get_nmt_tokenizer
from nemo.collections.llm.gpt.model.llama import Llama31Config
from nemo.lightning.pytorch.callbacks.megatron_comm_overlap import MegatronCommOverlapCallback
from nemo.lightning.pytorch.optim import (
    CosineAnnealingScheduler,
    WarmupAnnealingScheduler,
    WarmupPolicyScheduler,
)

recipe = {}

if __name__ == "__main__":
    run.run(recipe, direct=True)
)",
                                                 recipe.text("recipe", "run.Partial(\n    llm.pretrain,")));
    made.leftOut.push_back(seed);
    return made;
}

}  // namespace

TrainerTarget nemoTarget() {
    static const std::vector<std::string_view> says = [] {
        std::vector<std::string_view> list(megatronSays().begin(), megatronSays().end());
        list.emplace_back("/checkpoint/keep");
        return list;
    }();
    static constexpr std::string_view leaves[] = {"/checkpoint/first"};
    return {.name = "nemo",
            .program = nemoProgram,
            .description = "a recipe of NeMo 2 in Python, which torchrun starts",
            .extension = ".nemo.py",
            .says = says,
            .leaves = leaves,
            .refuse = refuseForNemo,
            .write = writeNemo,
            .start = startRecipe};
}

}  // namespace shardlab::trace
