// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/walk.h"

#include "ui/timeline/gantt_scene.h"

#include <algorithm>

namespace shardlab {

namespace {

const std::vector<Event>& laneOf(const RunModel& model, int rank, Lane lane) {
    return showsPrediction(model) ? model.predicted(rank, lane) : model.lane(rank, lane);
}

bool painted(const Event& event) { return paintOf(event.kind) != Paint::None; }

/// The painted event whose middle is nearest to `time`.
std::optional<Event> nearest(const std::vector<Event>& lane, std::int64_t time) {
    const auto after = std::lower_bound(lane.begin(), lane.end(), time, [](const Event& e, std::int64_t t) { return e.begin < t; });
    const auto distance = [&](const Event& e) { return std::abs(e.begin + (e.end - e.begin) / 2 - time); };
    const auto right = std::find_if(after, lane.end(), painted);
    const auto left = std::find_if(std::make_reverse_iterator(after), lane.rend(), painted);
    if (right == lane.end() && left == lane.rend()) return {};
    if (right == lane.end()) return *left;
    if (left == lane.rend()) return *right;
    return distance(*left) <= distance(*right) ? *left : *right;
}

}  // namespace

std::optional<Event> walkLane(const TimelineState& state, const std::optional<Event>& from, int direction) {
    if (state.model.empty() || state.rows.ranks().empty()) return {};
    if (!from) {
        const auto& lane = laneOf(state.model, state.rows.ranks().front(), Lane::Compute);
        const auto first = std::find_if(
            std::lower_bound(lane.begin(), lane.end(), state.scale.begin, [](const Event& e, std::int64_t t) { return e.begin < t; }),
            lane.end(), painted);
        if (first == lane.end()) return {};
        return *first;
    }
    if (from->rank >= state.model.ranks()) return {};
    const auto& lane = laneOf(state.model, from->rank, from->lane);
    auto [place, last] = std::equal_range(lane.begin(), lane.end(), *from, [](const Event& a, const Event& b) { return a.begin < b.begin; });
    while (place != last && !(*place == *from)) ++place;
    if (direction > 0) {
        const auto next = std::find_if(place == lane.end() ? place : place + 1, lane.end(), painted);
        if (next == lane.end()) return {};
        return *next;
    }
    const auto previous = std::find_if(std::make_reverse_iterator(place), lane.rend(), painted);
    if (previous == lane.rend()) return {};
    return *previous;
}

std::optional<Event> walkRanks(const TimelineState& state, const std::optional<Event>& from, int direction) {
    if (!from) return walkLane(state, {}, direction);
    const int position = state.rows.positionOf(from->rank) + direction;
    if (position < 0 || position >= static_cast<int>(state.rows.ranks().size())) return {};
    const int rank = state.rows.ranks()[static_cast<std::size_t>(position)];
    return nearest(laneOf(state.model, rank, from->lane), from->begin + (from->end - from->begin) / 2);
}

}  // namespace shardlab
