// SPDX-License-Identifier: GPL-3.0-or-later
// The last step of an experiment in the text of its lesson, on one time scale with those of the others.
#pragma once

#include "ui/core/step_strip.h"

#include <QWidget>

namespace shardlab::ui {

class ThemeSource;

class StripDrawing : public QWidget {
    Q_OBJECT
public:
    StripDrawing(const ThemeSource& theme, QWidget* parent);
    /// Without rows nothing is shown. `longest`: seconds that the whole width stands for.
    void setStrip(const StepStrip& strip, double longest);
    const StepStrip& strip() const { return strip_; }
    double longest() const { return longest_; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeSource& theme_;
    StepStrip strip_;
    double longest_ = 0;
};

}  // namespace shardlab::ui
