// SPDX-License-Identifier: Apache-2.0
// What Megatron-Core calls the parts of a block that it computes again (--recompute-modules).
#pragma once

#include "engine/layout/layout.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

/// The part that "core_attn", "mla_up_proj", "layernorm", "moe_act", "mlp" or "moe" stands for. Megatron-Core's mlp is
/// the feed-forward block alone, and its moe_act the activation of experts alone. None for any other word.
std::optional<RecomputePart> partOfModule(std::string_view module);
/// The modules that compute the same parts again; empty where the layout computes whole blocks again or nothing.
std::vector<std::string> recomputedModules(const Layout& layout);
/// An activation is computed again that belongs to no expert: Megatron-Core has no module for it.
bool activatesOutsideExperts(const Layout& layout);

}  // namespace shardlab::trace
