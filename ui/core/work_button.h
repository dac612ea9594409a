// SPDX-License-Identifier: GPL-3.0-or-later
// A button that starts work and, while that goes, stops it.
#pragma once

#include <QElapsedTimer>
#include <QPushButton>

#include <utility>

namespace shardlab::ui {

class WorkButton : public QPushButton {
public:
    using QPushButton::QPushButton;
    /// Whether a press stops the work now, or starts some.
    void setStops(bool stops) {
        if (std::exchange(stops_, stops) == stops) return;
        stops ? begun_.start() : ended_.start();
        if (!stops && !begun_.hasExpired(aimingMilliseconds)) ended_.invalidate();
    }
    /// The work has ended, perhaps by itself, so short a time ago that a press was meant to stop it: it starts nothing.
    bool late() const { return ended_.isValid() && !ended_.hasExpired(readingMilliseconds); }

private:
    static constexpr int aimingMilliseconds = 250;   ///< in less nobody has gone for the button that stops
    static constexpr int readingMilliseconds = 800;  ///< in which a person has seen that it starts again
    bool stops_ = false;
    QElapsedTimer begun_, ended_;
};

}  // namespace shardlab::ui
