// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/selection.h"

#include "engine/trace/event/legal_time.h"
#include "ui/core/run_model.h"

#include <algorithm>

namespace shardlab::ui {

namespace {

/// What a view shows lies at most this far from a run's begin, so that its length, and what is added to its ends, fit
/// 64 bits.
constexpr std::int64_t farthest = 2 * latestTime;

}  // namespace

void Selection::select(std::optional<Event> event) {
    if (event_ == event) return;
    event_ = std::move(event);
    Q_EMIT eventChanged();
    if (event_) setRank(event_->rank);
}

void Selection::hover(std::optional<Event> event) {
    if (hovered_ == event) return;
    hovered_ = std::move(event);
    Q_EMIT hoveredChanged();
}

void Selection::setRank(int rank) {
    if (rank_ == rank) return;
    rank_ = rank;
    if (event_ && event_->rank != rank) {
        event_.reset();
        Q_EMIT eventChanged();
    }
    Q_EMIT rankChanged();
}

void Selection::setArea(std::optional<TimeRange> area, std::vector<int> ranks) {
    if (area && area->end < area->begin) std::swap(area->begin, area->end);
    if (area)
        area = TimeRange{std::clamp(area->begin, -farthest, farthest), std::clamp(area->end, -farthest, farthest)};
    if (!area) ranks.clear();
    if (area_ == area && areaRanks_ == ranks) return;
    area_ = area;
    areaRanks_ = std::move(ranks);
    Q_EMIT areaChanged();
}

void Selection::pin(int rank, bool pinned) {
    const auto place = std::find(pinned_.begin(), pinned_.end(), rank);
    if (rank < 0 || pinned == (place != pinned_.end())) return;
    if (pinned) pinned_.push_back(rank);
    else pinned_.erase(place);
    Q_EMIT rowsChanged();
}

void Selection::setGrouping(std::optional<Axis> axis) {
    if (grouping_ == axis) return;
    grouping_ = axis;
    Q_EMIT rowsChanged();
}

void Selection::showPath(bool shown) {
    if (pathShown_ == shown) return;
    pathShown_ = shown;
    Q_EMIT pathShownChanged();
}

void Selection::setVisible(TimeRange range) {
    if (range.end < range.begin) std::swap(range.begin, range.end);
    range = {std::clamp(range.begin, -farthest, farthest), std::clamp(range.end, -farthest, farthest)};
    if (visible_ == range) return;
    visible_ = range;
    Q_EMIT visibleChanged();
}

void Selection::setFollowLive(bool follow) {
    if (follow_ == follow) return;
    follow_ = follow;
    Q_EMIT followChanged();
}

void Selection::setCursor(std::int64_t time) {
    time = std::clamp(time, -farthest, farthest);
    if (cursor_ == time) return;
    cursor_ = time;
    Q_EMIT cursorChanged();
}

void Selection::goTo(std::int64_t time) {
    setFollowLive(false);
    setCursor(time);
    const std::int64_t half = (visible_.end - visible_.begin) / 2;
    if (time < visible_.begin || time > visible_.end) setVisible({time - half, time + half});
}

void Selection::clear() {
    select({});
    hover({});
    setRank(-1);
    setArea({});
    if (!pinned_.empty() || grouping_) {
        pinned_.clear();
        grouping_.reset();
        Q_EMIT rowsChanged();
    }
    setCursor(-1);
    setVisible({});
    setFollowLive(true);
}

void Selection::keepWithin(const RunModel& model) {
    hover({});
    if (event_ && (event_->rank < 0 || event_->rank >= model.ranks())) {
        select({});
    } else if (event_) {
        const std::vector<Event>& lane = model.prediction().lane(event_->rank, event_->lane);
        const auto same = std::ranges::find_if(lane, [this](const Event& other) {
            return other.action == event_->action && other.kind == event_->kind && other.value == event_->value;
        });
        select(same == lane.end() ? std::nullopt : std::optional(*same));
    }
    if (rank_ >= model.ranks()) setRank(-1);
    for (const int rank : std::vector(pinned_))
        if (rank >= model.ranks()) pin(rank, false);
    if (std::ranges::any_of(areaRanks_, [&](int rank) { return rank >= model.ranks(); })) setArea({});
}

}  // namespace shardlab::ui
