// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/step_chart.h"

#include "ui/core/child.h"
#include "ui/core/overflow.h"
#include "ui/core/plot_style.h"
#include "ui/core/selection.h"
#include "ui/core/theme.h"

#include <algorithm>
#include <cmath>

namespace shardlab::ui {

StepChart::StepChart(const ViewContext& context, QWidget* parent) : QCustomPlot(parent), context_(context) {
    setMinimumSize(100, 60);
    xAxis->setLabel(tr("step"));
    auto whole = QSharedPointer<QCPAxisTickerFixed>::create();  // there is no half step
    whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    xAxis->setTicker(whole);
    QCPAxis* edge = axisRect()->addAxis(QCPAxis::atLeft);  // of heights within the chart, whatever its values are
    edge->setVisible(false);
    edge->setRange(0, 1);
    overflows_ = addGraph(xAxis, edge);
    overflows_->setLineStyle(QCPGraph::lsNone);
    cursor_ = child<QCPItemStraightLine>(this);
}

void StepChart::applyTheme() {
    const Theme& theme = context_.theme.theme();
    applyPlotStyle(*this, theme);
    const QColor colour = theme.action(EventKind::Overflow);
    overflows_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssTriangleInverted, QPen(colour), QBrush(colour), 7));
    cursor_->setPen(QPen(theme.text, 1));
}

void StepChart::setSteps(int last) {
    const double end = std::max(last, 1);
    xAxis->setRange(-0.01 * end, end * 1.02);
}

double StepChart::stepAt(double x) const { return std::round(xAxis->pixelToCoord(x)); }

bool StepChart::marked() const { return !overflows_->data()->isEmpty(); }

void StepChart::refreshMarks() {
    const RunModel& model = context_.model;
    overflows_->data()->clear();
    int last = -1;
    for (const Event& overflow : overflows(model)) {
        if (overflow.step != last) overflows_->addData(overflow.step, 0.96);
        last = overflow.step;
    }
    const std::int64_t time = context_.selection.cursor();
    const StepSummary* step = time < 0 ? nullptr : model.steps().at(time);
    cursor_->setVisible(step);
    if (!step) return;
    cursor_->point1->setCoords(step->step, 0.5);
    cursor_->point2->setCoords(step->step, 1.5);
}

}  // namespace shardlab::ui
