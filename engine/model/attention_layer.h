// SPDX-License-Identifier: Apache-2.0
// x + dropout(projection(attention(qkv(norm(x))))): the first half of a transformer block. A tensor group shares the
// heads.
#pragma once

#include "engine/model/layer.h"
#include "engine/model/layer_context.h"
#include "engine/model/linear.h"
#include "engine/model/norm.h"
#include "engine/model/residual.h"
#include "engine/model/ring_attention.h"
#include "kernels/attention.h"

#include <optional>

namespace shardlab {

/// Memory in floats, N = tokens = b·s, n own tokens, h hidden, a heads of this member, g = h·a ÷ all heads; what residual.h
/// lists comes on top, as does, where tokens are split, a gathered norm N·h (Temporary) in forward and in weightGrad:
///   forward keeps (Activations)  input n·h, statistics 2n, normed n·h, qkv 3N·g, what the device's attention keeps
///                                (AttentionNeeds: probabilities b·a·s·s, or b·a·s), attended N·g; the output belongs to
///                                the next layer; scratch of the forward's needs (Temporary)
///   inputGrad                    attended's gradient N·g and scratch of the backward's needs (Temporary), and where it is
///                                not made in place the gradient of qkv 3N·g (Activations), all gone before the next two;
///                                qkv is overwritten with its gradient, what the attention kept is freed;
///                                normedGradient n·h and the returned gradient n·h (`kept`)
///   until weightGrad             the branch's gradient, normedGradient, and of forward's all but what the attention kept
/// Where the core is recomputed, forward frees what the attention kept, and inputGrad begins with what forward allocates
/// for it; attended is written again, the same to the bit. A context group's attention keeps and needs what
/// ring_attention.h says, and its gradient is made in place.
class AttentionLayer : public Layer {
public:
    /// Weights: "<block>.ln_1", "<block>.attn.c_attn", "<block>.attn.c_proj". `heads` of the whole.
    AttentionLayer(const LayerContext& context, const std::string& block, int heads, double projectionDeviation);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;

private:
    struct State;
    AttentionDropout dropout(const LayerState& state) const;
    /// From qkv to `kept`, which is allocated, and attended, which is overwritten.
    void attend(State& held) const;

    void attentionGrad(State& held, const Buffer& branchGradient) const;

    LayerContext context_;
    AttentionShape shape_;  ///< of this member's heads
    int allHeads_;
    int firstHead_;
    Norm norm_;
    Linear qkv_;
    Residual residual_;
    DropoutSite dropout_;
    std::optional<RingAttention> ring_;  ///< where a context group shares it; then nothing is asked of `needs_`
    AttentionNeeds needs_;
};

}  // namespace shardlab
