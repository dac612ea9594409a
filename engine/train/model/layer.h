// SPDX-License-Identifier: Apache-2.0
// A layer maps activations [own tokens, hidden] to activations of the same shape. Its backward is written by hand in
// two halves. It knows no rank, no microbatch number and no other layer; tensor_group.h says which tokens are its own,
// and exchanges with the members of its tensor group.
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/expert_tally.h"
#include "engine/train/model/recompute.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace shardlab::train {

using KeptVisitor = std::function<void(Buffer&)>;

/// What a layer holds of one microbatch, from its forward until its weight gradient is done.
struct LayerState {
    LayerState() = default;
    virtual ~LayerState() = default;
    LayerState(LayerState&&) = default;
    LayerState& operator=(LayerState&&) = default;
    /// Everything that is needed to do the forward again.
    Buffer input;
    /// The number in the run of the microbatch's first sample, on which dropout masks depend. Empty: nothing is
    /// dropped.
    std::optional<std::int64_t> firstSample;
    /// The microbatch's tokens, on the device, where the layer embeds them.
    Buffer tokens;
    /// The factor of a loss of the layer's own, a mean over the microbatch's samples, when its gradient is taken.
    float lossScale = 0;
    /// weightGrad follows at once, and the weights' gradients have their place already: inputGrad adds to them what is
    /// summed on its way, to the bits of weightGrad, which then leaves that out.
    bool weightsToo = false;
    /// Visits each buffer that a forward leaves for its backward, always in the same order; a buffer may be empty.
    virtual void visitSavedBuffers(const KeptVisitor& visit) { visit(input); }
};

class Layer {
public:
    virtual ~Layer() = default;

    virtual std::unique_ptr<LayerState> newState() const = 0;
    /// Keeps the input: the buffer that one layer returns is the buffer that the next one holds.
    virtual Buffer forward(LayerState& state, Buffer input) = 0;
    /// Returns the gradient of the input and keeps what weightGrad needs. Every gradient that outlives the call,
    /// including the returned one, is allocated as `kept`: Temporary where weightGrad follows at once, else Buffers.
    virtual Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) = 0;
    /// Adds to the weights' gradients what inputGrad has not; afterwards the state is empty.
    virtual void weightGrad(LayerState& state) = 0;
    /// Frees what the norm in front or the activations made, once the forward is done. makePointwise makes it again,
    /// to the bit, before the input's gradient. A layer without a norm has nothing of the kind.
    virtual void dropPointwise(LayerState&, Pointwise) const {}
    virtual void makePointwise(LayerState&, Pointwise) const {}
    /// An attention's output once more, to the bit, after makePointwise; other layers have none.
    virtual Buffer makeOutput(const LayerState&) const { return {}; }
    /// The tally of a layer with experts; null for other layers.
    virtual ExpertTally* tally() { return nullptr; }
    /// The bias of each expert's choice, fp32, which a step moves; empty where there is none.
    virtual ArraySpan choiceBias() { return {}; }
};

}  // namespace shardlab::train
