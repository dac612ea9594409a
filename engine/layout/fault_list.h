// SPDX-License-Identifier: Apache-2.0
// How many faults of a layout are told: a file that has more is none that somebody wrote, and nobody reads on.
#pragma once

#include "engine/layout/fault.h"

#include <cstddef>
#include <vector>

namespace shardlab::layout {

/// So many faults are listed, and a last one says that there are more.
inline constexpr std::size_t mostFaults = 100;

/// Leaves the first mostFaults, and the one that says that there are more.
inline void listFirst(std::vector<Fault>& faults) {
    if (faults.size() <= mostFaults) return;
    faults.resize(mostFaults);
    faults.push_back({"", say("there are more faults than these {}", mostFaults), "", ""});
}

}  // namespace shardlab::layout
