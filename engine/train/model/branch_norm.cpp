// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/branch_norm.h"

namespace shardlab::train {

void BranchNorm::forward(BranchState& state, Buffer input) const {
    state.input = std::move(input);
    state.statistics = context_.arena.allocate(MemoryCategory::Activations, norm_.statistics(context_.ownTokens()));
    again(state);
}

void BranchNorm::again(BranchState& state) const {
    state.normed = context_.allocate(MemoryCategory::Activations, context_.ownSize());
    norm_.forward(context_.ownTokens(), state.input.data(), state.statistics.floats(), state.normed.data());
}

Buffer BranchNorm::inputGrad(BranchState& state, ConstArray around, MemoryCategory kept) const {
    Buffer gradient = context_.allocate(kept, state.input.size());
    state.normDone = norm_.inputGrad(context_.ownTokens(), state.input.data(), state.statistics.floats(),
                                     state.normedGradient.data(), around, gradient.data(), state.weightsToo);
    return gradient;
}

void BranchNorm::weightGrad(const BranchState& state) const {
    if (state.normDone) return;
    norm_.weightGrad(context_.ownTokens(), state.input.data(), state.statistics.floats(), state.normedGradient.data());
}

}  // namespace shardlab::train
