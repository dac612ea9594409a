// SPDX-License-Identifier: Apache-2.0
// x + dropout(projection(activation(expansion(norm(x))))): the second half of a transformer block, and the whole block
// of an mlp. The activation may be a gate. A tensor group shares the columns between expansion and projection.
#pragma once

#include "engine/train/model/branch_norm.h"
#include "engine/train/model/expansion.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/residual.h"

namespace shardlab::train {

/// Memory in numbers, with N tokens, n own tokens, h hidden, f this member's share of the width, e = f, or 2f with a
/// gate. What residual.h lists comes on top. Where tokens are split, so does a gathered norm N·h (Temporary) in forward
/// and in weightGrad.
///   forward keeps (Activations)  input n·h, the norm's statistics, normed n·h, expanded N·e (gates, then their
///                                values), activated N·f; the output belongs to the next layer
///   inputGrad                    scratch, or activated's gradient, N·f (Temporary), freed before the next two;
///                                expanded is overwritten with its gradient; normedGradient n·h and the returned
///                                gradient n·h (`kept`)
///   recompute pointwise          normed and activated are freed as forward ends, and made again as inputGrad begins
///   until weightGrad             the branch's gradient, normedGradient, and all that forward keeps
class FeedForwardLayer : public Layer {
public:
    /// Weights: "<block>.ln_2", "<block>.mlp.c_fc" (hidden to width), or with a gate "<block>.mlp.gate_up" (hidden to
    /// gates and their values), "<block>.mlp.c_proj".
    FeedForwardLayer(const LayerContext& context, const std::string& block, int width, double projectionDeviation);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;
    void dropPointwise(LayerState& state, Pointwise parts) const override;
    void makePointwise(LayerState& state, Pointwise parts) const override;

private:
    LayerContext context_;
    BranchNorm norm_;
    Expansion expansion_;
    Residual residual_;
};

}  // namespace shardlab::train
