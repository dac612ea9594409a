// SPDX-License-Identifier: Apache-2.0
// What the parts of validate() hand to each other.
#pragma once

#include "engine/schedule/schedule.h"

#include <optional>
#include <string>

namespace shardlab {

/// One thing wrong with a schedule.
struct Finding {
    int rank = -1;
    int position = -1;  ///< in the rank's list; -1: `action` is missing from it
    Action action;
    std::string why;
    std::string legal;
};

/// Each microbatch exactly once per stage, nothing out of place, order within each rank, both ends of every message.
std::optional<Finding> findDisorder(const Schedule& schedule);

/// Whether all ranks come to their end, compute alone deciding, then (where there are messages) with every send and
/// receive blocking until matched, in list order, then with neighbouring sends and receives as one group that is posted
/// together. `schedule` has no disorder.
std::optional<Finding> findDeadlock(const Schedule& schedule);

}  // namespace shardlab
