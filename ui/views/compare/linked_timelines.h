// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps two timelines together: what is in sight, selected and hovered in one is so in the other, aligned by rank, step
// and action.
#pragma once

#include "ui/core/run_model.h"
#include "ui/core/selection.h"

#include <QObject>

#include <optional>

namespace shardlab::ui {

/// The event of `model` that an event of another run, or of the run it is the prediction of, is compared with; none
/// where it has none. `from`: the layout of that other run.
std::optional<Event> alignedEvent(const RunModel& model, const Layout& from, const Event& event);

/// What to add to a time of one model to get the time of the same moment of the same step in the other; `time` is the
/// one's. The steps' first forwards are the same moment.
std::int64_t shiftBetween(const RunModel& one, const RunModel& other, std::int64_t time);

/// How times on the clock of one run become those of another: they meet at a moment of a step, and around it as much
/// time of the devices passes on both, so that the run that was slowed more has more of its clock in sight.
struct ClockMeeting {
    std::int64_t moment = 0;  ///< on the one's clock, where they meet
    std::int64_t shift = 0;   ///< to the same moment on the other's
    double ratio = 1;         ///< nanoseconds on the other's clock for one on the one's

    std::int64_t toOther(std::int64_t time) const;
    std::int64_t toOne(std::int64_t time) const;
};
/// Around `time` of the one's.
ClockMeeting meetingOf(const RunModel& one, const RunModel& other, std::int64_t time);

class LinkedTimelines : public QObject {
    Q_OBJECT
public:
    /// The first leads: whatever moves it, a view or the person, the second follows; the second is followed only where
    /// a person moved it.
    LinkedTimelines(RunModel& first, Selection& ofFirst, RunModel& second, Selection& ofSecond, QObject* parent);

    /// The first's range to the second.
    void follow();
    /// The second's range, which a person moved, to the first.
    void lead();
    /// The second was drawn: puts back what its own beginning moved.
    void settle();

private:
    void linkEvents();
    bool usable() const { return !first_.empty() && !second_.empty(); }

    RunModel& first_;
    Selection& ofFirst_;
    RunModel& second_;
    Selection& ofSecond_;
    ClockMeeting clocks_;   ///< of the first and the second
    bool passing_ = false;  ///< a change is being handed over
};

}  // namespace shardlab::ui
