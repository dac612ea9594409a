// SPDX-License-Identifier: Apache-2.0
// Into how many blocks, each with a scale of its own, an optimizer with moments of 8 bits (kernels/moment_codes.h) cuts
// what it updates.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <cstdint>
#include <vector>

namespace shardlab::layout {

/// Elements of a block; they are counted from the first element of each parameter that a rank holds.
inline constexpr int elementsOfMomentBlock = 256;

/// Elements of each parameter of a stage, in the order in which the parameters lie behind one another.
std::vector<std::int64_t> tensorSizes(const ModelSpec& model, const StageShape& stage, const TensorShare& share = {});

/// Blocks of one moment that hold what replica `replica` updates: whole parameters, or with ZeRO its shards of them,
/// which may begin or end within a block.
std::int64_t momentBlocksOf(const Layout& layout, const StageShape& stage, const TensorShare& share, int replica);

}  // namespace shardlab::layout
