// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/block_overview.h"

#include "engine/base/saturate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace shardlab::ui {
namespace {

constexpr std::size_t mostTails = 32;  ///< beyond which the cells reach to the last end instead
constexpr std::size_t eventsOfCell = 8;

/// Whole cells before `cell`, which lies in [0, cells]; between two edges in proportion.
float before(std::span<const std::uint16_t> sums, float cell) {
    const auto edge = std::min(static_cast<std::size_t>(cell), sums.size() - 2);
    const auto low = static_cast<float>(sums[edge]);
    return low + (cell - static_cast<float>(edge)) * (static_cast<float>(sums[edge + 1]) - low);
}

}  // namespace

std::size_t BlockOverview::start(std::size_t paint) const { return (places_[paint] - std::size_t{1}) * edges(); }

std::span<const std::uint16_t> BlockOverview::sums(std::size_t paint) const {
    return std::span(sums_).subspan(start(paint), edges());
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
        total_[paint] = saturatedSum(total_[paint], event.end - event.begin);
        if (places_[static_cast<std::size_t>(paint)] == 0)
            places_[static_cast<std::size_t>(paint)] = static_cast<std::uint8_t>(
                1 + std::ranges::count_if(places_, [](std::uint8_t place) { return place > 0; }));
    }
    if (painted == 0) return;
    const auto sticksOut = [this](const Event& event) {
        return event.end > end_ && event.end > event.begin && paintOf(event.kind) != Paint::None;
    };
    if (static_cast<std::size_t>(std::ranges::count_if(spans, sticksOut)) > mostTails) end_ = latest;
    for (const Event& event : spans)
        if (sticksOut(event)) tails_.push_back({std::max(event.begin, end_), event.end, paintOf(event.kind)});
    if (end_ <= begin_) return;

    cells_ = static_cast<int>(std::bit_ceil(std::max<std::size_t>(1, painted / eventsOfCell)));
    cells_ = std::min(cells_, finest);
    PixelColumns columns(begin_, cell(), cells_);
    for (const Event& event : spans)
        if (const Paint paint = paintOf(event.kind); paint != Paint::None && event.end > event.begin)
            columns.add(paint, columns.x(event.begin), columns.x(event.end));
    fill(columns);
}

BlockOverview::BlockOverview(const BlockOverview& first, const BlockOverview& second) {
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    bool begun = false;
    for (const BlockOverview* part : {&first, &second}) {
        if (part->empty()) continue;
        begin_ = begun ? std::min(begin_, part->begin_) : part->begin_;
        end_ = begun ? std::max(end_, part->end_) : part->end_;
        begun = true;
        cells_ += std::max(1, part->cells_);
        for (std::size_t paint = 0; paint < paintCount; ++paint)
            total_.of[paint] = saturatedSum(total_.of[paint], part->total_.of[paint]);
        for (const Tail& tail : part->tails_) latest = std::max(latest, tail.end);
    }
    const auto sticksOut = [this](const Tail& tail) { return tail.end > end_; };
    const auto cut = [&](const Tail& tail) { return Tail{std::max(tail.begin, end_), tail.end, tail.paint}; };
    if (std::ranges::count_if(first.tails_, sticksOut) + std::ranges::count_if(second.tails_, sticksOut) >
        static_cast<std::ptrdiff_t>(mostTails))
        end_ = latest;
    for (const BlockOverview* part : {&first, &second})
        for (const Tail& tail : part->tails_)
            if (sticksOut(tail)) tails_.push_back(cut(tail));
    if (end_ <= begin_) {
        cells_ = 0;
        return;
    }
    cells_ = std::min(static_cast<int>(std::bit_ceil(static_cast<unsigned>(cells_))), finest);
    PixelColumns columns(begin_, cell(), cells_);
    first.addTo(columns);
    second.addTo(columns);
    std::uint8_t places = 0;
    for (std::size_t paint = 0; paint < paintCount; ++paint)
        if (columns.used(static_cast<Paint>(paint))) places_[paint] = ++places;
    fill(columns);
}

void BlockOverview::fill(const PixelColumns& columns) {
    sums_.resize(edges() * *std::ranges::max_element(places_));
    for (std::size_t paint = 0; paint < paintCount; ++paint) {
        if (places_[paint] == 0) continue;
        std::uint16_t* const before = sums_.data() + start(paint);
        double exact = 0;
        for (int i = 0; i < cells_; ++i) {
            const float share = std::min(1.0f, columns.at(static_cast<Paint>(paint), i));
            exact += share;
            // What is there stays visible; that it was told as more is made up for later.
            const int least = before[i] + (share > 0 ? 1 : 0);
            before[i + 1] = static_cast<std::uint16_t>(std::max(least, static_cast<int>(std::lround(exact * full()))));
        }
    }
}

Coverage BlockOverview::within(std::int64_t begin, std::int64_t end) const {
    Coverage covered;
    for (const Tail& tail : tails_)
        covered[tail.paint] += std::max<std::int64_t>(0, std::min(end, tail.end) - std::max(begin, tail.begin));
    if (cells_ == 0 || begin >= end_ || end <= begin_) return covered;
    const auto position = [this](std::int64_t time) {
        return static_cast<float>(
            std::clamp(static_cast<double>(time - begin_) / cell(), 0.0, static_cast<double>(cells_)));
    };
    const float from = position(begin), to = position(end);
    for (std::size_t paint = 0; paint < paintCount; ++paint)
        if (places_[paint] > 0)
            covered.of[paint] += std::llround((before(sums(paint), to) - before(sums(paint), from)) / full() * cell());
    return covered;
}

void BlockOverview::addTo(PixelColumns& columns) const {
    for (const Tail& tail : tails_) columns.add(tail.paint, columns.x(tail.begin), columns.x(tail.end));
    if (cells_ == 0) return;
    const double left = columns.x(begin_);
    const double width = (columns.x(end_) - left) / cells_, cellsOfColumn = 1 / width;
    const int first = static_cast<int>(std::clamp(std::floor(left), 0.0, static_cast<double>(columns.count())));
    const int last =
        static_cast<int>(std::clamp(std::ceil(columns.x(end_)), 0.0, static_cast<double>(columns.count())));
    const auto position = [&](int column) {
        return static_cast<float>(std::clamp((column - left) * cellsOfColumn, 0.0, static_cast<double>(cells_)));
    };
    const auto share = static_cast<float>(width / full());
    for (std::size_t paint = 0; paint < paintCount; ++paint) {
        if (places_[paint] == 0) continue;
        const std::span<const std::uint16_t> edges = sums(paint);
        float* const plane = columns.plane(static_cast<Paint>(paint));
        float begun = before(edges, position(first));
        for (int column = first; column < last; ++column) {
            const float ended = before(edges, position(column + 1));
            plane[column] += share * (ended - begun);
            begun = ended;
        }
    }
}

}  // namespace shardlab::ui
