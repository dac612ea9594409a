// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <cstdint>

namespace shardlab::base {

/// Where range `part` begins when `extent` things are cut into `parts` ranges, one after another, whose sizes differ by
/// one at most; the last range is one of the largest. Range `part` ends where `part` + 1 begins.
constexpr int rangeBegin(int extent, int parts, int part) {
    return static_cast<int>(std::int64_t{extent} * part / parts);
}
constexpr int rangeSize(int extent, int parts, int part) {
    return rangeBegin(extent, parts, part + 1) - rangeBegin(extent, parts, part);
}

}  // namespace shardlab::base
