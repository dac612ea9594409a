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

/// Which rows of consecutive samples the rows of a matrix are, where a rank holds some of each sample.
struct HeldRows {
    int held = 0;      ///< of each sample; 0: the matrix has consecutive rows of whole samples
    int skipped = 0;   ///< of the first samples' held rows those that lie before the matrix
    int sequence = 0;  ///< rows of a whole sample
    RowPositions positions;

    /// The number of a row, counted from the beginning of the first sample; where all are held, `row` itself.
    constexpr std::int64_t of(std::int64_t row) const {
        if (held == 0) return row;
        const int own = skipped + static_cast<int>(row);
        return std::int64_t{own / held} * sequence + positions.of(own % held);
    }
};

}  // namespace shardlab::kernels
