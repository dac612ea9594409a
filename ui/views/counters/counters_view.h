// SPDX-License-Identifier: GPL-3.0-or-later
// The counters of a run over the timeline's stretch of time; chosen by name, and by rank as a timeline's rows are.
#pragma once

#include "ui/core/throttle.h"
#include "ui/core/view.h"

class QLineEdit;

namespace shardlab::ui {

class CounterPlot;

class CountersView : public View {
    Q_OBJECT
public:
    CountersView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void fillContextMenu(QMenu& menu, const QPoint& at) override;
    CounterPlot& plot() const { return *plot_; }
    QLineEdit& names() const { return *names_; }
    QLineEdit& ranks() const { return *ranks_; }
    void flush() { refresh_.flush(); }

private:
    void refresh();

    QLineEdit* names_;
    QLineEdit* ranks_;
    CounterPlot* plot_;
    Throttle refresh_;
};

}  // namespace shardlab::ui
