// SPDX-License-Identifier: GPL-3.0-or-later
// How many tokens of a step chose each expert, and how many of them found no place.
#pragma once

#include "engine/trace/metrics/expert_loads.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"

class QLabel;

namespace shardlab::ui {

class ExpertsPlot;
class Legend;

class ExpertsView : public View {
    Q_OBJECT
public:
    ExpertsView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void flush() { refresh_.flush(); }
    ExpertsPlot& plot() { return *plot_; }
    const ExpertLoads& loads() const { return loads_; }

private:
    void refresh();
    /// What the bars sum up to, where none is pointed at.
    QString summary() const;

    ExpertsPlot* plot_;
    Legend* legend_;
    QLabel* note_;
    ExpertLoads loads_;  ///< of the step shown
    int step_ = -1;
    Throttle refresh_;
};

}  // namespace shardlab::ui
