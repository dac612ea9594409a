// SPDX-License-Identifier: Apache-2.0
// Arithmetic on times and bytes that a file tells us: what no int64 holds becomes the largest or smallest that it does.
#pragma once

#include "engine/base/wings.h"

#include <cstdint>
#include <limits>

namespace shardlab::base {

constexpr std::int64_t saturatedSum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

constexpr std::int64_t saturatedDifference(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) return difference;
    return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace shardlab::base
