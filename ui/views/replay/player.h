// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a recorded run: moves the selection's cursor through the run's time, faster or slower than it happened.
#pragma once

#include "ui/core/run_model.h"
#include "ui/core/selection.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace shardlab::ui {

class Player : public QObject {
    Q_OBJECT
public:
    /// `clock`: nanoseconds that only go forward.
    Player(const RunModel& model, Selection& selection, std::function<std::int64_t()> clock, QObject* parent);

    bool playing() const { return playing_; }
    double speed() const { return speed_; }  ///< run time per real time
    /// Plays from the cursor, or from the start of the run where there is no cursor or it is at the end.
    void play();
    void pause();
    void setSpeed(double speed);
    /// Moves the cursor, kept within the run.
    void seek(std::int64_t time);
    /// Goes to the start of the next (+1) or previous (-1) step; within a step, -1 first goes to the start of that
    /// step.
    void step(int direction);
    /// The cursor, or the run's begin where there is none.
    std::int64_t position() const;
    /// Takes in the time that has passed; the timer calls it.
    void tick();

Q_SIGNALS:
    void stateChanged();

private:
    void keepInSight();
    void anchor();

    const RunModel& model_;
    Selection& selection_;
    std::function<std::int64_t()> clock_;
    QTimer timer_;
    bool playing_ = false;
    double speed_ = 1;
    std::int64_t anchorClock_ = 0;  ///< clock and position when playing, or its speed, began
    std::int64_t anchorPosition_ = 0;
    std::int64_t lastSet_ = -1;  ///< where the player itself put the cursor
};

}  // namespace shardlab::ui
