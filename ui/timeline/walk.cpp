// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/walk.h"

#include "ui/timeline/gantt_scene.h"

#include <algorithm>

namespace shardlab::ui {

namespace {

bool painted(const Event& event) { return paintOf(event.kind) != Paint::None; }

/// The first painted event from `time` on, behind `from`; or the last before it.
std::optional<Event> step(const std::vector<Event>& lane, std::int64_t time, int direction, const Event* from) {
    const auto before = [](const Event& e, std::int64_t t) { return e.begin < t; };
    auto place = std::lower_bound(lane.begin(), lane.end(), time, before);
    const auto known = from ? std::find(place, lane.end(), *from) : lane.end();
    if (known != lane.end()) place = direction > 0 ? known + 1 : known;
    if (direction > 0) {
        const auto found = std::find_if(place, lane.end(), painted);
        return found == lane.end() ? std::nullopt : std::optional(*found);
    }
    const auto found = std::find_if(std::make_reverse_iterator(place), lane.rend(), painted);
    return found == lane.rend() ? std::nullopt : std::optional(*found);
}

/// The same of the lane that is shown.
std::optional<Event> step(const RunModel& model, int rank, Lane lane, std::int64_t time, int direction,
                          const Event* from = nullptr) {
    if (showsPrediction(model)) return step(model.prediction().lane(rank, lane), time, direction, from);
    return direction > 0 ? model.store().lane(rank, lane).next(time, painted, from)
                         : model.store().lane(rank, lane).previous(time, painted, from);
}

/// The painted event whose middle is nearest to `time`.
std::optional<Event> nearestEvent(const RunModel& model, int rank, Lane lane, std::int64_t time) {
    const auto distance = [&](const Event& e) { return std::abs(e.begin + (e.end - e.begin) / 2 - time); };
    const std::optional<Event> right = step(model, rank, lane, time, 1);
    const std::optional<Event> left = step(model, rank, lane, time, -1);
    if (!right || !left) return right ? right : left;
    return distance(*left) <= distance(*right) ? left : right;
}

}  // namespace

std::optional<Event> walkLane(const TimelineState& state, const std::optional<Event>& from, int direction) {
    if (state.model.empty() || state.rows.ranks().empty()) return {};
    if (!from) return step(state.model, state.rows.ranks().front(), Lane::Compute, state.scale.begin, 1);
    if (from->rank < 0 || from->rank >= state.model.ranks()) return {};
    return step(state.model, from->rank, from->lane, from->begin, direction, &*from);
}

std::optional<Event> walkRanks(const TimelineState& state, const std::optional<Event>& from, int direction) {
    if (!from) return walkLane(state, {}, direction);
    const int position = state.rows.positionOf(from->rank) + direction;
    if (position < 0 || position >= static_cast<int>(state.rows.ranks().size())) return {};
    const int rank = state.rows.ranks()[static_cast<std::size_t>(position)];
    return nearestEvent(state.model, rank, from->lane, from->begin + (from->end - from->begin) / 2);
}

}  // namespace shardlab::ui
