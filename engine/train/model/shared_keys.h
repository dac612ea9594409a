// SPDX-License-Identifier: Apache-2.0
// Heads of keys and values that several members of a tensor group share, where the group has more members than the
// attention has such heads (grouped-query attention, 2305.13245). Each member has some of the queries that read a head.
// Nobody holds a weight twice: of the 2·width columns of a key and its value each member's product makes a range, and
// the members gather them. Backward each has the gradients that its own queries make for the whole head, and gets the
// sum over the members for its own columns. A matrix has the queries of a member first:
//
//   made    [N, q + range]      as the product makes it, and as the gradient of its weight reads it
//   joined  [N, q + 2·width]    as an attention of these queries reads it
#pragma once

#include "engine/train/model/layer_context.h"

namespace shardlab::train {

/// Memory, with t members of the group of which c share a head, N tokens, and m = ⌈2·width ÷ c⌉ columns that each
/// sends, in the activations' type: both calls need N·m and t·N·m at the same time (Temporary). In sums zeros stand for
/// the heads that a member does not read.
class SharedKeys {
public:
    /// `queries` are the columns of this member's queries. `keyHeads` counts those of the whole model, of which the
    /// members are a multiple.
    SharedKeys(const LayerContext& context, int queries, int keyHeads, int width);

    int madeColumns() const { return queries_ + sizeOf(member_); }
    /// Room for `made`.
    Buffer roomForMade(MemoryCategory category) const;
    /// Overwrites `joined` from `made`.
    void gather(const Buffer& made, const Buffer& joined) const;
    /// Returns the gradient of `made` (Activations) from that of `joined`.
    Buffer sum(const Buffer& joined) const;

private:
    /// The range of columns, behind the queries, that number `sharer` of those who share this head makes.
    int firstOf(int sharer) const;
    int sizeOf(int sharer) const;
    Buffer blocks(int count) const;
    void copy(int columns, ConstArray from, int fromStride, Array to, int toStride) const;
    /// Where the block of number `sharer` begins among those of all members of the group.
    std::int64_t blockOf(int sharer) const;

    LayerContext context_;
    int queries_;
    int sharers_;
    int member_;  ///< of those who share this head
    int width_;   ///< of a key and its value together
};

}  // namespace shardlab::train
