// SPDX-License-Identifier: Apache-2.0
// x + dropout(projection(attention(qkv(norm(x))))): the first half of a transformer block. A tensor group shares the
// heads.
#pragma once

#include "engine/train/model/attention_core.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"
#include "engine/train/model/norm.h"
#include "engine/train/model/residual.h"

namespace shardlab::train {

/// Memory in floats, with N = b·s tokens, n own tokens, h hidden, a heads of this member, g = h·a ÷ all heads. What
/// residual.h lists comes on top. Where tokens are split, so does a gathered norm N·h (Temporary) in forward and in
/// weightGrad.
///   forward keeps (Activations)  input n·h, statistics 2n, normed n·h, qkv 3N·g, what the core keeps
///                                (attention_core.h), attended N·g; the output belongs to the next layer
///   inputGrad                    attended's gradient N·g (Temporary) and what the core needs, all freed before the
///   next
///                                two; qkv is overwritten with its gradient, what the core kept is freed;
///                                normedGradient n·h and the returned gradient n·h (`kept`)
///   until weightGrad             the branch's gradient, normedGradient, and what forward keeps except for the core's
/// Where the core is recomputed, forward frees what the core kept, and inputGrad begins by allocating it as forward
/// does; attended is written again with the same bits.
class AttentionLayer : public Layer {
public:
    /// Weights: "<block>.ln_1", "<block>.attn.c_attn", "<block>.attn.c_proj". `heads` counts those of the whole model.
    AttentionLayer(const LayerContext& context, const std::string& block, int heads, double projectionDeviation);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;

private:
    struct State;
    void attentionGrad(State& held, const Buffer& branchGradient) const;

    LayerContext context_;
    AttentionCore core_;
    Norm norm_;
    Linear qkv_;
    Residual residual_;
};

}  // namespace shardlab::train
