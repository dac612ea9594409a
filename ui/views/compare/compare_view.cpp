// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/compare/compare_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/elided_combo_box.h"
#include "ui/core/compare_session.h"
#include "ui/core/event_search.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/step_walk.h"
#include "ui/core/style_sheet.h"
#include "ui/core/theme.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/compare/linked_timelines.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {

constexpr int besideWidth = 760;      ///< from which the tables stand beside the timelines
constexpr int timelinesHeight = 300;  ///< from which there is room for two timelines

}  // namespace

CompareView::CompareView(const ViewContext& context, QWidget* parent)
    : View(context, parent), prediction_(child<QPushButton>(tr("Prediction"), this)),
      run_(child<QPushButton>(tr("Another run …"), this)), close_(child<QPushButton>(tr("Close"), this)),
      whole_(child<QLabel>(this)), halves_(child<QSplitter>(Qt::Horizontal, this)),
      timelines_(child<QSplitter>(Qt::Vertical, this)), part_(child<ElidedComboBox>(this)),
      rows_(child<ComparisonModel>(context.theme, this)), table_(child<QTableView>(this)), note_(child<QLabel>(this)) {
    setAccessibleName(tr("Comparison"));
    auto* bar = child<QHBoxLayout>();
    makeBar(*bar);

    auto* figures = child<QWidget>(this);
    auto* side = child<QVBoxLayout>(figures);
    side->setContentsMargins(8, 2, 8, 4);
    side->setSpacing(4);
    for (int part = 0; part < comparisonParts; ++part) {
        part_->addItem(partTitle(static_cast<ComparisonPart>(part)));
        part_->setItemData(part, partHelp(static_cast<ComparisonPart>(part)), Qt::ToolTipRole);
    }
    part_->setAccessibleName(tr("Choose which differences are listed"));
    table_->setModel(rows_);
    table_->setItemDelegateForColumn(ComparisonModel::Bar, child<DifferenceBar>(context.theme, table_));
    table_->setAccessibleName(tr("Differences"));
    table_->setFrameShape(QFrame::NoFrame);
    table_->setShowGrid(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setWordWrap(false);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(20);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setMinimumSectionSize(30);
    table_->horizontalHeader()->setStyleSheet(
        QStringLiteral("QHeaderView::section { padding: 3px 4px; font-size: 11px; }"));
    note_->setWordWrap(true);
    note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    side->addWidget(part_, 0, Qt::AlignLeft);
    side->addWidget(table_, 1);
    side->addWidget(note_);

    halves_->setChildrenCollapsible(false);
    halves_->addWidget(timelines_);
    halves_->addWidget(figures);
    halves_->setStretchFactor(0, 3);
    halves_->setStretchFactor(1, 2);
    halves_->setSizes({600, 400});
    timelines_->setChildrenCollapsible(false);
    setMinimumSize(240, 130);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(2);
    column->addLayout(bar);
    column->addWidget(halves_, 1);

    connect(part_, &QComboBox::currentIndexChanged, this, &CompareView::refreshTable);
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) { goTo(index.row()); });
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) { goTo(index.row()); });
    connect(&context_.compare, &CompareSession::changed, this, &CompareView::refresh);
    connect(&context_.model.report(), &RunReport::ended, this, qOverload<>(&QWidget::update));
    connect(&context_.theme, &ThemeSource::changed, table_->viewport(), qOverload<>(&QWidget::update));
    refresh();
}

void CompareView::makeBar(QHBoxLayout& bar) {
    bar.setContentsMargins(10, 4, 10, 0);
    bar.setSpacing(6);
    prediction_->setToolTip(tr("Compare what was measured with what was predicted"));
    prediction_->setAccessibleName(tr("Compare with the prediction"));
    run_->setToolTip(tr("Choose another recorded run to compare with"));
    run_->setAccessibleName(tr("Compare with another run"));
    close_->setToolTip(tr("Stop comparing and put the comparison away"));
    close_->setAccessibleName(tr("Stop comparing"));
    for (QPushButton* button : {prediction_, run_}) button->setCheckable(true);
    for (QPushButton* button : {prediction_, run_, close_}) {
        button->setProperty("role", QStringLiteral("flat"));
        button->setFocusPolicy(Qt::TabFocus);
    }
    bar.addWidget(prediction_);
    bar.addWidget(run_);
    whole_->setProperty("role", "small");
    whole_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    bar.addWidget(whole_, 1);
    bar.addWidget(close_);
    connect(prediction_, &QPushButton::clicked, this, [this] {
        context_.compare.compareWithPrediction();
        refresh();
    });
    connect(run_, &QPushButton::clicked, this, [this] {
        refresh();  // checked only once there is a run
        context_.compare.askForRun();
    });
    connect(close_, &QPushButton::clicked, &context_.compare, &CompareSession::end);
}

/// A view behind another's tab counts as visible, but it is not painted until the person looks at it.
void CompareView::paintEvent(QPaintEvent* event) {
    View::paintEvent(event);
    if (context_.compare.with() == CompareSession::With::Nothing)
        QMetaObject::invokeMethod(this, &CompareView::begin, Qt::QueuedConnection);
}

/// What is nearest at hand: with the prediction, once the run is read.
void CompareView::begin() {
    // The comparison opens once for a run: a person who closed it does not want it back.
    if (begun_ == context_.model.file() || context_.model.file().empty() || !context_.model.report().end()) return;
    begun_ = context_.model.file();
    if (context_.compare.with() == CompareSession::With::Nothing && context_.model.prediction().end() > 0)
        context_.compare.compareWithPrediction(true);
}

void CompareView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    timelines_->setVisible(height() >= timelinesHeight);
    halves_->setOrientation(width() >= besideWidth || width() > 2 * height() ? Qt::Horizontal : Qt::Vertical);
}

void CompareView::arrangeTimelines() {
    CompareSession& session = context_.compare;
    const bool starts = session.with() != arranged_;
    arranged_ = session.with();
    if (session.with() == CompareSession::With::Nothing) {
        for (QWidget* frame : {ownFrame_, otherFrame_})
            if (frame) frame->deleteLater();
        if (link_) link_->deleteLater();
        if (otherEvents_) otherEvents_->deleteLater();
        otherEvents_ = nullptr;
        ownFrame_ = otherFrame_ = nullptr;
        own_ = other_ = nullptr;
        link_ = nullptr;
        return;
    }
    if (!own_) {
        ViewContext others = context_;
        const auto framed = [this](const ViewContext& context, QWidget*& frame, QLabel*& caption, TimelinePlot*& plot,
                                   const QString& help) {
            frame = child<QWidget>(timelines_);
            auto* column = child<QVBoxLayout>(frame);
            column->setContentsMargins(0, 0, 0, 0);
            column->setSpacing(0);
            caption = child<QLabel>(frame);
            caption->setProperty("role", "small");
            caption->setContentsMargins(10, 0, 0, 0);
            plot = child<TimelinePlot>(context, frame);
            plot->canvas()->setAccessibleName(help);
            column->addWidget(caption);
            column->addWidget(plot, 1);
        };
        framed(context_, ownFrame_, ownCaption_, own_, tr("Timeline of the opened run"));
        // What is found in one is marked in both.
        otherEvents_ = child<EventSearch>(session.other(), session.otherSelection(), this);
        otherEvents_->setQuery(context_.events.query());
        connect(&context_.events, &EventSearch::changed, otherEvents_,
                [this] { otherEvents_->setQuery(context_.events.query()); });
        ViewContext other{others.workspace,         others.document, session.other(),
                          session.otherSelection(), others.theme,    others.search,
                          others.compare,           *otherEvents_,   others.lessons};
        framed(other, otherFrame_, otherCaption_, other_, tr("Timeline of the other side of the comparison"));
        link_ =
            child<LinkedTimelines>(context_.model, context_.selection, session.other(), session.otherSelection(), this);
        connect(other_, &TimelinePlot::moved, link_, &LinkedTimelines::lead);
        connect(other_, &TimelinePlot::drawn, link_, &LinkedTimelines::settle);
    }
    const bool predictionFirst = session.with() == CompareSession::With::Prediction;
    timelines_->insertWidget(0, predictionFirst ? otherFrame_ : ownFrame_);
    timelines_->insertWidget(1, predictionFirst ? ownFrame_ : otherFrame_);
    const int half = std::max(1, timelines_->height() / 2);
    timelines_->setSizes({half, half});
    ownCaption_->setText(captionOf(!predictionFirst));
    otherCaption_->setText(captionOf(predictionFirst));
    for (QWidget* frame : {ownFrame_, otherFrame_}) frame->show();
    if (starts && predictionFirst) showOneStep();
    link_->follow();
}

/// A prediction is one step, so of several in sight that in the middle is shown alone; who has come closer stays there.
void CompareView::showOneStep() {
    const int index = stepInSight(context_.model, context_.selection);
    if (index < 0) return;
    const StepExtent& step = context_.model.steps().extents()[static_cast<std::size_t>(index)];
    const TimeRange visible = context_.selection.visible();
    if (visible.end - visible.begin > step.end - step.begin) goTo(-1, step.step, EventKind::None, 0);
}

QString CompareView::captionOf(bool a) const {
    const CompareSession& session = context_.compare;
    const bool ofPrediction = session.with() == CompareSession::With::Prediction;
    if (ofPrediction) return a ? tr("A · predicted, one step") : tr("B · measured");
    const std::filesystem::path& file = a ? context_.model.file() : session.file();
    return tr("%1 · %2").arg(a ? QStringLiteral("A") : QStringLiteral("B"), text(file.stem().string()));
}

void CompareView::refresh() {
    const CompareSession& session = context_.compare;
    arrangeTimelines();
    prediction_->setChecked(session.with() == CompareSession::With::Prediction);
    prediction_->setEnabled(context_.model.prediction().end() > 0);
    run_->setChecked(session.with() == CompareSession::With::Run);
    close_->setVisible(session.with() != CompareSession::With::Nothing);
    QString said;
    if (session.working()) said = tr("comparing …");
    if (const auto& comparison = session.comparison()) {
        const Compared& step = comparison->stepSeconds;
        said = tr("step %1 → %2 (%3) · bubble %4 → %5")
                   .arg(text(formatSeconds(step.a.value_or(0))), text(formatSeconds(step.b.value_or(0))),
                        text(formatChange(step)), percent(comparison->bubble.a.value_or(0)),
                        percent(comparison->bubble.b.value_or(0)));
    }
    whole_->setText(said);
    QString help = tr("The medians of the compared steps, A → B");
    if (const QString pace = paceHelp(context_.model); !pace.isEmpty()) help += QLatin1Char('\n') + pace;
    whole_->setToolTip(help);
    refreshTable();
    Q_EMIT subtitleChanged();
}

void CompareView::refreshTable() {
    const CompareSession& session = context_.compare;
    const auto part = static_cast<ComparisonPart>(std::max(0, part_->currentIndex()));
    part_->setToolTip(partHelp(part));
    const auto& comparison = session.comparison();
    rows_->setRows(comparison ? rowsOf(*comparison, part) : std::vector<ComparisonRow>{},
                   part == ComparisonPart::Largest ? tr("action") : QString());
    QHeaderView* header = table_->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(ComparisonModel::Bar, QHeaderView::Stretch);
    QString said;
    const char* role = "small";
    if (const auto& error = session.error()) {
        said = told(*error);
        role = "fault";
    } else if (comparison) {
        for (const Sentence& note : comparison->notes)
            said += (said.isEmpty() ? tr("Not aligned: ") : QStringLiteral("; ")) + told(note);
    }
    const bool compares = session.with() != CompareSession::With::Nothing || session.working();
    if (said.isEmpty() && !compares) {
        said = prediction_->isEnabled() ? tr("Nothing is compared: choose the prediction or another run.")
                                        : tr("Nothing is compared: choose another run.");
        role = "hint";
    }
    part_->setVisible(compares);
    table_->setVisible(compares);
    note_->setText(said);
    note_->setVisible(!said.isEmpty());
    note_->setAlignment(compares ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignCenter);
    setRole(*note_, role);
}

void CompareView::goTo(int row) {
    const auto& comparison = context_.compare.comparison();
    if (!comparison || row < 0) return;
    const bool predictionFirst = context_.compare.with() == CompareSession::With::Prediction;
    const auto index = static_cast<std::size_t>(row);
    switch (static_cast<ComparisonPart>(part_->currentIndex())) {
    case ComparisonPart::Largest: {
        const RunComparison::Difference& one = comparison->largest[index];
        return goTo(predictionFirst ? one.rankB : one.rankA, one.worstStep, one.kind, one.action);
    }
    case ComparisonPart::Ranks: {
        const RunComparison::Rank& rank = comparison->ranks[index / 4];
        return context_.selection.setRank(predictionFirst ? rank.b : rank.a);
    }
    case ComparisonPart::Steps: return goTo(-1, comparison->steps[index].step, EventKind::None, 0);
    default: return;
    }
}

/// In the opened run; the other timeline follows.
void CompareView::goTo(int rank, int step, EventKind kind, ActionId action) {
    Selection& selection = context_.selection;
    if (const StepExtent* extent = context_.model.steps().extentOf(step)) {
        const std::int64_t margin = (extent->end - extent->begin) / 40;
        selection.setFollowLive(false);
        selection.setVisible({extent->begin - margin, extent->end + margin});
    }
    if (rank < 0 || rank >= context_.model.ranks()) return;
    for (int lane = 0; lane < laneCount; ++lane)
        for (const Event& event : eventsOfStep(context_.model, rank, static_cast<Lane>(lane), step))
            if (event.kind == kind && event.action == action) return selection.select(event);
}

QString CompareView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    return context_.model.file().empty() ? tr("This run is not recorded in a file: there is nothing to compare.")
                                         : QString();
}

QString CompareView::subtitle() const {
    const CompareSession& session = context_.compare;
    if (session.with() == CompareSession::With::Nothing) return {};
    const QString with =
        session.with() == CompareSession::With::Prediction
            ? tr("predicted (A) with measured (B)")
            : tr("%1 (A) with %2 (B)")
                  .arg(text(context_.model.file().stem().string()), text(session.file().stem().string()));
    const auto& comparison = session.comparison();
    if (!comparison) return with;
    return tr("%1 · steps %2–%3 · %4 actions aligned")
        .arg(with)
        .arg(comparison->firstStep)
        .arg(comparison->lastStep)
        .arg(comparison->alignedActions);
}

QString CompareView::asTable() const {
    const auto& comparison = context_.compare.comparison();
    QString table = tr("part\twhat\tA s\tB s\tdifference s\n");
    if (!comparison) return table;
    const auto figure = [](const std::optional<double>& value) {
        return value ? QString::number(*value, 'g', 9) : QString();
    };
    for (int part = 0; part < comparisonParts; ++part)
        for (const ComparisonRow& row : rowsOf(*comparison, static_cast<ComparisonPart>(part)))
            table += QStringLiteral("%1\t%2\t%3\t%4\t%5\n")
                         .arg(partTitle(static_cast<ComparisonPart>(part)), row.name, figure(row.figure.a),
                              figure(row.figure.b), figure(row.figure.difference()));
    for (const Sentence& note : comparison->notes) table += tr("not aligned\t%1\t\t\t\n").arg(told(note));
    return table;
}

}  // namespace shardlab::ui
