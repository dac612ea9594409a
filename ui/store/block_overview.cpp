// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/block_overview.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace shardlab {
namespace {

constexpr std::size_t mostTails = 32;     ///< beyond which the cells reach to the last end instead
constexpr std::size_t eventsOfCell = 8;
constexpr float whole = 255;

std::uint8_t packed(double share) {
    if (share <= 0) return 0;
    return static_cast<std::uint8_t>(std::clamp(std::lround(share * whole), 1L, 255L));  // what is there stays visible
}

}  // namespace

std::vector<BlockOverview::Level> BlockOverview::levels() const {
    std::vector<Level> all;
    std::size_t at = 0;
    for (int count = cells_; count > 0; count /= coarser) {
        all.push_back({count, at});
        at += static_cast<std::size_t>(count);
    }
    return all;
}

std::span<const std::uint8_t> BlockOverview::cells(std::size_t paint, const Level& level) const {
    return std::span(shares_).subspan((places_[paint] - std::size_t{1}) * perPaint_ + level.at, static_cast<std::size_t>(level.cells));
}

BlockOverview::BlockOverview(std::span<const Event> spans) {
    std::size_t painted = 0;
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (const Event& event : spans) {
        const Paint paint = paintOf(event.kind);
        if (paint == Paint::None || event.end <= event.begin) continue;
        if (painted++ == 0) begin_ = event.begin;
        end_ = event.begin;
        latest = std::max(latest, event.end);
        total_[paint] += event.end - event.begin;
        if (places_[static_cast<std::size_t>(paint)] == 0)
            places_[static_cast<std::size_t>(paint)] = static_cast<std::uint8_t>(1 + std::ranges::count_if(places_, [](std::uint8_t place) { return place > 0; }));
    }
    if (painted == 0) return;
    const auto sticksOut = [this](const Event& event) { return event.end > end_ && event.end > event.begin && paintOf(event.kind) != Paint::None; };
    if (static_cast<std::size_t>(std::ranges::count_if(spans, sticksOut)) > mostTails) end_ = latest;
    for (const Event& event : spans)
        if (sticksOut(event)) tails_.push_back({std::max(event.begin, end_), event.end, paintOf(event.kind)});
    if (end_ <= begin_) return;

    cells_ = static_cast<int>(std::bit_ceil(std::max<std::size_t>(1, painted / eventsOfCell)));
    cells_ = std::min(cells_, finest);
    const std::vector<Level> all = levels();
    perPaint_ = all.back().at + static_cast<std::size_t>(all.back().cells);
    shares_.resize(perPaint_ * static_cast<std::size_t>(*std::ranges::max_element(places_)));
    PixelColumns sums(begin_, cell(), cells_);
    for (const Event& event : spans)
        if (const Paint paint = paintOf(event.kind); paint != Paint::None && event.end > event.begin) sums.add(paint, sums.x(event.begin), sums.x(event.end));
    for (std::size_t paint = 0; paint < paintCount; ++paint) {
        if (places_[paint] == 0) continue;
        std::uint8_t* const out = shares_.data() + (places_[paint] - std::size_t{1}) * perPaint_;
        for (const Level& level : all) {
            const int joined = cells_ / level.cells;
            for (int i = 0; i < level.cells; ++i) {
                double sum = 0;
                for (int j = 0; j < joined; ++j) sum += std::min(1.0f, sums.at(static_cast<Paint>(paint), i * joined + j));
                out[level.at + static_cast<std::size_t>(i)] = packed(sum / joined);
            }
        }
    }
}

Coverage BlockOverview::within(std::int64_t begin, std::int64_t end) const {
    Coverage covered;
    for (const Tail& tail : tails_) covered[tail.paint] += std::max<std::int64_t>(0, std::min(end, tail.end) - std::max(begin, tail.begin));
    if (cells_ == 0 || begin >= end_ || end <= begin_) return covered;
    const double from = std::max(0.0, static_cast<double>(begin - begin_) / cell());
    const double to = std::min(static_cast<double>(cells_), static_cast<double>(end - begin_) / cell());
    for (std::size_t paint = 0; paint < paintCount; ++paint) {
        if (places_[paint] == 0) continue;
        const auto shares = cells(paint, {cells_, 0});
        double sum = 0;
        for (int i = static_cast<int>(from); i < cells_ && i < to; ++i)
            sum += shares[static_cast<std::size_t>(i)] * (std::min(to, i + 1.0) - std::max(from, static_cast<double>(i)));
        covered.of[paint] += std::llround(sum / whole * cell());
    }
    return covered;
}

void BlockOverview::addTo(PixelColumns& columns) const {
    for (const Tail& tail : tails_) columns.add(tail.paint, columns.x(tail.begin), columns.x(tail.end));
    if (cells_ == 0) return;
    Level level{cells_, 0};
    while (level.cells >= coarser && cell() * (static_cast<double>(cells_) / level.cells) * coarser <= columns.perPixel()) {
        level.at += static_cast<std::size_t>(level.cells);
        level.cells /= coarser;
    }
    const double left = columns.x(begin_);
    const double width = (columns.x(end_) - left) / level.cells;
    const int first = std::max(0, static_cast<int>(std::floor(-left / width)));
    const int last = std::min(level.cells, static_cast<int>(std::ceil((columns.count() - left) / width)));
    for (std::size_t paint = 0; paint < paintCount; ++paint) {
        if (places_[paint] == 0) continue;
        const auto shares = cells(paint, level);
        for (int i = first; i < last; ++i)
            if (const std::uint8_t share = shares[static_cast<std::size_t>(i)]; share > 0)
                columns.add(static_cast<Paint>(paint), left + i * width, left + (i + 1) * width, static_cast<float>(share) / whole);
    }
}

}  // namespace shardlab
