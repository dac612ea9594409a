// SPDX-License-Identifier: Apache-2.0
// x + dropout(projection(attention(qkv(norm(x))))): the first half of a transformer block. Where positions are rotary,
// queries and keys are turned, with norms before that where the model has them, and several heads of queries may share
// one head of keys and values (grouped-query attention, 2305.13245). Heads may have sinks. A tensor group shares the
// heads of keys, and with each the queries that use it; where it has more members than these, shared_keys.h says how.
#pragma once

#include "engine/layout/attention_shape.h"
#include "engine/train/model/attention_core.h"
#include "engine/train/model/attention_sinks.h"
#include "engine/train/model/branch_norm.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"
#include "engine/train/model/residual.h"
#include "engine/train/model/shared_keys.h"
#include "kernels/rotary.h"

#include <optional>

namespace shardlab::train {

/// Heads count those of the whole model. Without rotary positions there are as many heads of keys as of queries.
struct AttentionSpec {
    int heads = 1;
    int keyHeads = 1;
    int width = 1;                       ///< of a head
    std::optional<RotaryAngles> rotary;  ///< empty: positions are not turned
    int window = 0;                      ///< most tokens that a token attends to, itself among them; 0 = all before
    double projectionDeviation = 0.02;

    int queriesOfKey() const { return heads / keyHeads; }
    /// The members of the tensor group share heads of keys.
    bool shares(const TensorGroup& group) const { return layout::keySharers(keyHeads, group.size()) > 1; }
    /// Heads of queries that stay on one member.
    int together(const TensorGroup& group) const { return shares(group) ? 1 : queriesOfKey(); }
};

/// Memory in numbers, with N tokens, n own tokens, h hidden, a heads of this member, k of its keys, q = a · width. What
/// residual.h lists comes on top. Where tokens are split, so does a gathered norm N·h (Temporary) in forward and in
/// weightGrad.
///   forward keeps (Activations)  input n·h, the norm's statistics, normed n·h, joined N·q·(1 + 2k/a), what the core
///                                keeps (attention_core.h), attended N·q; the output belongs to the next layer
///   forward (Temporary)          with rotary positions queries, keys and values of all heads as the core reads them,
///                                3N·q, with what the core needs
///   inputGrad                    the same 3N·q, attended's gradient N·q and what the core needs (Temporary), all freed
///                                before the next two; joined is overwritten with its gradient, what the core kept is
///                                freed; normedGradient n·h and the returned gradient n·h (`kept`); with norms of
///                                queries and keys before all that the gradients of their factors, 2·width fp32, and
///                                with sinks theirs, a fp32 (`kept`)
///   until weightGrad             the branch's gradient, normedGradient, the gradients of norms and sinks, and what
///                                forward keeps except for the core's
/// Where the core is recomputed, forward frees what the core kept, and inputGrad begins by allocating it as forward
/// does; attended is written again with the same bits. Where what the core keeps has queries, keys and values, and
/// these have no norms, joined is freed as soon as they are there, and inputGrad begins with new room for its gradient.
/// Where members share heads of keys, k counts those that the member's queries read; the product of forward writes made
/// (Temporary), and its gradient (Activations) takes the place of joined's, each beside what shared_keys.h needs.
class AttentionLayer : public Layer {
public:
    /// Weights: "<block>.ln_1", "<block>.attn.c_proj", and from hidden to the columns of joined "<block>.attn.c_attn",
    /// all queries, all keys, all values; or where positions are rotary "<block>.attn.qkv", in the order of
    /// kernels/rotary.h, and for norms "<block>.attn.q_norm.weight" and "….k_norm.weight" [width]. Where there are
    /// sinks "<block>.attn.sinks" [heads].
    AttentionLayer(const LayerContext& context, const std::string& block, const AttentionSpec& spec);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;
    void dropPointwise(LayerState& state, Pointwise parts) const override;
    void makePointwise(LayerState& state, Pointwise parts) const override;
    Buffer makeOutput(const LayerState& state) const override;

private:
    struct State;
    struct HeadWeights {
        Weight queries, keys;
    };
    static std::optional<HeadWeights> declareHeadNorms(const LayerContext& context, const std::string& block,
                                                       int width);
    HeadNorms headNorms() const;
    /// With rotary positions queries, keys and values of all heads (Temporary).
    Buffer apart(const State& held) const;
    Buffer roomApart() const;
    Buffer roomJoined() const;
    /// Overwrites joined with the queries, keys and values of all tokens.
    void project(const State& held) const;
    void attentionGrad(State& held, const Buffer& branchGradient, MemoryCategory kept) const;
    void addHeadNormGrad(const Buffer& sums) const;

    LayerContext context_;
    AttentionCore core_;
    std::optional<RotaryShape> rotary_;
    std::optional<SharedKeys> shared_;  ///< where members share heads of keys
    BranchNorm norm_;
    Linear qkv_;
    std::optional<HeadWeights> headNorms_;
    AttentionSinks sinks_;
    Residual residual_;
};

}  // namespace shardlab::train
