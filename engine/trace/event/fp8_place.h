// SPDX-License-Identifier: Apache-2.0
// Which factor of which linear layer counters of products in 8 bits tell of (EventKind::Fp8Scale, Fp8Saturated,
// Fp8Flushed): their `bytes` say it.
#pragma once

#include "engine/base/wings.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace shardlab::trace {

/// The linear layers of a block. Those of all experts of a block count together, and those of its shared experts.
enum class LinearPart : std::uint8_t {
    QueriesKeysValues,
    AttentionOutput,
    Expansion,
    Projection,
    Down,
    Queries,
    KeysValues,
    SharedExpansion,
    SharedProjection,
    ExpertExpansion,
    ExpertProjection,
};
inline constexpr std::array<std::string_view, 11> linearPartNames{
    "queries, keys, values", "attention output", "expansion",         "projection",       "latents",          "queries",
    "keys, values",          "shared expansion", "shared projection", "expert expansion", "expert projection"};
inline constexpr std::array<std::string_view, 3> fp8FactorNames{"input", "weight", "gradient"};

struct Fp8Place {
    int layer = 0;  ///< of the model
    LinearPart part = LinearPart::QueriesKeysValues;
    int factor = 0;  ///< input, weight, or gradient of the output
    bool operator==(const Fp8Place&) const = default;
};

constexpr std::int64_t fp8Number(const Fp8Place& of) {
    return (std::int64_t{of.layer} << 16) | (std::int64_t{static_cast<std::uint8_t>(of.part)} << 8) | of.factor;
}
/// A number that no place has, as a damaged file may have it, becomes the nearest place that there is.
constexpr Fp8Place fp8PlaceOf(std::int64_t number) {
    const auto part = static_cast<std::size_t>(number >> 8 & 0xff), factor = static_cast<std::size_t>(number & 0xff);
    return {static_cast<int>(number >> 16),
            static_cast<LinearPart>(part < linearPartNames.size() ? part : linearPartNames.size() - 1),
            static_cast<int>(factor < fp8FactorNames.size() ? factor : fp8FactorNames.size() - 1)};
}
/// "layer 3, expansion, weight".
std::string textOf(const Fp8Place& place);

/// The part that a linear layer's name says ("h.3.mlp.c_fc").
LinearPart linearPartOf(std::string_view name);

}  // namespace shardlab::trace
