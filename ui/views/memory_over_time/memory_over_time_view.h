// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of one rank over time, below the timeline and on its axis: the selected rank, or the one that needs most.
#pragma once

#include "ui/core/throttle.h"
#include "ui/core/view.h"

namespace shardlab::ui {

class Legend;
class MemoryCurvePlot;

class MemoryOverTimeView : public View {
    Q_OBJECT
public:
    MemoryOverTimeView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void fillContextMenu(QMenu& menu, const QPoint& at) override;
    MemoryCurvePlot& plot() const { return *plot_; }
    void flush() { refresh_.flush(); }

private:
    void refresh();
    void refreshLegend();
    int shownRank() const;

    MemoryCurvePlot* plot_;
    Legend* legend_;
    Throttle refresh_;
};

}  // namespace shardlab::ui
