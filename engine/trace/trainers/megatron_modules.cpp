// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/megatron_modules.h"

#include "engine/layout/recompute.h"

#include <algorithm>
#include <array>

namespace shardlab::trace {
namespace {

struct Module {
    std::string_view name;
    RecomputePart part;
};
constexpr std::array knownModules{
    Module{"core_attn", RecomputePart::Core},  Module{"mla_up_proj", RecomputePart::Heads},
    Module{"layernorm", RecomputePart::Norms}, Module{"moe_act", RecomputePart::Activations},
    Module{"mlp", RecomputePart::FeedForward}, Module{"moe", RecomputePart::Experts}};

}  // namespace

std::optional<RecomputePart> partOfModule(std::string_view module) {
    const auto found = std::ranges::find(knownModules, module, &Module::name);
    return found == knownModules.end() ? std::nullopt : std::optional(found->part);
}

std::vector<std::string> recomputedModules(const Layout& layout) {
    std::vector<std::string> names;
    for (const Module& module : knownModules) {
        const bool ofBlocks = module.part == RecomputePart::FeedForward || module.part == RecomputePart::Experts;
        if (recomputes(layout.memory, module.part) &&
            (!ofBlocks || hasBlocks(layout.model, module.part == RecomputePart::Experts)))
            names.emplace_back(module.name);
    }
    return names;
}

bool activatesOutsideExperts(const Layout& layout) {
    if (!recomputes(layout.memory, RecomputePart::Activations)) return false;
    const bool dense = hasBlocks(layout.model, false) && !recomputes(layout.memory, RecomputePart::FeedForward);
    const bool shared = layout.model.experts.shared > 0 && !recomputes(layout.memory, RecomputePart::Experts);
    return dense || shared;
}

}  // namespace shardlab::trace
