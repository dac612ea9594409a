// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/loss/loss_view.h"

#include "ui/core/child.h"
#include "ui/core/legend.h"
#include "ui/core/plot_style.h"
#include "ui/core/qcustomplot.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/theme.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPushButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace shardlab {

namespace {

QString figure(double loss) { return QString::number(loss, 'f', 4); }

/// The last counter of a step at or before `step`.
const Event* atStep(const std::vector<Event>& events, double step) {
    const auto after = std::upper_bound(events.begin(), events.end(), step, [](double s, const Event& e) { return s < e.step; });
    return after == events.begin() ? nullptr : &*(after - 1);
}

}  // namespace

struct LossView::Plot {
    QCustomPlot* widget;
    QCPGraph* training;
    QCPGraph* validation;
    QCPGraph* rate;  ///< of learning, on the right axis
    QCPItemStraightLine* cursor;
    Legend* legend;
    std::size_t trainingTaken = 0;
    std::size_t validationTaken = 0;
    std::size_t rateTaken = 0;
};

LossView::LossView(const ViewContext& context, QWidget* parent)
    : View(context, parent), scale_(child<QPushButton>(tr("Log"), this)), refresh_(this, [this] { refresh(); }, 66) {
    setAccessibleName(tr("Loss over steps"));
    auto* plot = child<QCustomPlot>(this);
    plot->setMinimumSize(100, 60);
    plot->addGraph();
    plot->addGraph();
    plot->addGraph(plot->xAxis, plot->yAxis2);
    plot->graph(0)->setName(tr("training"));
    plot->graph(1)->setName(tr("validation"));
    plot->graph(2)->setName(tr("learning rate"));
    plot->graph(1)->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 5));
    plot->xAxis->setLabel(tr("step"));
    auto whole = QSharedPointer<QCPAxisTickerFixed>::create();  // there is no half step
    whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    plot->xAxis->setTicker(whole);
    plot_ = std::make_unique<Plot>(Plot{plot, plot->graph(0), plot->graph(1), plot->graph(2), child<QCPItemStraightLine>(plot),
                                        child<Legend>(context.theme, Qt::AlignLeft | Qt::AlignVCenter, 1, this)});
    plot->installEventFilter(this);
    scale_->setCheckable(true);
    scale_->setProperty("role", QStringLiteral("flat"));
    scale_->setToolTip(tr("Logarithmic loss axis"));

    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(10, 4, 10, 0);
    bar->addWidget(plot_->legend, 1);
    bar->addWidget(scale_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(plot, 1);

    connect(scale_, &QPushButton::toggled, this, &LossView::setLogarithmic);
    connect(&context_.model, &RunModel::reset, this, [this] {
        // At once: before the next frame the new run may have as many losses as the old one.
        for (QCPGraph* graph : {plot_->training, plot_->validation, plot_->rate}) graph->data()->clear();
        plot_->trainingTaken = plot_->validationTaken = plot_->rateTaken = 0;
        refresh_.request();
    });
    connect(&context_.model, &RunModel::appended, this, [this] { refresh_.request(); });
    connect(&context_.selection, &Selection::cursorChanged, this, [this] { refresh_.request(); });
    connect(&context_.theme, &ThemeSource::changed, this, [this] {
        applyTheme();
        refresh_.request();
    });
    applyTheme();
    refresh_.flush();
}

LossView::~LossView() = default;

QWidget* LossView::canvas() const { return plot_->widget; }
bool LossView::logarithmic() const { return plot_->widget->yAxis->scaleType() == QCPAxis::stLogarithmic; }

void LossView::setLogarithmic(bool logarithmic) {
    QCPAxis* axis = plot_->widget->yAxis;
    axis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (logarithmic) axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
    else axis->setTicker(QSharedPointer<QCPAxisTicker>::create());
    refresh_.flush();
}

void LossView::applyTheme() {
    const Theme& theme = context_.theme.theme();
    QCustomPlot* plot = plot_->widget;
    applyPlotStyle(*plot, theme);
    plot_->training->setPen(QPen(theme.action(EventKind::Loss), 1.6));
    plot_->validation->setPen(QPen(theme.action(EventKind::ValidationLoss), 1.6));
    plot_->rate->setPen(QPen(theme.action(EventKind::LearningRate), 1, Qt::DashLine));
    plot_->cursor->setPen(QPen(theme.text, 1));
    plot_->legend->setItems({{tr("training"), theme.action(EventKind::Loss), LegendItem::Mark::Line},
                             {tr("validation"), theme.action(EventKind::ValidationLoss), LegendItem::Mark::Line},
                             {tr("learning rate, right"), theme.action(EventKind::LearningRate), LegendItem::Mark::Line}});
}

void LossView::refresh() {
    const auto take = [](QCPGraph* graph, const std::vector<Event>& events, std::size_t& taken) {
        if (events.size() < taken) {
            graph->data()->clear();
            taken = 0;
        }
        for (; taken < events.size(); ++taken) graph->addData(events[taken].step, events[taken].value);
    };
    const RunModel& model = context_.model;
    take(plot_->training, model.counters(EventKind::Loss), plot_->trainingTaken);
    take(plot_->validation, model.counters(EventKind::ValidationLoss), plot_->validationTaken);
    take(plot_->rate, model.counters(EventKind::LearningRate), plot_->rateTaken);

    QCustomPlot* plot = plot_->widget;
    bool rated = false;
    const double highest = plot_->rate->getValueRange(rated, QCP::sdBoth).upper;
    plot->yAxis2->setVisible(rated);
    if (rated) plot->yAxis2->setRange(0, highest > 0 ? highest * 1.06 : 1);
    bool any = false;
    QCPRange values;
    for (const QCPGraph* graph : {plot_->training, plot_->validation}) {
        bool found = false;
        const QCPRange range = graph->getValueRange(found, logarithmic() ? QCP::sdPositive : QCP::sdBoth);
        if (!found) continue;
        if (any) values.expand(range);
        else values = range;
        any = true;
    }
    if (any) {
        const double margin = std::max(values.size() * 0.06, 0.02);
        if (logarithmic()) plot->yAxis->setRange(values.lower / 1.05, values.upper * 1.05);
        else plot->yAxis->setRange(values.lower - margin, values.upper + margin);
        const auto& losses = model.counters(EventKind::Loss);
        const double last = losses.empty() ? 1 : std::max(losses.back().step, 1);
        plot->xAxis->setRange(-0.01 * last, last * 1.02);
    }
    // One loss makes no line.
    const bool alone = plot_->training->dataCount() == 1;
    plot_->training->setScatterStyle(alone ? QCPScatterStyle(QCPScatterStyle::ssDisc, 5) : QCPScatterStyle());
    showCursor();
    plot->replot();
    if (const bool empty = !emptyText().isEmpty(); empty != wasEmpty_ || !empty) {
        wasEmpty_ = empty;
        Q_EMIT subtitleChanged();
    }
}

void LossView::showCursor() {
    const std::int64_t time = context_.selection.cursor();
    const int index = time < 0 ? -1 : context_.model.stepIndexAt(time);
    plot_->cursor->setVisible(index >= 0);
    if (index < 0) return;
    const double step = context_.model.stepExtents()[static_cast<std::size_t>(index)].step;
    plot_->cursor->point1->setCoords(step, 0.5);
    plot_->cursor->point2->setCoords(step, 1.5);
}

QString LossView::valueAt(int x) const {
    const auto& losses = context_.model.counters(EventKind::Loss);
    const Event* loss = atStep(losses, std::round(plot_->widget->xAxis->pixelToCoord(x)));
    if (!loss) return {};
    QString text = tr("step %1 · training %2").arg(QString::number(loss->step), figure(loss->value));
    const Event* validation = atStep(context_.model.counters(EventKind::ValidationLoss), loss->step);
    if (validation) text += tr(" · validation %1 (step %2)").arg(figure(validation->value)).arg(validation->step);
    if (const Event* rate = atStep(context_.model.counters(EventKind::LearningRate), loss->step))
        text += tr(" · learning rate %1").arg(QString::number(rate->value, 'g', 4));
    return text;
}

bool LossView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_->widget) return View::eventFilter(watched, event);
    if (event->type() == QEvent::MouseMove) {
        const auto& mouse = *static_cast<QMouseEvent*>(event);
        QToolTip::showText(mouse.globalPosition().toPoint(), valueAt(static_cast<int>(mouse.position().x())), plot_->widget);
    } else if (event->type() == QEvent::MouseButtonPress) {
        const auto& mouse = *static_cast<QMouseEvent*>(event);
        const Event* loss = atStep(context_.model.counters(EventKind::Loss), std::round(plot_->widget->xAxis->pixelToCoord(mouse.position().x())));
        if (loss) context_.selection.setCursor(loss->begin);
    }
    return false;
}

QString LossView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    if (!context_.model.counters(EventKind::Loss).empty()) return {};
    return context_.model.end() ? tr("This run ended before its first step was complete.")
                                : tr("The loss appears with the first complete step.");
}

QString LossView::subtitle() const {
    const RunModel& model = context_.model;
    const auto& losses = model.counters(EventKind::Loss);
    if (losses.empty()) return {};
    const int index = context_.selection.cursor() < 0 ? -1 : model.stepIndexAt(context_.selection.cursor());
    const Event* loss = index < 0 ? &losses.back() : atStep(losses, model.stepExtents()[static_cast<std::size_t>(index)].step);
    if (!loss) return tr("nats per token");
    QString text = tr("step %1 · %2 nats per token").arg(QString::number(loss->step), figure(loss->value));
    if (const Event* validation = atStep(model.counters(EventKind::ValidationLoss), loss->step))
        text += tr(" · validation %1").arg(figure(validation->value));
    return text;
}

QString LossView::asTable() const {
    QString table = tr("step\ttraining loss\tvalidation loss\tlearning rate\n");
    const auto& validations = context_.model.counters(EventKind::ValidationLoss);
    const auto& rates = context_.model.counters(EventKind::LearningRate);
    for (const Event& loss : context_.model.counters(EventKind::Loss)) {
        const Event* validation = atStep(validations, loss.step);
        const Event* rate = atStep(rates, loss.step);
        table += QStringLiteral("%1\t%2\t%3\t%4\n").arg(QString::number(loss.step), QString::number(loss.value, 'g', 8),
                                                   validation && validation->step == loss.step ? QString::number(validation->value, 'g', 8) : QString(),
                                                       rate ? QString::number(rate->value, 'g', 8) : QString());
    }
    return table;
}

}  // namespace shardlab
