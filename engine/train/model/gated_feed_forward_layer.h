// SPDX-License-Identifier: Apache-2.0
// x + dropout(projection(swiglu(expansion(norm(x))))): the second half of a llama's block. A tensor group shares the
// columns between expansion and projection.
#pragma once

#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"
#include "engine/train/model/norm.h"
#include "engine/train/model/residual.h"

namespace shardlab {

/// Memory in floats, N = tokens, n own tokens, h hidden, f this member's share of the width; what residual.h lists
/// comes on top, as does, where tokens are split, a gathered norm N·h (Temporary) in forward and in weightGrad:
///   forward keeps (Activations)  input n·h, statistics n, normed n·h, expanded 2N·f (gates, and what they let
///   through),
///                                activated N·f; the output belongs to the next layer
///   inputGrad                    activated's gradient N·f (Temporary), gone before the next two; expanded is
///   overwritten
///                                with its gradient; normedGradient n·h and the returned gradient n·h (`kept`)
///   until weightGrad             the branch's gradient, normedGradient, and all of forward's
class GatedFeedForwardLayer : public Layer {
public:
    /// Weights: "<block>.ln_2", "<block>.mlp.gate_up" (hidden to gates and what they let through),
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

}  // namespace shardlab
