// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/plot_style.h"

#include "ui/core/qcustomplot.h"
#include "ui/core/theme.h"

namespace shardlab::ui {

void applyPlotStyle(QCustomPlot& plot, const Theme& theme) {
    plot.setAttribute(Qt::WA_NoMousePropagation, false);  // a right click goes on to the view's frame
    plot.setBackground(QBrush(theme.panel));
    const QFont small = theme.bodyAt(11);
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis, plot.yAxis2}) {
        axis->setSubTicks(false);
        axis->setTickPen(Qt::NoPen);
        axis->setTickLength(0);
        axis->setBasePen(Qt::NoPen);
        axis->setTickLabelFont(small);
        axis->setLabelFont(small);
        axis->setTickLabelColor(theme.dim);
        axis->setLabelColor(theme.dim);
        axis->grid()->setPen(QPen(theme.grid, 1));
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    plot.xAxis->grid()->setVisible(false);
}

}  // namespace shardlab::ui
