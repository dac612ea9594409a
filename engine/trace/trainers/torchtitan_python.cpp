// SPDX-License-Identifier: Apache-2.0
// A module in Python for torchtitan 0.3, with one function that returns what its Trainer is configured with.
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <cmath>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

/// A section of the settings as an argument of Trainer.Config, and what makes its value.
struct TitanCall {
    std::string_view section, name;
};
constexpr TitanCall titanCalls[] = {
    {"training", "TrainingConfig"},
    {"dataloader", "HuggingFaceTextDataLoader.Config"},
    {"parallelism", "ParallelismConfig"},
    {"optimizer", "default_adamw"},
    {"lr_scheduler", "LRSchedulersContainer.Config"},
    {"checkpoint", "CheckpointManager.Config"},
    {"debug", "DebugConfig"},
};

struct PythonText {
    std::string operator()(bool value) const { return std::string(pythonBool(value)); }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const {
        return std::isinf(value) ? std::string("float(\"inf\")") : realText(value);
    }
    std::string operator()(const TitanPair& value) const {
        return fmt::format("({}, {})", (*this)(value.first), (*this)(value.second));
    }
    std::string operator()(const std::string& value) const { return pythonString(value); }
    std::string operator()(const TitanLists& value) const { return titanListsText(value, "                "); }
};

/// The model that torchtitan 0.3 has by a name; empty: none is the layout's. Experts of its own flavors move biases.
std::string_view titanRegistered(const ModelSpec& model) {
    const std::string_view flavor = titanFlavorOf(model);
    const bool llama = titanFamily(model, TitanVersion::Python) == TitanFamily::Llama3;
    const int longest = llama ? 131072 : flavor == "debugmodel" ? 4096 : 40960;
    return hasExperts(model) || model.sequence > longest ? std::string_view() : flavor;
}

std::string titanImports(const Layout& layout, std::string_view family, bool own) {
    std::string text;
    if (own) text += "from functools import partial\n\nfrom torch import nn\n";
    text += "from torchtitan.components.checkpoint import CheckpointManager\n"
            "from torchtitan.components.loss import CrossEntropyLoss\n"
            "from torchtitan.components.optimizer import LRSchedulersContainer, default_adamw\n";
    if (const TitanProducts* products = titanProductsOf(layout); products != nullptr)
        text += fmt::format("from torchtitan.components.quantization import {}\n",
                            products->converter.substr(0, products->converter.find('.')));
    text += "from torchtitan.config import DebugConfig, ParallelismConfig, TrainingConfig\n"
            "from torchtitan.distributed.activation_checkpoint import FullAC, SelectiveAC\n"
            "from torchtitan.hf_datasets.text_datasets import HuggingFaceTextDataLoader\n";
    if (own)
        text += "from torchtitan.models.common import ComplexRoPE, CosSinRoPE, Embedding, Linear, RMSNorm\n"
                "from torchtitan.models.common.config_utils import (\n"
                "    get_attention_config, make_ffn_config, make_gqa_config, make_moe_config,\n"
                "    make_routed_experts_config, make_router_config,\n"
                ")\n"
                "from torchtitan.models.common.param_init import depth_scaled_std, skip_param_init\n";
    text += fmt::format("from torchtitan.models.{} import model_registry\n", family);
    if (own)
        text += fmt::format("from torchtitan.models.{0}.model import {1}Model, {1}TransformerBlock\n", family,
                            family == "llama3" ? "Llama3" : "Qwen3");
    return text + "from torchtitan.trainer import Trainer\n";
}

ExportedLayout writeTitan03(const Layout& layout, const TrainerOptions& options, const std::vector<Sentence>& leftOut) {
    const std::string_view family = traits(titanFamily(layout.model, TitanVersion::Python)).name;
    const std::string_view flavor = titanRegistered(layout.model);
    const std::string module = pythonName(options.stem);
    std::string text = titanHeader(layout, "0.3", fmt::format("--module {} --config shardlab", module), leftOut);
    text += fmt::format("# Python imports this file as {}: its folder has to be in PYTHONPATH{}.\n", module,
                        module == options.stem ? "" : ", and its name has to be that");
    text += titanImports(layout, family, flavor.empty());
    if (flavor.empty()) text += "\n\n" + titanModelText(layout);
    // The rest of a spec, how the family is divided, is the same for all its flavors.
    text += fmt::format("\n\ndef shardlab():\n    # The layout \"{}\".\n    spec = model_registry(\"{}\")\n",
                        inComment(layout.name), flavor.empty() ? "debugmodel" : flavor);
    if (flavor.empty()) text += "    spec.flavor, spec.model = \"shardlab\", model()\n";
    if (const TitanProducts* products = titanProductsOf(layout); products != nullptr)
        text += fmt::format("    spec.model = {}.build().convert(spec.model)\n", products->converter);
    text += "    return Trainer.Config(\n"
            "        model_spec=spec,\n"
            "        loss=CrossEntropyLoss.Config(global_vocab_size=spec.model.vocab_size),\n";
    TitanSettings settings = titanSettings(layout, options, TitanVersion::Python);
    for (const TitanSection& section : settings.sections) {
        const auto* const call = std::ranges::find(titanCalls, section.name, &TitanCall::section);
        text += fmt::format("        {}={}(\n", section.name, call->name);
        for (const TitanSetting& each : section.settings)
            text += fmt::format("            {}={},{}{}\n", each.key, std::visit(PythonText(), each.value),
                                each.chosen.empty() ? "" : "  # chosen: ", each.chosen);
        text += "        ),\n";
    }
    const std::string recompute = titanRecompute(layout).front();
    text += fmt::format("        activation_checkpoint={},\n    )\n", recompute == "none"   ? "None"
                                                                      : recompute == "full" ? "FullAC.Config()"
                                                                                            : "SelectiveAC.Config()");
    return {std::move(text), std::move(settings.companions), {}};
}

}  // namespace

TrainerTarget torchtitan03Target() {
    return {.name = "torchtitan-0.3",
            .program = "torchtitan 0.3",
            .description =
                "a module in Python whose function returns the configuration, with the schedule's CSV beside "
                "it where it needs one",
            .extension = "_torchtitan.py",
            .says = titanSays(),
            .leaves = titanLeaves(),
            .refuse = refuseForTitan03,
            .write = writeTitan03};
}

}  // namespace shardlab::trace
