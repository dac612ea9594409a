// SPDX-License-Identifier: GPL-3.0-or-later
// A block as it looks from afar: how much of each stretch of its time each paint covers. A byte for each paint and eight
// events or so stays in memory when the events go; coarser levels above it are for those who look from farther still.
#pragma once

#include "ui/store/pixel_columns.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace shardlab {

class BlockOverview {
public:
    BlockOverview() = default;
    /// `spans` ascending by begin.
    explicit BlockOverview(std::span<const Event> spans);

    bool empty() const { return total_ == Coverage{}; }
    /// Nanoseconds of each paint in all of it, exact.
    const Coverage& total() const { return total_; }
    /// The same within [begin, end), as exact as cells are fine: where only parts of two of them are within.
    Coverage within(std::int64_t begin, std::int64_t end) const;
    /// Length of a cell, nanoseconds; 0 where there are none.
    double cell() const { return cells_ > 0 ? static_cast<double>(end_ - begin_) / cells_ : 0; }
    void addTo(PixelColumns& columns) const;
    std::size_t bytes() const { return sizeof *this + shares_.capacity() + tails_.capacity() * sizeof(Tail); }

private:
    static constexpr int finest = 512;  ///< cells of a full block
    static constexpr int coarser = 8;   ///< cells that one of the next level joins
    /// What lasts beyond the last begin, where cells end.
    struct Tail {
        std::int64_t begin, end;
        Paint paint;
    };
    /// Where the cells of a level begin among those of a paint.
    struct Level {
        int cells;
        std::size_t at;
    };
    std::vector<Level> levels() const;  ///< finest first
    std::span<const std::uint8_t> cells(std::size_t paint, const Level& level) const;

    std::int64_t begin_ = 0, end_ = 0;  ///< of the cells
    int cells_ = 0;
    std::size_t perPaint_ = 0;                           ///< bytes of all levels
    std::array<std::uint8_t, paintCount> places_{};      ///< which part of shares_ is the paint's, from 1; 0: it does not occur
    std::vector<std::uint8_t> shares_;                   ///< 255 is all of a cell
    std::vector<Tail> tails_;
    Coverage total_;
};

}  // namespace shardlab
