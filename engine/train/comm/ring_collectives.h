// SPDX-License-Identifier: Apache-2.0
// Collectives over a block that is cut into one part for each member. Parts differ by at most one element, so that no
// block needs padding.
#pragma once

#include "engine/train/comm/communicator.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace shardlab::train {

struct ElementRange {
    std::size_t begin = 0;
    std::size_t count = 0;
};

/// The range of a member's part in a block of `size` elements: [size·member ÷ members, size·(member + 1) ÷ members).
ElementRange partRange(std::size_t size, int member, int members);
ArraySpan partOf(ArraySpan block, int member, int members);

/// Throws a CommunicationError where a collective was given a wrong buffer.
void requireSize(bool right, const char* call, const char* rule);

/// Where the parts of iallToAllParts lie for one member, by the other: `sent` within its input, `received` within its
/// output, and `theirs` the part for it within the other's input. Throws as requireSize where the sizes do not fit.
struct ExchangedParts {
    std::vector<ElementRange> sent, received, theirs;
};
ExchangedParts exchangedParts(int member, int members, std::span<const std::size_t> sizes, std::size_t input,
                              std::size_t output);

/// One step of a ring.
struct RingHop {
    std::int64_t begin = 0;  ///< by `clock`
    std::int64_t end = 0;
    std::int64_t bytes = 0;  ///< sent to the next member
};

/// What goes round a ring: sums, of which each member is left its part; the members' parts; or one after the other,
/// which is an all-reduce.
enum class RingWay : std::uint8_t { ReduceParts, GatherParts, AllReduce };

/// A collective round a ring. In the n−1 hops of ReduceParts each member adds its own numbers to those that come from
/// the previous member and passes them on, until it holds the sum of its part; in those of GatherParts parts go round.
/// In each half a member sends (n−1)/n of the block. After an all-reduce all members have the same bits. `hops`
/// outlives the request; `hops` and `clock` may be empty.
RequestPtr iring(RingWay way, Communicator& group, ArraySpan block, std::vector<RingHop>* hops = nullptr,
                 const std::function<std::int64_t()>& clock = {});

}  // namespace shardlab::train
