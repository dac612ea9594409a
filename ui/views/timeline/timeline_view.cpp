// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/timeline/timeline_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/event_search.h"
#include "ui/core/legend.h"
#include "ui/core/overflow.h"
#include "ui/core/text.h"
#include "ui/timeline/dependencies.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/figure_strips.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/happening_marks.h"
#include "ui/timeline/navigation.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_tools.h"
#include "ui/core/words.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace shardlab::ui {

namespace {

constexpr std::size_t mostTableRows = 2000;
constexpr std::size_t blocksOfTable = 4;  ///< read at a time for its rows

/// The step with details that is nearest to these, of which none has any; -1: one of them has, or no step has.
int nearestDetails(const RunModel& model, StepRange steps) {
    const std::vector<StepSummary>& all = model.steps().all();
    const auto detailed = [](const StepSummary& step) { return step.detailed(); };
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(steps.first),
               last = all.begin() + static_cast<std::ptrdiff_t>(steps.last);
    if (first == last || std::any_of(first, last, detailed)) return -1;
    const auto before = std::find_if(std::make_reverse_iterator(first), all.rend(), detailed);
    if (before != all.rend()) return before->step;
    const auto after = std::find_if(last, all.end(), detailed);
    return after == all.end() ? -1 : after->step;
}

/// A trace of another program tells no forward from backward, but PyTorch's on the host.
std::vector<LegendItem> foreignLegend(const Theme& theme) {
    const auto item = [&](const char* text, EventKind kind) {
        return LegendItem{TimelineView::tr(text), theme.action(kind)};
    };
    return {item(QT_TRANSLATE_NOOP("shardlab::ui::TimelineView", "kernel or operation"), EventKind::Kernel),
            item(QT_TRANSLATE_NOOP("shardlab::ui::TimelineView", "backward"), EventKind::Backward),
            item(QT_TRANSLATE_NOOP("shardlab::ui::TimelineView", "optimizer"), EventKind::Optimizer),
            item(QT_TRANSLATE_NOOP("shardlab::ui::TimelineView", "collective"), EventKind::Collective),
            item(QT_TRANSLATE_NOOP("shardlab::ui::TimelineView", "copy"), EventKind::MemoryCopy),
            item(QT_TRANSLATE_NOOP("shardlab::ui::TimelineView", "annotation"), EventKind::Annotation)};
}

}  // namespace

TimelineView::TimelineView(const ViewContext& context, QWidget* parent)
    : View(context, parent), plot_(child<TimelinePlot>(context, this)), filter_(child<QLineEdit>(this)),
      follow_(child<QPushButton>(tr("Follow"), this)), measure_(child<QPushButton>(tr("Measure"), this)),
      path_(child<QPushButton>(tr("Path"), this)), fold_(child<QPushButton>(tr("Fold"), this)),
      more_(child<QPushButton>(tr("Find"), this)), tools_(child<TimelineTools>(context, this)),
      legend_(child<Legend>(context.theme, Qt::AlignRight | Qt::AlignVCenter, 2, this)) {
    setAccessibleName(tr("Timeline"));
    plot_->canvas()->setAccessibleName(
        tr("Timeline of ranks. W S zoom, A D pan, F fit, M measure, P pin, slash find, arrows walk the selection"));
    filter_->setPlaceholderText(tr("ranks: 0-3, pp1"));
    filter_->setAccessibleName(tr("Show only these ranks"));
    filter_->setToolTip(tr("Ranks to show: numbers (0-3, 8) and places in the mesh (pp1, dp0)"));
    filter_->setClearButtonEnabled(true);
    follow_->setToolTip(tr("Keep the newest events in sight"));
    follow_->setFocusPolicy(Qt::TabFocus);
    measure_->setToolTip(tr("Drag to measure a stretch of time (M, or Shift+drag)"));
    measure_->setCheckable(true);
    measure_->setFocusPolicy(Qt::TabFocus);
    path_->setToolTip(tr("Draw the chain of actions that decides how long the predicted step takes (C)"));
    path_->setAccessibleName(tr("Critical path"));
    path_->setCheckable(true);
    path_->setFocusPolicy(Qt::TabFocus);
    fold_->setToolTip(
        tr("Give ranks that do the same one row (U); a click on the name of such a row unfolds it alone"));
    fold_->setAccessibleName(tr("Fold ranks that are alike"));
    fold_->setCheckable(true);
    fold_->setFocusPolicy(Qt::TabFocus);
    more_->setToolTip(tr("Find events, go to steps, group and pin ranks (/)"));
    more_->setAccessibleName(tr("Find events and steps"));
    more_->setCheckable(true);
    more_->setFocusPolicy(Qt::TabFocus);
    tools_->hide();
    for (QPushButton* button : {follow_, measure_, path_, fold_, more_})
        button->setProperty("role", QStringLiteral("flat"));

    controls_ = child<QHBoxLayout>();
    controls_->setSpacing(6);
    for (QWidget* control : controls()) controls_->addWidget(control);
    controls_->addWidget(legend_, 1);
    controls_->addStretch();
    head_ = child<QVBoxLayout>();
    head_->setContentsMargins(10, 4, 10, 0);
    head_->setSpacing(2);
    head_->addLayout(controls_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(2);
    column->addLayout(head_);
    column->addWidget(tools_);
    column->addWidget(plot_, 1);
    setFocusProxy(plot_);

    connect(filter_, &QLineEdit::textChanged, plot_, &TimelinePlot::setRankFilter);
    connect(measure_, &QPushButton::toggled, plot_, &TimelinePlot::setMeasuring);
    connect(plot_, &TimelinePlot::measuringChanged, measure_, &QPushButton::setChecked);
    connect(more_, &QPushButton::toggled, tools_, &QWidget::setVisible);
    connect(&context_.events, &EventSearch::fieldRequested, this, [this] {
        more_->setChecked(true);
        tools_->field().setFocus(Qt::ShortcutFocusReason);
        tools_->field().selectAll();
    });
    connect(&context_.events, &EventSearch::stepRequested, this, [this] {
        more_->setChecked(true);
        tools_->flush();
        tools_->stepField().setFocus(Qt::ShortcutFocusReason);
        tools_->stepField().selectAll();
    });
    connect(fold_, &QPushButton::clicked, plot_, &TimelinePlot::setFolded);
    const auto showFolding = [this] {
        // Few ranks leave it to the key, and the room to the legend.
        const bool several = context_.model.ranks() > 8 || plot_->folding().folded();
        fold_->setVisible(plot_->folding().possible() && several);
        fold_->setChecked(plot_->folding().folded());
        placeLegend();
    };
    connect(plot_, &TimelinePlot::foldingChanged, this, showFolding);
    showFolding();
    connect(path_, &QPushButton::toggled, this, [this](bool on) { context_.selection.showPath(on); });
    connect(&context_.selection, &Selection::pathShownChanged, this,
            [this] { path_->setChecked(context_.selection.pathShown()); });
    connect(follow_, &QPushButton::clicked, this, [this] {
        context_.selection.setCursor(-1);
        context_.selection.setFollowLive(true);
    });
    connect(&context_.selection, &Selection::followChanged, this, &TimelineView::refreshControls);
    connect(&context_.selection, &Selection::cursorChanged, this, &TimelineView::refreshControls);
    connect(&context_.model, &RunModel::reset, this, &TimelineView::refreshControls);
    connect(&context_.model, &RunModel::reset, this, &TimelineView::refreshLegend);
    connect(&context_.model.report(), &RunReport::ended, this, &TimelineView::refreshControls);
    connect(&context_.model, &RunModel::appended, this, [this] {
        if ((!snapshots_ && writesCheckpoints()) || happenings_ != happeningsOf(context_.model)) refreshLegend();
    });
    connect(&context_.theme, &ThemeSource::changed, this, &TimelineView::refreshLegend);
    connect(plot_, &TimelinePlot::drawn, this, [this] { tellSubtitle(); });
    refreshControls();
    refreshLegend();
}

void TimelineView::refreshControls() {
    const bool behind = !context_.selection.followLive() || context_.selection.cursor() >= 0;
    follow_->setVisible(showsLiveRuns(context_.workspace) && !context_.model.empty() &&
                        !context_.model.report().end() && behind);
    filter_->setVisible(context_.model.ranks() > 1);
    path_->setVisible(context_.model.empty() || context_.model.header().hasLayout());
    placeLegend();
}

std::array<QWidget*, 6> TimelineView::controls() const { return {filter_, measure_, path_, fold_, more_, follow_}; }

void TimelineView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    placeLegend();
}

void TimelineView::placeLegend() {
    const QMargins margins = head_->contentsMargins();
    const int whole = width() - margins.left() - margins.right();
    int beside = whole;
    for (const QWidget* control : controls())
        if (!control->isHidden())
            beside -= std::min(control->sizeHint().width(), control->maximumWidth()) + controls_->spacing();
    const bool below = legend_->shown(beside) < legend_->shown(whole);
    if (below == (head_->indexOf(legend_) >= 0)) return;
    if (below) head_->addWidget(legend_);
    else controls_->insertWidget(controls_->count() - 1, legend_, 1);
}

bool TimelineView::writesCheckpoints() const {
    const RunModel& model = context_.model;
    if (model.ranks() == 0 || model.store().lane(0, Lane::Copy).empty()) return false;
    // Beside them, copies between device and host may lie there.
    return !model.header().hasLayout() || !usesHost(model.header().layout.memory) ||
           model.header().layout.checkpoint.every > 0;
}

void TimelineView::refreshLegend() {
    snapshots_ = writesCheckpoints();
    happenings_ = happeningsOf(context_.model);
    const Theme& theme = context_.theme.theme();
    const RunModel& model = context_.model;
    filter_->setMaximumWidth(theme.scaled(150));
    std::array<bool, paintCount> used{};
    for (int rank = 0; rank < model.ranks(); ++rank) {
        for (const Lane lane : {Lane::Compute, Lane::Comm}) {
            for (const Event& event : model.prediction().lane(rank, lane)) {
                if (const Paint paint = paintOf(event.kind); paint != Paint::None)
                    used[static_cast<std::size_t>(paint)] = true;
            }
        }
    }
    std::vector<LegendItem> items;
    const auto addHappenings = [&] {
        for (std::size_t i = 0; i < happeningMarks.size(); ++i)
            if (const HappeningMark& mark = happeningMarks[i]; happenings_[i])
                items.push_back({ui::tr(mark.name), theme.action(mark.kind), mark.shape});
    };
    if (!model.empty() && !model.header().hasLayout()) {
        items = foreignLegend(theme);
        addHappenings();
        legend_->setItems(std::move(items));
        return placeLegend();
    }
    const auto uses = [&](Paint paint) { return used[static_cast<std::size_t>(paint)]; };
    const auto add = [&](bool shown, const QString& text, EventKind kind) {
        if (shown) items.push_back({text, theme.action(kind)});
    };
    add(true, tr("F forward"), EventKind::Forward);
    add(uses(Paint::Backward) || model.empty(), tr("B backward"), EventKind::Backward);
    add(uses(Paint::InputGrad), tr("I input grad"), EventKind::InputGrad);
    add(uses(Paint::WeightGrad), tr("W weight grad"), EventKind::WeightGrad);
    if (uses(Paint::Recompute))
        items.push_back({tr("R recompute"), theme.action(EventKind::Recompute), LegendItem::Mark::Outline});
    add(uses(Paint::Transfer) || uses(Paint::Reduce), tr("comm"), EventKind::SendForward);
    // Copies are drawn as a thin strip below a rank's bar.
    if (!model.empty() && usesHost(model.header().layout.memory))
        items.push_back({tr("host copy"), theme.action(colourKind(Paint::Transfer)), LegendItem::Mark::Line});
    add(uses(Paint::Optimizer), tr("optimizer"), EventKind::Optimizer);
    add(snapshots_, tr("checkpoint"), EventKind::CheckpointWrite);
    items.push_back({tr("bubble"), theme.idle, LegendItem::Mark::Hatched});
    addHappenings();
    legend_->setItems(std::move(items));
    placeLegend();
}

QString TimelineView::subtitle() const {
    const RunModel& model = context_.model;
    if (model.empty()) return {};
    const RunHeader& header = model.header();
    const Sentence pace = model.deviceTime().text();
    const QString slowed = pace.empty() ? QString() : QStringLiteral(" · ") + told(pace);
    QString text;
    if (showsPrediction(model)) {
        text = tr("one step, predicted · %1 · bubble %2")
                   .arg(QString::fromStdString(formatSeconds(model.deviceTime().seconds(header.predictedStepSeconds))),
                        percent(header.predictedBubble)) +
               slowed;
    } else {
        const TimeRange visible = context_.selection.visible();
        const StepRange steps = stepsWithin(model, visible.begin, visible.end);
        if (steps.first < steps.last) {
            const int first = model.steps().extents()[steps.first].step;
            const int last = model.steps().extents()[steps.last - 1].step;
            text = first == last ? tr("step %1").arg(first) : tr("step %1 → %2").arg(first).arg(last);
        } else {
            text = tr("no step in sight");
        }
        text += slowed;
        if (!header.hasLayout()) text += tr(" · from %1").arg(term(header.origin));
        if (model.prediction().end() > 0) text += tr(" · predicted (thin, above) over measured");
        if (const int nearest = nearestDetails(model, steps); nearest >= 0)
            text += tr(" · no details of these steps, the nearest ones are of step %1").arg(nearest);
        else if (const int without = model.steps().summary().withoutDetails(); without > 0)
            text += tr(" · details of %1 of %2 steps, so that watching takes little of the program's time")
                        .arg(model.steps().all().size() - static_cast<std::size_t>(without))
                        .arg(model.steps().all().size());
        if (const std::string thinned = thinnedText(model.steps().thinning()); !thinned.empty())
            text += tr(" · thinned to %1: only figures are left of %2 (faint)")
                        .arg(QString::fromStdString(formatBytes(model.steps().thinning().sizeLimit)),
                             QString::fromStdString(thinned));
    }
    return text;
}

void TimelineView::fillContextMenu(QMenu& menu, const QPoint& at) {
    QWidget& canvas = *plot_->canvas();
    const QPoint place = canvas.mapFrom(this, at);
    if (context_.model.empty() || !canvas.rect().contains(place)) return;
    plot_->choose(place);
    const std::optional<Event> event = context_.selection.event();
    if (event) {
        menu.addAction(tr("Zoom to this action"), this, [this, event] {
            plot_->lookAt(padded({event->begin, event->end}, 1.0), true);
        });
        menu.addAction(tr("Measure this action"), this, [this, event] {
            context_.selection.setArea(TimeRange{event->begin, event->end});
        });
        menu.addAction(tr("Copy what it is"), this,
                       [words = hoverText(context_.model, *event)] { QGuiApplication::clipboard()->setText(words); });
    }
    menu.addAction(tr("Zoom out to all"), this,
                   [this] { plot_->lookAt(padded(wholeRange(context_.model), 0.01), true); });
}

QString TimelineView::subtitleHelp() const { return paceHelp(context_.model); }

TimelineView::LaneRows TimelineView::rowsOf(int rank, Lane lane, const TimeRange& visible) const {
    LaneRows rows;
    const RunModel& model = context_.model;
    const auto shown = [lane](const Event& event) {
        return lane != Lane::Host || paintOf(event.kind) != Paint::None || nameNumber(event.action) != 0;
    };
    std::int64_t seen = 0;  // of all in sight, those up to the last row
    const auto take = [&](const Event& event) {
        if (rows.first.size() == mostTableRows) return false;
        ++seen;
        if (shown(event)) rows.first.push_back(event);
        return true;
    };
    if (showsPrediction(model)) {
        const LaneView view = plot_->index().predicted(rank, lane);
        const std::size_t last = view.index->firstBeginningAt(*view.events, visible.end);
        const std::size_t first = view.index->firstEndingAfter(*view.events, visible.begin);
        for (std::size_t i = first; i < last && take((*view.events)[i]); ++i) {}
        rows.more = last > first ? static_cast<std::int64_t>(last - first) - seen : 0;
    } else {
        const StoredLane& stored = model.store().lane(rank, lane);
        if (stored.empty()) return rows;
        rows.more = stored.count(visible.begin, visible.end);
        // As many blocks as the rows need, however many are in sight.
        for (std::int64_t begin = visible.begin, end; rows.first.size() < mostTableRows && begin < visible.end;
             begin = end) {
            end = visible.end;
            const auto touching = stored.touching(begin, visible.end).blocks;
            if (touching.size() > blocksOfTable)
                end = std::max(begin + 1, stored.entries()[touching[blocksOfTable]].begin);
            for (const Event& event : stored.within(begin, end))
                if ((event.begin >= begin || begin == visible.begin) && !take(event)) break;
        }
        rows.more -= seen;
    }
    return rows;
}

QString TimelineView::asTable() const {
    const RunModel& model = context_.model;
    QString table = tr("rank\tplace\tlane\taction\twhat\tstep\tbegin ms\tduration ms\tpredicted ms\tbytes\n");
    if (model.empty()) return table;
    const bool prediction = showsPrediction(model);
    const TimeRange visible = context_.selection.visible();
    const auto line = [&](const Event& event) {
        const Event* predicted = prediction ? nullptr : predictedOf(model, event);
        const auto milliseconds = [&](std::int64_t time) {
            return QString::number(model.deviceTime().seconds(static_cast<double>(time) * 1e-6), 'f', 6);
        };
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\t%7\t%8\t%9\t%10\n")
                     .arg(QString::number(event.rank), QString::fromStdString(placeOf(model, event.rank)),
                          term(name(event.lane)), actionText(model, event), whatText(model, event),
                          QString::number(event.step), milliseconds(event.begin), milliseconds(event.end - event.begin),
                          predicted ? milliseconds(predicted->end - predicted->begin) : QString())
                     .arg(event.bytes);
    };
    for (const int rank : plot_->state().rows.ranks()) {
        for (const Lane lane : {Lane::Compute, Lane::Comm, Lane::Copy, Lane::Host}) {
            const LaneRows shown = rowsOf(rank, lane, visible);
            for (const Event& event : shown.first) line(event);
            if (shown.more > 0)
                table +=
                    tr("%1\t…\t%2\t%3 more, zoom in to see them\n").arg(rank).arg(term(name(lane))).arg(shown.more);
        }
        const StepRange steps = stepsWithin(model, visible.begin, visible.end);
        for (std::size_t step = steps.first, rows = 0; step < steps.last && rows < mostTableRows; ++step) {
            const StepExtent& extent = model.steps().extents()[step];
            if (!stepWithoutEvents(model, rank, extent.begin)) continue;
            ++rows;
            line({.begin = extent.begin,
                  .end = extent.end,
                  .step = extent.step,
                  .rank = static_cast<std::int16_t>(rank),
                  .lane = Lane::Host,
                  .kind = EventKind::Step});
        }
        for (const Event& event : overflows(model))
            if (event.rank == rank && event.begin >= visible.begin && event.begin <= visible.end) line(event);
    }
    return table;
}

}  // namespace shardlab::ui
