// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_shape.h"

#include <algorithm>
#include <cmath>

namespace shardlab {

namespace {

std::vector<Bar> bars(std::span<const Event> events, const TimeScale& scale, std::int64_t offset, int from, int to,
                      std::size_t first, std::size_t last) {
    std::vector<Bar> result;
    for (std::size_t i = first; i < last; ++i) {
        const double x0 = scale.x(events[i].begin + offset);
        const double x1 = scale.x(events[i].end + offset);
        const int left = std::max(from, static_cast<int>(std::floor(std::max(x0, double(from)))));
        const int right = std::min(to, std::max(left + 1, static_cast<int>(std::floor(std::min(x1, double(to))))));
        if (x1 < from || left >= to) continue;
        result.push_back({left, right, i});
    }
    return result;
}

}  // namespace

std::vector<Column> laneColumns(std::span<const Event> events, const LaneIndex& index, const TimeScale& scale,
                                std::int64_t offset, int from, int to) {
    std::vector<Column> result;
    from = std::max(from, scale.left);
    to = std::min(to, scale.left + scale.width);
    std::int64_t begin = scale.columnBegin(from - scale.left) - offset;
    std::size_t hint = 0;
    Coverage before = index.before(events, begin, &hint);
    for (int x = from; x < to; ++x) {
        const std::int64_t end = scale.columnBegin(x + 1 - scale.left) - offset;
        const Coverage after = index.before(events, end, &hint);
        const Coverage covered = (after - before).withoutNested();
        if (const std::int64_t sum = covered.sum(); sum > 0) {
            Column column{x, {}};
            const float whole = static_cast<float>(std::max(sum, end - begin));
            for (std::size_t i = 0; i < paintCount; ++i) column.share[i] = static_cast<float>(covered.of[i]) / whole;
            result.push_back(column);
        }
        before = after;
        begin = end;
    }
    return result;
}

LaneShape laneShape(std::span<const Event> events, const LaneIndex& index, const TimeScale& scale, std::int64_t offset,
                    int from, int to) {
    from = std::max(from, scale.left);
    to = std::min(to, scale.left + scale.width);
    if (from >= to || index.size() == 0) return {};
    const std::int64_t begin = scale.columnBegin(from - scale.left) - offset;
    const std::int64_t end = scale.columnBegin(to - scale.left) - offset;
    const std::size_t first = index.firstEndingAfter(events, begin);
    const std::size_t last = index.firstBeginningAt(events, end);
    if (first >= last) return {};
    // An event to every five pixels can still be told from its neighbours.
    if (last - first <= static_cast<std::size_t>(to - from) / 5 + 8)
        return {bars(events, scale, offset, from, to, first, last), {}};
    return {{}, laneColumns(events, index, scale, offset, from, to)};
}

std::int64_t eventAt(std::span<const Event> events, const LaneIndex& index, const TimeScale& scale, std::int64_t offset,
                     double x, double tolerance) {
    const std::int64_t time = scale.time(x) - offset;
    auto slack = static_cast<std::int64_t>(tolerance * scale.perPixel());
    std::size_t first = index.firstEndingAfter(events, time - slack - 1);
    std::size_t last = index.firstBeginningAt(events, time + slack + 1);
    if (last > first + 64) {  // too many to point at one: what is exactly there
        slack = 0;
        first = index.firstEndingAfter(events, time - 1);
        last = index.firstBeginningAt(events, time + 1);
    }
    std::int64_t best = -1;
    std::int64_t bestDistance = slack + 1;
    for (std::size_t i = first; i < last; ++i) {
        if (paintOf(events[i].kind) == Paint::None && events[i].kind != EventKind::Wait) continue;
        const std::int64_t distance = std::max({events[i].begin - time, time - events[i].end + 1, std::int64_t{0}});
        const auto length = [&](std::size_t k) { return events[k].end - events[k].begin; };
        if (distance < bestDistance ||
            (distance == bestDistance && best >= 0 && length(i) < length(static_cast<std::size_t>(best)))) {
            best = static_cast<std::int64_t>(i);
            bestDistance = distance;
        }
    }
    return best;
}

}  // namespace shardlab
