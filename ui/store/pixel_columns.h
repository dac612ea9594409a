// SPDX-License-Identifier: GPL-3.0-or-later
// How much of each pixel column of a row each paint covers, summed from events and from overviews of blocks.
#pragma once

#include "ui/store/paint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardlab::ui {

class PixelColumns {
public:
    /// Columns of `perPixel` nanoseconds each, the first from `begin` on.
    PixelColumns(std::int64_t begin, double perPixel, int count)
        : begin_(begin), perPixel_(perPixel), pixels_(1 / perPixel), count_(count) {}

    int count() const { return count_; }
    double perPixel() const { return perPixel_; }
    /// The place of a time, in pixels from the left edge of the first column.
    double x(std::int64_t time) const { return static_cast<double>(time - begin_) * pixels_; }

    /// `paint`, not None, over [from, to) pixels, which may lie outside; `share` of it in [0, 1].
    void add(Paint paint, double from, double to, float share = 1) {
        float* const sums = plane(paint);
        from = std::max(from, 0.0);
        to = std::min(to, static_cast<double>(count_));
        if (to <= from) return;
        const int first = static_cast<int>(from);
        const int last = static_cast<int>(to);
        if (first == last) {
            sums[first] += share * static_cast<float>(to - from);
            return;
        }
        sums[first] += share * static_cast<float>(first + 1 - from);
        for (int x = first + 1; x < last; ++x) sums[x] += share;
        if (last < count_) sums[last] += share * static_cast<float>(to - last);
    }

    bool used(Paint paint) const { return places_[static_cast<std::size_t>(paint)] > 0; }
    /// The part of a column that a used() paint fills: 1 is the whole column, and more where events of one paint
    /// overlap.
    float at(Paint paint, int column) const { return sums_[start(paint) + static_cast<std::size_t>(column)]; }
    /// The count() columns of a paint, for adding to them directly.
    float* plane(Paint paint) {
        if (!used(paint)) {
            places_[static_cast<std::size_t>(paint)] = static_cast<int>(sums_.size()) + 1;
            sums_.resize(sums_.size() + static_cast<std::size_t>(count_));
        }
        return sums_.data() + start(paint);
    }
    bool empty() const { return sums_.empty(); }

private:
    std::size_t start(Paint paint) const {
        return static_cast<std::size_t>(places_[static_cast<std::size_t>(paint)] - 1);
    }

    std::int64_t begin_;
    double perPixel_;
    double pixels_;  ///< a nanosecond
    int count_;
    std::vector<float> sums_;               ///< of used paints
    std::array<int, paintCount> places_{};  ///< where theirs begin, from 1; 0: not used
};

}  // namespace shardlab::ui
