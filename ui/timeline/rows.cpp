// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/rows.h"

#include <algorithm>

namespace shardlab::ui {

void Rows::arrange(std::vector<int> ranks, int top, int height, bool band, int pinned,
                   std::vector<std::pair<int, int>> folded) {
    ranks_ = std::move(ranks);
    folded_ = std::move(folded);
    top_ = top;
    height_ = std::max(height, 0);
    band_ = band;
    pinned_ = std::min(pinned, static_cast<int>(ranks_.size()));
    const int count = std::max(1, static_cast<int>(ranks_.size()));
    // One or two bars as thick as four may be would fill the view, and tell no more.
    const int largest = std::min(largestHeight, 48 + 28 * count);
    rowHeight_ = static_cast<int>(std::clamp(double(height_ / count), leastHeight * letters_, largest * letters_));
    // Something must be left to scroll.
    pinned_ = std::clamp(pinned_, 0, std::max(0, height_ / rowHeight_ - 1));
    setScroll(scroll_);
}

int Rows::largestScroll() const { return std::max(0, contentHeight() - height_); }

void Rows::setScroll(int pixels) {
    scroll_ = std::clamp(pixels, 0, largestScroll());
    // Rows vanish whole behind the pinned ones.
    if (pinned_ > 0) scroll_ = (scroll_ + rowHeight_ - 1) / rowHeight_ * rowHeight_;
}

bool Rows::shows(int position) const {
    if (position < 0 || position >= static_cast<int>(ranks_.size())) return false;
    if (position < pinned_) return true;
    const int top = position * rowHeight_ - scroll_;
    return top + rowHeight_ > pinned_ * rowHeight_ && top < height_;
}

Row Rows::row(int position) const {
    Row row;
    row.rank = ranks_[static_cast<std::size_t>(position)];
    row.height = rowHeight_;
    row.top = top_ + position * rowHeight_ - (position < pinned_ ? 0 : scroll_);
    const int margin = std::clamp(rowHeight_ / 7, 2, static_cast<int>(largestMargin * letters_));
    row.bandHeight = band_ ? std::max(3, rowHeight_ / 13) : 0;
    row.bandTop = row.top + margin;
    row.barTop = row.bandTop + row.bandHeight + (band_ ? 1 : 0);
    row.barHeight = row.top + rowHeight_ - margin - row.barTop;
    row.tickHeight = std::max(2, row.barHeight / 7);
    return row;
}

std::vector<Row> Rows::visible() const {
    std::vector<Row> rows;
    const int count = static_cast<int>(ranks_.size());
    for (int i = 0; i < pinned_; ++i) rows.push_back(row(i));
    for (int i = pinned_ + scroll_ / rowHeight_; i < count && shows(i); ++i) rows.push_back(row(i));
    return rows;
}

int Rows::positionOf(int rank) const {
    const auto place = std::find(ranks_.begin(), ranks_.end(), rank);
    if (place != ranks_.end()) return static_cast<int>(place - ranks_.begin());
    const auto other = std::ranges::lower_bound(folded_, rank, {}, &std::pair<int, int>::first);
    return other == folded_.end() || other->first != rank ? -1 : other->second;
}

std::vector<int> Rows::ranksOf(int position) const {
    std::vector<int> ranks{ranks_[static_cast<std::size_t>(position)]};
    for (const auto& [rank, row] : folded_)
        if (row == position) ranks.push_back(rank);
    return ranks;
}

int Rows::positionAt(int y) const {
    if (y < top_ || y >= top_ + height_) return -1;
    const bool amongPinned = y < top_ + pinned_ * rowHeight_;
    const int position = (y - top_ + (amongPinned ? 0 : scroll_)) / rowHeight_;
    return position < static_cast<int>(ranks_.size()) ? position : -1;
}

void Rows::reveal(int position) {
    if (position < pinned_) return;
    const int top = position * rowHeight_;
    const int hidden = pinned_ * rowHeight_;
    if (top - hidden < scroll_) setScroll(top - hidden);
    else if (top + rowHeight_ > scroll_ + height_) setScroll(top + rowHeight_ - height_);
}

}  // namespace shardlab::ui
