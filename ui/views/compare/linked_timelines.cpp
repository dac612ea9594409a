// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/compare/linked_timelines.h"

#include "engine/trace/analysis/run_comparison.h"
#include "ui/timeline/gantt_scene.h"

#include <QScopedValueRollback>

#include <algorithm>
#include <cmath>

namespace shardlab::ui {
namespace {

std::int64_t middle(const TimeRange& range) { return range.begin + (range.end - range.begin) / 2; }

/// The step at a moment, or the first where it lies before all.
const StepExtent* stepAt(const RunModel& model, std::int64_t time) {
    const auto& extents = model.steps().extents();
    if (extents.empty()) return nullptr;
    const StepExtent* step = model.steps().extentAt(std::max<std::int64_t>(time, 0));
    return step ? step : &extents.front();
}

std::int64_t momentOf(const StepExtent& extent) {
    return std::max<std::int64_t>(extent.firstForward >= 0 ? extent.firstForward : extent.begin, 0);
}

}  // namespace

std::optional<Event> alignedEvent(const RunModel& model, const Layout& from, const Event& event) {
    // Names are numbered by each run for itself.
    if (model.empty() || event.rank < 0 || nameNumber(event.action) != 0) return std::nullopt;
    const int rank = counterpart(from, event.rank, model.header().layout);
    if (rank < 0 || rank >= model.ranks()) return std::nullopt;
    const std::vector<Event> all = showsPrediction(model) ? model.prediction().lane(rank, event.lane)
                                                          : eventsOfStep(model, rank, event.lane, event.step);
    const auto found = std::ranges::find_if(
        all, [&](const Event& other) { return other.kind == event.kind && other.action == event.action; });
    return found == all.end() ? std::nullopt : std::optional<Event>(*found);
}

std::int64_t shiftBetween(const RunModel& one, const RunModel& other, std::int64_t time) {
    const bool fromPrediction = showsPrediction(one);
    const bool toPrediction = showsPrediction(other);
    if (fromPrediction == toPrediction && fromPrediction)
        return other.prediction().firstForward() - one.prediction().firstForward();
    if (toPrediction) {
        const StepExtent* step = stepAt(one, time);
        return step ? -predictedOffset(one, *step) : 0;
    }
    if (fromPrediction)
        return other.steps().extents().empty() ? 0 : predictedOffset(other, other.steps().extents().front());
    const StepExtent* step = stepAt(one, time);
    if (!step || other.steps().extents().empty()) return 0;
    const auto& extents = other.steps().extents();
    const auto same = std::ranges::lower_bound(extents, step->step, {}, &StepExtent::step);
    return momentOf(same == extents.end() ? extents.back() : *same) - momentOf(*step);
}

std::int64_t ClockMeeting::toOther(std::int64_t time) const {
    if (ratio == 1) return time + shift;
    return moment + shift + std::llround(static_cast<double>(time - moment) * ratio);
}

std::int64_t ClockMeeting::toOne(std::int64_t time) const {
    if (ratio == 1) return time - shift;
    return moment + std::llround(static_cast<double>(time - moment - shift) / ratio);
}

ClockMeeting meetingOf(const RunModel& one, const RunModel& other, std::int64_t time) {
    // The first forward of the step: there is nothing nearer that both have for sure.
    const StepExtent* const step = showsPrediction(one) ? nullptr : stepAt(one, time);
    const std::int64_t moment = step ? momentOf(*step) : showsPrediction(one) ? one.prediction().firstForward() : time;
    return {moment, shiftBetween(one, other, time), other.deviceTime().stretch() / one.deviceTime().stretch()};
}

LinkedTimelines::LinkedTimelines(RunModel& first, Selection& ofFirst, RunModel& second, Selection& ofSecond,
                                 QObject* parent)
    : QObject(parent), first_(first), ofFirst_(ofFirst), second_(second), ofSecond_(ofSecond) {
    connect(&ofFirst_, &Selection::visibleChanged, this, &LinkedTimelines::follow);
    const auto passCursor = [this] {
        if (!usable()) return;
        const std::int64_t cursor = ofFirst_.cursor();
        ofSecond_.setCursor(cursor < 0 ? -1
                                       : std::max<std::int64_t>(0, meetingOf(first_, second_, cursor).toOther(cursor)));
    };
    connect(&ofFirst_, &Selection::cursorChanged, this, passCursor);
    connect(&second_, &RunModel::appended, this, passCursor);
    passCursor();
    linkEvents();
}

void LinkedTimelines::follow() {
    if (passing_ || !usable()) return;
    const QScopedValueRollback guard(passing_, true);
    const TimeRange range = ofFirst_.visible();
    clocks_ = meetingOf(first_, second_, middle(range));
    ofSecond_.setVisible({clocks_.toOther(range.begin), clocks_.toOther(range.end)});
}

void LinkedTimelines::lead() {
    if (passing_ || !usable()) return;
    const QScopedValueRollback guard(passing_, true);
    const TimeRange range = ofSecond_.visible();
    // A prediction is one step: which of the run's it lies over stays as it is.
    if (!showsPrediction(second_)) {
        const ClockMeeting back = meetingOf(second_, first_, middle(range));
        clocks_ = {back.moment + back.shift, -back.shift, 1 / back.ratio};
    }
    ofFirst_.setFollowLive(false);
    ofFirst_.setVisible({clocks_.toOne(range.begin), clocks_.toOne(range.end)});
}

void LinkedTimelines::settle() {
    if (passing_ || !usable()) return;
    const TimeRange range = ofFirst_.visible();
    if (range.begin == range.end) return;
    const TimeRange expected{clocks_.toOther(range.begin), clocks_.toOther(range.end)};
    if (ofSecond_.visible() == expected) return;
    follow();
}

void LinkedTimelines::linkEvents() {
    const auto pass = [this](RunModel& from, Selection& source, RunModel& to, Selection& target) {
        connect(&source, &Selection::eventChanged, this, [this, &from, &source, &to, &target] {
            if (passing_ || !usable()) return;
            const QScopedValueRollback guard(passing_, true);
            target.select(source.event() ? alignedEvent(to, from.header().layout, *source.event()) : std::nullopt);
        });
        connect(&source, &Selection::hoveredChanged, this, [this, &from, &source, &to, &target] {
            if (passing_ || !usable()) return;
            const QScopedValueRollback guard(passing_, true);
            target.hover(source.hovered() ? alignedEvent(to, from.header().layout, *source.hovered()) : std::nullopt);
        });
    };
    pass(first_, ofFirst_, second_, ofSecond_);
    pass(second_, ofSecond_, first_, ofFirst_);
}

}  // namespace shardlab::ui
