// SPDX-License-Identifier: Apache-2.0
// What a compute action does of a layer, one part after the other.
#pragma once

#include <cstdint>

namespace shardlab::layout {

enum class LayerPart : std::uint8_t {
    Use,       ///< its forward, or its input gradient
    Again,     ///< its forward once more, before the input gradients of its segment
    Gradient,  ///< its weights' gradient
};

/// A part that is done, of a stage with so many layers; `layer` is counted in the stage, from 0 for the lowest,
/// embedding and output among them.
struct LayerDone {
    LayerPart part = LayerPart::Use;
    int layer = 0;
    int layers = 1;
};

}  // namespace shardlab::layout
