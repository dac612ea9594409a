// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_plot.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/event_search.h"
#include "ui/timeline/gantt.h"
#include "ui/timeline/navigation.h"
#include "ui/timeline/rank_filter.h"
#include "ui/timeline/timeline_input.h"

#include <QHBoxLayout>
#include <QScrollBar>

#include <algorithm>

namespace shardlab::ui {

namespace {
constexpr int timesHeight = 18;
constexpr int stepsHeight = 16;
constexpr double stepsAtFirst = 2.2;  ///< how many steps a newly opened run shows

std::int64_t lengthOfSteps(const TypicalStep& step) {
    return static_cast<std::int64_t>(stepsAtFirst * static_cast<double>(step.length));
}
}  // namespace

struct TimelinePlot::Layers {
    Gantt* gantt;
    QCPLayer* overlay;
};

TimelinePlot::TimelinePlot(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), index_(context.model),
      state_{
          context.workspace, context.model, index_, context.selection, context.theme.theme(), {}, {}, {}, {}, {}, {}},
      plot_(child<QCustomPlot>(this)), scroll_(child<QScrollBar>(Qt::Vertical, this)),
      data_(this, [this] { modelAppended(); }), frame_(
                                                    this, [this] { repaintAll(); }, 12),
      overlay_(
          this, [this] { repaintOverlay(); }, 12) {
    auto* row = child<QHBoxLayout>(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(plot_, 1);
    row->addWidget(scroll_);
    // The scroll bar's room stays free without it, so that views on the same time axis stay below each other.
    QSizePolicy kept = scroll_->sizePolicy();
    kept.setRetainSizeWhenHidden(true);
    scroll_->setSizePolicy(kept);
    scroll_->hide();
    plot_->setAttribute(Qt::WA_NoMousePropagation, false);  // a right click goes on to the view's frame
    plot_->setMinimumSize(120, 60);
    plot_->setFocusPolicy(Qt::StrongFocus);
    setFocusProxy(plot_);

    plot_->setInteractions(QCP::iNone);
    plot_->setNoAntialiasingOnDrag(true);
    plot_->axisRect()->setAutoMargins(QCP::msNone);
    plot_->axisRect()->setMargins(QMargins(0, 0, 0, 0));
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) axis->setVisible(false);
    // The topmost of QCustomPlot's own: a layer between its others would cost two more buffers, each as large as the
    // plot.
    const QString top = QStringLiteral("overlay");
    QCPLayer* overlay = plot_->layer(top);
    auto* gantt = child<Gantt>(plot_->xAxis, plot_->yAxis, state_);
    child<GanttOverlay>(plot_, top, state_);
    layers_ = std::make_unique<Layers>(Layers{gantt, overlay});
    input_ = std::make_unique<TimelineInput>(*this, context_);
    plot_->installEventFilter(input_.get());
    plot_->setMouseTracking(true);

    connect(scroll_, &QScrollBar::valueChanged, this, [this](int value) {
        state_.rows.setScroll(value);
        frame_.request();
    });
    const Selection& selection = context_.selection;
    connect(&context_.model, &RunModel::reset, this, &TimelinePlot::modelReset);
    // The selection begins anew with another document, whose layout may have no prediction: the last one stays in
    // sight.
    connect(&context_.document, &Document::replaced, this, [this] {
        if (context_.workspace != Workspace::Design || context_.selection.visible() != TimeRange()) return;
        chosen_ = Chosen::Nothing;
        chooseVisible();
    });
    data_.follow(context_.model, &RunModel::appended);
    data_.follow(selection, &Selection::followChanged);
    data_.follow(context_.model.report(), &RunReport::ended);
    frame_.follow(selection, &Selection::visibleChanged, &Selection::rankChanged, &Selection::rowsChanged);
    overlay_.follow(selection, &Selection::hoveredChanged, &Selection::cursorChanged, &Selection::areaChanged);
    overlay_.follow(context_.model.notes(), &NoteBook::changed);
    overlay_.follow(context_.events, &EventSearch::changed);
    connect(&selection, &Selection::eventChanged, this, [this] {
        if (context_.selection.event()) revealRank(context_.selection.event()->rank);
        overlay_.request();
    });
    state_.search = &context_.events;
    connect(&index_.blocks(), &BlockLoader::arrived, this, [this] {
        layers_->gantt->dataChanged();
        frame_.request();
    });
    const auto showPath = [this] {
        state_.account = context_.selection.pathShown() ? context_.model.prediction().account() : nullptr;
        overlay_.request();
    };
    connect(&selection, &Selection::pathShownChanged, this, showPath);
    connect(&context_.model.prediction(), &Prediction::accounted, this, showPath);
    connect(&context_.theme, &ThemeSource::changed, this, [this] {
        state_.theme = context_.theme.theme();
        frame_.request();
    });
    takeUpModel();
}

TimelinePlot::~TimelinePlot() = default;

const GanttScene& TimelinePlot::scene() const { return layers_->gantt->scene(); }
QWidget* TimelinePlot::canvas() const { return plot_; }

void TimelinePlot::modelReset() {
    context_.selection.setVisible({});
    takeUpModel();
}

void TimelinePlot::takeUpModel() {
    state_.account = context_.selection.pathShown() ? context_.model.prediction().account() : nullptr;
    index_.rebuild();
    folding_.begin(context_.model);
    Q_EMIT foldingChanged();
    layers_->gantt->dataChanged();
    state_.rows.setScroll(0);
    arrange();  // at once: the plot may be drawn before the next frame, and rows of ranks that are gone must not be
    chosen_ = Chosen::Nothing;
    // Where another timeline of the same run has chosen already, or a person has moved it, this one shows the same.
    if (const TimeRange shown = context_.selection.visible(); shown.begin == shown.end) chooseVisible();
    else if (!context_.model.empty()) chosen_ = showsPrediction(context_.model) ? Chosen::Prediction : Chosen::Run;
    frame_.request();
}

void TimelinePlot::modelAppended() {
    layers_->gantt->dataChanged();
    chooseVisible();
    followPresent();
    frame_.flush();
}

void TimelinePlot::followPresent() {
    Selection& selection = context_.selection;
    const RunModel& model = context_.model;
    const bool untouched = chosen_ == Chosen::Run && selection.visible() == untouched_;
    const bool live = showsLiveRuns(context_.workspace) && selection.followLive() && !showsPrediction(model);
    const bool opening = context_.workspace == Workspace::Replay && selection.cursor() < 0 && untouched;
    if (!live && !opening) return;
    TimeRange range = selection.visible();
    if (untouched && fitted_ != TypicalStep::Known::Steady) {
        const TypicalStep step = typicalStep(model);
        if (step.known > fitted_) range.begin = range.end - lengthOfSteps(step);
        fitted_ = step.known;
    }
    range = followedTo(range);
    if (untouched) untouched_ = range;
    selection.setVisible(range);
}

TimeRange TimelinePlot::followedTo(TimeRange range) const {
    const RunModel& model = context_.model;
    const TimeRange whole = wholeRange(model);
    range = following(range, whole);
    const auto& extents = model.steps().extents();
    if (!model.report().end() || extents.empty()) return range;
    // Long after its last step a run may still end its ranks or write a checkpoint: nobody wants to look at that.
    const std::int64_t steps = extents.back().end, length = range.end - range.begin;
    return steps > whole.begin && steps < range.begin + length / 4 ? following(range, {whole.begin, steps}) : range;
}

void TimelinePlot::chooseVisible() {
    Selection& selection = context_.selection;
    const RunModel& model = context_.model;
    if (model.empty()) return;
    if (showsPrediction(model)) {
        if (chosen_ == Chosen::Prediction) return;
        chosen_ = Chosen::Prediction;
        const TimeRange whole = wholeRange(model);
        selection.setVisible({whole.begin, whole.end + (whole.end - whole.begin) / 60});
        return;
    }
    if (chosen_ == Chosen::Run) return;
    // A prediction gives way to the run: what was in sight of it means nothing any more.
    const bool forwardSeen = !model.steps().extents().empty() && model.steps().extents().front().firstForward >= 0;
    if (forwardSeen) chosen_ = Chosen::Run;
    const TypicalStep step = typicalStep(model);
    fitted_ = step.known;
    std::int64_t length = lengthOfSteps(step);
    if (length <= 0) length = std::max<std::int64_t>(wholeRange(model).end - wholeRange(model).begin, leastVisible);
    const std::int64_t begin = forwardSeen ? model.steps().extents().front().begin : model.recorded().first;
    selection.setVisible({begin - length / 40, begin + length});
    untouched_ = selection.visible();
}

void TimelinePlot::lookAt(TimeRange range, bool byHand) {
    Selection& selection = context_.selection;
    const TimeRange whole = wholeRange(context_.model);
    range = keepInSight(range, whole);
    if (byHand && selection.followLive() && showsLiveRuns(context_.workspace)) {
        if (range.end < whole.end) selection.setFollowLive(false);
    }
    selection.setVisible(range);
    if (byHand) Q_EMIT moved();
}

void TimelinePlot::setFolded(bool folded) {
    folding_.setFolded(folded);
    Q_EMIT foldingChanged();
    frame_.request();
}

void TimelinePlot::toggleFolding(int position) {
    folding_.toggle(state_.rows.ranks()[static_cast<std::size_t>(position)]);
    Q_EMIT foldingChanged();
    frame_.request();
}

void TimelinePlot::setRankFilter(const QString& filter) {
    filter_ = filter;
    frame_.request();
}

void TimelinePlot::setRinged(bool ringed) {
    if (std::exchange(state_.ringed, ringed) != ringed) overlay_.request();
}

void TimelinePlot::setMeasuring(bool measuring) {
    if (state_.measuring == measuring) return;
    state_.measuring = measuring;
    plot_->setCursor(measuring ? Qt::CrossCursor : Qt::ArrowCursor);
    Q_EMIT measuringChanged(measuring);
}

void TimelinePlot::choose(const QPoint& at) {
    if (!context_.model.empty()) input_->choose(at);
}

void TimelinePlot::scrollRows(int pixels) { scroll_->setValue(state_.rows.scroll() + pixels); }

void TimelinePlot::revealRank(int rank) {
    state_.rows.reveal(state_.rows.positionOf(rank));
    scroll_->setValue(state_.rows.scroll());
}

void TimelinePlot::flush() {
    layers_->gantt->dataChanged();
    chooseVisible();
    frame_.flush();
}

void TimelinePlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    frame_.request();
}

void TimelinePlot::arrange() {
    const RunModel& model = context_.model;
    state_.whole = plot_->rect();
    const int labels = labelWidth(model, state_.theme, state_.whole.width());
    const int header = state_.theme.scaled(timesHeight + (showsPrediction(model) ? 4 : stepsHeight));
    state_.plot = state_.whole.adjusted(labels, header, -6, -4);
    plot_->axisRect()->setMargins(QMargins(labels, header, 6, 4));
    const std::string filter = filter_.toStdString();
    const Selection& selection = context_.selection;
    const std::vector<RankRow> rows = folding_.rows(model, orderRanks(model, filterRanks(model, filter), selection),
                                                    selection.pinned(), selection.grouping(), filter);
    std::vector<int> ranks;
    std::vector<std::pair<int, int>> folded;
    state_.opened.clear();
    for (const RankRow& row : rows) {
        for (std::size_t i = 1; i < row.ranks.size(); ++i)
            folded.emplace_back(row.ranks[i], static_cast<int>(ranks.size()));
        if (row.opened) state_.opened.push_back(row.ranks.front());
        ranks.push_back(row.ranks.front());
    }
    std::ranges::sort(folded);
    const int pinned = pinnedAmong(ranks, selection);
    state_.rows.setLetters(state_.theme.letters());
    state_.rows.arrange(std::move(ranks), state_.plot.top(), state_.plot.height(), !showsPrediction(model), pinned,
                        std::move(folded));
    const QSignalBlocker quiet(scroll_);
    scroll_->setRange(0, state_.rows.largestScroll());
    scroll_->setPageStep(state_.rows.viewHeight());
    scroll_->setSingleStep(state_.rows.rowHeight());
    scroll_->setValue(state_.rows.scroll());
    scroll_->setVisible(state_.rows.largestScroll() > 0);
    const TimeRange visible = context_.selection.visible();
    state_.scale = {visible.begin, std::max(visible.end, visible.begin + 1), state_.plot.left(),
                    std::max(1, state_.plot.width())};
    state_.ticks = ticksOf(state_.scale, state_.theme, state_.model.deviceTime());
}

void TimelinePlot::repaintAll() {
    arrange();
    plot_->setBackground(QBrush(state_.theme.panel));
    plot_->replot(QCustomPlot::rpImmediateRefresh);
    Q_EMIT drawn();
}

void TimelinePlot::repaintOverlay() { layers_->overlay->replot(); }

}  // namespace shardlab::ui
