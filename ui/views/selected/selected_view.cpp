// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/selected/selected_view.h"

#include "engine/base/units.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/trace/event/event_payload.h"
#include "ui/core/action_words.h"
#include "ui/core/child.h"
#include "ui/core/log_words.h"
#include "ui/core/overflow.h"
#include "ui/core/rounding.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/timeline/dependencies.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/core/text.h"

#include <QRegularExpression>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {

namespace {
/// Names of functions have no spaces: lines may end after their other marks.
QString breakable(QString words) {
    static const QRegularExpression marks(QStringLiteral("([_:<>,(])(?=\\w)"));
    return words.replace(marks, QStringLiteral("\\1\u200b"));
}
}  // namespace

SelectedView::SelectedView(const ViewContext& context, QWidget* parent)
    : View(context, parent), facts_(child<FactList>(this)), refresh_(this, [this] { refresh(); }) {
    setAccessibleName(tr("Selected action"));
    auto* scroll = child<QScrollArea>(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(facts_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(scroll);
    connect(&context_.selection, &Selection::eventChanged, this, [this] { refresh_.flush(); });
    connect(&context_.selection, &Selection::rankChanged, this, [this] { refresh_.flush(); });
    refresh_.follow(context_.selection, &Selection::cursorChanged);
    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.model.report(), &RunReport::ranksChanged);
    refresh();
}

QString SelectedView::place(int rank) const {
    QStringList parts{QString::number(rank)};
    const Layout& layout = context_.model.header().layout;
    if (context_.model.header().hasLayout() && layout.cluster.hosts.size() > 1)
        parts += text(context_.model.mesh().hostName(rank));
    if (const std::string label = placeOf(context_.model, rank); !label.empty()) parts += text(label);
    return parts.join(QStringLiteral(" · "));
}

QString SelectedView::withoutWait(const Event& event, const std::vector<Dependency>& arrows) const {
    const RunModel& model = context_.model;
    const auto input = std::ranges::find_if(arrows, [&](const Dependency& arrow) { return arrow.to == event; });
    if (input == arrows.end())
        return event.kind == EventKind::Forward ? tr("nothing: its samples were on this rank")
                                                : tr("nothing: its input was computed on this rank");
    const std::int64_t early = event.begin - input->from.end;
    return early > 0 ? tr("nothing: the input from rank %1 had come %2 before")
                           .arg(input->from.rank)
                           .arg(seconds(model, early))
                     : tr("nothing: the input from rank %1 came as it began").arg(input->from.rank);
}

std::vector<Fact> SelectedView::actionFacts(const Event& event) const {
    const RunModel& model = context_.model;
    const bool prediction = showsPrediction(model);
    std::vector<Fact> facts{{tr("What"), breakable(whatText(model, event))}, {tr("Rank"), place(event.rank)}};
    std::int64_t origin = 0;
    if (!prediction && event.step >= 0) {
        if (const StepExtent* extent = model.steps().extentOf(event.step))
            origin = std::max<std::int64_t>(extent->begin, 0);
        facts.push_back({tr("Step"), QString::number(event.step)});
    }
    // Without a flush forwards run ahead into the steps after theirs, and are numbered on.
    const int microbatch =
        event.action == 0 || !model.header().hasLayout() ? -1 : actionFromId(event.action).microbatch;
    if (const int each = microbatches(model.header().layout); each > 0 && microbatch >= each) {
        const QString where = prediction ? tr("a step ahead") : tr("step %1").arg(event.step + microbatch / each);
        facts.push_back({tr("Belongs to"), tr("microbatch %1 of %2").arg(microbatch % each).arg(where)});
    }
    facts.push_back({tr("Start"), QStringLiteral("+") + seconds(model, event.begin - origin), "figure",
                     event.step < 0 && !prediction ? tr("The time since the start of the run.")
                                                   : tr("The time since the start of the action's step.")});
    if (event.kind == EventKind::Overflow) {
        if (const QString scale = scaleAround(model, event.step); !scale.isEmpty())
            facts.push_back({tr("Loss scale"), scale, "figure", tr("The loss scale of this step and of the next.")});
        return facts;
    }
    if (isRounding(event.kind)) {
        facts.push_back({event.kind == EventKind::Fp8Scale ? tr("Scale") : tr("Numbers"),
                         event.kind == EventKind::Fp8Scale ? powerOfTwo(event.value) : text(formatCount(event.value))});
        return facts;
    }
    facts.push_back({prediction ? tr("Predicted") : tr("Measured"), seconds(model, event.end - event.begin)});
    if (const QString predicted = predictedText(model, event); !predicted.isEmpty())
        facts.push_back({tr("Predicted"), predicted, "figure",
                         tr("In brackets stands how far the measured time is from the predicted one.")});
    const std::vector<Dependency> arrows = dependencies(model, event);
    if (const auto wait = waitBefore(model, event)) {
        facts.push_back({tr("Waited for"), QStringLiteral("%1 · %2").arg(actionWithWords(actionFromId(wait->action)),
                                                                         seconds(model, wait->end - wait->begin))});
    } else if (!prediction && isCompute(event.kind) && model.header().hasLayout()) {
        facts.push_back({tr("Waited for"), withoutWait(event, arrows), "figure",
                         tr("The arrow in the timeline shows where the input came from, whether the action waited "
                            "for it or not.")});
    }
    for (const Dependency& arrow : arrows)
        if (isCompute(event.kind) && arrow.to != event)
            facts.push_back(
                {tr("Output goes to"),
                 tr("rank %1 · %2").arg(arrow.to.rank).arg(actionWithWords(actionFromId(arrow.to.action)))});
    if (event.bytes > 0) {
        QString moved = text(formatBytes(event.bytes));
        if (event.end > event.begin)
            moved +=
                QStringLiteral(" · ") +
                text(formatBandwidth(static_cast<double>(event.bytes) /
                                     model.deviceTime().seconds(static_cast<double>(event.end - event.begin) * 1e-9)));
        facts.push_back({tr("Bytes moved"), moved});
    }
    if (!prediction && model.store().hasMemory())
        facts.push_back({tr("Memory then"), text(formatBytes(total(model.store().memory(event.rank).at(event.end))))});
    return facts;
}

std::vector<Fact> SelectedView::rankFacts(int rank) const {
    const RunModel& model = context_.model;
    std::vector<Fact> facts{{tr("Rank"), place(rank)}};
    if (const RankRecord* record = model.report().rank(rank)) {
        if (!record->host.empty()) facts.push_back({tr("Host"), text(record->host)});
        const std::string& host = model.header().hasLayout() ? model.mesh().hostName(rank) : record->host;
        const auto clock = std::ranges::find(model.report().clocks(), host, &HostClock::host);
        if (clock != model.report().clocks().end())
            facts.push_back({tr("Clock"), text(toText(*clock)), "figure",
                             tr("How far the clock of the rank's host is ahead of the launcher's clock, and how "
                                "uncertain that is. Events are shown on the run's clock.")});
        if (record->pid > 0) facts.push_back({tr("Process"), QString::number(record->pid)});
        const bool well = record->end.empty() || endedWell(*record);
        facts.push_back(
            {tr("State"), record->end.empty() ? tr("running") : logWords(record->end), well ? "figure" : "bad"});
    }
    if (const StepSummary* step = context_.step(); step && !step->ranks.empty()) {
        const RankStep& mine = step->ranks[static_cast<std::size_t>(rank)];
        facts.push_back({tr("Step"), QString::number(step->step)});
        if (mine.withoutDetails > 0) {
            facts.push_back({tr("Details"), tr("not recorded"), "figure",
                             tr("The program recorded no details of this step, so that watching takes little of its "
                                "time.")});
        } else {
            facts.push_back({tr("Computing"), seconds(model, mine.busy)});
            facts.push_back({tr("Waiting"), seconds(model, mine.waiting)});
            facts.push_back({tr("Reducing"), seconds(model, mine.reduce)});
            facts.push_back({tr("Optimizer"), seconds(model, mine.optimizer)});
        }
    }
    const std::int64_t cursor = context_.selection.cursor();
    const auto latest = [&](EventKind kind) -> const Event* {
        const auto& all = model.points().of(kind);
        const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Event& event) {
            return event.rank == rank && (cursor < 0 || event.begin <= cursor);
        });
        return found == all.rend() ? nullptr : &*found;
    };
    if (const Event* const held = latest(EventKind::WeightVersions))
        facts.push_back({tr("Weight versions"), QString::number(held->value), "figure",
                         tr("The number of versions held at the same time, the current weights included.")});
    if (model.steps().peakBytes(rank) > 0)
        facts.push_back({tr("Peak in the run"), text(formatBytes(model.steps().peakBytes(rank))), "figure",
                         tr("The most memory that the rank has held in any step so far.")});
    if (const Event* const free = latest(EventKind::LargestFree))
        facts.push_back({tr("Largest free block"), text(formatBytes(free->bytes)), "figure",
                         tr("The arena keeps %1 free for reuse at the end of a step. It reuses whole blocks, so that "
                            "no block breaks into pieces.")
                             .arg(text(formatBytes(static_cast<std::int64_t>(bytesInAll(*free)))))});
    if (const Event* const packed = latest(EventKind::PackedActivations))
        facts.push_back(
            {tr("Kept in fewer bits"), text(formatBytes(packed->bytes)), "figure",
             tr("The activations that the forwards of a step keep in fewer bits; at full size they would take %1.")
                 .arg(text(formatBytes(static_cast<std::int64_t>(bytesInAll(*packed)))))});
    const auto at = static_cast<std::size_t>(rank);
    if (at < model.header().predictedPeak.size())
        facts.push_back({tr("Predicted peak"), text(formatBytes(model.header().predictedPeak[at]))});
    return facts;
}

void SelectedView::refresh() {
    const Selection& selection = context_.selection;
    const int ranks = context_.model.ranks();
    if (selection.event() && selection.event()->rank < ranks) facts_->setFacts(actionFacts(*selection.event()));
    else if (selection.rank() >= 0 && selection.rank() < ranks) facts_->setFacts(rankFacts(selection.rank()));
    else facts_->setFacts({});
    Q_EMIT subtitleChanged();
}

QString SelectedView::subtitle() const {
    const auto& event = context_.selection.event();
    if (context_.model.empty()) return {};
    if (!event) return context_.selection.rank() < 0 ? QString() : tr("rank %1").arg(context_.selection.rank());
    if (event->action == 0 || event->kind == EventKind::Overflow) return text(std::string(name(event->kind)));
    const Action action = actionFromId(event->action);
    QString title = actionText(context_.model, *event);
    const Layout& layout = context_.model.header().layout;
    if (layout.schedule.chunks > 1)
        title += tr(" · chunk %1").arg(action.stage / std::max(1, layout.parallel.pipeline));
    return title;
}

QString SelectedView::emptyText() const {
    if (QString inherited = View::emptyText(); !inherited.isEmpty()) return inherited;
    if (context_.selection.event() || context_.selection.rank() >= 0) return {};
    return tr("Click an action in the timeline,\nor press → in it, to see what it is.");
}

QString SelectedView::asTable() const { return facts_->asTable(); }

}  // namespace shardlab::ui
