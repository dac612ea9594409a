// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/fp8_place.h"

#include <fmt/format.h>

namespace shardlab::trace {

std::string textOf(const Fp8Place& place) {
    return fmt::format("layer {}, {}, {}", place.layer, linearPartNames[static_cast<std::size_t>(place.part)],
                       fp8FactorNames[static_cast<std::size_t>(place.factor)]);
}

LinearPart linearPartOf(std::string_view name) {
    const bool projects = name.ends_with(".c_proj");
    if (name.find(".moe.shared.") != std::string_view::npos)
        return projects ? LinearPart::SharedProjection : LinearPart::SharedExpansion;
    if (name.find(".moe.experts.") != std::string_view::npos)
        return projects ? LinearPart::ExpertProjection : LinearPart::ExpertExpansion;
    if (name.find(".attn.") == std::string_view::npos) return projects ? LinearPart::Projection : LinearPart::Expansion;
    if (projects) return LinearPart::AttentionOutput;
    if (name.ends_with(".down")) return LinearPart::Down;
    if (name.ends_with(".q")) return LinearPart::Queries;
    if (name.ends_with(".kv")) return LinearPart::KeysValues;
    return LinearPart::QueriesKeysValues;
}

}  // namespace shardlab::trace
