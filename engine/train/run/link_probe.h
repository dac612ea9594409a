// SPDX-License-Identifier: Apache-2.0
// What messages and reductions between the ranks of a run take, as its executor sends them.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/model/arena.h"
#include "engine/predict/plan/profile.h"

#include <cstddef>

namespace shardlab {

struct MeasuredLink {
    LinkProfile link;
    double spread = 0;  ///< spreadOf() the times of the larger size; 0 where it says nothing
};

/// One way from world rank 0 to 1 and back, the sender busy with other things meanwhile, as it is in a run: measured
/// for messages of `bytes` and an eighth of that. All figures 0 where there is one rank. Collective; all members of
/// `world` get the same answer. `contended`, where ranks share cores: the others compute meanwhile, and what a message
/// takes is the mean, waiting for a core included. Turns on a core differ on the quietest machine too: the spread is 0
/// then.
MeasuredLink measureSend(Communicator& world, std::size_t bytes, bool contended);

/// An all-reduce in `group` of memory of `arena`, meeting included, while the other groups do theirs: of `floats` and
/// an eighth. As a link over which a ring would take as long: 2(n−1)·seconds + 2(n−1)/n · bytes ÷ bandwidth. The group
/// that takes longest counts. Collective over `world`.
MeasuredLink measureAllReduce(Communicator& world, Communicator& group, Arena& arena, std::size_t floats);

}  // namespace shardlab
