// SPDX-License-Identifier: Apache-2.0
// The learnt scores that heads of an attention have beside those of tokens (kernels/attention.h), as one member of a
// tensor group has them: of its own heads.
#pragma once

#include "engine/train/model/layer_context.h"
#include "kernels/attention.h"

#include <optional>
#include <string>

namespace shardlab::train {

/// Declares a weight only where the model's parts have sinks; elsewhere nothing here does anything.
class AttentionSinks {
public:
    /// Weight "<attention>.sinks" [heads]; `heads` counts those of the whole model, of which so many stay `together` on
    /// one member.
    AttentionSinks(const LayerContext& context, const std::string& attention, int heads, int together = 1);

    /// Room for the gradient of this member's `heads`, fp32. Zeroed, since a member of a context group that exchanges
    /// heads overwrites those of its own alone.
    Buffer roomForGradient(int heads, MemoryCategory kept) const;
    /// What an attention reads, and where it writes the gradient, which may be empty.
    HeadSinks with(const Buffer& gradient) const;
    /// Adds what roomForGradient() returned and an attention overwrote to the weight's gradient.
    void addGradient(const Buffer& gradient) const;

private:
    LayerContext context_;
    std::optional<Weight> weight_;
};

}  // namespace shardlab::train
