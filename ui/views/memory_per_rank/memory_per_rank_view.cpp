// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/memory_per_rank/memory_per_rank_view.h"

#include "engine/base/units.h"
#include "engine/trace/event/event_payload.h"
#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/legend.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/theme.h"
#include "ui/timeline/rank_folding.h"
#include "ui/views/memory_per_rank/memory_bars.h"
#include "ui/core/words.h"

#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {

MemoryPerRankView::MemoryPerRankView(const ViewContext& context, QWidget* parent)
    : View(context, parent), bars_(child<MemoryBars>(context.theme, this)),
      legend_(child<Legend>(context.theme, Qt::AlignLeft | Qt::AlignVCenter, 3, this)),
      refresh_(this, [this] { refresh(); }) {
    setAccessibleName(tr("Memory per rank"));
    auto* scroll = child<QScrollArea>(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(bars_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 4, 0, 6);
    column->setSpacing(2);
    column->addWidget(scroll, 1);
    auto* foot = child<QHBoxLayout>();
    foot->setContentsMargins(10, 0, 10, 0);
    foot->addWidget(legend_, 1);
    column->addLayout(foot);

    connect(&context_.model, &RunModel::reset, this, &MemoryPerRankView::refreshLegend);
    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.selection, &Selection::cursorChanged, &Selection::rankChanged);
    refresh_.follow(context_.document, &Document::planChanged);
    connect(&context_.theme, &ThemeSource::changed, this, [this] {
        refreshLegend();
        refresh_.request();
    });
    connect(bars_, &MemoryBars::rankClicked, this, [this](int rank) { context_.selection.setRank(rank); });
    refreshLegend();
    refresh_.flush();
}

bool MemoryPerRankView::predicted() const { return !context_.model.store().hasMemory(); }

void MemoryPerRankView::refreshLegend() {
    const Theme& theme = context_.theme.theme();
    std::vector<LegendItem> items;
    const bool foreign = !context_.model.empty() && !context_.model.header().hasLayout() && predicted();
    for (int category = 0; category < memoryCategoryCount && !foreign; ++category) {
        const auto kind = static_cast<MemoryCategory>(category);
        items.push_back({term(name(kind)), theme.memory(kind)});
    }
    if (context_.workspace != Workspace::Design) {
        items.push_back({tr("peak"), theme.text, LegendItem::Mark::Line});
        if (!foreign) items.push_back({tr("predicted peak"), theme.warning, LegendItem::Mark::Dashed});
    }
    legend_->setItems(std::move(items));
}

void MemoryPerRankView::refresh() {
    const RunModel& model = context_.model;
    std::vector<MemoryRow> rows;
    const std::vector<MemoryBytes> hosts = hostMemory();
    const auto& plan = context_.document.plan();
    const bool design = context_.workspace == Workspace::Design;
    for (int rank = 0; rank < model.ranks(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        MemoryRow row{.rank = rank, .label = QString::fromStdString(placeOf(model, rank))};
        if (design) {
            if (plan && index < plan->memory.size()) {
                row.bytes = plan->memory[index].bytes;
                row.shown = plan->memory[index].peak;
                row.host = plan->memory[index].host;
            }
        } else {
            const std::int64_t cursor = context_.selection.cursor();
            const StepSummary* step = context_.step();
            if (step && !step->ranks.empty()) row.peak = step->ranks[index].peakBytes;
            if (index < model.header().predictedPeak.size()) row.predictedPeak = model.header().predictedPeak[index];
            const MemoryTrack& memory = model.store().memory(rank);
            const StepExtent* extent = cursor < 0 ? model.steps().extentAt(cursor) : nullptr;
            if (extent) row.bytes = memory.largest(extent->begin, extent->end);
            else row.bytes = cursor < 0 ? memory.last() : memory.at(cursor);
            row.host = hosts[index];
            row.shown = !model.header().hasLayout() ? row.peak : predicted() ? row.predictedPeak : total(row.bytes);
            // Within an action more may be in use than before and after it, which is when the categories are recorded.
            if (extent && step && extent->step == step->step) row.shown = std::max(row.shown, row.peak);
        }
        rows.push_back(std::move(row));
    }
    if (model.ranks() >= RankFolding::many && model.header().hasLayout())
        rows = foldedRows(model.header().layout, model.mesh(), std::move(rows));
    bars_->setRows(std::move(rows), model.empty() ? MemoryLimit{} : model.header().device(), context_.selection.rank());
    tellSubtitle();
}

std::vector<MemoryBytes> MemoryPerRankView::hostMemory() const {
    const RunModel& model = context_.model;
    std::vector<MemoryBytes> hosts(static_cast<std::size_t>(model.ranks()));
    const StepSummary* step = context_.step();
    if (!step) return hosts;
    // A step tells of itself at its end.
    for (const Event& event : model.points().of(EventKind::HostMemory))
        if (const auto category = hostCategory(event);
            category && event.step <= step->step && event.rank >= 0 && event.rank < model.ranks())
            hosts[static_cast<std::size_t>(event.rank)][static_cast<std::size_t>(*category)] = event.bytes;
    return hosts;
}

QString MemoryPerRankView::subtitle() const {
    const RunModel& model = context_.model;
    if (model.empty()) return {};
    const StepSummary* step = context_.step();
    QString text;
    if (context_.workspace == Workspace::Design) {
        text = tr("predicted peak");
    } else if (!model.header().hasLayout() && !model.store().hasMemory()) {
        if (step) text = tr("largest memory in use in step %1").arg(step->step);
    } else if (predicted()) {
        text = tr("predicted peak, nothing measured yet");
    } else {
        const bool atCursor = context_.selection.cursor() >= 0;
        if (!step) text = tr("in use before the first step");
        else text = (atCursor ? tr("at the cursor, step %1") : tr("at the peak of step %1")).arg(step->step);
    }
    if (const MemoryLimit device = model.header().device(); device.known())
        text += QStringLiteral(" · ") + told(toText(device));
    return text;
}

QString MemoryPerRankView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty() || context_.model.store().hasMemory()) return text;
    for (int rank = 0; rank < context_.model.ranks(); ++rank)
        if (context_.model.steps().peakBytes(rank) > 0) return {};
    return notInForeign(tr("The trace does not record the memory in use by step."));
}

QString MemoryPerRankView::asTable() const {
    QString table = tr("rank\tplace");
    for (int category = 0; category < memoryCategoryCount; ++category)
        table += QLatin1Char('\t') + term(name(static_cast<MemoryCategory>(category))) + tr(" bytes");
    table += tr("\tpeak bytes\tpredicted peak bytes");
    const bool hosts = std::ranges::any_of(bars_->rows(), [](const MemoryRow& row) { return total(row.host) > 0; });
    table += hosts ? tr("\thost bytes\n") : QStringLiteral("\n");
    const bool design = context_.workspace == Workspace::Design;
    for (const MemoryRow& row : bars_->rows()) {
        table += titleOf(row).section(QLatin1Char(' '), 1) + QLatin1Char('\t') + row.label;
        for (const std::int64_t bytes : row.bytes) table += QLatin1Char('\t') + QString::number(bytes);
        table += QStringLiteral("\t%1\t%2")
                     .arg(design ? QString() : QString::number(row.peak))
                     .arg(design ? row.shown : row.predictedPeak);
        table += hosts ? QStringLiteral("\t%1\n").arg(total(row.host)) : QStringLiteral("\n");
    }
    return table;
}

}  // namespace shardlab::ui
