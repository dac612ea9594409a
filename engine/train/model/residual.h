// SPDX-License-Identifier: Apache-2.0
// The end of a block's branch: x + dropout(branch + bias), or without biases x + dropout(branch). A tensor group shares
// the branch's last product.
#pragma once

#include "engine/train/model/branch_norm.h"
#include "engine/train/model/dropout_site.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"

namespace shardlab::train {

/// The gradient of the output, as it goes into the branch and past it.
struct ResidualGradient {
    Buffer branch;  ///< of all tokens, for the branch; needed until the projection's weight gradient
    Buffer around;  ///< of own tokens, for x; needed until the input's gradient; empty where `branch` is it
    ConstArray aroundData() const { return around.empty() ? branch.data() : around.data(); }
};

/// The weights are those of the projection. Memory in floats, with N tokens, n own tokens, h hidden:
///   forward    the output n·h (Activations); where tokens are split, the sum over members N·h (Temporary) before it
///   inputGrad  nothing where nothing is dropped and no tokens are split: one gradient is both. Else the branch's
///              gradient N·h (`kept`); where both happen, the masked gradient n·h (Temporary) before it
class Residual {
public:
    /// "<name>.weight" [inputs, hidden], "<name>.bias"; `inputs` counts those of the whole, of which so many stay
    /// `together` on one member.
    Residual(const LayerContext& context, const std::string& name, int inputs, double deviation, int together = 1);

    const Linear& projection() const { return projection_; }
    /// `inner` is [tokens, this member's inputs].
    Buffer forward(const LayerState& state, const Buffer& inner, const Buffer& input) const;
    ResidualGradient inputGrad(BranchState& state, Buffer outputGradient, MemoryCategory kept) const;
    /// The gradients of the weights, from state.branchGradient.
    void weightGrad(const BranchState& state, const Buffer& inner) const {
        projection_.weightGrad(context_.tokens(), inner.data(), state.branchGradient.data(), !state.outputBiasDone);
    }

private:
    LayerContext context_;
    Linear projection_;
    DropoutSite dropout_;
};

}  // namespace shardlab::train
