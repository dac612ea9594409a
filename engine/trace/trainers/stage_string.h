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
/// The layers of each stage; "(t|)*3" repeats, commas count for nothing. None where the text has other letters, modules
/// in a stage that is not the last, or does not begin with the embedding and end with the loss.
std::optional<std::vector<int>> readStageString(std::string_view text);

}  // namespace shardlab::trace
