// SPDX-License-Identifier: Apache-2.0
// The beginning of a block's branch: norm(x), on own tokens. Its end is residual.h.
#pragma once

#include "engine/train/model/layer.h"
#include "engine/train/model/norm.h"

#include <string>

namespace shardlab::train {

/// What a branch holds of its beginning and of its end's gradient.
struct BranchState : LayerState {
    Buffer statistics;
    Buffer normed;
    Buffer normedGradient;
    Buffer branchGradient;  ///< of the branch's output, which the weights of its last product need
    // What inputGrad has added already (LayerState::weightsToo).
    bool normDone = false;        ///< the gradients of the norm's weights
    bool outputBiasDone = false;  ///< that of the last product's bias

    void visitSavedBuffers(const KeptVisitor& visit) override {
        for (Buffer* each : {&input, &statistics, &normed}) visit(*each);
    }
};

/// Memory in numbers, with n own tokens and h hidden: forward keeps the input n·h, the norm's statistics and
/// normed n·h (Activations); inputGrad returns n·h (`kept`).
class BranchNorm {
public:
    /// "<name>.weight", and "<name>.bias" of a layer norm.
    BranchNorm(const LayerContext& context, const std::string& name) : context_(context), norm_(context, name) {}

    void forward(BranchState& state, Buffer input) const;
    /// Makes state.normed again, to the bit.
    void again(BranchState& state) const;
    /// The gradient of the input: that of state.normedGradient, and `around`, which went past the branch.
    Buffer inputGrad(BranchState& state, ConstArray around, MemoryCategory kept) const;
    void weightGrad(const BranchState& state) const;

private:
    LayerContext context_;
    Norm norm_;
};

}  // namespace shardlab::train
