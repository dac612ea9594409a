// SPDX-License-Identifier: Apache-2.0
// The arithmetic of reductions, in the processor's memory.
#pragma once

#include "engine/train/comm/communicator.h"

#include <cstddef>
#include <span>
#include <vector>

namespace shardlab::train {

/// Reduces `count` numbers at each of `sources`, and writes them to each of `results`. Sources are taken in the order
/// in which they stand, so that the bits do not depend on the member that reduces. Numbers of 16 bits are widened, and
/// rounded once. A result may be a source.
void reduceTo(std::span<const std::byte* const> sources, std::span<std::byte* const> results, std::size_t count,
              DType type, ReduceOp op);

/// Copies as memcpy does, also from a place to itself; long arrays bypass the caches.
void copyArray(const std::byte* from, std::byte* to, std::size_t bytes);

/// What each member contributed to a part, as it came; this member's own contribution is empty.
using Contributions = std::vector<std::vector<std::byte>>;
/// Where so many bytes of member k's contribution go.
inline std::span<std::byte> slotOf(Contributions& all, int k, std::size_t bytes) {
    std::vector<std::byte>& slot = all[static_cast<std::size_t>(k)];
    slot.resize(bytes);
    return slot;
}

/// result := the reduction of `own`, which is member `rank`'s, and all other contributions, in rank order. result may
/// be `own`.
void reduceInRankOrder(int rank, ConstArraySpan own, const Contributions& others, ArraySpan result, ReduceOp op);

/// into += from, which holds as many numbers of the same type.
void add(std::span<const std::byte> from, ArraySpan into);

}  // namespace shardlab::train
