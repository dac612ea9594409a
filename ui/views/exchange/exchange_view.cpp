// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/exchange/exchange_view.h"

#include "engine/base/units.h"
#include "engine/layout/exchange.h"
#include "engine/trace/event/event_payload.h"
#include "ui/core/child.h"
#include "ui/core/legend.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/step_chart.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace shardlab::ui {

struct ExchangeView::Plot {
    StepChart* widget;
    QCPGraph* points;
    Legend* legend;
};

ExchangeView::ExchangeView(const ViewContext& context, QWidget* parent)
    : View(context, parent), refresh_(
                                 this, [this] { refresh(); }, 66) {
    setAccessibleName(tr("Staleness, overwritten elements or elastic distance over steps"));
    auto* chart = child<StepChart>(context, this);
    plot_ = std::make_unique<Plot>(
        Plot{chart, chart->addGraph(), child<Legend>(context.theme, Qt::AlignLeft | Qt::AlignVCenter, 1, this)});
    chart->installEventFilter(this);
    chart->setWords([this](int x) { return valueAt(x); });
    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(10, 0, 10, 0);
    bar->addWidget(plot_->legend, 1);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 4, 0, 2);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(chart, 1);
    refresh_.follow(context_.model, &RunModel::appended);
    refresh_.follow(context_.selection, &Selection::cursorChanged);
    const auto restyle = [this] {
        applyTheme();
        refresh_.request();
    };
    connect(&context_.theme, &ThemeSource::changed, this, restyle);
    connect(&context_.model, &RunModel::reset, this, restyle);
    applyTheme();
    refresh_.flush();
}

ExchangeView::~ExchangeView() = default;

QWidget* ExchangeView::canvas() const { return plot_->widget; }

EventKind ExchangeView::shown() const {
    const RunModel& model = context_.model;
    const Exchange exchange = model.empty() ? Exchange::AllReduce : model.header().layout.parallel.exchange;
    if (exchange == Exchange::Hogwild) return EventKind::OverwrittenUpdates;
    return exchange == Exchange::AsyncServer ? EventKind::Staleness : EventKind::ElasticDistance;
}

std::vector<Event> ExchangeView::events() const {
    std::vector<Event> all = context_.model.points().of(shown());
    std::ranges::stable_sort(all, {}, &Event::step);
    return all;
}

double ExchangeView::placeOf(const std::vector<Event>& all, std::size_t index) {
    const auto [first, last] = std::ranges::equal_range(all, all[index].step, {}, &Event::step);
    return all[index].step + static_cast<double>(all.begin() + static_cast<std::ptrdiff_t>(index) - first) /
                                 static_cast<double>(last - first);
}

void ExchangeView::applyTheme() {
    const Theme& theme = context_.theme.theme();
    const EventKind kind = shown();
    const bool points = manyAStep();
    plot_->widget->applyTheme();
    plot_->points->setPen(QPen(theme.action(kind), points ? 1 : 1.6));
    plot_->points->setScatterStyle(points ? QCPScatterStyle(QCPScatterStyle::ssDisc, 4) : QCPScatterStyle());
    const auto [axis, legend] =
        kind == EventKind::Staleness ? std::pair(tr("updates late"), tr("staleness of a gradient, in updates"))
        : kind == EventKind::OverwrittenUpdates
            ? std::pair(tr("elements"), tr("elements of another worker that an update overwrote"))
            : std::pair(tr("distance"), tr("distance between replica and centre before their exchange"));
    plot_->widget->yAxis->setLabel(axis);
    plot_->legend->setItems({{legend, theme.action(kind), LegendItem::Mark::Line}});
}

void ExchangeView::refresh() {
    const std::vector<Event> all = events();
    plot_->points->data()->clear();
    double highest = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        plot_->points->addData(placeOf(all, i), all[i].value);
        if (std::isfinite(all[i].value)) highest = std::max(highest, all[i].value);
    }
    if (!all.empty()) {
        plot_->widget->setSteps(all.back().step + (manyAStep() ? 1 : 0));
        plot_->widget->yAxis->setRange(-0.06 * std::max(highest, 1e-9), highest > 0 ? 1.1 * highest : 1);
    }
    plot_->widget->refreshMarks();
    plot_->widget->replot();
    if (const bool empty = !emptyText().isEmpty(); empty != wasEmpty_ || !empty) {
        wasEmpty_ = empty;
        Q_EMIT subtitleChanged();
    }
}

std::optional<Event> ExchangeView::drawnAt(double x) const {
    const std::vector<Event> all = events();
    const double step = plot_->widget->xAxis->pixelToCoord(x);
    const Event* nearest = nullptr;
    double away = 0;
    const auto first = std::ranges::lower_bound(all, static_cast<int>(std::floor(step)) - 1, {}, &Event::step);
    for (auto event = first; event != all.end() && event->step <= step + 1; ++event) {
        const double distance = std::abs(placeOf(all, static_cast<std::size_t>(event - all.begin())) - step);
        if (nearest && distance >= away) continue;
        nearest = &*event;
        away = distance;
    }
    if (all.empty()) return std::nullopt;
    return nearest ? *nearest : all.back();
}

QString ExchangeView::textOf(const Event& event) const {
    if (shown() == EventKind::OverwrittenUpdates)
        return tr("step %1 · update of worker %2 · %3 of %4 elements overwritten")
            .arg(QString::number(event.step), QString::number(event.rank), QString::number(elementsOverwritten(event)),
                 QString::number(elementsWritten(event)));
    if (shown() == EventKind::Staleness) {
        const QString late = counted(updatesLate(event), tr("1 update late"), tr("%1 updates late"));
        return tr("step %1 · gradient of replica %2 · %3")
            .arg(QString::number(event.step), QString::number(staleReplica(event)), late);
    }
    return tr("step %1 · rank %2 · distance %3").arg(event.step).arg(event.rank).arg(event.value, 0, 'g', 4);
}

QString ExchangeView::valueAt(int x) const {
    const std::optional<Event> event = drawnAt(x);
    return event ? textOf(*event) : QString();
}

bool ExchangeView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_->widget) return View::eventFilter(watched, event);
    if (event->type() == QEvent::MouseButtonPress) {
        const std::optional<Event> drawn = drawnAt(static_cast<QMouseEvent*>(event)->position().x());
        if (!drawn) return false;
        context_.selection.goTo(drawn->begin);
        return true;  // the chart itself would go to a whole step
    }
    return false;
}

QString ExchangeView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    if (!events().empty()) return {};
    if (QString text = notInForeign(tr("The trace does not record exchanges of weights.")); !text.isEmpty())
        return text;
    const Exchange exchange = context_.model.header().layout.parallel.exchange;
    if (exchange == Exchange::AllReduce || exchange == Exchange::Server)
        return tr("Nothing to show: the replicas of this run have the same weights in every step.\nSet Exchange in "
                  "Design to async-server to see the staleness of gradients, to easgd to see how far replicas drift "
                  "apart, or to hogwild to see how many elements of each other workers overwrite.");
    return context_.model.report().end() ? tr("This run ended before its first exchange.")
                                         : tr("The curve appears with the first exchange.");
}

QString ExchangeView::averageLateness() const {
    const std::vector<Event>& all = context_.model.points().of(EventKind::Staleness);
    double sum = 0;
    for (const Event& event : all) sum += updatesLate(event);
    return tr("%1 updates late on average, of %2")
        .arg(QString::number(sum / static_cast<double>(std::max<std::size_t>(1, all.size())), 'f', 2))
        .arg(all.size());
}

QString ExchangeView::subtitle() const {
    const std::vector<Event> all = events();
    if (all.empty()) return {};
    if (shown() == EventKind::Staleness) return averageLateness();
    if (shown() == EventKind::ElasticDistance) return textOf(all.back());
    double overwritten = 0, written = 0;
    for (const Event& event : all) {
        overwritten += elementsOverwritten(event);
        written += static_cast<double>(elementsWritten(event));
    }
    return tr("%1 of %2 elements overwritten · %3")
        .arg(QString::number(overwritten, 'g', 8), QString::fromStdString(formatCount(written)), averageLateness());
}

QString ExchangeView::asTable() const {
    const EventKind kind = shown();
    if (kind == EventKind::OverwrittenUpdates) {
        std::map<std::pair<int, std::int64_t>, double> late;
        for (const Event& event : context_.model.points().of(EventKind::Staleness))
            late[{event.step, staleReplica(event)}] = updatesLate(event);
        QString table = tr("step\tworker\telements written\telements overwritten\tupdates late\n");
        for (const Event& event : events()) {
            const auto found = late.find({event.step, event.rank});
            table += QStringLiteral("%1\t%2\t%3\t%4\t%5\n")
                         .arg(QString::number(event.step), QString::number(event.rank),
                              QString::number(elementsWritten(event)), QString::number(elementsOverwritten(event)),
                              found == late.end() ? QString() : QString::number(found->second));
        }
        return table;
    }
    const bool stale = kind == EventKind::Staleness;
    QString table = stale ? tr("step\treplica\tupdates late\n") : tr("step\trank\tdistance\n");
    for (const Event& event : events())
        table += QStringLiteral("%1\t%2\t%3\n")
                     .arg(QString::number(event.step), QString::number(stale ? staleReplica(event) : event.rank),
                          QString::number(event.value, 'g', 8));
    return table;
}

}  // namespace shardlab::ui
