// SPDX-License-Identifier: Apache-2.0
// The end of a block's branch: x + dropout(branch + bias), or without biases x + dropout(branch), where the branch's
// last product is shared by a tensor group.
#pragma once

#include "engine/train/model/dropout_site.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"

namespace shardlab {

/// The output's gradient on its two ways down.
struct ResidualGradient {
    Buffer branch;  ///< of the branch, all tokens: until the projection's weight gradient
    Buffer around;  ///< of x, own tokens: until the input's gradient; empty where `branch` is the same
    ConstArray aroundData() const { return around.empty() ? branch.data() : around.data(); }
};

/// Weights: those of the projection. Memory in floats, N tokens, n own tokens, h hidden:
///   forward    the output n·h (Activations); where tokens are split, before it all members' sum N·h (Temporary)
///   inputGrad  nothing where nothing is dropped and no tokens are split: the gradient is both. Else the branch's
///              gradient N·h (`kept`); where both happen, before it the masked n·h (Temporary)
class Residual {
public:
    /// "<name>.weight" [inputs, hidden], "<name>.bias"; inputs of the whole.
    Residual(const LayerContext& context, const std::string& name, int inputs, double deviation);

    const Linear& projection() const { return projection_; }
    /// `inner`: [tokens, this member's inputs].
    Buffer forward(const LayerState& state, const Buffer& inner, const Buffer& input) const;
    ResidualGradient inputGrad(const LayerState& state, Buffer outputGradient, MemoryCategory kept) const;

private:
    DropoutMask mask(const LayerState& state) const;

    LayerContext context_;
    Linear projection_;
    DropoutSite dropout_;
};

}  // namespace shardlab
