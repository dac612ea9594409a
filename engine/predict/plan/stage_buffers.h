// SPDX-License-Identifier: Apache-2.0
// The buffers that a stage of model/ allocates and frees in one action, in its order: what the ledger adds up.
#pragma once

#include "engine/base/memory_category.h"
#include "engine/layout/layer_part.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"
#include "engine/predict/plan/tally.h"

#include <vector>

namespace shardlab::predict {

/// Where a stage's input and its output's gradient come from. From another rank: a receive buffer (Buffers). From the
/// stage above on the same rank: what its B (Temporary) or I (Buffers) left.
struct StageNeighbours {
    bool inputReceived = false;                         ///< from another rank
    MemoryCategory gradient = MemoryCategory::Buffers;  ///< of the output's gradient that it takes
};

/// What a part of a layer does to its rank's memory within an action.
struct LayerBuffers {
    LayerDone done;
    MemoryDelta delta;
};

/// What each action of a stage does to its rank's memory.
struct StageBuffers {
    MemoryDelta forward;   ///< ends with the output, if any, allocated
    MemoryDelta backward;  ///< ends with the input's gradient, if any, allocated; the taken gradient is freed
    MemoryDelta inputGrad;
    MemoryDelta weightGrad;
    MemoryCategory output = MemoryCategory::Activations;     ///< category of the output
    MemoryCategory gradient = MemoryCategory::Temporary;     ///< category of the input's gradient that backward leaves
    MemoryCategory splitGradient = MemoryCategory::Buffers;  ///< and of that which inputGrad leaves
    std::int64_t inputBytes = 0;                             ///< of the input, or its gradient
    std::int64_t outputBytes = 0;                            ///< of the output, or its gradient
    std::int64_t moduleTokens = 0;                           ///< of the numbers of tokens that modules embed
    // The same actions layer by layer, where that was asked for; empty for a stage of a cnn.
    std::vector<LayerBuffers> forwardLayers, backwardLayers, inputGradLayers, weightGradLayers;
};

/// The bytes that swapping moves: what a stage keeps of a forward for the backward, except the numbers of its tokens.
/// `received`: the stage's input comes from another rank.
MemoryBytes swappedBytes(const StageBuffers& buffers, const StageShape& shape, bool received);

StageBuffers stageBuffers(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours,
                          const TensorShare& share, bool byLayer = false);

}  // namespace shardlab::predict
