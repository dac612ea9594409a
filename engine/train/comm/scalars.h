// SPDX-License-Identifier: Apache-2.0
// Reductions of single numbers over a group at full precision: the numbers are gathered as bits and then combined in
// rank order, so that every member has the same bits.
#pragma once

#include "engine/train/comm/communicator.h"

#include <cstdint>
#include <vector>

namespace shardlab::train {

/// Every member's value, by rank of the group.
std::vector<double> gather(Communicator& group, double value);
std::vector<std::int64_t> gather(Communicator& group, std::int64_t value);
double sum(Communicator& group, double value);
/// Exchanges values with `peer`, and returns the peer's.
std::int64_t exchanged(Communicator& group, int peer, std::int64_t value);
std::int64_t largest(Communicator& group, std::int64_t value);

}  // namespace shardlab::train
