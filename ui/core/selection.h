// SPDX-License-Identifier: GPL-3.0-or-later
// What is selected, hovered and in sight; shared by all views of a workspace. Hovering or selecting anywhere selects
// everywhere.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/layout/mesh/mesh.h"

#include <QObject>

#include <optional>
#include <vector>

namespace shardlab::ui {

class RunModel;

struct TimeRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool operator==(const TimeRange&) const = default;
};

class Selection : public QObject {
    Q_OBJECT
public:
    explicit Selection(QObject* parent = nullptr) : QObject(parent) {}

    const std::optional<Event>& event() const { return event_; }
    const std::optional<Event>& hovered() const { return hovered_; }
    int rank() const { return rank_; }                     ///< -1: none
    const TimeRange& visible() const { return visible_; }  ///< begin = end: not chosen yet
    bool followLive() const { return follow_; }
    std::int64_t cursor() const { return cursor_; }  ///< the moment memory, mesh and cards speak of; -1: the latest
    const std::optional<TimeRange>& area() const { return area_; }  ///< what is being measured
    /// The ranks that the area is limited to; empty: all ranks.
    const std::vector<int>& areaRanks() const { return areaRanks_; }
    /// Ranks that stay on top of timelines, in the order they were pinned.
    const std::vector<int>& pinned() const { return pinned_; }
    std::optional<Axis> grouping() const { return grouping_; }  ///< ranks alike on this axis stand together
    bool pathShown() const { return pathShown_; }               ///< the critical path is drawn

    void select(std::optional<Event> event);
    void hover(std::optional<Event> event);
    /// An action of another rank is no longer selected.
    void setRank(int rank);
    void setVisible(TimeRange range);
    void setFollowLive(bool follow);
    void setCursor(std::int64_t time);
    /// Puts the cursor at a moment, which comes into sight, and no longer follows the newest events.
    void goTo(std::int64_t time);
    void setArea(std::optional<TimeRange> area, std::vector<int> ranks = {});
    void pin(int rank, bool pinned);
    void setGrouping(std::optional<Axis> axis);
    void showPath(bool shown);
    /// Goes back to the state at the start, for the model of another run: nothing is selected, nothing is in sight, and
    /// views follow the newest events.
    void clear();
    /// After the prediction that was shown gave way to `model`'s: a selected action is the same one where it is now,
    /// and what `model` does not have is no longer selected.
    void keepWithin(const RunModel& model);

Q_SIGNALS:
    void eventChanged();
    void hoveredChanged();
    void rankChanged();
    void visibleChanged();
    void followChanged();
    void cursorChanged();
    void areaChanged();
    void pathShownChanged();
    void rowsChanged();  ///< pinned or grouping

private:
    std::optional<Event> event_;
    std::optional<Event> hovered_;
    int rank_ = -1;
    TimeRange visible_;
    bool follow_ = true;
    std::int64_t cursor_ = -1;
    std::optional<TimeRange> area_;
    std::vector<int> areaRanks_;
    std::vector<int> pinned_;
    std::optional<Axis> grouping_;
    bool pathShown_ = false;
};

}  // namespace shardlab::ui
