// SPDX-License-Identifier: Apache-2.0
// A module in Python for torchtitan 0.3, with one function that returns what its Trainer is configured with.
#include "engine/trace/trainers/torchtitan.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

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
    const TitanFamily family = titanFamily(model, TitanVersion::Python);
    const int longest = family == TitanFamily::Llama3 ? 131072 : flavor == "debugmodel" ? 4096 : 40960;
    return hasExperts(model) || model.sequence > longest ? std::string_view() : flavor;
}

/// A module, and what may be imported from it.
constexpr std::pair<std::string_view, std::string_view> titanModules[] = {
    {"functools", "partial"},
    {"torch", "nn"},
    {"torchtitan.components.checkpoint", "CheckpointManager"},
    {"torchtitan.components.loss", "CrossEntropyLoss"},
    {"torchtitan.components.optimizer", "LRSchedulersContainer default_adamw"},
    {"torchtitan.components.quantization", "Float8LinearConverter MXFP8LinearConverter"},
    {"torchtitan.config", "DebugConfig ParallelismConfig TrainingConfig"},
    {"torchtitan.distributed.activation_checkpoint", "FullAC SelectiveAC"},
    {"torchtitan.hf_datasets.text_datasets", "HuggingFaceTextDataLoader"},
    {"torchtitan.models", "deepseek_v3 gpt_oss llama3 qwen3"},
    {"torchtitan.models.common", "ComplexRoPE CosSinRoPE Embedding Linear RMSNorm"},
    {"torchtitan.models.common.attention", "FusedQKVLinear"},
    {"torchtitan.models.common.config_utils", "get_attention_config make_ffn_config make_gqa_config"},
    {"torchtitan.models.common.config_utils", "make_moe_config make_routed_experts_config make_router_config"},
    {"torchtitan.models.common.config_utils", "make_token_dispatcher_config"},
    {"torchtitan.models.common.linear", "ScaledBiasRowwiseLinear"},
    {"torchtitan.models.common.moe", "RoutedExperts"},
    {"torchtitan.models.common.param_init", "depth_scaled_std skip_param_init"},
    {"torchtitan.models.deepseek_v3", "make_mla_attention_config"},
    {"torchtitan.models.deepseek_v3.model", "DeepSeekV3Model DeepSeekV3TransformerBlock"},
    {"torchtitan.models.gpt_oss.model", "Attention GptOssModel GptOssTransformerBlock"},
    {"torchtitan.models.gpt_oss.moe", "GptOssGroupedExperts GptOssMoE"},
    {"torchtitan.models.llama3.model", "Llama3Model Llama3TransformerBlock"},
    {"torchtitan.models.qwen3.model", "Qwen3Model Qwen3TransformerBlock"},
    {"torchtitan.trainer", "Trainer"},
};

bool saysName(std::string_view code, std::string_view name) {
    const auto within = [&](std::size_t at) {
        return at < code.size() && (std::isalnum(static_cast<unsigned char>(code[at])) != 0 || code[at] == '_');
    };
    for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1))
        if (!within(at - 1) && !within(at + name.size())) return true;
    return false;
}

/// Imports of the names that the code says.
std::string titanImports(std::string_view code) {
    std::string text;
    for (const auto& [module, names] : titanModules) {
        std::vector<std::string_view> said;
        for (std::size_t from = 0, to = 0; from < names.size(); from = to + 1) {
            to = std::min(names.find(' ', from), names.size());
            if (const auto name = names.substr(from, to - from); saysName(code, name)) said.push_back(name);
        }
        if (!said.empty()) text += fmt::format("from {} import {}\n", module, fmt::join(said, ", "));
    }
    return text;
}

ExportedLayout writeTitan03(const Layout& layout, const TrainerOptions& options, const std::vector<Sentence>& leftOut) {
    const std::string_view family = traits(titanFamily(layout.model, TitanVersion::Python)).name;
    const std::string_view flavor = titanRegistered(layout.model);
    const std::string_view written = std::string_view(options.file).substr(0, options.file.rfind('.'));
    const std::string module = pythonName(written);
    std::string text = flavor.empty() ? "\n\n" + titanModelText(layout) : "";
    // The rest of a spec, how the family is divided, is the same for all its flavors.
    text += fmt::format("\n\ndef shardlab():\n    # The layout \"{}\".\n    spec = {}.model_registry(\"{}\")\n",
                        inComment(layout.name), family, flavor.empty() ? "debugmodel" : flavor);
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
    std::string head = titanHeader(layout, "0.3", titanModule(options.file), leftOut);
    head += fmt::format("# Python imports this file as {}: its folder has to be in PYTHONPATH{}.\n", module,
                        module == written ? "" : ", and its name has to be that");
    return {head + titanImports(text) + text, std::move(settings.companions), {}};
}

}  // namespace

TrainerTarget torchtitan03Target() {
    return {
        .name = "torchtitan-0.3",
        .program = "torchtitan 0.3",
        .description = "a module in Python whose function returns the configuration, with the schedule's CSV beside "
                       "it where it needs one",
        .extension = "_torchtitan.py",
        .says = titanSays(),
        .leaves = titanLeaves(),
        .refuse = refuseForTitan03,
        .write = writeTitan03,
        .start = [](const Layout& layout, const std::string& file) { return startTitan(layout, titanModule(file)); }};
}

}  // namespace shardlab::trace
