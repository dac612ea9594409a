// SPDX-License-Identifier: Apache-2.0
// Which rows of each sample a rank holds, where others hold the rest of it.
#pragma once

#include <cstdint>

namespace shardlab::kernels {

/// Where the rows of a sample that a rank holds lie: row r at first + r, from row `split` on at second + r − split.
struct RowPositions {
    int first = 0;
    int split = 0;
    int second = 0;

    constexpr int of(int row) const { return row < split ? first + row : second + row - split; }
    /// Rows, of so many, that lie before a position.
    constexpr int before(int position, int rows) const {
        const int own = position - first, behind = position - second;
        const int low = own < 0 ? 0 : own < split ? own : split;
        const int high = behind < 0 ? 0 : behind < rows - split ? behind : rows - split;
        return low + high;
    }
};

/// Numbers among the rows of whole samples, for rows that are counted among those that a rank holds.
struct HeldRows {
    int held = 0;      ///< of each sample; 0: all, so that both numbers are one
    int sequence = 0;  ///< rows of a whole sample
    RowPositions positions;

    constexpr std::int64_t of(std::int64_t row) const {
        return held == 0 ? row : row / held * sequence + positions.of(static_cast<int>(row % held));
    }
};

}  // namespace shardlab::kernels
