// SPDX-License-Identifier: GPL-3.0-or-later
// A block as it looks from afar: how much of each stretch of its time each paint covers. Running sums at the edges of
// cells, so that a stretch costs two looks, however many cells are in it: two bytes for each paint and eight events or
// so stay in memory when the events go, and less where blocks were joined.
#pragma once

#include "ui/store/pixel_columns.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace shardlab::ui {

class BlockOverview {
public:
    BlockOverview() = default;
    /// `spans` ascending by begin.
    explicit BlockOverview(std::span<const Event> spans);
    /// Two blocks as one: the total is exact, a cell as exact as theirs were.
    BlockOverview(const BlockOverview& first, const BlockOverview& second);

    bool empty() const { return total_ == Coverage{}; }
    /// Nanoseconds of each paint in all of it, exact.
    const Coverage& total() const { return total_; }
    /// The coverage within [begin, end), as exact as the cells are fine where only parts of two cells lie within.
    Coverage within(std::int64_t begin, std::int64_t end) const;
    /// Length of a cell, nanoseconds; 0 where there are none.
    double cell() const { return cells_ > 0 ? static_cast<double>(end_ - begin_) / cells_ : 0; }
    void addTo(PixelColumns& columns) const;
    std::size_t bytes() const {
        return sizeof *this + sums_.capacity() * sizeof(std::uint16_t) + tails_.capacity() * sizeof(Tail);
    }

private:
    /// Cells of a full block.
    static constexpr int finest = 512;
    /// What lasts beyond the last begin, where cells end.
    struct Tail {
        std::int64_t begin, end;
        Paint paint;
    };
    /// What `columns` tell, one for each cell, of each paint that has a place.
    void fill(const PixelColumns& columns);
    std::size_t edges() const { return static_cast<std::size_t>(cells_) + 1; }
    std::size_t start(std::size_t paint) const;
    /// The running sum of a paint that occurs, at each edge of a cell; full() is what fills one cell.
    std::span<const std::uint16_t> sums(std::size_t paint) const;
    std::uint16_t full() const { return static_cast<std::uint16_t>(65535 / cells_); }

    std::int64_t begin_ = 0, end_ = 0;  ///< of the cells
    int cells_ = 0;
    /// Which part of sums_ is the paint's, from 1; 0: it does not occur.
    std::array<std::uint8_t, paintCount> places_{};
    std::vector<std::uint16_t> sums_;
    std::vector<Tail> tails_;
    Coverage total_;
};

}  // namespace shardlab::ui
