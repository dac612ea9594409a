// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/loss_scale/loss_scale_view.h"

#include "ui/core/child.h"
#include "ui/core/legend.h"
#include "ui/core/overflow.h"
#include "ui/core/power_axis.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/step_chart.h"
#include "ui/core/step_counters.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlab::ui {

struct LossScaleView::Plot {
    StepChart* widget;
    QCPGraph* scale;
    Legend* legend;
};

LossScaleView::LossScaleView(const ViewContext& context, QWidget* parent)
    : View(context, parent), refresh_(
                                 this, [this] { refresh(); }, 66) {
    setAccessibleName(tr("Loss scale over steps"));
    auto* chart = child<StepChart>(context, this);
    plot_ = std::make_unique<Plot>(
        Plot{chart, chart->addGraph(), child<Legend>(context.theme, Qt::AlignLeft | Qt::AlignVCenter, 1, this)});
    plot_->scale->setLineStyle(QCPGraph::lsStepLeft);
    chart->yAxis->setTicker(QSharedPointer<PowerTicker>::create());
    chart->installEventFilter(this);
    chart->setWords([this](int x) { return valueAt(x); });
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 4, 0, 2);
    column->setSpacing(0);
    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(10, 0, 10, 0);
    bar->addWidget(plot_->legend, 1);
    column->addLayout(bar);
    column->addWidget(chart, 1);
    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.selection, &Selection::cursorChanged);
    connect(&context_.theme, &ThemeSource::changed, this, [this] {
        applyTheme();
        refresh_.request();
    });
    applyTheme();
    refresh_.flush();
}

LossScaleView::~LossScaleView() = default;

QWidget* LossScaleView::canvas() const { return plot_->widget; }

void LossScaleView::applyTheme() {
    const Theme& theme = context_.theme.theme();
    plot_->widget->applyTheme();
    plot_->scale->setPen(QPen(theme.action(EventKind::LossScale), 1.6));
    plot_->legend->setItems(
        {{tr("loss scale"), theme.action(EventKind::LossScale), LegendItem::Mark::Line},
         {tr("overflow, step skipped"), theme.action(EventKind::Overflow), LegendItem::Mark::Triangle}});
}

void LossScaleView::refresh() {
    const auto& scales = context_.model.points().of(EventKind::LossScale);
    plot_->scale->data()->clear();
    double low = 0, high = 0;
    for (const Event& scale : scales) {
        const double exponent = std::log2(scale.value);
        low = &scale == &scales.front() ? exponent : std::min(low, exponent);
        high = &scale == &scales.front() ? exponent : std::max(high, exponent);
        plot_->scale->addData(scale.step, exponent);
    }
    if (!scales.empty()) {
        // A step's scale holds until the next step begins.
        plot_->scale->addData(scales.back().step + 1, std::log2(scales.back().value));
        plot_->widget->setSteps(scales.back().step);
        showExponents(*plot_->widget->yAxis, low, high);
    }
    plot_->widget->refreshMarks();
    plot_->widget->replot();
    if (const bool empty = !emptyText().isEmpty(); empty != wasEmpty_ || !empty) {
        wasEmpty_ = empty;
        Q_EMIT subtitleChanged();
    }
}

const Event* LossScaleView::drawnAt(double x) const {
    return atStep(context_.model.points().of(EventKind::LossScale), plot_->widget->stepAt(x));
}

QString LossScaleView::valueAt(int x) const {
    const Event* scale = drawnAt(x);
    if (!scale) return {};
    QString text =
        tr("step %1 · loss scale %2").arg(QString::number(scale->step), scaleAround(context_.model, scale->step));
    if (const QString skipped = overflowsText(ofStep(overflows(context_.model), scale->step)); !skipped.isEmpty())
        text += QLatin1Char('\n') + skipped;
    return text;
}

bool LossScaleView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_->widget) return View::eventFilter(watched, event);
    if (event->type() == QEvent::MouseButtonPress) {
        if (const Event* scale = drawnAt(static_cast<QMouseEvent*>(event)->position().x()))
            context_.selection.goTo(scale->begin);
    }
    return false;
}

QString LossScaleView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    if (!context_.model.points().of(EventKind::LossScale).empty()) return {};
    if (QString text = notInForeign(tr("The trace does not record a loss scale.")); !text.isEmpty()) return text;
    if (!scalesLoss(context_.model))
        return tr("Nothing to show: this run computes in %1 and does not scale its loss.\nSet Loss scale to static or "
                  "dynamic in Design; fp16 needs it because its gradients are small.")
            .arg(text(wordOf(context_.model.header().layout.precision.compute)));
    return context_.model.report().end() ? tr("This run ended before its first step was complete.")
                                         : tr("The loss scale appears with the first complete step.");
}

QString LossScaleView::subtitle() const {
    const RunModel& model = context_.model;
    const auto& scales = model.points().of(EventKind::LossScale);
    if (scales.empty()) return {};
    const Event* scale = atStep(scales, context_.stepAtCursor());
    int skipped = 0;
    int last = -1;
    for (const Event& overflow : overflows(model))
        skipped += std::exchange(last, overflow.step) != overflow.step ? 1 : 0;
    QString text =
        tr("step %1 · %2")
            .arg(QString::number(scale ? scale->step : 0), powerOfTwo(scale ? scale->value : scales.front().value));
    text += skipped == 0 ? tr(" · no overflow") : counted(skipped, tr(" · 1 skipped"), tr(" · %1 skipped"));
    return text;
}

QString LossScaleView::asTable() const {
    QString table = tr("step\tloss scale\toverflow on rank\tlayer\tmicrobatch\taction\n");
    const std::vector<Event> all = overflows(context_.model);
    for (const Event& scale : context_.model.points().of(EventKind::LossScale)) {
        const QString begin =
            QStringLiteral("%1\t%2\t").arg(QString::number(scale.step), QString::number(scale.value, 'g', 10));
        const auto skipped = ofStep(all, scale.step);
        for (const Event& overflow : skipped) {
            const Action action = overflow.action ? actionFromId(overflow.action) : Action{};
            table +=
                begin + QStringLiteral("%1\t%2\t%3\t%4\n")
                            .arg(QString::number(overflow.rank), layerName(static_cast<int>(overflow.value)),
                                 action.microbatch < 0 ? tr("sum over replicas") : QString::number(action.microbatch),
                                 overflow.action ? QString::fromStdString(toText(action)) : QString());
        }
        if (skipped.empty()) table += begin + QStringLiteral("\t\t\t\n");
    }
    return table;
}

}  // namespace shardlab::ui
