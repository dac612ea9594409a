// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_shape.h"

#include <algorithm>
#include <cmath>

namespace shardlab::ui {

namespace {

constexpr std::size_t mostLookedInto = 16;  ///< blocks whose events may be few enough to be bars
constexpr double widestCell = 2;            ///< pixels of an overview's cell, beyond which events are looked at

std::vector<Bar> bars(std::span<const Event> events, const TimeScale& scale, std::int64_t offset, int from, int to) {
    std::vector<Bar> result;
    for (const Event& event : events) {
        const double x0 = scale.x(event.begin + offset);
        const double x1 = scale.x(event.end + offset);
        const int left = std::max(from, static_cast<int>(std::floor(std::max(x0, double(from)))));
        const int right = std::min(to, std::max(left + 1, static_cast<int>(std::floor(std::min(x1, double(to))))));
        if (x1 < from || left >= to) continue;
        result.push_back({left, right, event});
    }
    return result;
}

/// Those that may reach into [begin, end).
std::span<const Event> inSight(std::span<const Event> spans, const BlockDigest* digest, std::int64_t begin,
                               std::int64_t end) {
    const auto first =
        digest ? std::ranges::lower_bound(spans, begin - digest->longest, {}, &Event::begin) : spans.begin();
    return {first, std::ranges::lower_bound(first, spans.end(), end, {}, &Event::begin)};
}

/// Spans of [begin, end), where all are in memory and few enough to be bars.
std::optional<std::vector<Event>> fewEvents(const StoredLane& lane, BlockLoader& blocks, std::int64_t begin,
                                            std::int64_t end, std::size_t most) {
    const StoredLane::Touching touching = lane.touching(begin, end);
    if (touching.blocks.size() > mostLookedInto) return {};
    double likely = 0;
    for (const std::size_t i : touching.blocks) {
        const BlockDigest* const digest = lane.entries()[i].digest.get();
        if (!digest || digest->end <= digest->begin) continue;
        const auto length = static_cast<double>(digest->end) - static_cast<double>(digest->begin);
        const auto within =
            static_cast<double>(std::min(end, digest->end)) - static_cast<double>(std::max(begin, digest->begin));
        likely += digest->spans * std::clamp(within / length, 0.0, 1.0);
    }
    if (likely > 8.0 * static_cast<double>(most)) return {};
    std::vector<Event> events;
    bool there = true;
    const auto take = [&](std::span<const Event> spans) {
        for (const Event& event : spans)
            if (event.end > begin) events.push_back(event);
    };
    for (const std::size_t i : touching.blocks) {
        const BlockCache::Block block = blocks.get(lane, i);
        if (block) take(inSight(block->spans, lane.entries()[i].digest.get(), begin, end));
        else there = false;
    }
    if (touching.open) take(inSight(lane.open().spans, nullptr, begin, end));
    if (!there || events.size() > most) return {};
    if (!std::ranges::is_sorted(events, {}, &Event::begin)) std::ranges::stable_sort(events, {}, &Event::begin);
    return events;
}

/// Each moment counted once: a recomputation lies within a backward or input gradient, which loses as much.
void leaveNestedOut(std::array<float, paintCount>& share) {
    float again = share[static_cast<std::size_t>(Paint::Recompute)];
    for (const Paint around : {Paint::Backward, Paint::InputGrad}) {
        const float part = std::min(again, share[static_cast<std::size_t>(around)]);
        share[static_cast<std::size_t>(around)] -= part;
        again -= part;
    }
}

std::vector<Column> columnsOf(const PixelColumns& sums, int left) {
    std::vector<Column> result;
    if (sums.empty()) return result;
    std::vector<Paint> used;
    for (std::size_t paint = 0; paint < paintCount; ++paint)
        if (sums.used(static_cast<Paint>(paint))) used.push_back(static_cast<Paint>(paint));
    const bool nested = sums.used(Paint::Recompute);
    result.reserve(static_cast<std::size_t>(sums.count()));
    for (int x = 0; x < sums.count(); ++x) {
        Column column{left + x, {}};
        for (const Paint paint : used) column.share[static_cast<std::size_t>(paint)] = sums.at(paint, x);
        if (nested) leaveNestedOut(column.share);
        float all = 0;
        for (const Paint paint : used) all += column.share[static_cast<std::size_t>(paint)];
        if (all <= 0) continue;
        if (all > 1)
            for (const Paint paint : used) column.share[static_cast<std::size_t>(paint)] /= all;
        result.push_back(column);
    }
    return result;
}

/// The event nearest to `time` among those that are not farther than `slack`; of equally near ones the shortest.
const Event* nearest(std::span<const Event> events, std::int64_t time, std::int64_t slack) {
    const Event* best = nullptr;
    std::int64_t bestDistance = slack + 1;
    for (const Event& event : events) {
        if (paintOf(event.kind) == Paint::None && event.kind != EventKind::Wait) continue;
        const std::int64_t distance = std::max({event.begin - time, time - event.end + 1, std::int64_t{0}});
        const bool nearer = distance < bestDistance ||
                            (distance == bestDistance && best && event.end - event.begin < best->end - best->begin);
        if (!nearer) continue;
        best = &event;
        bestDistance = distance;
    }
    return best;
}

constexpr std::size_t mostPointedAt = 64;  ///< events within reach, beyond which only those exactly there are meant

}  // namespace

std::size_t mostBars(int from, int to) { return static_cast<std::size_t>(to - from) / 5 + 8; }

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
    if (last - first <= mostBars(from, to))
        return {bars(events.subspan(first, last - first), scale, offset, from, to), {}};
    return {{}, laneColumns(events, index, scale, offset, from, to)};
}

std::vector<Column> laneColumns(const StoredLane& lane, BlockLoader& blocks, const TimeScale& scale, int from, int to) {
    from = std::max(from, scale.left);
    to = std::min(to, scale.left + scale.width);
    if (from >= to) return {};
    const std::int64_t begin = scale.columnBegin(from - scale.left);
    PixelColumns sums(begin, scale.perPixel(), to - from);
    const std::int64_t end = scale.columnBegin(to - scale.left);
    const auto add = [&](std::span<const Event> spans, const BlockDigest* digest) {
        for (const Event& event : inSight(spans, digest, begin, end))
            if (const Paint paint = paintOf(event.kind); paint != Paint::None)
                sums.add(paint, sums.x(event.begin), sums.x(event.end));
    };
    const StoredLane::Touching touching = lane.touching(begin, end);
    for (const std::size_t i : touching.blocks) {
        const BlockDigest* const digest = lane.entries()[i].digest.get();
        const bool afar = digest && digest->overview.cell() <= widestCell * scale.perPixel();
        const BlockCache::Block block = afar ? nullptr : blocks.get(lane, i);
        if (block) add(block->spans, digest);
        else if (digest) digest->overview.addTo(sums);
    }
    if (touching.open) add(lane.open().spans, nullptr);
    return columnsOf(sums, from);
}

LaneShape laneShape(const StoredLane& lane, BlockLoader& blocks, const TimeScale& scale, int from, int to) {
    from = std::max(from, scale.left);
    to = std::min(to, scale.left + scale.width);
    if (from >= to || lane.empty()) return {};
    const auto few = fewEvents(lane, blocks, scale.columnBegin(from - scale.left), scale.columnBegin(to - scale.left),
                               mostBars(from, to));
    if (few) return {bars(*few, scale, 0, from, to), {}};
    return {{}, laneColumns(lane, blocks, scale, from, to)};
}

std::optional<Event> eventAt(std::span<const Event> events, const LaneIndex& index, const TimeScale& scale,
                             std::int64_t offset, double x, double tolerance) {
    const std::int64_t time = scale.time(x) - offset;
    auto slack = static_cast<std::int64_t>(tolerance * scale.perPixel());
    std::size_t first = index.firstEndingAfter(events, time - slack - 1);
    std::size_t last = index.firstBeginningAt(events, time + slack + 1);
    if (last > first + mostPointedAt) {
        slack = 0;
        first = index.firstEndingAfter(events, time - 1);
        last = index.firstBeginningAt(events, time + 1);
    }
    const Event* found = last > first ? nearest(events.subspan(first, last - first), time, slack) : nullptr;
    return found ? std::optional(*found) : std::nullopt;
}

std::optional<Event> eventAt(const StoredLane& lane, const TimeScale& scale, double x, double tolerance) {
    const std::int64_t time = scale.time(x);
    auto slack = static_cast<std::int64_t>(tolerance * scale.perPixel());
    // Many blocks hold too many events, and reading them would take long.
    const bool many = lane.touching(time - slack - 1, time + slack + 1).blocks.size() > 2;
    std::vector<Event> events;
    if (!many) events = lane.within(time - slack - 1, time + slack + 1);
    if (many || events.size() > mostPointedAt) {
        slack = 0;
        events = lane.within(time - 1, time + 1);
    }
    const Event* found = nearest(events, time, slack);
    return found ? std::optional(*found) : std::nullopt;
}

}  // namespace shardlab::ui
