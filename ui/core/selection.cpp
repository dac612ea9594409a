// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/selection.h"

namespace shardlab {

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
    Q_EMIT rankChanged();
}

void Selection::setArea(std::optional<TimeRange> area) {
    if (area && area->end < area->begin) std::swap(area->begin, area->end);
    if (area_ == area) return;
    area_ = area;
    Q_EMIT areaChanged();
}

void Selection::showPath(bool shown) {
    if (pathShown_ == shown) return;
    pathShown_ = shown;
    Q_EMIT pathShownChanged();
}

void Selection::setVisible(TimeRange range) {
    if (range.end < range.begin) std::swap(range.begin, range.end);
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
    if (cursor_ == time) return;
    cursor_ = time;
    Q_EMIT cursorChanged();
}

void Selection::clear() {
    select({});
    hover({});
    setRank(-1);
    setArea({});
    setCursor(-1);
    setVisible({});
    setFollowLive(true);
}

}  // namespace shardlab
