// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/memory_over_time/memory_over_time_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/legend.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/step_account.h"
#include "ui/core/theme.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/views/memory_over_time/memory_curve_plot.h"
#include "ui/core/words.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {

namespace {
constexpr std::size_t mostPoints = 20'000;  ///< beyond them points are moments, not changes
constexpr std::size_t mostSteps = 200;      ///< in sight, whose prediction is drawn as a line
constexpr std::size_t mostTableRows = 2000;

/// The last moment of which the rank has told, which of a live run is another one than the other ranks'. A recording of
/// memory alone has no spans, and is whole.
std::int64_t knownOf(const RunModel& model, int rank) {
    std::int64_t last = 0;
    for (int lane = 0; lane < laneCount; ++lane)
        last = std::max(last, model.store().lane(rank, static_cast<Lane>(lane)).lastEnd());
    return last > 0 ? last : model.recorded().last;
}
}  // namespace

MemoryOverTimeView::MemoryOverTimeView(const ViewContext& context, QWidget* parent)
    : View(context, parent), plot_(child<MemoryCurvePlot>(context, this)),
      legend_(child<Legend>(context.theme, Qt::AlignLeft | Qt::AlignVCenter, 3, this)),
      refresh_(
          this, [this] { refresh(); }, 12) {
    setAccessibleName(tr("Memory over time"));
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 2, 0, 4);
    column->setSpacing(0);
    column->addWidget(plot_, 1);
    auto* foot = child<QHBoxLayout>();
    foot->setContentsMargins(10, 0, 10, 0);
    foot->addWidget(legend_, 1);
    column->addLayout(foot);
    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.model.prediction(), &Prediction::accounted);
    refresh_.follow(context_.selection, &Selection::visibleChanged, &Selection::rankChanged, &Selection::eventChanged,
                    &Selection::cursorChanged);
    connect(&context_.theme, &ThemeSource::changed, this, [this] {
        refreshLegend();
        plot_->update();
    });
    refreshLegend();
    refresh_.flush();
}

void MemoryOverTimeView::refreshLegend() {
    const Theme& theme = context_.theme.theme();
    std::vector<LegendItem> items;
    for (int category = 0; category < memoryCategoryCount; ++category) {
        const auto kind = static_cast<MemoryCategory>(category);
        items.push_back({term(name(kind)), theme.memory(kind)});
    }
    if (context_.workspace != Workspace::Design) items.push_back({tr("predicted"), theme.text, LegendItem::Mark::Line});
    legend_->setItems(std::move(items));
}

int MemoryOverTimeView::shownRank() const {
    const RunModel& model = context_.model;
    if (const auto& event = context_.selection.event(); event && event->rank >= 0 && event->rank < model.ranks())
        return event->rank;
    if (context_.selection.rank() >= 0 && context_.selection.rank() < model.ranks()) return context_.selection.rank();
    const auto& peaks = model.header().predictedPeak;
    if (peaks.empty()) return 0;
    return std::min(model.ranks() - 1, static_cast<int>(std::max_element(peaks.begin(), peaks.end()) - peaks.begin()));
}

void MemoryOverTimeView::refresh() {
    RunModel& model = context_.model;
    MemoryCurves curves;
    if (!model.empty() && model.ranks() > 0) {
        curves.rank = shownRank();
        curves.device = model.header().device();
        curves.predictedEnd = model.prediction().end();
        curves.measured = model.store().hasMemory();
        curves.knownUntil = curves.measured ? knownOf(model, curves.rank) : curves.predictedEnd;
        if (const StepAccount* account = model.prediction().account(); account && curves.rank < account->mesh.ranks())
            curves.predicted = account->memoryOf(curves.rank);
        const TimeRange visible = context_.selection.visible();
        if (curves.measured) {
            curves.filled = measuredMemory(model, curves.rank, visible.begin, visible.end, mostPoints);
            const StepRange steps = stepsWithin(model, visible.begin - model.prediction().end(), visible.end);
            if (steps.last - steps.first <= mostSteps)
                for (std::size_t i = steps.first; i < steps.last; ++i)
                    if (const StepExtent& extent = model.steps().extents()[i]; extent.firstForward >= 0)
                        curves.offsets.push_back(predictedOffset(model, extent));
        } else {
            curves.filled = curves.predicted;
        }
    }
    plot_->setCurves(std::move(curves));
    tellSubtitle();
}

QString MemoryOverTimeView::subtitle() const {
    const RunModel& model = context_.model;
    const MemoryCurves& curves = plot_->curves();
    if (model.empty() || curves.rank < 0 || !emptyText().isEmpty()) return {};
    QString text = tr("rank %1").arg(curves.rank);
    if (const std::string label = placeOf(model, curves.rank); !label.empty())
        text += QStringLiteral(" · ") + QString::fromStdString(label);
    text += curves.measured ? tr(" · measured, the line is predicted") : tr(" · predicted");
    if (curves.device.known()) text += QStringLiteral(" · ") + told(toText(curves.device));
    return text;
}

void MemoryOverTimeView::fillContextMenu(QMenu& menu, const QPoint&) { plot_->addZoomOut(menu); }

QString MemoryOverTimeView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty() || context_.model.store().hasMemory()) return text;
    return notInForeign(tr("The trace does not record memory by category.\nWhat it counts is in Counters."));
}

QString MemoryOverTimeView::asTable() const {
    const MemoryCurves& curves = plot_->curves();
    QString table = tr("rank\tfrom ms\tsum");
    for (int category = 0; category < memoryCategoryCount; ++category)
        table += QLatin1Char('\t') + term(name(static_cast<MemoryCategory>(category)));
    table += QLatin1Char('\n');
    std::size_t rows = 0;
    const TimeRange visible = context_.selection.visible();
    for (const MemoryPoint& point : curves.filled.points) {
        if (point.time > visible.end) break;
        if (++rows > mostTableRows) {
            table += tr("%1\t…\tmore, zoom in to see them\n").arg(curves.rank);
            break;
        }
        table += QStringLiteral("%1\t%2\t%3")
                     .arg(curves.rank)
                     .arg(context_.model.deviceTime().seconds(static_cast<double>(point.time) * 1e-6), 0, 'f', 6)
                     .arg(total(point.bytes));
        for (const std::int64_t bytes : point.bytes) table += QStringLiteral("\t%1").arg(bytes);
        table += QLatin1Char('\n');
    }
    return table;
}

}  // namespace shardlab::ui
