// SPDX-License-Identifier: Apache-2.0
// The part of attention between its products: done by the device's attention, or round the ring of a context group.
#pragma once

#include "engine/train/model/dropout_site.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/ring_attention.h"
#include "kernels/attention.h"

#include <optional>
#include <string>

namespace shardlab::train {

/// Memory, with N tokens, a heads of this member and g their columns: forward keeps what the device's attention keeps
/// (AttentionNeeds: probabilities b·a·s·s, or b·a·s) as Activations, and uses the scratch that AttentionNeeds lists
/// (Temporary). backward uses scratch likewise and, where the gradient is not made in place, 3N·g for it (Activations).
/// In a context group the memory is that of ring_attention.h, and the gradient is made in place.
class AttentionCore {
public:
    /// `heads`, each of `width` columns, counts those of the whole model; a query sees `window` keys at most, 0: all;
    /// the dropout mask depends on `name`.
    AttentionCore(const LayerContext& context, const std::string& name, int heads, int width, int window);

    /// The heads of this member.
    const AttentionShape& shape() const { return shape_; }
    /// Overwrites attended [N, g] from qkv [N, 3g]; returns what backward needs. `sinks` are those of the heads of this
    /// member, where the model's parts have some.
    Buffer forward(const LayerState& state, const Buffer& qkv, const Buffer& attended,
                   const HeadSinks& sinks = {}) const;
    /// Returns the gradient of qkv, or overwrites qkv with it where it is made in place; overwrites the gradient of the
    /// sinks. `kept` is what forward returned.
    Buffer backward(const LayerState& state, Buffer qkv, Buffer kept, const Buffer& attended,
                    const Buffer& attendedGradient, const HeadSinks& sinks = {}) const;

private:
    AttentionDropout dropout(const LayerState& state) const;

    LayerContext context_;
    AttentionShape shape_;
    int allHeads_;
    int firstHead_;
    DropoutSite dropout_;
    std::optional<RingAttention> ring_;  ///< set in a context group; then `needs_` is not used
    AttentionNeeds needs_;
};

}  // namespace shardlab::train
