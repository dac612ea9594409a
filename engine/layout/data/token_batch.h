// SPDX-License-Identifier: Apache-2.0
// What a model is given at once.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardlab::layout {

/// Stands for a token behind a sample's last.
inline constexpr std::int32_t noToken = -1;

/// The b·s tokens of a microbatch (in a context group this member's), sample after sample; targets are the tokens that
/// follow them. For images the bytes of their pixels, and each image's class. They are read during the call only.
struct TokenBatch {
    std::span<const std::int32_t> tokens;
    std::span<const std::int32_t> targets;
    /// The number of the first sample in the run, on which dropout masks depend.
    std::int64_t firstSample = 0;
    /// For each module that predicts further ahead (predictionModules), what it is to predict: module k of each token
    /// the one k + 1 places behind, or noToken.
    std::span<const std::vector<std::int32_t>> further = {};
};

}  // namespace shardlab::layout
