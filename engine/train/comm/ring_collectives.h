// SPDX-License-Identifier: Apache-2.0
// A block that is cut into one part for each member: parts differ by at most one element, so that no block needs
// padding.
#pragma once

#include "engine/train/comm/communicator.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace shardlab {

struct ElementRange {
    std::size_t begin = 0;
    std::size_t count = 0;
};

/// Part `member` of a block of so many elements, [size·member ÷ members, size·(member + 1) ÷ members).
ElementRange partRange(std::size_t size, int member, int members);
ArraySpan partOf(ArraySpan block, int member, int members);

/// A CommunicationError where a collective was given a wrong buffer.
void requireSize(bool right, const char* call, const char* rule);

/// One step of a ring.
struct RingHop {
    std::int64_t begin = 0;  ///< as `clock` tells
    std::int64_t end = 0;
    std::int64_t bytes = 0;  ///< sent to the next member
};

/// All-reduce (sum) round a ring: n−1 hops in which each member adds its own to what comes from the last member and
/// passes it on, until it holds the sum of one part; n−1 hops in which the sums go round. 2(n−1)/n of the block is sent
/// by each member. The same bits on every member. `hops` outlives the request; both may be empty.
RequestPtr iringAllReduce(Communicator& group, ArraySpan block, std::vector<RingHop>* hops = nullptr,
                          std::function<std::int64_t()> clock = {});

}  // namespace shardlab
