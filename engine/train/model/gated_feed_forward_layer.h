// SPDX-License-Identifier: Apache-2.0
// x + dropout(projection(swiglu(expansion(norm(x))))): the second half of a llama block. A tensor group shares the
// columns between expansion and projection.
#pragma once

#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"
#include "engine/train/model/norm.h"
#include "engine/train/model/residual.h"

namespace shardlab::train {

/// Memory in floats, with N tokens, n own tokens, h hidden, f this member's share of the width. What residual.h lists
/// comes on top. Where tokens are split, so does a gathered norm N·h (Temporary) in forward and in weightGrad.
///   forward keeps (Activations)  input n·h, statistics n, normed n·h, expanded 2N·f (gates and their values),
///   activated
///                                N·f; the output belongs to the next layer
///   inputGrad                    activated's gradient N·f (Temporary), freed before the next two; expanded is
///                                overwritten with its gradient; normedGradient n·h and the returned gradient n·h
///                                (`kept`)
///   until weightGrad             the branch's gradient, normedGradient, and all that forward keeps
class GatedFeedForwardLayer : public Layer {
public:
    /// Weights: "<block>.ln_2", "<block>.mlp.gate_up" (hidden to gates and their values),
    /// "<block>.mlp.c_proj".
    GatedFeedForwardLayer(const LayerContext& context, const std::string& block, int width, double projectionDeviation);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;

private:
    struct State;
    int width() const { return residual_.projection().inputs(); }

    LayerContext context_;
    Norm norm_;
    Linear expansion_;
    Residual residual_;
};

}  // namespace shardlab::train
