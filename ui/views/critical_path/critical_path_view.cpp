// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/critical_path/critical_path_view.h"

#include "engine/base/units.h"
#include "ui/core/action_words.h"
#include "ui/core/child.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr std::size_t mostRanks = 64;  ///< listed

QString percentOf(double whole, double part) { return percent(whole > 0 ? part / whole : 0); }

/// "20 ms compute, 3 ms tensor collectives, 1 ms communication"; the second where there are any.
QString partsOf(const CriticalPath::Share& share) {
    const QString tensor = share.tensor > 0
                               ? CriticalPathView::tr(", %1 tensor collectives").arg(text(formatSeconds(share.tensor)))
                               : QString();
    return CriticalPathView::tr("%1 compute%2, %3 communication")
        .arg(text(formatSeconds(share.compute)), tensor, text(formatSeconds(share.communication)));
}

}  // namespace

CriticalPathView::CriticalPathView(const ViewContext& context, QWidget* parent)
    : View(context, parent), facts_(child<FactList>(this)),
      button_(child<QPushButton>(tr("Show in the timeline"), this)), refresh_(this, [this] { refresh(); }) {
    setAccessibleName(tr("Critical path"));
    button_->setCheckable(true);
    button_->setProperty("role", QStringLiteral("flat"));
    button_->setToolTip(
        tr("Draw the chain of actions that decides how long a step takes, as measured where it was (C)"));
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 2, 0, 0);
    column->setSpacing(0);
    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(8, 0, 8, 0);
    bar->addWidget(button_);
    bar->addStretch(1);
    column->addLayout(bar);
    column->addWidget(facts_, 1);
    connect(&context_.model, &RunModel::reset, this, [this] {
        measuredOf_ = {-1, -1};
        refresh_.request();
    });
    // In a run that goes on, the next step is shown once it is over.
    connect(&context_.model, &RunModel::appended, this, [this] {
        if (const StepSummary* step = context_.step(); step && step->step != measuredOf_.first) refresh_.request();
    });
    refresh_.follow(context_.selection, &Selection::cursorChanged, &Selection::rankChanged, &Selection::eventChanged);
    refresh_.follow(context_.model.prediction(), &Prediction::accounted);
    connect(&context_.selection, &Selection::pathShownChanged, this,
            [this] { button_->setChecked(context_.selection.pathShown()); });
    connect(button_, &QPushButton::toggled, this, [this](bool on) { context_.selection.showPath(on); });
    button_->setChecked(context_.selection.pathShown());
    refresh_.flush();
}

void CriticalPathView::measure(const StepAccount& account) {
    const StepSummary* step = context_.step();
    if (!step || !step->complete) {  // nothing has decided yet how long it takes
        measured_.reset();
        measuredOf_ = {-1, -1};
        return;
    }
    const auto& event = context_.selection.event();
    const int pipeline = pipelineOf(account, event ? event->rank : context_.selection.rank());
    if (measuredOf_ == std::pair(step->step, pipeline)) return;
    measured_ = measuredPath(context_.model, account, pipeline, step->step);
    measuredOf_ = {step->step, pipeline};
}

void CriticalPathView::refresh() {
    std::vector<Fact> facts;
    if (const StepAccount* account = context_.model.prediction().account()) {
        measure(*account);
        addSelected(facts, *account);
        measured_ ? addMeasured(facts, *account) : addPredicted(facts, *account);
    } else {
        measured_.reset();
    }
    facts_->setFacts(facts);
    Q_EMIT subtitleChanged();
}

void CriticalPathView::addSelected(std::vector<Fact>& facts, const StepAccount& account) const {
    const auto& event = context_.selection.event();
    if (!event) return;
    const int node = account.nodeOf(*event);
    if (node < 0) return;
    const QString action = text(toText(actionFromId(event->action)));
    const auto& path = account.path;
    const double slack = path.slack[static_cast<std::size_t>(node)];
    const bool predicted = std::ranges::find(path.nodes, node) != path.nodes.end();
    const QString late = slack > 0 ? tr("could be %1 late").arg(text(formatSeconds(slack))) : tr("as long as the path");
    if (measured_ && event->step == measured_->step) {
        const bool decided =
            std::ranges::find(measured_->path.links, node, &MeasuredPath::Link::node) != measured_->path.links.end();
        facts.push_back(
            {action, decided ? tr("decided the step") : tr("not on the path"), decided ? "warning" : "figure",
             tr("%1. As predicted: %2.")
                 .arg(actionWords(actionFromId(event->action)), predicted ? tr("decides the step") : late)});
        return;
    }
    facts.push_back({action, predicted ? tr("decides the step") : late, predicted ? "warning" : "figure",
                     tr("%1. Slack: how much longer this action could take before the step takes longer, if all other "
                        "actions are as predicted.")
                         .arg(actionWords(actionFromId(event->action)))});
}

void CriticalPathView::addPredicted(std::vector<Fact>& facts, const StepAccount& account) const {
    const CriticalPath& path = account.path;
    const double step = account.graph.stepSeconds;
    const auto part = [&](double seconds) {
        return tr("%1 · %2").arg(percentOf(step, seconds), text(formatSeconds(seconds)));
    };
    const CriticalPath::Share sum = path.share();
    facts.push_back({tr("Compute"), part(sum.compute), "figure", tr("Computing on the path, over all ranks")});
    if (sum.tensor > 0)
        facts.push_back({tr("Tensor comm"), part(sum.tensor), "figure",
                         tr("Exchanges within tensor groups during the actions on the path")});
    facts.push_back(
        {tr("Communication"), part(sum.communication), "figure", tr("Transfers and reductions on the path")});
    for (std::size_t rank = 0; rank < std::min(mostRanks, path.ofRank.size()); ++rank) {
        const CriticalPath::Share& share = path.onPath[rank];
        const CriticalPath::Time& time = path.ofRank[rank];
        facts.push_back(
            {tr("Pipeline rank %1").arg(rank),
             tr("on path %1 · waits %2").arg(percentOf(step, share.seconds()), percentOf(step, time.waiting)), "figure",
             tr("On the path: %1. In the step: %2 computing%3, %4 reducing, %5 waiting.")
                 .arg(partsOf(share), text(formatSeconds(time.computing)),
                      time.tensor > 0 ? tr(", %1 in tensor collectives").arg(text(formatSeconds(time.tensor)))
                                      : QString(),
                      text(formatSeconds(time.reducing)), text(formatSeconds(time.waiting)))});
    }
}

void CriticalPathView::addMeasured(std::vector<Fact>& facts, const StepAccount& account) const {
    const MeasuredPath& path = measured_->path;
    const auto part = [&](double seconds) {
        return tr("%1 · %2").arg(percentOf(path.seconds, seconds), text(formatSeconds(seconds)));
    };
    const CriticalPath::Share sum = path.share(), predicted = account.path.share();
    facts.push_back(
        {tr("Compute"), part(sum.compute), "figure",
         tr("Computing on the path, over all ranks; predicted %1").arg(text(formatSeconds(predicted.compute)))});
    if (sum.tensor > 0 || predicted.tensor > 0)
        facts.push_back({tr("Tensor comm"), part(sum.tensor), "figure",
                         tr("Exchanges within tensor groups during the actions on the path, with the ranks' wait for "
                            "each other; predicted %1")
                             .arg(text(formatSeconds(predicted.tensor)))});
    facts.push_back(
        {tr("Communication"), part(sum.communication), "figure",
         tr("Transfers and reductions on the path; predicted %1").arg(text(formatSeconds(predicted.communication)))});
    facts.push_back({tr("Between actions"), part(path.gaps), "figure",
                     tr("Time on the path during which no action of this pipeline ran: a rank began its next action "
                        "late, or waited for another replica")});
    for (std::size_t rank = 0; rank < std::min(mostRanks, path.onPath.size()); ++rank) {
        const CriticalPath::Share& own = path.onPath[rank];
        facts.push_back({tr("Pipeline rank %1").arg(rank), tr("on path %1").arg(percentOf(path.seconds, own.seconds())),
                         "figure", tr("%1. Predicted: %2.").arg(partsOf(own), partsOf(account.path.onPath[rank]))});
    }
}

QString CriticalPathView::subtitle() const {
    if (context_.model.empty()) return {};
    const StepAccount* account = context_.model.prediction().account();
    if (!account) return {};
    if (measured_)
        return tr("step %1 · %2 actions, %3")
            .arg(measured_->step)
            .arg(measured_->path.links.size())
            .arg(text(formatSeconds(measured_->path.seconds)));
    return tr("predicted · %1 actions, %2")
        .arg(account->path.nodes.size())
        .arg(text(formatSeconds(account->graph.stepSeconds)));
}

QString CriticalPathView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    return notInForeign(tr("The critical path follows from a layout's schedule, which a trace does not record."));
}

QString CriticalPathView::asTable() const {
    const StepAccount* account = context_.model.prediction().account();
    if (!account) return {};
    const auto seconds = [](double value) { return QString::number(value, 'g', 9); };
    if (measured_) return tableOfStep(*account);
    QString table = tr("pipeline rank\tpath: compute s\tpath: tensor collectives s\tpath: communication s\tcomputing "
                       "s\ttensor collectives s\treducing s\twaiting s\n");
    for (std::size_t rank = 0; rank < account->path.ofRank.size(); ++rank) {
        const CriticalPath::Share& share = account->path.onPath[rank];
        const CriticalPath::Time& time = account->path.ofRank[rank];
        table +=
            QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\t%7\t%8\n")
                .arg(QString::number(rank), seconds(share.compute), seconds(share.tensor), seconds(share.communication),
                     seconds(time.computing), seconds(time.tensor), seconds(time.reducing), seconds(time.waiting));
    }
    table += tr("\naction\tpipeline rank\tbegin s\tlasts s\n");
    for (const int index : account->path.nodes) {
        const StepGraph::Node& node = account->graph.nodes[static_cast<std::size_t>(index)];
        table += QStringLiteral("%1\t%2\t%3\t%4\n")
                     .arg(text(toText(node.action)), QString::number(node.rank), seconds(node.begin),
                          seconds(node.end - node.begin));
    }
    return table;
}

QString CriticalPathView::tableOfStep(const StepAccount& account) const {
    const auto seconds = [](double value) { return QString::number(value, 'g', 9); };
    const MeasuredPath& path = measured_->path;
    QString table = tr("step %1\n\npipeline rank\tpath: compute s\tpath: tensor collectives s\tpath: communication s\t"
                       "predicted: compute s\tpredicted: tensor collectives s\tpredicted: communication s\n")
                        .arg(measured_->step);
    for (std::size_t rank = 0; rank < path.onPath.size(); ++rank) {
        const CriticalPath::Share& own = path.onPath[rank];
        const CriticalPath::Share& predicted = account.path.onPath[rank];
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\t%7\n")
                     .arg(QString::number(rank), seconds(own.compute), seconds(own.tensor), seconds(own.communication),
                          seconds(predicted.compute), seconds(predicted.tensor), seconds(predicted.communication));
    }
    table += tr("\naction\tpipeline rank\tgap before s\tbegin s\tlasts s\n");
    for (const MeasuredPath::Link& link : path.links) {
        const StepGraph::Node& node = account.graph.nodes[static_cast<std::size_t>(link.node)];
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\n")
                     .arg(text(toText(node.action)), QString::number(node.rank), seconds(link.gap),
                          seconds(link.begin - path.links.front().begin), seconds(link.end - link.begin));
    }
    return table;
}

}  // namespace shardlab::ui
