// SPDX-License-Identifier: Apache-2.0
// x + dropout(projection(attention(q, k, v))) of a multi-head latent attention (DeepSeek-V2, 2405.04434, section 2.1),
// in the place of an AttentionLayer. With n = norm(x):
//
//   [a, c, κ] = down(n)          a has the query rank, which may be 0, c the key rank, κ the turned columns
//   q = queries(RMSNorm(a))      or queries(n) where there is no query rank
//   [k, v] of each head = expansion(RMSNorm(c))
//
// kernels/latent_heads.h turns the last columns of the queries and κ, which is then a part of the key of every head.
// Values are filled up with zeros to the width of the queries, which is what kernels/attention.h takes. A tensor group
// shares the heads: queries and expansion by columns, the projection by rows. Each member has the down projection and
// the norms of the latents whole, and does them for its own tokens; what lies behind them are all tokens, which come
// together, and whose gradients are summed, latent by latent.
#pragma once

#include "engine/train/model/attention_core.h"
#include "engine/train/model/attention_sinks.h"
#include "engine/train/model/branch_norm.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"
#include "engine/train/model/norm.h"
#include "engine/train/model/residual.h"
#include "kernels/latent_heads.h"

#include <optional>

namespace shardlab::train {

/// Heads count those of the whole model.
struct LatentSpec {
    int heads = 1;
    int plain = 1;   ///< columns of a head's query, and of its key, that are not turned
    int turned = 2;  ///< that are
    int values = 1;  ///< of a head's value; at most plain + turned
    int queryRank = 0;
    int keyRank = 1;
    RotaryAngles angles = {};
    int window = 0;  ///< most tokens that a token attends to, itself among them; 0 = all before
    double projectionDeviation = 0.02;
};

/// Memory in numbers, with N tokens, n own tokens, h hidden, a heads of this member, w = plain + turned, e = plain +
/// values, D = query rank + key rank + turned. What residual.h lists comes on top. Where tokens are split, so does each
/// gathered matrix (Temporary): in forward and in weightGrad the latents behind their norms, or n in the place of the
/// queries' latent; wherever queries and keys are made for the core, κ.
///   forward keeps (Activations)  input n·h, the norm's statistics, normed n·h, the latents n·(query rank + key rank),
///                                κ n·turned, the latents' statistics n fp32 each, and the latents behind their norms;
///                                queries N·a·w, keys and values N·a·e, attended N·a·values, what the core keeps
///   forward (Temporary)          the product of the down projection n·D; later queries, keys and values as the core
///                                reads them, 3N·a·w, and where values are narrower than w its output N·a·w, with what
///                                the core needs
///   inputGrad                    with sinks their gradient, a fp32 (`kept`); the same 3N·a·w; attended's
///                                gradient N·a·values; where values are narrower the same and attended as wide as w,
///                                2N·a·w, the former beside the narrow one; what the core needs. All but the first are
///                                freed before: the latents' gradients n·rank (`kept`), κ's gradient n·turned
///                                (Temporary), the down projection's gradient n·D (`kept`) with a latent's gradient
///                                n·rank (Temporary) in turn; normedGradient n·h and the returned gradient n·h
///                                (`kept`). Queries, keys and values are overwritten with their gradients
///   recompute latent             queries, keys and values are freed at the end of forward, and made again, with what
///                                they pass through, as inputGrad begins; in a group that exchanges heads likewise
///                                the core's operands
///   a core that keeps operands   likewise, and inputGrad begins with new room for them, which the gradients fill
///   recompute pointwise          normed is freed at the end of forward, and made again as inputGrad begins
///   until weightGrad             the branch's gradient, the gradients named `kept` but the returned one, and what
///                                forward keeps except for the core's
class LatentAttentionLayer : public Layer {
public:
    /// Weights: "<block>.ln_1"; "<block>.attn.down.weight" [hidden, D]; with a query rank "<block>.attn.q_norm.weight"
    /// [query rank]; "<block>.attn.q.weight" [query rank or hidden, heads·w]; "<block>.attn.kv_norm.weight" [key rank];
    /// "<block>.attn.kv.weight" [key rank, heads·e], of each head its key, then its value;
    /// where there are sinks "<block>.attn.sinks" [heads]; "<block>.attn.c_proj.weight".
    LatentAttentionLayer(const LayerContext& context, const std::string& block, const LatentSpec& spec);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;
    void dropPointwise(LayerState& state, Pointwise parts) const override;
    void makePointwise(LayerState& state, Pointwise parts) const override;
    Buffer makeOutput(const LayerState& state) const override;

private:
    /// One of the latents of a microbatch.
    struct Latent {
        Buffer value, statistics, normed;
        Buffer gradient;  ///< of normed
    };
    struct State;
    int downColumns() const { return spec_.queryRank + spec_.keyRank + spec_.turned; }
    std::size_t times(int tokens, int columns) const {
        return static_cast<std::size_t>(tokens) * static_cast<std::size_t>(columns);
    }
    void makeLatents(State& held) const;
    void takeLatent(const Buffer& down, int first, const Norm& norm, int rank, Latent& latent) const;
    /// Queries, and keys with values, from the latents.
    void makeHeads(State& held) const;
    void roomForHeads(State& held) const;
    /// Queries, keys and values as the core reads them (Temporary).
    Buffer apart(const State& held) const;
    Buffer roomApart() const;
    /// Overwrites `attended`; returns what the core keeps.
    AttentionKept attend(State& held, const Buffer& apart) const;
    /// [N, a·values] as [N, a·w], with zeros (Temporary).
    Buffer widened(const Buffer& narrow) const;
    /// The gradient of what apart() makes.
    Buffer coreGrad(State& held, const Buffer& branchGradient, MemoryCategory kept) const;
    /// The gradient of a latent behind its norm, which a product takes.
    Buffer sumInputGrad(const Linear& product, const Buffer& outputGradient, MemoryCategory kept) const;
    void latentGrad(const Latent& latent, const Norm& norm, int first, const Buffer& downGradient) const;
    /// The gradient of what the layer's first norm makes.
    Buffer normedGrad(const State& held, MemoryCategory kept) const;

    LayerContext context_;
    LatentSpec spec_;
    AttentionCore core_;
    LatentShape shape_;
    BranchNorm norm_;
    Linear down_;
    std::optional<Norm> queryNorm_;  ///< empty where there is no query rank
    Linear queries_;
    Norm keyNorm_;
    Linear expansion_;
    AttentionSinks sinks_;
    Residual residual_;
};

}  // namespace shardlab::train
