// SPDX-License-Identifier: Apache-2.0
// Measures how long messages and reductions between the ranks of a run take, sent as the executor sends them.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/model/arena.h"
#include "engine/predict/plan/profile.h"

#include <cstddef>

namespace shardlab::train {

struct MeasuredLink {
    LinkProfile link;
    double spread = 0;  ///< spreadOf() the times of the larger size; 0 where it would mean nothing
};

/// Measures messages of `bytes`, and of an eighth of that, between world ranks 0 and 1 in both directions. The sender
/// is busy with other things meanwhile, as in a run. All metrics are 0 where there is one rank. Collective; all members
/// of `world` get the same answer. `contended`, where ranks share cores: the others compute meanwhile, and the result
/// is the mean, including the wait for a core. The spread is 0 then, since turns on a core differ even on a quiet
/// machine.
MeasuredLink measureSend(Communicator& world, std::size_t bytes, bool contended);

/// Measures an all-reduce in `group` of `floats`, and of an eighth of that, in memory of `arena`; the members meet
/// first, which counts, and the other groups do the same meanwhile. The result is the link over which a ring would take
/// as long: 2(n−1)·seconds + 2(n−1)/n · bytes ÷ bandwidth. The slowest group counts. Collective over `world`.
MeasuredLink measureAllReduce(Communicator& world, Communicator& group, Arena& arena, std::size_t floats);

}  // namespace shardlab::train
