// SPDX-License-Identifier: GPL-3.0-or-later
// How large the gradients of a step are, times the loss scale, against what fp16 can hold.
#pragma once

#include "ui/core/throttle.h"
#include "ui/core/view.h"
#include "ui/views/gradients/exponent_histogram.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QTableWidget;
class QToolButton;

namespace shardlab::ui {

class ExponentsPlot;
class Legend;

class GradientsView : public View {
    Q_OBJECT
public:
    GradientsView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void flush() { refresh_.flush(); }
    const ExponentCounts& counts() const { return counts_; }
    ExponentsPlot& plot() { return *plot_; }
    QTableWidget& table() { return *table_; }
    Legend& legend() { return *legend_; }
    /// "0: 120 (0.3 %) · not finite: none".
    QString outside() const;

private:
    void refresh();
    void fillTable();
    /// Goes to the recorded step before or after the shown one.
    void walk(int direction);

    ExponentsPlot* plot_;
    QTableWidget* table_;
    QStackedWidget* stack_;
    Legend* legend_;
    QLabel* note_;
    QLabel* step_;
    QToolButton* before_;
    QToolButton* after_;
    QPushButton* logarithmic_;
    QPushButton* asRows_;
    ExponentCounts counts_;
    Throttle refresh_;
};

}  // namespace shardlab::ui
