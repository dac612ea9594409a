// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/attention_sinks.h"

namespace shardlab::train {

AttentionSinks::AttentionSinks(const LayerContext& context, const std::string& attention, int heads, int together)
    : context_(context) {
    if (context.parts.sinks)
        weight_ = context.set.declare(attention + ".sinks", {heads}, {0.02}, false, Cut{0, 1, together});
}

Buffer AttentionSinks::roomForGradient(int heads, MemoryCategory kept) const {
    if (!weight_) return {};
    return context_.arena.allocateZeroed(kept, static_cast<std::size_t>(heads));
}

HeadSinks AttentionSinks::with(const Buffer& gradient) const {
    if (!weight_) return {};
    return {weight_->value(), gradient.empty() ? nullptr : gradient.floats()};
}

void AttentionSinks::addGradient(const Buffer& gradient) const {
    if (weight_) context_.device().add(static_cast<int>(gradient.size()), gradient.data(), weight_->gradient());
}

}  // namespace shardlab::train
