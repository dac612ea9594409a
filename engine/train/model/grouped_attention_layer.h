// SPDX-License-Identifier: Apache-2.0
// x + dropout(projection(attention(rotary(qkv(norm(x)))))): the first half of a llama block. Several heads of queries
// may share one head of keys and values (grouped-query attention, 2305.13245). A tensor group shares the heads of keys,
// and with each the queries that use it.
#pragma once

#include "engine/train/model/attention_core.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"
#include "engine/train/model/norm.h"
#include "engine/train/model/residual.h"
#include "kernels/rotary.h"

namespace shardlab::train {

/// Memory in floats, with N tokens, n own tokens, h hidden, a heads of this member, k of its keys, g = h·a ÷ all heads.
/// What residual.h lists comes on top. Where tokens are split, so does a gathered norm N·h (Temporary) in forward and
/// in weightGrad.
///   forward keeps (Activations)  input n·h, statistics n, normed n·h, joined N·g·(1 + 2k/a), what the core keeps
///                                (attention_core.h), attended N·g; the output belongs to the next layer
///   forward (Temporary)          queries, keys and values of all heads as the core reads them, 3N·g, with what the
///   core
///                                needs
///   inputGrad                    the same 3N·g, attended's gradient N·g and what the core needs (Temporary), all freed
///                                before the next two; joined is overwritten with its gradient, what the core kept is
///                                freed; normedGradient n·h and the returned gradient n·h (`kept`)
///   until weightGrad             the branch's gradient, normedGradient, and what forward keeps except for the core's
/// Where the core is recomputed, forward frees what the core kept, and inputGrad begins by allocating it as forward
/// does.
class GroupedAttentionLayer : public Layer {
public:
    /// Weights: "<block>.ln_1", "<block>.attn.qkv" (hidden to the columns of joined, as kernels/rotary.h orders them),
    /// "<block>.attn.c_proj". Heads count those of the whole model; `base` is that of the rotary embedding.
    GroupedAttentionLayer(const LayerContext& context, const std::string& block, int heads, int keyHeads, double base,
                          double projectionDeviation);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;

private:
    struct State;
    /// Queries, keys and values of all heads (Temporary).
    Buffer apart(const State& held) const;
    /// Overwrites joined with its gradient.
    void attentionGrad(State& held, const Buffer& branchGradient) const;

    LayerContext context_;
    AttentionCore core_;
    RotaryShape rotary_;
    Norm norm_;
    Linear qkv_;
    Residual residual_;
};

}  // namespace shardlab::train
