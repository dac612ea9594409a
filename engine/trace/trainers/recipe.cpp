// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/recipe.h"

#include "engine/layout/block_parts.h"
#include "engine/trace/trainers/sbatch_script.h"
#include "engine/trace/trainers/shell_words.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

/// What stands for the argument in Python.
std::string expression(std::string_view pattern, const MegatronSetting& setting) {
    const auto literalOf = [](const std::string& value) { return readNumber(value) ? value : pythonString(value); };
    const std::string& argument = setting.value;
    std::string literal = literalOf(argument);
    for (const std::string& more : setting.more) literal += ", " + literalOf(more);
    std::string text;
    for (const char c : pattern)
        if (c == '$') text += literal;
        else if (c == '@') text += argument;
        else text += c;
    return text;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// The field of an argument as people look it up, "ffn_hidden_size".
std::string fieldOf(std::string_view option) {
    const auto row = std::ranges::find(recipeFields(), option, &RecipeField::option);
    if (row != recipeFields().end() && !row->name.empty()) return std::string(row->name);
    return replaced(std::string(option.substr(2)), "-", "_");
}

}  // namespace

Recipe::Recipe(const Layout& layout, std::string_view RecipeField::*call) {
    for (const MegatronSetting& setting : megatronSettings(layout))
        for (const RecipeField& field : recipeFields())
            if (field.option == setting.option && !(field.*call).empty())
                add(field.*call, field.name, expression(field.value, setting), setting.chosen);
}

bool Recipe::has(std::string_view call, std::string_view name) const {
    const auto found = calls_.find(call);
    return found != calls_.end() && std::ranges::find(found->second, name, &Argument::name) != found->second.end();
}

void Recipe::add(std::string_view call, std::string_view name, std::string value, std::string_view chosen) {
    calls_[std::string(call)].push_back({std::string(name), std::move(value), std::string(chosen)});
}

void Recipe::addMissing(std::string_view call, std::string_view name, std::string value) {
    if (!has(call, name)) add(call, name, std::move(value));
}

void Recipe::drop(std::string_view call, std::string_view name) {
    std::erase_if(calls_[std::string(call)], [&](const Argument& each) { return each.name == name; });
}

std::string Recipe::text(std::string_view call, std::string_view opening) const {
    std::string lines;
    if (const auto found = calls_.find(call); found != calls_.end())
        for (const auto& [name, value, chosen] : found->second) {
            lines += fmt::format("\n{}={},", name, value);
            if (!chosen.empty()) lines += fmt::format("  # chosen: {}", chosen);
        }
    if (lines.empty() && opening.ends_with("(")) return fmt::format("{})", opening);
    return fmt::format("{}{}\n)", opening, replaced(std::move(lines), "\n", "\n    "));
}

void addCoreDefaults(Recipe& recipe, const Layout& layout) {
    const ActivationKind activation = blockParts(layout.model).activation;
    const bool fused = activation == ActivationKind::SwiGlu || activation == ActivationKind::GeluTanh;
    recipe.add("model", "bias_activation_fusion", fused ? "True" : "False",
               activation == ActivationKind::GeluTanh ? "the fused kernel computes GELU with tanh" : "");
    if (layout.precision.compute == NumberFormat::Fp32)
        for (const char* name : {"params_dtype", "pipeline_dtype"}) recipe.add("precision", name, "torch.float32");
    else recipe.addMissing("precision", "grad_reduce_in_fp32", "False");
    recipe.add("overlap", "tp_comm_overlap", "False", "the layout does not split the messages of tensor ranks");
    recipe.addMissing("overlap", "overlap_grad_reduce", "False");
    recipe.add("overlap", "overlap_param_gather", "False");
}

void refuseForRecipe(const Layout& layout, std::string_view program, std::vector<Fault>& faults, bool gptOss) {
    refuseForMegatron(layout, {program, fieldOf, gptOss}, faults);
}

std::string startRecipe(const Layout& layout, const std::string& file) {
    return torchrunMeeting(torchrunOf(layout), shellQuoted(file));
}

ExportedLayout recipeFile(const Layout& layout, const TrainerTarget& target, const TrainerOptions& options,
                          const std::vector<Sentence>& leftOut, std::string_view body) {
    const ParallelSpec& p = layout.parallel;
    std::string recipe =
        fmt::format("# The layout \"{}\" as a recipe of {}, by shardlab {}.\n#   {} {}\n", inComment(layout.name),
                    target.program, SHARDLAB_VERSION, torchrunOf(layout), shellQuoted(inComment(options.file)));
    for (const Sentence& line : leftOut) recipe += fmt::format("# Left out: {}\n", inComment(line.english()));
    recipe += fmt::format("# {} data × {} pipeline × {} context × {} tensor ranks.\nimport os\n", p.data, p.pipeline,
                          p.context, p.tensor);
    if (wantsOneQueue(p)) recipe += "\nos.environ[\"CUDA_DEVICE_MAX_CONNECTIONS\"] = \"1\"\n";
    if (wantsQueues(p)) recipe += "\nos.environ.pop(\"CUDA_DEVICE_MAX_CONNECTIONS\", None)\n";
    return {recipe.append(body), {}, {}};
}

}  // namespace shardlab::trace
