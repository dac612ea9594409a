// SPDX-License-Identifier: Apache-2.0
// What writing and reading a TOML of torchtitan share: its names of models and schedules.
#pragma once

#include "engine/trace/trainers/trainer_target.h"

#include <optional>

namespace shardlab::trace {

/// Its model is torchtitan's qwen3 instead of its llama3.
bool titanIsQwen3(const ModelSpec& model);
/// FSDP divides the weights, over replicas and context ranks.
bool titanShards(const Layout& layout);

struct TitanSchedule {
    std::string_view ours;
    std::string_view theirs;  ///< pipeline_parallel_schedule
};
inline constexpr TitanSchedule titanSchedules[] = {
    {"1f1b", "1F1B"},
    {"gpipe", "GPipe"},
    {"interleaved-1f1b", "Interleaved1F1B"},
    {"looped-bfs", "LoopedBFS"},
    {"zb-v", "ZBVZeroBubble"},
    {"dualpipe-v", "DualPipeV"},
};
/// nullptr: torchtitan has no name for it, and takes its order as CSV.
const TitanSchedule* titanScheduleOf(std::string_view ours);

/// The name of torchtitan's own flavor that is this model; empty: it has none.
std::string_view titanFlavorOf(const ModelSpec& model);
/// The model of one of torchtitan's own flavors; its sequence stays the default's.
std::optional<ModelSpec> titanFlavor(std::string_view family, std::string_view flavor);
/// A Python module that registers the model as `flavor` with torchtitan.
std::string titanFlavorText(const ModelSpec& model, std::string_view flavor);
/// The model of such a module's text; none where a size is missing.
std::optional<ModelSpec> readTitanFlavor(std::string_view family, std::string_view text);

bool looksLikeTitan(std::string_view text);
Result<ConfigLayout> readTitan(const std::filesystem::path& file, std::string_view text);

}  // namespace shardlab::trace
