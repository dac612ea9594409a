// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <algorithm>
#include <concepts>
#include <vector>

namespace shardlab::base {

/// The numbers that divide `number`, ascending; none where that is below 1. It takes as many steps as its root has.
template <std::integral Number>
std::vector<Number> divisors(Number number) {
    std::vector<Number> all;
    for (Number i = 1; i <= number / i; ++i) {
        if (number % i != 0) continue;
        all.push_back(i);
        if (i != number / i) all.push_back(number / i);
    }
    std::ranges::sort(all);
    return all;
}

}  // namespace shardlab::base
