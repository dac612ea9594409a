// SPDX-License-Identifier: GPL-3.0-or-later
// Where the rows of a timeline lie: one row a rank, or one for several that are alike (rank_folding.h); rows shrink to
// a readable least height, then scroll.
#pragma once

#include <utility>
#include <vector>

namespace shardlab::ui {

/// The parts of one row, pixels from the top of the plot.
struct Row {
    int rank = 0;  ///< that is drawn
    int top = 0;
    int height = 0;
    int bandTop = 0, bandHeight = 0;  ///< predicted
    int barTop = 0, barHeight = 0;    ///< measured
    int tickHeight = 0;               ///< of the transfers, at the foot of the bar
    bool operator==(const Row&) const = default;
};

class Rows {
public:
    static constexpr int leastHeight = 20;
    static constexpr int largestHeight = 160;
    static constexpr int largestMargin = 12;  ///< above and below what is drawn in a row

    /// `times` as large as the desktop's are the letters: rows are as many times as high.
    void setLetters(double times) { letters_ = times; }
    double letters() const { return letters_; }
    /// `band`: keep room for the predicted band above the bar.
    /// The first `pinned` ranks do not scroll. `folded`: ranks without a row of their own, ascending, each with the
    /// position of the row that stands for it.
    void arrange(std::vector<int> ranks, int top, int height, bool band, int pinned = 0,
                 std::vector<std::pair<int, int>> folded = {});
    /// Scrolls to `pixels`, kept within what there is to scroll.
    void setScroll(int pixels);
    int scroll() const { return scroll_; }
    int contentHeight() const { return rowHeight_ * static_cast<int>(ranks_.size()); }
    int viewHeight() const { return height_; }
    int largestScroll() const;
    int rowHeight() const { return rowHeight_; }
    const std::vector<int>& ranks() const { return ranks_; }
    int pinned() const { return pinned_; }
    /// False where the row is scrolled away, or lies behind the pinned ones.
    bool shows(int position) const;

    /// Rows at least partly in sight, from the top.
    std::vector<Row> visible() const;
    /// The row of the n-th shown rank, wherever it lies.
    Row row(int position) const;
    /// All ranks that the n-th row stands for, the drawn one first.
    std::vector<int> ranksOf(int position) const;
    /// Position of the row that stands for a rank; -1 where it is filtered out.
    int positionOf(int rank) const;
    /// Position of the row at pixel y; -1 where there is none.
    int positionAt(int y) const;
    /// Scrolls as little as needed to bring the row into sight.
    void reveal(int position);
    bool operator==(const Rows&) const = default;

private:
    std::vector<int> ranks_;
    std::vector<std::pair<int, int>> folded_;  ///< rank, and position of its row; ascending
    int top_ = 0;
    int height_ = 0;
    int rowHeight_ = largestHeight;
    int scroll_ = 0;
    int pinned_ = 0;
    double letters_ = 1;
    bool band_ = true;
};

}  // namespace shardlab::ui
