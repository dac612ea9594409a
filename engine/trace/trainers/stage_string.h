// SPDX-License-Identifier: Apache-2.0
// Layers of stages in the words of Megatron-LM's --pipeline-model-parallel-layout: "Et*3|t*4|t*3mL", E the embedding,
// t a layer, m a module that predicts a further token, L the loss; stages in the order of Shardlab's global stages.
#pragma once

#include "engine/base/wings.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

std::string stageString(const std::vector<int>& layers, int modules = 0);
struct StageLayers {
    std::vector<int> layers;  ///< of each stage
    /// A stage that is not the last has modules. A layout has all of them in the last, and no stage between the ends
    /// without layers: one that had modules alone has a layer of a stage before it.
    bool modulesBefore = false;
};
/// "(t|)*3" repeats, commas count for nothing. None where the text has other letters, or does not begin with the
/// embedding and end with the loss.
std::optional<StageLayers> readStageString(std::string_view text);

}  // namespace shardlab::trace
