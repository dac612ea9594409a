// SPDX-License-Identifier: Apache-2.0
// A layer maps activations [own tokens, hidden] to activations of the same shape, its backward written by hand in two
// halves. It knows no rank, no microbatch number and no other layer; what it shares with the members of a tensor group
// it leaves to tensor_group.h, which tells which tokens are its own.
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/expert_tally.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace shardlab {

using KeptVisitor = std::function<void(Buffer&)>;

/// What a layer holds of one microbatch, from its forward until its weight gradient is done.
struct LayerState {
    LayerState() = default;
    virtual ~LayerState() = default;
    LayerState(LayerState&&) = default;
    LayerState& operator=(LayerState&&) = default;
    /// All that a forward needs to be done again.
    Buffer input;
    /// Number, in the run, of the microbatch's first sample: what dropout masks follow. None: nothing is dropped.
    std::optional<std::int64_t> firstSample;
    /// What a loss of the layer's own, a mean over the microbatch's samples, is multiplied by before its gradient is
    /// taken.
    float lossScale = 0;
    /// Each buffer that a forward leaves for its backward, always in the same order; of some a forward leaves none.
    virtual void visitSavedBuffers(const KeptVisitor& visit) { visit(input); }
};

class Layer {
public:
    virtual ~Layer() = default;

    virtual std::unique_ptr<LayerState> newState() const = 0;
    /// Keeps the input, so that the buffer one layer returns is the buffer the next one holds.
    virtual Buffer forward(LayerState& state, Buffer input) = 0;
    /// Returns the gradient of the input and keeps what weightGrad needs. Every gradient that outlives the call, the
    /// returned one too, is allocated as `kept`: Temporary where weightGrad follows at once, Buffers where it waits.
    virtual Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) = 0;
    /// Adds to the weights' gradients; afterwards the state holds nothing.
    virtual void weightGrad(LayerState& state) = 0;
    /// Of a layer with experts; else null.
    virtual ExpertTally* tally() { return nullptr; }
};

}  // namespace shardlab
