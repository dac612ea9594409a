// SPDX-License-Identifier: Apache-2.0
// Which rows belong to which expert of a rank.
#pragma once

#include "engine/train/model/expert_group.h"

#include <cstddef>
#include <span>
#include <vector>

namespace shardlab::train {

/// Blocks of rows, member by member of an expert group, in each a block for every expert of this rank.
struct RowBlocks {
    std::vector<int> begins;         ///< of each block, and behind the last one their end
    std::vector<std::size_t> moved;  ///< rows from each member to each, by from · members + to; empty: equally many

    /// `perBlock` rows in each.
    static RowBlocks even(std::size_t blocks, int perBlock);
    /// `counts` has the rows that each member's tokens ask of each expert, by member · experts + expert. Member
    /// `member` of `members` holds the experts from member · experts ÷ members on.
    static RowBlocks fromCounts(std::span<const std::int32_t> counts, int members, int member);

    std::size_t count() const { return begins.size() - 1; }
    int rows() const { return begins.back(); }
    int rowsOf(std::size_t block) const { return begins[block + 1] - begins[block]; }
    /// The rows of a block within a matrix of all rows that is so wide.
    Array of(std::size_t block, Array all, int columns) const {
        return all + static_cast<std::ptrdiff_t>(begins[block]) * columns;
    }
    /// The elements that go from each member to each with rows of so many columns, as ExpertGroup::exchange takes them.
    std::vector<std::size_t> sizes(int columns, ExpertExchange way) const;
};

}  // namespace shardlab::train
