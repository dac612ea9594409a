// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules of the current layout side by side: their steps on one time axis, their figures in a table. A click
// selects one; a button, Enter or a double click takes it over.
#pragma once

#include "ui/core/view.h"
#include "ui/views/schedules/schedule_outcomes.h"

class QMenu;
class QPushButton;
class QTableWidget;
class QToolButton;

namespace shardlab::ui {

class SchedulesPlot;

class SchedulesView : public View {
    Q_OBJECT
public:
    SchedulesView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    ScheduleOutcomes& outcomes() { return outcomes_; }
    QTableWidget& table() const { return *table_; }
    SchedulesPlot& plot() const { return *plot_; }
    QMenu& menu() const { return *menu_; }
    QPushButton& takeButton() const { return *take_; }

private:
    void fillMenu();
    void refresh();
    void take(int row);
    /// The button is for the selected schedule, where that is legal and another than the layout's.
    void refreshButton();

    ScheduleOutcomes outcomes_;
    SchedulesPlot* plot_;
    QTableWidget* table_;
    QPushButton* take_;
    QToolButton* choose_;
    QMenu* menu_;
};

}  // namespace shardlab::ui
