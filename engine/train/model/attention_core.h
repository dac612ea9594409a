// SPDX-License-Identifier: Apache-2.0
// What an attention does between its products: by the device's attention, or round the ring of a context group.
#pragma once

#include "engine/train/model/dropout_site.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/ring_attention.h"
#include "kernels/attention.h"

#include <optional>
#include <string>

namespace shardlab {

/// Memory, N = tokens, a heads of this member and g their columns: forward keeps what the device's attention does
/// (AttentionNeeds: probabilities b·a·s·s, or b·a·s) as Activations, and has scratch of the forward's needs
/// (Temporary); backward scratch of its needs (Temporary) and where it is not made in place the gradient 3N·g
/// (Activations). A context group's keeps and needs what ring_attention.h says, and its gradient is made in place.
class AttentionCore {
public:
    /// Of `heads` heads of the whole; the mask of what it drops follows `name`.
    AttentionCore(const LayerContext& context, const std::string& name, int heads);

    /// This member's.
    const AttentionShape& shape() const { return shape_; }
    /// Overwrites attended [N, g] from qkv [N, 3g]; returns what backward needs.
    Buffer forward(const LayerState& state, const Buffer& qkv, const Buffer& attended) const;
    /// The gradient of qkv, which is overwritten with it where that is made in place. `kept`: what forward returned.
    Buffer backward(const LayerState& state, Buffer qkv, Buffer kept, const Buffer& attended,
                    const Buffer& attendedGradient) const;

private:
    AttentionDropout dropout(const LayerState& state) const;

    LayerContext context_;
    AttentionShape shape_;
    int allHeads_;
    int firstHead_;
    DropoutSite dropout_;
    std::optional<RingAttention> ring_;  ///< where a context group shares it; then nothing is asked of `needs_`
    AttentionNeeds needs_;
};

}  // namespace shardlab
