// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/rows.h"

#include <algorithm>

namespace shardlab {

void Rows::arrange(std::vector<int> ranks, int top, int height, bool band) {
    ranks_ = std::move(ranks);
    top_ = top;
    height_ = std::max(height, 0);
    band_ = band;
    const int count = std::max(1, static_cast<int>(ranks_.size()));
    rowHeight_ = std::clamp(height_ / count, leastHeight, largestHeight);
    setScroll(scroll_);
}

int Rows::largestScroll() const { return std::max(0, contentHeight() - height_); }

void Rows::setScroll(int pixels) { scroll_ = std::clamp(pixels, 0, largestScroll()); }

Row Rows::row(int position) const {
    Row row;
    row.rank = ranks_[static_cast<std::size_t>(position)];
    row.height = rowHeight_;
    row.top = top_ + position * rowHeight_ - scroll_;
    const int margin = std::max(2, rowHeight_ / 7);
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
    for (int i = scroll_ / rowHeight_; i < count; ++i) {
        rows.push_back(row(i));
        if (rows.back().top >= top_ + height_) {
            rows.pop_back();
            break;
        }
    }
    return rows;
}

int Rows::positionOf(int rank) const {
    const auto place = std::find(ranks_.begin(), ranks_.end(), rank);
    return place == ranks_.end() ? -1 : static_cast<int>(place - ranks_.begin());
}

int Rows::positionAt(int y) const {
    if (y < top_ || y >= top_ + height_) return -1;
    const int position = (y - top_ + scroll_) / rowHeight_;
    return position < static_cast<int>(ranks_.size()) ? position : -1;
}

void Rows::reveal(int position) {
    if (position < 0) return;
    const int top = position * rowHeight_;
    if (top < scroll_) setScroll(top);
    else if (top + rowHeight_ > scroll_ + height_) setScroll(top + rowHeight_ - height_);
}

}  // namespace shardlab
