// SPDX-License-Identifier: Apache-2.0
// What writing and reading a TOML of torchtitan share: its names of models, schedules and formats of products.
#pragma once

#include "engine/trace/trainers/trainer_target.h"

#include <optional>

namespace shardlab::trace {

/// The models of torchtitan that a layout can say.
enum class TitanFamily : std::uint8_t { Llama3, Qwen3, Llama4, DeepSeekV3, GptOss };

struct TitanFamilyTraits {
    std::string_view name;       ///< model.name
    std::string_view arguments;  ///< the class of a flavor
    std::string_view flavors;    ///< the dictionary of all flavors
    bool pipelines = false;      ///< it can be cut into stages
    int keyHeads = 0;            ///< where a flavor does not say how many; 0 = as many as heads
    int vocabulary = 0;          ///< where a flavor does not say it
    double normEpsilon = 1e-5;   ///< where a flavor does not say it
    double base = 1e4;           ///< where a flavor does not say rope_theta
};
const TitanFamilyTraits& traits(TitanFamily family);
std::optional<TitanFamily> titanFamilyNamed(std::string_view name);
/// The family of torchtitan that has the model, or comes nearest to it.
TitanFamily titanFamily(const ModelSpec& model);
/// FSDP divides the weights, over replicas and context ranks.
bool titanShards(const Layout& layout);
/// The step between blocks with experts, the first of which closes the first step; 0: they do not come so.
int titanExpertStep(const ModelSpec& model);
/// The words of torchtitan's activation_checkpoint.mode and selective_ac_option. Its k-th blocks are counted through
/// the stages of a rank; which of a stage's blocks they are changes neither its time nor its memory. Empty: it has
/// none.
std::vector<std::string> titanRecompute(const Layout& layout);
/// The field has an effect in the layout.
bool titanEffect(std::string_view pointer, const Layout& layout);
/// Adds a fault for each value that torchtitan does not have.
void refuseForTitan(const Layout& layout, std::vector<Fault>& faults);

struct TitanSchedule {
    std::string_view ours;
    std::string_view theirs;    ///< pipeline_parallel_schedule
    bool hidesExperts = false;  ///< what experts exchange goes on beside another chunk, unless told otherwise
};
inline constexpr TitanSchedule titanSchedules[] = {
    {"1f1b", "1F1B"},
    {"gpipe", "GPipe"},
    {"interleaved-1f1b", "Interleaved1F1B"},
    {"looped-bfs", "LoopedBFS"},
    {"zb-v", "ZBVZeroBubble"},
    {"dualpipe-v", "DualPipeV", true},
};
/// nullptr: torchtitan has no name for it, and takes its order as CSV.
const TitanSchedule* titanScheduleOf(std::string_view ours);

struct TitanProducts {
    ProductFormat ours;
    std::string_view section;  ///< the converter, and where its recipe stands
    std::string_view recipe;   ///< recipe_name
};
/// The first of a section is what it does without a recipe.
inline constexpr TitanProducts titanProducts[] = {
    {ProductFormat::Fp8, "quantize.linear.float8", "tensorwise"},
    {ProductFormat::Fp8Rows, "quantize.linear.float8", "rowwise"},
    {ProductFormat::MxFp8, "quantize.linear.mx", "mxfp8_cublas"},
};
/// Keys of the section of 8-bit products: FSDP gathers codes, whose scales are known before.
inline constexpr const char* titanGatherCodes[] = {"enable_fsdp_float8_all_gather",
                                                   "precompute_float8_dynamic_scale_for_fsdp"};

struct TitanModel {
    ModelSpec model;
    std::vector<Sentence> notes;  ///< what the flavor says otherwise than any layout can
};
/// The name of torchtitan's own flavor that is this model; empty: it has none.
std::string_view titanFlavorOf(const ModelSpec& model);
/// The model of one of torchtitan's own flavors.
std::optional<TitanModel> titanFlavor(TitanFamily family, std::string_view flavor, int sequence);
/// A Python module that registers the model of the layout as `flavor` with torchtitan.
std::string titanFlavorText(const Layout& layout, std::string_view flavor);
/// The model of such a module's text, for samples of `sequence` tokens; none where a size is missing.
std::optional<TitanModel> readTitanFlavor(TitanFamily family, std::string_view text, int sequence);

bool looksLikeTitan(std::string_view text);
Result<ConfigLayout> readTitan(const std::filesystem::path& file, std::string_view text);

}  // namespace shardlab::trace
