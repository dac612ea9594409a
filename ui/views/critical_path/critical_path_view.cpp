// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/critical_path/critical_path_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/fact_list.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/step_account.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab {
namespace {

constexpr std::size_t mostRanks = 64;  ///< listed

QString text(const std::string& from) { return QString::fromStdString(from); }
QString percent(double part, double whole) { return text(formatPercent(whole > 0 ? part / whole : 0)); }

}  // namespace

CriticalPathView::CriticalPathView(const ViewContext& context, QWidget* parent)
    : View(context, parent), facts_(child<FactList>(this)), button_(child<QPushButton>(tr("Show in the timeline"), this)),
      refresh_(this, [this] { refresh(); }) {
    setAccessibleName(tr("Critical path"));
    button_->setCheckable(true);
    button_->setProperty("role", QStringLiteral("flat"));
    button_->setToolTip(tr("Draw the chain of actions that decides how long the step takes (C)"));
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 2, 0, 0);
    column->setSpacing(0);
    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(8, 0, 8, 0);
    bar->addWidget(button_);
    bar->addStretch(1);
    column->addLayout(bar);
    column->addWidget(facts_, 1);
    const auto request = [this] { refresh_.request(); };
    connect(&context_.model, &RunModel::reset, this, request);
    connect(&context_.model, &RunModel::accounted, this, request);
    connect(&context_.selection, &Selection::eventChanged, this, request);
    connect(&context_.selection, &Selection::pathShownChanged, this, [this] { button_->setChecked(context_.selection.pathShown()); });
    connect(button_, &QPushButton::toggled, this, [this](bool on) { context_.selection.showPath(on); });
    button_->setChecked(context_.selection.pathShown());
    refresh_.flush();
}

void CriticalPathView::refresh() {
    std::vector<Fact> facts;
    if (const StepAccount* account = context_.model.account()) {
        const CriticalPath& path = account->path;
        const double step = account->graph.stepSeconds;
        if (const auto& event = context_.selection.event()) {
            if (const int node = account->nodeOf(*event); node >= 0) {
                const double slack = path.slack[static_cast<std::size_t>(node)];
                const bool decides = std::find(path.nodes.begin(), path.nodes.end(), node) != path.nodes.end();
                facts.push_back({text(toText(actionFromId(event->action))),
                                 decides ? tr("decides the step") : slack > 0 ? tr("could be %1 late").arg(text(formatSeconds(slack))) : tr("as long as the path"),
                                 decides ? "warning" : "figure", tr("Slack: what the action could take longer before the step does, all others as predicted.")});
            }
        }
        double compute = 0, communication = 0;
        for (const CriticalPath::Share& share : path.onPath) {
            compute += share.compute;
            communication += share.communication;
        }
        facts.push_back({tr("Compute"), tr("%1 · %2").arg(percent(compute, step), text(formatSeconds(compute))), "figure", tr("Of the path, over all ranks")});
        facts.push_back({tr("Communication"), tr("%1 · %2").arg(percent(communication, step), text(formatSeconds(communication))), "figure",
                         tr("Transfers and reductions on the path")});
        for (std::size_t rank = 0; rank < std::min(mostRanks, path.ofRank.size()); ++rank) {
            const CriticalPath::Share& share = path.onPath[rank];
            const CriticalPath::Time& time = path.ofRank[rank];
            facts.push_back({tr("Pipeline rank %1").arg(rank),
                             tr("on path %1 · waits %2").arg(percent(share.compute + share.communication, step), percent(time.waiting, step)), "figure",
                             tr("On the path: %1 compute, %2 communication. In the step: %3 computing, %4 reducing, %5 waiting.")
                                 .arg(text(formatSeconds(share.compute)), text(formatSeconds(share.communication)), text(formatSeconds(time.computing)),
                                      text(formatSeconds(time.reducing)), text(formatSeconds(time.waiting)))});
        }
    }
    facts_->setFacts(facts);
    Q_EMIT subtitleChanged();
}

QString CriticalPathView::subtitle() const {
    if (context_.model.empty()) return {};
    const StepAccount* account = context_.model.account();
    if (!account) return {};
    return tr("predicted · %1 actions, %2").arg(account->path.nodes.size()).arg(text(formatSeconds(account->graph.stepSeconds)));
}

QString CriticalPathView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    return notInForeign(tr("A critical path is that of a layout's schedule, which a trace does not tell."));
}

QString CriticalPathView::asTable() const {
    const StepAccount* account = context_.model.account();
    if (!account) return {};
    const auto seconds = [](double value) { return QString::number(value, 'g', 9); };
    QString table = tr("pipeline rank\tpath: compute s\tpath: communication s\tcomputing s\treducing s\twaiting s\n");
    for (std::size_t rank = 0; rank < account->path.ofRank.size(); ++rank) {
        const CriticalPath::Share& share = account->path.onPath[rank];
        const CriticalPath::Time& time = account->path.ofRank[rank];
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\n")
                     .arg(QString::number(rank), seconds(share.compute), seconds(share.communication), seconds(time.computing), seconds(time.reducing),
                          seconds(time.waiting));
    }
    table += tr("\naction\tpipeline rank\tbegin s\tlasts s\n");
    for (const int index : account->path.nodes) {
        const StepGraph::Node& node = account->graph.nodes[static_cast<std::size_t>(index)];
        table += QStringLiteral("%1\t%2\t%3\t%4\n").arg(text(toText(node.action)), QString::number(node.rank), seconds(node.begin), seconds(node.end - node.begin));
    }
    return table;
}

}  // namespace shardlab
