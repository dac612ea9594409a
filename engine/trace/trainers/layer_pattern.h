// SPDX-License-Identifier: Apache-2.0
// Lists of layers as Megatron-LM's --moe-layer-freq has them: "([0]+[1])*2+[0]".
#pragma once

#include "engine/base/wings.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

/// 0 or 1 for each layer; none where the text is no sum and product of lists.
std::optional<std::vector<int>> readPattern(std::string_view text);
/// The shortest such text of a list that repeats itself: "([0]+[1])*2+[0]", "[0]*3+[1]*58".
std::string patternText(const std::vector<int>& layers);

}  // namespace shardlab::trace
