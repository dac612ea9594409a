// SPDX-License-Identifier: Apache-2.0
// What writing for torchtitan and reading its TOML share: names of models, schedules and formats of products, and what
// a layout sets there.
#pragma once

#include "engine/trace/trainers/trainer_target.h"

#include <optional>
#include <utility>
#include <variant>

namespace shardlab::trace {

/// How versions of torchtitan are told what to train: 0.2 reads a TOML, 0.3 imports a Python module.
enum class TitanVersion : std::uint8_t { Toml, Python };

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
/// The family of torchtitan that has the model, or comes nearest to it; in Python it is never llama4.
TitanFamily titanFamily(const ModelSpec& model, TitanVersion version = TitanVersion::Toml);
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
/// The same for torchtitan 0.3.
void refuseForTitan03(const Layout& layout, std::vector<Fault>& faults);

using TitanPair = std::pair<double, double>;
using TitanLists = std::vector<std::vector<std::string>>;
using TitanValue = std::variant<bool, std::int64_t, double, TitanPair, std::string, TitanLists>;
struct TitanSetting {
    std::string_view key;
    TitanValue value;
    std::string_view chosen;     ///< why Shardlab chose what the layout does not say; empty: the layout says it
    std::string_view note = {};  ///< a line above it: what nobody can set
};
struct TitanSection {
    std::string_view name;
    std::vector<TitanSetting> settings;
};
struct TitanSettings {
    std::vector<TitanSection> sections;
    std::vector<CompanionFile> companions;
};
/// What a layout sets besides the model, by sections as the version has them.
TitanSettings titanSettings(const Layout& layout, const TrainerOptions& options, TitanVersion version);
/// What torchtitan.train of 0.2 and of 0.3 is told of the file.
std::string titanArguments(std::string_view file);
std::string titanModule(std::string_view file);
/// TrainerTarget::start with these words.
std::string startTitan(const Layout& layout, std::string_view arguments);
/// Comments: who wrote it for which version, the command that trains with what `start` adds to it, and what is left
/// out.
std::string titanHeader(const Layout& layout, std::string_view version, std::string_view start,
                        const std::vector<Sentence>& leftOut);
/// A list of lists as TOML and Python both write it, a line each, `margin` deep.
std::string titanListsText(const TitanLists& lists, std::string_view margin);
/// The fields of TrainerTarget::says and TrainerTarget::leaves.
std::span<const std::string_view> titanSays();
std::span<const std::string_view> titanLeaves();

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
    std::string_view section;         ///< the converter, and where its recipe stands
    std::string_view recipe;          ///< recipe_name
    std::string_view converter = {};  ///< what 0.3 converts linear layers with; empty: it has none
};
/// The first of a section is what it does without a recipe.
inline constexpr TitanProducts titanProducts[] = {
    {ProductFormat::Fp8, "quantize.linear.float8", "tensorwise"},
    {ProductFormat::Fp8Rows, "quantize.linear.float8", "rowwise",
     "Float8LinearConverter.Config(recipe_name=\"rowwise\")"},
    {ProductFormat::MxFp8, "quantize.linear.mx", "mxfp8_cublas", "MXFP8LinearConverter.Config(fqns=[\"layers\"])"},
};
/// nullptr: the products have the format of all else.
const TitanProducts* titanProductsOf(const Layout& layout);
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
/// A Python function model() that returns the layout's model for torchtitan 0.3.
std::string titanModelText(const Layout& layout);
/// The model of such a module's text, for samples of `sequence` tokens; none where a size is missing.
std::optional<TitanModel> readTitanFlavor(TitanFamily family, std::string_view text, int sequence);

bool looksLikeTitan(std::string_view text);
Result<ConfigLayout> readTitan(const std::filesystem::path& file, std::string_view text);

}  // namespace shardlab::trace
