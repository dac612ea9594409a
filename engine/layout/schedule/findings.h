// SPDX-License-Identifier: Apache-2.0
// The parts of validate().
#pragma once

#include "engine/layout/schedule/validate.h"

namespace shardlab {

/// Each microbatch exactly once per stage, nothing out of place, order within each rank, both ends of every message.
std::optional<Finding> findDisorder(const Schedule& schedule);

/// Of schedules with weight versions: each is there when it is used, backwards use that of their forward, stashes and
/// frees pair up, and each update makes the next version of gradients that came since the last. No disorder otherwise.
std::optional<Finding> findVersionDisorder(const Schedule& schedule);

/// Whether all ranks come to their end, compute alone deciding, then (where there are messages) with every send and
/// receive blocking until matched, in list order, then with neighbouring sends and receives as one group that is posted
/// together. `schedule` has no disorder.
std::optional<Finding> findDeadlock(const Schedule& schedule);

}  // namespace shardlab
