// SPDX-License-Identifier: GPL-3.0-or-later
// What charts over steps have in common: whole steps along x, the shared cursor as a line, and overflows as ▼ at the
// upper edge.
#pragma once

#include "ui/core/qcustomplot.h"
#include "ui/core/view.h"

#include <vector>

namespace shardlab::ui {

class StepChart : public QCustomPlot {
public:
    explicit StepChart(const ViewContext& context, QWidget* parent);
    /// Pens and fonts of the theme; call again when it changes.
    void applyTheme();
    /// Shows the steps from 0 to `last`.
    void setSteps(int last);
    /// The step at a pixel.
    double stepAt(double x) const;
    /// Cursor and overflows of now; before each replot.
    void refreshMarks();
    bool marked() const;  ///< there are overflows

private:
    ViewContext context_;
    QCPItemStraightLine* cursor_;
    QCPGraph* overflows_;
};

}  // namespace shardlab::ui
