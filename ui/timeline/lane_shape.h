// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn of one lane in one stretch of time: bars where events can be told apart, else for each pixel column
// the share of every paint.
#pragma once

#include "ui/store/block_loader.h"
#include "ui/timeline/lane_index.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardlab::ui {

/// Time to pixels. `offset` is added to an event's time (predicted events lie at 0).
struct TimeScale {
    std::int64_t begin = 0;
    std::int64_t end = 1;
    int left = 0;
    int width = 1;
    bool operator==(const TimeScale&) const = default;

    double perPixel() const { return static_cast<double>(end - begin) / width; }
    double x(std::int64_t time) const { return left + static_cast<double>(time - begin) / perPixel(); }
    std::int64_t time(double x) const { return begin + static_cast<std::int64_t>((x - left) * perPixel()); }
    /// Where pixel column `column` (0 = at left) begins.
    std::int64_t columnBegin(int column) const {
        return begin + static_cast<std::int64_t>(static_cast<double>(end - begin) * column / width);
    }
};

/// One event; pixels [left, right), at least one wide, cut to the scale.
struct Bar {
    int left;
    int right;
    Event event;
};

/// One pixel column; shares of its time in [0, 1], together at most 1.
struct Column {
    int x;
    std::array<float, paintCount> share;
};

struct LaneShape {
    std::vector<Bar> bars;
    std::vector<Column> columns;  ///< empty columns are left out
};

/// So many spans can still be told from their neighbours in these pixels: one to every five.
std::size_t mostBars(int from, int to);

/// `from`, `to`: only pixels within [from, to) are drawn. Columns take the place of bars where there are more events
/// than pixels to show them in.
LaneShape laneShape(std::span<const Event> events, const LaneIndex& index, const TimeScale& scale, std::int64_t offset,
                    int from, int to);

/// The columns alone, however few events there are.
std::vector<Column> laneColumns(std::span<const Event> events, const LaneIndex& index, const TimeScale& scale,
                                std::int64_t offset, int from, int to);

/// The same of measured events. What is not in memory is asked of `blocks`; until it is there columns are coarser, or
/// are missing.
LaneShape laneShape(const StoredLane& lane, BlockLoader& blocks, const TimeScale& scale, int from, int to);
std::vector<Column> laneColumns(const StoredLane& lane, BlockLoader& blocks, const TimeScale& scale, int from, int to);

/// The event drawn at `x`, or the nearest within `tolerance` pixels. Where several overlap, the shortest. Events that
/// are not painted are not there, but waits are.
std::optional<Event> eventAt(std::span<const Event> events, const LaneIndex& index, const TimeScale& scale,
                             std::int64_t offset, double x, double tolerance);
/// Reads what it must.
std::optional<Event> eventAt(const StoredLane& lane, const TimeScale& scale, double x, double tolerance);

}  // namespace shardlab::ui
