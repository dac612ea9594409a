// SPDX-License-Identifier: GPL-3.0-or-later
// Who sends how much to whom: measured, or predicted while nothing was measured.
#pragma once

#include "ui/core/event_scan.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"
#include "ui/views/traffic_matrix/matrix_plot.h"

class QComboBox;
class QLabel;

namespace shardlab::ui {

class TrafficMatrixView : public View {
    Q_OBJECT
public:
    TrafficMatrixView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    /// Every pair of ranks that anything goes between.
    QString asTable() const override;

    MatrixPlot& plot() const { return *plot_; }
    QComboBox& partChoice() const { return *part_; }
    /// Counts everything now.
    void flush();

private:
    TrafficMatrix::Part part() const;
    void count();
    void draw();

    EventScan scan_;
    std::optional<TrafficMatrix> counting_;
    std::optional<TrafficMatrix> counted_;
    QComboBox* part_;
    MatrixPlot* plot_;
    Throttle again_;
};

}  // namespace shardlab::ui
