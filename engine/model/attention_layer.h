// SPDX-License-Identifier: Apache-2.0
// x + projection(attention(qkv(norm(x)))): the first half of a transformer block.
#pragma once

#include "engine/model/layer.h"
#include "engine/model/linear.h"
#include "engine/model/norm.h"
#include "kernels/attention.h"

namespace shardlab {

/// Memory in floats, N = tokens = b·s, h hidden, a heads:
///   forward keeps (Activations)  input N·h, statistics 2N, normed N·h, qkv 3N·h, probabilities b·a·s·s, attended N·h;
///                                the output N·h belongs to the next layer
///   inputGrad                    attended's gradient N·h and scratch s·s + s·h/a (Temporary), both gone before the
///                                next two; qkv is overwritten with its gradient, probabilities are freed;
///                                normedGradient N·h and the returned gradient N·h (`kept`)
///   until weightGrad             outputGradient N·h as it came, normedGradient N·h, and of forward's all but
///                                probabilities
class AttentionLayer : public Layer {
public:
    /// Weights: "<block>.ln_1", "<block>.attn.c_attn", "<block>.attn.c_proj".
    AttentionLayer(ParameterSet& set, Arena& arena, const std::string& block, const AttentionShape& shape,
                   double projectionDeviation);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;

private:
    Arena& arena_;
    AttentionShape shape_;
    int tokens_;
    int hidden_;
    Norm norm_;
    Linear qkv_;
    Linear projection_;
};

}  // namespace shardlab
