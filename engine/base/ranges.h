// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <concepts>
#include <cstdint>

namespace shardlab::base {

/// Where range `part` begins when `extent` things are cut into `parts` ranges, one after another, whose sizes differ by
/// one at most; the last range is one of the largest. Range `part` ends where `part` + 1 begins. Where so many things
/// stay `together`, of which extent is a multiple, bundles of them are cut.
template <std::integral Count>
constexpr Count rangeBegin(Count extent, int parts, int part, int together = 1) {
    return static_cast<Count>(static_cast<std::int64_t>(extent) / together * part / parts * together);
}
template <std::integral Count>
constexpr Count rangeSize(Count extent, int parts, int part, int together = 1) {
    return rangeBegin(extent, parts, part + 1, together) - rangeBegin(extent, parts, part, together);
}

}  // namespace shardlab::base
