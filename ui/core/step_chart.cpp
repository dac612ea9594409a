// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/step_chart.h"

#include "ui/core/child.h"
#include "ui/core/overflow.h"
#include "ui/core/plot_style.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/core/words.h"

#include <QMouseEvent>
#include <QResizeEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardlab::ui {

namespace {

/// Seconds with their unit.
class SecondsTicker : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return text(formatSeconds(tick)); }
};

class ValueTicker : public QCPAxisTicker {
protected:
    /// One number alone is no scale: there are two at least.
    double getTickStep(const QCPRange& range) override {
        double step = QCPAxisTicker::getTickStep(range);
        while (std::floor(range.upper / step) - std::ceil(range.lower / step) < 1) step = cleanMantissa(step / 2);
        return step;
    }
};

}  // namespace

StepChart::StepChart(const ViewContext& context, QWidget* parent) : QCustomPlot(parent), context_(context) {
    setMinimumSize(100, 60);
    for (QCPAxis* axis : {yAxis, yAxis2}) axis->setTicker(QSharedPointer<ValueTicker>::create());
    setOverTime(false);
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

void StepChart::mouseMoveEvent(QMouseEvent* event) {
    QCustomPlot::mouseMoveEvent(event);
    QToolTip::showText(event->globalPosition().toPoint(), wordsAt(event->position().toPoint()), this);
}

void StepChart::resizeEvent(QResizeEvent* event) {
    fitNumbers();
    QCustomPlot::resizeEvent(event);
}

void StepChart::fitNumbers() {
    constexpr int each = 26, below = 40, most = 5;  // pixels, those of the axis below, numbers
    for (QCPAxis* axis : {yAxis, yAxis2}) axis->ticker()->setTickCount(std::clamp((height() - below) / each, 1, most));
}

void StepChart::setLogarithmic(bool logarithmic) {
    yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (logarithmic) yAxis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
    else yAxis->setTicker(QSharedPointer<ValueTicker>::create());
    fitNumbers();
}

void StepChart::setOverTime(bool over) {
    overTime_ = over;
    xAxis->setLabel(over ? shardlab::ui::tr("time of the devices") : shardlab::ui::tr("step"));
    if (over) {
        xAxis->setTicker(QSharedPointer<SecondsTicker>::create());
        return;
    }
    auto whole = QSharedPointer<QCPAxisTickerFixed>::create();  // there is no half step
    whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    xAxis->setTicker(whole);
}

std::int64_t StepChart::origin() const {
    const auto& extents = context_.model.steps().extents();
    return extents.empty() ? 0 : extents.front().begin;
}

double StepChart::xOf(const Event& event) const {
    if (!overTime_) return event.step;
    return context_.model.deviceTime().seconds(static_cast<double>(event.begin - origin()) * 1e-9);
}

void StepChart::setEnd(double last) {
    const double end = overTime_ ? (last > 0 ? last : 1) : std::max(last, 1.0);
    xAxis->setRange(-0.01 * end, end * 1.02);
}

double StepChart::stepAt(double x) const {
    const double at = xAxis->pixelToCoord(x);
    if (!overTime_) return std::round(at);
    const double clock = context_.model.deviceTime().onClock(at) * 1e9;
    const StepSummary* step = context_.model.steps().at(origin() + std::llround(std::clamp(clock, -1e18, 1e18)));
    return step ? step->step : at < 0 ? 0 : std::numeric_limits<int>::max();
}

bool StepChart::marked() const { return !overflows_->data()->isEmpty(); }

void StepChart::refreshMarks() {
    const RunModel& model = context_.model;
    overflows_->data()->clear();
    int last = -1;
    for (const Event& overflow : overflows(model)) {
        if (overflow.step != last) overflows_->addData(xOf(overflow), 0.96);
        last = overflow.step;
    }
    const std::int64_t time = context_.selection.cursor();
    const StepSummary* step = time < 0 ? nullptr : model.steps().at(time);
    cursor_->setVisible(step);
    if (!step) return;
    const double x = overTime_ ? context_.model.deviceTime().seconds(static_cast<double>(time - origin()) * 1e-9)
                               : static_cast<double>(step->step);
    cursor_->point1->setCoords(x, 0.5);
    cursor_->point2->setCoords(x, 1.5);
}

}  // namespace shardlab::ui
