// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/loss/loss_view.h"

#include "ui/core/child.h"
#include "ui/core/earlier_losses.h"
#include "ui/core/legend.h"
#include "ui/core/lesson_session.h"
#include "ui/core/overflow.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/step_chart.h"
#include "ui/core/step_counters.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace shardlab::ui {

namespace {

QString figure(double loss) { return QString::number(loss, 'f', 4); }

/// The colours of the curves beside the run's own.
constexpr std::array otherColours{EventKind::InputGrad, EventKind::ReduceGradients, EventKind::WeightGrad,
                                  EventKind::Optimizer};

/// The run trains modules that predict further tokens.
bool predictsAhead(const RunModel& model) {
    return model.header().hasLayout() && predictionModules(model.header().layout.model) > 0;
}

/// A loss that is no number leaves a gap in the line.
double drawable(double value) { return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN(); }

}  // namespace

struct LossView::Plot {
    StepChart* widget;
    QCPGraph* training;
    QCPGraph* validation;
    QCPGraph* rate;  ///< of learning, on the right axis
    Legend* legend;
    QCPGraph* earlier;  ///< of the run whose checkpoint it goes on from
    QCPGraph* ahead;    ///< of modules that predict further tokens
    std::array<QCPGraph*, 4> ofRun() const { return {training, validation, rate, ahead}; }
    void clear() {
        for (QCPGraph* graph : ofRun()) graph->data()->clear();
        trainingTaken = validationTaken = rateTaken = aheadTaken = 0;
    }
    struct Other {
        QCPGraph* graph;
        std::vector<double> losses;  ///< by step
        double stepSeconds = 0;      ///< of the devices
        /// Puts the losses in anew, over steps or over time.
        void fill(bool overTime) {
            graph->data()->clear();
            if (overTime && !(stepSeconds > 0)) return;  // it had no steady step
            for (std::size_t step = 0; step < losses.size(); ++step)
                graph->addData(xOf(step, overTime), drawable(losses[step]));
        }
        /// A step's loss is known at its end.
        double xOf(std::size_t step, bool overTime) const {
            return overTime ? static_cast<double>(step + 1) * stepSeconds : static_cast<double>(step);
        }
    };
    double end(bool overTime) const {
        double last = 0;
        for (const Other& other : others)
            if (!other.losses.empty()) last = std::max(last, other.xOf(other.losses.size() - 1, overTime));
        return last;
    }
    std::vector<Other> others = {};
    std::size_t trainingTaken = 0;
    std::size_t validationTaken = 0;
    std::size_t rateTaken = 0;
    std::size_t aheadTaken = 0;
};

LossView::LossView(const ViewContext& context, QWidget* parent)
    : View(context, parent), scale_(child<QPushButton>(tr("Log"), this)), time_(child<QPushButton>(tr("Time"), this)),
      earlier_(child<EarlierLosses>(context.model, this)), refresh_(
                                                               this, [this] { refresh(); }, 66) {
    setAccessibleName(tr("Loss over steps"));
    auto* plot = child<StepChart>(context, this);
    plot_ = std::make_unique<Plot>(Plot{
        plot, plot->addGraph(), plot->addGraph(), plot->addGraph(plot->xAxis, plot->yAxis2),
        child<Legend>(context.theme, Qt::AlignLeft | Qt::AlignVCenter, 2, this), plot->addGraph(), plot->addGraph()});
    plot_->training->setName(tr("training"));
    plot_->validation->setName(tr("validation"));
    plot_->rate->setName(tr("learning rate"));
    plot_->ahead->setName(tr("predictions ahead"));
    plot_->validation->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 5));
    plot->installEventFilter(this);
    plot->setWords([this](int x) { return valueAt(x); });
    scale_->setCheckable(true);
    scale_->setProperty("role", QStringLiteral("flat"));
    scale_->setToolTip(tr("Logarithmic loss axis"));
    time_->setCheckable(true);
    time_->setProperty("role", QStringLiteral("flat"));
    time_->setAccessibleName(tr("Loss over time"));
    time_->setToolTip(tr("The loss over the time that the devices take, not over steps: of two layouts that learn the "
                         "same in a step, the faster one is lower at each moment"));

    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(10, 4, 10, 0);
    bar->addWidget(plot_->legend, 1);
    bar->addWidget(time_);
    bar->addWidget(scale_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(plot, 1);

    connect(scale_, &QPushButton::toggled, this, &LossView::setLogarithmic);
    connect(time_, &QPushButton::toggled, this, &LossView::setOverTime);
    connect(&context_.model, &RunModel::reset, this, [this] {
        // At once: before the next frame the new run may have as many losses as the old one.
        plot_->clear();
        applyTheme();
        refresh_.request();
    });
    refresh_.follow(context_.model, &RunModel::appended);
    refresh_.follow(context_.selection, &Selection::cursorChanged);
    connect(&context_.theme, &ThemeSource::changed, this, [this] {
        applyTheme();
        refresh_.request();
    });
    connect(earlier_, &EarlierLosses::changed, this, [this] {
        plot_->earlier->data()->clear();
        for (const auto& [step, loss] : earlier_->losses()) plot_->earlier->addData(step, drawable(loss));
        applyTheme();
        refresh_.request();
    });
    if (context_.workspace == Workspace::Learn)
        connect(&context_.lessons, &LessonSession::changed, this, &LossView::takeOthers);
    applyTheme();
    refresh_.flush();
}

void LossView::takeOthers() {
    for (const Plot::Other& other : plot_->others) plot_->widget->removeGraph(other.graph);
    plot_->others.clear();
    const LessonSession& lessons = context_.lessons;
    // What is in sight is of another lesson.
    const std::size_t count = lessons.shown() < 0 ? 0 : lessons.known().size();
    for (std::size_t index = 0; index < count; ++index) {
        const auto& measured = lessons.known()[index].measured;
        if (!measured || lessons.shown() == static_cast<int>(index)) continue;
        Plot::Other other{plot_->widget->addGraph(), measured->summary.losses, measured->summary.stepSeconds};
        other.graph->setName(QString::fromStdString(lessons.lesson()->experiments[index].name));
        other.fill(overTime());
        plot_->others.push_back(std::move(other));
    }
    applyTheme();
    refresh_.request();
}

LossView::~LossView() = default;

QWidget* LossView::canvas() const { return plot_->widget; }
bool LossView::logarithmic() const { return plot_->widget->yAxis->scaleType() == QCPAxis::stLogarithmic; }

bool LossView::overTime() const { return plot_->widget->overTime(); }

void LossView::setOverTime(bool over) {
    plot_->widget->setOverTime(over);
    plot_->earlier->setVisible(!over);  // its steps are known, and not when they were
    plot_->clear();
    for (Plot::Other& other : plot_->others) other.fill(over);
    refresh_.flush();
}

void LossView::setLogarithmic(bool logarithmic) {
    plot_->widget->setLogarithmic(logarithmic);
    refresh_.flush();
}

void LossView::applyTheme() {
    const Theme& theme = context_.theme.theme();
    plot_->widget->applyTheme();
    plot_->training->setPen(QPen(theme.action(EventKind::Loss), 1.6));
    plot_->validation->setPen(QPen(theme.action(EventKind::ValidationLoss), 1.6));
    plot_->rate->setPen(QPen(theme.action(EventKind::LearningRate), 1, Qt::DashLine));
    plot_->ahead->setPen(QPen(theme.action(EventKind::PredictionLoss), 1.6));
    std::vector<LegendItem> items{
        {tr("training"), theme.action(EventKind::Loss), LegendItem::Mark::Line},
        {tr("validation"), theme.action(EventKind::ValidationLoss), LegendItem::Mark::Line},
        {tr("learning rate, right"), theme.action(EventKind::LearningRate), LegendItem::Mark::Dashed}};
    if (predictsAhead(context_.model))
        items.insert(items.begin() + 2,
                     {plot_->ahead->name(), theme.action(EventKind::PredictionLoss), LegendItem::Mark::Line});
    if (scalesLoss(context_.model))
        items.insert(items.begin() + 1, {tr("skipped"), theme.action(EventKind::Overflow), LegendItem::Mark::Triangle});
    plot_->earlier->setPen(QPen(theme.dim, 1.6));
    if (earlier_->origin() && !earlier_->losses().empty())
        items.insert(items.begin() + 1, {tr("before it, %1").arg(earlier_->text()), theme.dim, LegendItem::Mark::Line});
    for (std::size_t index = 0; index < plot_->others.size(); ++index) {
        QCPGraph* graph = plot_->others[index].graph;
        const QColor colour = theme.action(otherColours[index % otherColours.size()]);
        graph->setPen(QPen(colour, 1.2));
        items.push_back({graph->name(), colour, LegendItem::Mark::Line});
    }
    plot_->legend->setItems(std::move(items));
}

void LossView::refresh() {
    const auto take = [this](QCPGraph* graph, const std::vector<Event>& events, std::size_t& taken) {
        if (events.size() < taken) {
            graph->data()->clear();
            taken = 0;
        }
        for (; taken < events.size(); ++taken)
            graph->addData(plot_->widget->xOf(events[taken]), drawable(events[taken].value));
    };
    const RunModel& model = context_.model;
    take(plot_->training, model.points().of(EventKind::Loss), plot_->trainingTaken);
    take(plot_->validation, model.points().of(EventKind::ValidationLoss), plot_->validationTaken);
    take(plot_->rate, model.points().of(EventKind::LearningRate), plot_->rateTaken);
    take(plot_->ahead, model.points().of(EventKind::PredictionLoss), plot_->aheadTaken);

    StepChart* plot = plot_->widget;
    plot->refreshMarks();
    bool rated = false;
    const double highest = plot_->rate->getValueRange(rated, QCP::sdBoth).upper;
    plot->yAxis2->setVisible(rated);
    if (rated) plot->yAxis2->setRange(0, highest > 0 ? highest * 1.06 : 1);
    bool any = false;
    QCPRange values;
    std::vector<const QCPGraph*> drawn{plot_->training, plot_->validation, plot_->ahead};
    if (!overTime()) drawn.push_back(plot_->earlier);
    for (const Plot::Other& other : plot_->others) drawn.push_back(other.graph);
    for (const QCPGraph* graph : drawn) {
        bool found = false;
        const QCPRange range = graph->getValueRange(found, logarithmic() ? QCP::sdPositive : QCP::sdBoth);
        if (!found) continue;
        if (any) values.expand(range);
        else values = range;
        any = true;
    }
    if (any) {
        const double margin = std::max(values.size() * 0.06, 0.02);
        const double above = plot->marked() ? 2 : 1;  // room for the marks
        if (logarithmic()) plot->yAxis->setRange(values.lower / 1.05, values.upper * (1 + 0.05 * above));
        else plot->yAxis->setRange(values.lower - margin, values.upper + above * margin);
        const auto& losses = model.points().of(EventKind::Loss);
        const double own = losses.empty() ? 0 : plot->xOf(losses.back());
        plot->setEnd(std::max(own, overTime() ? plot_->end(true) : 0));
    }
    // One loss makes no line.
    const bool alone = plot_->training->dataCount() == 1;
    plot_->training->setScatterStyle(alone ? QCPScatterStyle(QCPScatterStyle::ssDisc, 5) : QCPScatterStyle());
    plot->replot();
    if (const bool empty = !emptyText().isEmpty(); empty != wasEmpty_ || !empty) {
        wasEmpty_ = empty;
        Q_EMIT subtitleChanged();
    }
}

QString LossView::valueAt(int x) const {
    const auto& losses = context_.model.points().of(EventKind::Loss);
    const Event* loss = atStep(losses, plot_->widget->stepAt(x));
    if (!loss) return {};
    QString text = tr("step %1 · training %2").arg(QString::number(loss->step), figure(loss->value));
    if (overTime()) text.prepend(tr("%1 · ").arg(shardlab::ui::text(formatSeconds(plot_->widget->xOf(*loss)))));
    const Event* validation = atStep(context_.model.points().of(EventKind::ValidationLoss), loss->step);
    if (validation) text += tr(" · validation %1 (step %2)").arg(figure(validation->value)).arg(validation->step);
    if (const Event* ahead = atStep(context_.model.points().of(EventKind::PredictionLoss), loss->step))
        text += tr(" · predictions ahead %1").arg(figure(ahead->value));
    if (const Event* rate = atStep(context_.model.points().of(EventKind::LearningRate), loss->step))
        text += tr(" · learning rate %1").arg(QString::number(rate->value, 'g', 4));
    if (const QString skipped = overflowsText(ofStep(overflows(context_.model), loss->step)); !skipped.isEmpty())
        text += QLatin1Char('\n') + skipped;
    return text;
}

bool LossView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_->widget) return View::eventFilter(watched, event);
    if (event->type() == QEvent::MouseButtonPress) {
        const auto& mouse = *static_cast<QMouseEvent*>(event);
        const Event* loss =
            atStep(context_.model.points().of(EventKind::Loss), plot_->widget->stepAt(mouse.position().x()));
        if (loss) context_.selection.goTo(loss->begin);
    }
    return false;
}

QString LossView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    if (!context_.model.points().of(EventKind::Loss).empty()) return {};
    if (QString text = notInForeign(tr("The trace does not record losses.")); !text.isEmpty()) return text;
    return context_.model.report().end() ? tr("This run ended before its first step was complete.")
                                         : tr("The loss appears with the first complete step.");
}

QString LossView::subtitle() const {
    const RunModel& model = context_.model;
    const auto& losses = model.points().of(EventKind::Loss);
    if (losses.empty()) return {};
    const Event* loss = atStep(losses, context_.stepAtCursor());
    const bool images = model.header().hasLayout() && readsImages(model.header().layout.model);
    const QString unit = images ? tr("nats per image") : tr("nats per token");
    if (!loss) return unit;
    const QString origin = earlier_->origin() ? tr(" · goes on %1").arg(earlier_->text()) : QString();
    QString text = tr("step %1 · %2 %3").arg(QString::number(loss->step), figure(loss->value), unit);
    if (const Event* validation = atStep(model.points().of(EventKind::ValidationLoss), loss->step))
        text += tr(" · validation %1").arg(figure(validation->value));
    if (const Event* ahead = atStep(model.points().of(EventKind::PredictionLoss), loss->step))
        text += tr(" · predictions ahead %1").arg(figure(ahead->value));
    return text + origin;
}

QString LossView::asTable() const {
    QString table = tr("step\ttraining loss\tvalidation loss\tlearning rate\tskipped");
    const bool predicts = predictsAhead(context_.model);
    if (predicts) table += tr("\tloss of predictions ahead");
    for (const Plot::Other& other : plot_->others) table += QLatin1Char('\t') + other.graph->name();
    table += QLatin1Char('\n');
    const auto& validations = context_.model.points().of(EventKind::ValidationLoss);
    const auto& rates = context_.model.points().of(EventKind::LearningRate);
    const std::vector<Event> skipped = overflows(context_.model);
    for (const auto& [step, loss] : earlier_->losses())
        table +=
            tr("%1\t%2\t\t\t%3\n")
                .arg(QString::number(step), QString::number(loss, 'g', 8), tr("before it, %1").arg(earlier_->text()));
    for (const Event& loss : context_.model.points().of(EventKind::Loss)) {
        const Event* validation = atStep(validations, loss.step);
        const Event* rate = atStep(rates, loss.step);
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5")
                     .arg(QString::number(loss.step), QString::number(loss.value, 'g', 8),
                          validation && validation->step == loss.step ? QString::number(validation->value, 'g', 8)
                                                                      : QString(),
                          rate ? QString::number(rate->value, 'g', 8) : QString(),
                          overflowsText(ofStep(skipped, loss.step)));
        const Event* ahead = atStep(context_.model.points().of(EventKind::PredictionLoss), loss.step);
        if (predicts) table += QLatin1Char('\t') + (ahead ? QString::number(ahead->value, 'g', 8) : QString());
        const auto step = static_cast<std::size_t>(loss.step);
        for (const Plot::Other& other : plot_->others)
            table += QLatin1Char('\t') +
                     (step < other.losses.size() ? QString::number(other.losses[step], 'g', 8) : QString());
        table += QLatin1Char('\n');
    }
    return table;
}

}  // namespace shardlab::ui
