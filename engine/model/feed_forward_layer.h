// SPDX-License-Identifier: Apache-2.0
// x + projection(gelu(expansion(norm(x)))): the second half of a transformer block, and the whole block of the mlp.
#pragma once

#include "engine/model/layer.h"
#include "engine/model/linear.h"
#include "engine/model/norm.h"

namespace shardlab {

/// Memory in floats, N = tokens, h hidden, f width:
///   forward keeps (Activations)  input N·h, statistics 2N, normed N·h, expanded N·f, activated N·f; the output N·h
///                                belongs to the next layer
///   inputGrad                    activated's gradient N·f (Temporary), gone before the next two; expanded is
///                                overwritten with its gradient;
///                                normedGradient N·h and the returned gradient N·h (`kept`)
///   until weightGrad             outputGradient N·h as it came, normedGradient N·h, and all of forward's
class FeedForwardLayer : public Layer {
public:
    /// Weights: "<block>.ln_2", "<block>.mlp.c_fc" (hidden to width), "<block>.mlp.c_proj".
    FeedForwardLayer(ParameterSet& set, Arena& arena, const std::string& block, int tokens, int hidden,
                     int width, double projectionDeviation);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;

private:
    Arena& arena_;
    int tokens_;
    int hidden_;
    int width_;
    Norm norm_;
    Linear expansion_;
    Linear projection_;
};

}  // namespace shardlab
