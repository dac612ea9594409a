// SPDX-License-Identifier: Apache-2.0
// The part of attention between its products: done by the device's attention, or round the ring of a context group, or
// by the device's attention of some heads between two exchanges of a context group.
#pragma once

#include "engine/train/model/dropout_site.h"
#include "engine/train/model/head_exchange.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/ring_attention.h"
#include "kernels/attention.h"

#include <optional>
#include <string>

namespace shardlab::train {

/// What the forward of a core leaves for its backward.
struct AttentionKept {
    Buffer rows;  ///< probabilities, or a number for each row
    // What a context group that exchanges heads keeps; empty elsewhere.
    Buffer operands;  ///< queries, keys and values
    Buffer output;

    void visit(const KeptVisitor& visit) {
        for (Buffer* each : {&rows, &operands, &output}) visit(*each);
    }
};

/// Memory, with N tokens, a heads of this member and g their columns: forward keeps what the device's attention keeps
/// (AttentionNeeds: probabilities b·a·s·s, or b·a·s) as Activations, and uses the scratch that AttentionNeeds lists
/// (Temporary). backward uses scratch likewise and, where the gradient is not made in place, 3N·g for it (Activations).
/// In a context group that is a ring the memory is that of ring_attention.h, and the gradient is made in place. In one
/// that exchanges heads, N and a stand for all tokens of the group and a part of the heads; forward keeps besides
/// (Activations) the exchanged queries, keys and values 3N·g and their output N·g, and needs what head_exchange.h lists
/// for three parts; backward has the exchanged gradient of the output N·g and the device's gradient as Temporary, needs
/// what the device's does, then what head_exchange.h lists for three parts, and overwrites qkv.
class AttentionCore {
public:
    /// `heads`, each of `width` columns, counts those of the whole model, of which so many stay `together` on one
    /// member; a query sees `window` keys at most, 0: all; the dropout mask depends on `name`.
    AttentionCore(const LayerContext& context, const std::string& name, int heads, int width, int window,
                  int together = 1);

    /// The heads of this member.
    const AttentionShape& shape() const { return shape_; }
    /// Overwrites attended [N, g] from qkv [N, 3g]; returns what backward needs. `sinks` are those of the heads of this
    /// member, where the model's parts have some.
    AttentionKept forward(const LayerState& state, const Buffer& qkv, const Buffer& attended,
                          const HeadSinks& sinks = {}) const;
    /// Returns the gradient of qkv, or overwrites qkv with it where it is made in place. Overwrites the gradient of the
    /// sinks, in a context group that exchanges heads of those alone that this member has in between. `kept` is what
    /// forward returned.
    Buffer backward(const LayerState& state, Buffer qkv, AttentionKept kept, const Buffer& attended,
                    const Buffer& attendedGradient, const HeadSinks& sinks = {}) const;
    /// What forward keeps has queries, keys and values too: backward reads nothing of qkv.
    bool keepsOperands() const { return exchange_ && !context_.recompute.core && !context_.recompute.heads; }
    /// Makes the operands again that a caller dropped of what forward kept, where a context group exchanges heads.
    void makeOperands(const Buffer& qkv, AttentionKept& kept) const;

private:
    AttentionDropout dropout(const LayerState& state) const;
    /// backward of a context group that exchanges heads.
    void exchangedBackward(const LayerState& state, const Buffer& qkv, const AttentionKept& kept,
                           const Buffer& attendedGradient, const HeadSinks& sinks) const;
    /// The sinks of the heads of attention_.
    HeadSinks between(const HeadSinks& sinks) const;

    LayerContext context_;
    AttentionShape shape_;
    std::optional<RingAttention> ring_;  ///< of a context group; then `needs_` is not used
    std::optional<HeadExchange> exchange_;
    AttentionShape attention_;  ///< the device's: as shape_, or after the exchange
    int allHeads_;
    int firstHead_;  ///< of attention_
    DropoutSite dropout_;
    AttentionNeeds needs_;
};

}  // namespace shardlab::train
