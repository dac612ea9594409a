// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/happening_marks.h"

#include "ui/core/run_model.h"
#include "ui/timeline/lane_shape.h"

#include <algorithm>
#include <cmath>

namespace shardlab::ui {

std::bitset<happeningMarks.size()> happeningsOf(const RunModel& model) {
    std::bitset<happeningMarks.size()> found;
    for (std::size_t i = 0; i < happeningMarks.size(); ++i)
        found[i] = !model.points().of(happeningMarks[i].kind).empty();
    return found;
}

std::vector<Event> shownHappenings(const RunModel& model, EventKind kind, const TimeScale& scale) {
    const std::vector<Event>& events = model.points().of(kind);
    std::vector<Event> shown;
    auto event = std::ranges::lower_bound(events, scale.begin, {}, &Event::begin);
    while (event != events.end() && event->begin <= scale.end) {
        shown.push_back(*event);
        const std::int64_t next = scale.time(scale.x(event->begin) + 1);
        event = std::ranges::lower_bound(event + 1, events.end(), next, {}, &Event::begin);
    }
    return shown;
}

std::vector<double> markPlaces(const RunModel& model, const TimeScale& scale) {
    std::vector<double> places;
    for (const HappeningMark& mark : happeningMarks)
        for (const Event& event : shownHappenings(model, mark.kind, scale)) places.push_back(scale.x(event.begin));
    std::ranges::sort(places);
    return places;
}

int behindMarks(const std::vector<double>& marks, int x, int width, int size) {
    const double half = size / 2.0;
    for (const double mark : marks)
        if (mark + half > x + labelInset && mark - half < x + labelInset + width)
            x = static_cast<int>(std::ceil(mark + half)) - labelInset;
    return x;
}

std::vector<Event> shownOverflows(const RunModel& model, int rank, const TimeScale& scale) {
    if (rank < 0 || rank >= model.ranks()) return {};
    const std::vector<Event>& events = model.points().overflows(rank);
    const auto margin = static_cast<std::int64_t>(scale.perPixel() * 8);
    const auto pixel = [&](const Event& event) { return std::floor(scale.x(event.begin)); };
    std::vector<Event> shown;
    auto event = std::ranges::lower_bound(events, scale.begin - margin, {}, &Event::begin);
    while (event != events.end() && event->begin < scale.end + margin) {
        shown.push_back(*event);
        event = std::ranges::upper_bound(event + 1, events.end(), pixel(*event), {}, pixel);
    }
    return shown;
}

}  // namespace shardlab::ui
