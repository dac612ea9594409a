// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/mesh/mesh_view.h"

#include "ui/core/child.h"
#include "ui/core/log_words.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"
#include "ui/views/mesh/mesh_grid.h"

#include "engine/base/units.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/schedule/registry.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace shardlab::ui {
namespace {

constexpr int refreshMilliseconds = 100;

/// "experts 0–3"; empty where all ranks hold the same.
QString expertsOf(const Layout& layout, const Mesh& mesh, int rank) {
    const int members = mesh.size(Axis::Expert);
    if (members == 1) return {};
    const int each = layout.model.experts.count / members, first = mesh.coordinate(rank, Axis::Expert) * each;
    return each == 1 ? MeshView::tr("expert %1").arg(first)
                     : MeshView::tr("experts %1–%2").arg(first).arg(first + each - 1);
}

QString rankNumbers(const std::vector<int>& ranks, int without = -1) {
    QStringList numbers;
    for (const int rank : ranks)
        if (rank != without) numbers << QString::number(rank);
    return numbers.join(QStringLiteral(", "));
}

/// Which experts the rank has, and where the others are, a line each.
QString expertsHelp(const Layout& layout, const Mesh& mesh, int rank) {
    QStringList lines{MeshView::tr("%1 of each block with experts").arg(expertsOf(layout, mesh, rank))};
    if (const std::vector<int> exchange = expertExchange(mesh, rank); exchange.size() > 1)
        lines << MeshView::tr("tokens for other experts go to rank %1").arg(rankNumbers(exchange, rank));
    std::vector<int> folds;
    for (const int member : mesh.group(rank, Axis::Tensor))
        if (mesh.folds() > 1 && mesh.coordinate(member, Axis::Expert) != mesh.coordinate(rank, Axis::Expert))
            folds.push_back(member);
    if (!folds.empty()) lines << MeshView::tr("rank %1 of its tensor group has others").arg(rankNumbers(folds));
    if (const std::vector<int> sharing = mesh.group(rank, Axis::ExpertTensor); sharing.size() > 1)
        lines << MeshView::tr("each expert is cut with rank %1").arg(rankNumbers(sharing, rank));
    return lines.join(QLatin1Char('\n'));
}

/// "L0–3", or "L0–1, L4–5" where a rank holds several stages; "embedding" of a stage without a layer.
std::vector<QString> layersOf(const Layout& layout) {
    const std::vector<int> counts = stageLayers(layout);
    std::vector<int> first{0};
    for (const int count : counts) first.push_back(first.back() + count);
    std::vector<QString> held;
    const auto schedule = generateSchedule(layout.schedule.kind, scheduleShape(layout));
    for (int rank = 0; rank < layout.parallel.pipeline; ++rank) {
        QStringList parts;
        for (const int stage : schedule ? schedule->stagesOf(rank) : std::vector<int>{}) {
            const auto index = static_cast<std::size_t>(stage);
            if (index >= counts.size()) continue;
            const int lowest = first[index], highest = first[index + 1] - 1;
            if (highest < lowest) parts << (index == 0 ? MeshView::tr("embedding") : MeshView::tr("output"));
            else if (highest == lowest) parts << QStringLiteral("L%1").arg(lowest);
            else parts << QStringLiteral("L%1–%2").arg(lowest).arg(highest);
        }
        held.push_back(parts.join(QStringLiteral(", ")));
    }
    return held;
}

}  // namespace

std::vector<double> busyShares(const StepSummary& step) {
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = 0;
    for (const RankStep& rank : step.ranks) {
        if (rank.firstForward >= 0) begin = std::min(begin, rank.firstForward);
        end = std::max(end, rank.lastBackward);
    }
    std::vector<double> shares;
    for (const RankStep& rank : step.ranks)
        shares.push_back(end > begin
                             ? std::clamp(static_cast<double>(rank.busy) / static_cast<double>(end - begin), 0.0, 1.0)
                             : 0.0);
    return shares;
}

MeshView::MeshView(const ViewContext& context, QWidget* parent)
    : View(context, parent), grid_(child<MeshGrid>(context.theme, nullptr)) {
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto* area = child<QScrollArea>(this);
    area->setWidget(grid_);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    column->addWidget(area);
    setFocusProxy(grid_);
    timer_.setSingleShot(true);
    timer_.setInterval(refreshMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &MeshView::refresh);
    const auto soon = [this] {
        if (!timer_.isActive()) timer_.start();
    };
    connect(&context_.model, &RunModel::reset, this, &MeshView::rebuild);
    connect(&context_.model, &RunModel::appended, this, soon);
    connect(&context_.model.report(), &RunReport::ranksChanged, this, soon);
    connect(&context_.selection, &Selection::cursorChanged, this, soon);
    connect(&context_.selection, &Selection::rankChanged, this,
            [this] { grid_->setSelected(context_.selection.rank()); });
    connect(grid_, &MeshGrid::picked, this, [this](int rank) { context_.selection.setRank(rank); });
    rebuild();
}

void MeshView::rebuild() {
    const RunModel& model = context_.model;
    if (model.empty()) return;
    layers_ = model.header().hasLayout() ? layersOf(model.header().layout) : std::vector<QString>{};
    QStringList heads;
    for (int stage = 0; stage < model.mesh().size(Axis::Pipeline); ++stage) heads << holdings(stage);
    grid_->setMesh(model.mesh(), heads);
    refresh();
}

QString MeshView::holdings(int pipelineRank) const {
    const auto index = static_cast<std::size_t>(pipelineRank);
    return index < layers_.size() ? layers_[index] : QString();
}

const StepSummary* MeshView::shownStep() const {
    // In a long run only the steps as a whole are known, and in a run that goes on a step is known once it is done.
    const StepSummary* step = context_.step();
    return step && step->complete && !step->ranks.empty() ? step : nullptr;
}

void MeshView::refresh() {
    if (context_.model.empty()) return;
    const Mesh& mesh = context_.model.mesh();
    const bool design = context_.workspace == Workspace::Design;
    const StepSummary* step = design ? nullptr : shownStep();
    if (step && !step->computes()) step = nullptr;  // nothing is known of who was busy
    const std::vector<double> busy = step ? busyShares(*step) : std::vector<double>{};
    step_ = step ? step->step : -1;
    const int stages = mesh.size(Axis::Pipeline);
    std::vector<MeshCell> cells;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        MeshCell cell;
        cell.rank = rank;
        const int stage = mesh.coordinate(rank, Axis::Pipeline);
        const QString label = QString::fromStdString(placeOf(context_.model, rank));
        cell.help = tr("Rank %1 · %2\n%3 device %4\n%5")
                        .arg(rank)
                        .arg(label.isEmpty() ? tr("the only rank") : label, QString::fromStdString(mesh.hostName(rank)))
                        .arg(mesh.device(rank))
                        .arg(holdings(stage));
        const Layout& layout = context_.model.header().layout;
        const QString experts = expertsOf(layout, mesh, rank);
        if (!experts.isEmpty()) cell.help += QLatin1Char('\n') + expertsHelp(layout, mesh, rank);
        const auto index = static_cast<std::size_t>(rank);
        if (index < busy.size()) {
            cell.shade = busy[index];
            cell.figure = QStringLiteral("%1 %").arg(static_cast<int>(busy[index] * 100 + 0.5));
            cell.detail = tr("rank %1").arg(rank);
            cell.help += tr("\nbusy %1 of step %2").arg(percent(busy[index])).arg(step_);
        } else {
            // Stages in shades of one hue, the first the deepest.
            cell.shade = design ? 0.45 + 0.55 * stage / std::max(1, stages - 1) : 0.15;
            cell.figure = QString::number(rank);
            cell.detail = experts.isEmpty() ? label : experts;
        }
        cells.push_back(cell);
    }
    for (const RankRecord& record : context_.model.report().ranks()) {
        if (record.rank < 0 || record.rank >= static_cast<int>(cells.size())) continue;
        MeshCell& cell = cells[static_cast<std::size_t>(record.rank)];
        if (record.pid > 0) cell.help += tr("\nprocess %1").arg(record.pid);
        if (record.end.empty()) continue;
        cell.help += QLatin1Char('\n') + logWords(record.end);
        cell.ended = record.end.starts_with("ended with the run") || isAbsent(record);
        cell.lost = !cell.ended && !endedWell(record);
    }
    grid_->setCells(std::move(cells));
    grid_->setSelected(context_.selection.rank());
    Q_EMIT subtitleChanged();
}

void MeshView::fillContextMenu(QMenu& menu, const QPoint& at) {
    const int rank = grid_->rankAt(grid_->mapFrom(this, at));
    if (rank < 0) return;
    context_.selection.setRank(rank);
    menu.addAction(tr("Copy what rank %1 holds").arg(rank), this,
                   [words = grid_->help(rank)] { QGuiApplication::clipboard()->setText(words); });
}

QString MeshView::subtitle() const {
    if (step_ < 0)
        return context_.model.empty() || context_.model.header().hasLayout() ? tr("which rank holds what")
                                                                             : tr("the ranks of the trace");
    return tr("busy % in step %1").arg(step_);
}

QString MeshView::asTable() const {
    if (context_.model.empty()) return {};
    const Mesh& mesh = context_.model.mesh();
    const StepSummary* step = context_.workspace == Workspace::Design ? nullptr : shownStep();
    const std::vector<double> busy = step && step->computes() ? busyShares(*step) : std::vector<double>{};
    const bool spread = mesh.size(Axis::Expert) > 1;
    QString table = tr("Rank\tPlace\tHost\tDevice\tLayers\tBusy") +
                    (spread ? tr("\tExperts\tExpert group") : QString()) + QLatin1Char('\n');
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        QString experts;
        if (spread)
            experts = QStringLiteral("\t%1\t%2")
                          .arg(expertsOf(context_.model.header().layout, mesh, rank),
                               rankNumbers(mesh.group(rank, Axis::Expert)));
        table +=
            QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6%7\n")
                .arg(rank)
                .arg(QString::fromStdString(placeOf(context_.model, rank)), QString::fromStdString(mesh.hostName(rank)))
                .arg(mesh.device(rank))
                .arg(holdings(mesh.coordinate(rank, Axis::Pipeline)),
                     index < busy.size() ? percent(busy[index]) : QString(), experts);
    }
    return table;
}

}  // namespace shardlab::ui
