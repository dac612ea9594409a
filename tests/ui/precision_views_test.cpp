// SPDX-License-Identifier: GPL-3.0-or-later
// Scale of the loss, overflows and gradient exponents, as every view shows them.
#include "tests/ui/bench_context.h"
#include "tests/ui/sample_precision.h"
#include "tests/support/wings.h"
#include "ui/core/legend.h"
#include "ui/core/overflow.h"
#include "ui/timeline/dependencies.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/figures/figures.h"
#include "ui/views/events/events_view.h"
#include "ui/views/gradients/exponents_plot.h"
#include "ui/views/gradients/gradients_view.h"
#include "ui/views/selected/selected_view.h"
#include "ui/views/loss/loss_view.h"
#include "ui/views/loss_scale/loss_scale_view.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/window/arrangement.h"

#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace shardlab;
using namespace shardlab::test;

namespace {

QList<QStringList> cells(const QString& table) {
    QList<QStringList> rows;
    for (const QString& line : table.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        rows += line.split(QLatin1Char('\t'));
    return rows;
}

constexpr int overflowing[]{3, 7};

/// 2×2 ranks, 25 steps, two of them skipped.
void fillHalf(sample::Bench& bench) {
    sample::fill(bench.model, sample::plan(sample::halfLayout(2, 2, 4)), 25, 5);
    sample::addScales(bench.model, overflowing);
    bench.model.append(std::vector<Event>{sample::overflow(bench.model, 3, 1, ActionKind::Backward, 1, 2, 3),
                                          sample::overflow(bench.model, 3, 0, ActionKind::Backward, 0, 1, -1),
                                          sample::overflow(bench.model, 7, 3, ActionKind::ReduceGradients, 1, -1, -2)});
}

int columnOf(const QWidget& canvas, const std::function<QString(int)>& valueAt, const QString& wanted) {
    for (int x = 0; x < canvas.width(); ++x)
        if (valueAt(x).startsWith(wanted)) return x;
    return -1;
}

}  // namespace

class PrecisionViewsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void powersOfTwo();
    void scaleOverSteps();
    void scaleIsEmptyWithoutScaledLoss();
    void skippedStepsInTheLoss();
    void skippedStepsOnTheCards();
    void overflowOnTheTimeline();
    void overflowIsReachedFromTheEvents();
    void overflowOfTheLastRunIsForgotten();
    void theTabInFrontHasSomethingToShow();
    void exponentsAreTheCounters();
    void exponentsOfTheSelection();
    void exponentsByKeyboard();
    void exponentsAsATable();
    void exponentsAreEmptyWithoutScaledLoss();
    void checkpointsOnTheTimeline();
};

void PrecisionViewsTest::powersOfTwo() {
    QCOMPARE(powerOfTwo(32768.0), QStringLiteral("2¹⁵"));
    QCOMPARE(powerOfTwo(-24), QStringLiteral("2⁻²⁴"));
    QCOMPARE(powerOfTwo(1.0), QStringLiteral("2⁰"));
    QCOMPARE(powerOfTwo(1000.0), QStringLiteral("1000"));
    QCOMPARE(powerOfTwo(0.0), QStringLiteral("0"));
}

void PrecisionViewsTest::scaleOverSteps() {
    sample::Bench bench;
    fillHalf(bench);
    LossScaleView view(bench.context(), nullptr);
    view.resize(400, 240);
    view.show();
    QTest::qWait(150);
    QVERIFY(view.emptyText().isEmpty());
    QCOMPARE(view.subtitle(), QStringLiteral("step 24 · 2¹⁴ · 2 skipped"));
    const auto rows = cells(view.asTable());
    QCOMPARE(rows.size(), 1 + 25 + 1);  // two ranks tell of step 3
    QCOMPARE(rows[4].mid(0, 5), (QStringList{"3", "65536", "0", "embedding", "1"}));
    QCOMPARE(rows[5].mid(0, 5), (QStringList{"3", "65536", "1", "layer 3", "2"}));
    QCOMPARE(rows[9].mid(0, 5), (QStringList{"7", "32768", "3", "output", "sum over replicas"}));
    QCOMPARE(rows[10].mid(0, 3), (QStringList{"8", "16384", ""}));
    const int x = columnOf(
        *view.canvas(), [&](int at) { return view.valueAt(at); }, QStringLiteral("step 3 "));
    QVERIFY(x >= 0);
    QCOMPARE(view.valueAt(x), QStringLiteral("step 3 · loss scale 2¹⁶ → 2¹⁵\noverflow, step skipped: embedding, "
                                             "microbatch 1 (rank 0); layer 3, microbatch 2 (rank 1)"));
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, {x, 60});
    QCOMPARE(bench.model.steps()
                 .extents()[static_cast<std::size_t>(bench.model.steps().indexAt(bench.selection.cursor()))]
                 .step,
             3);
    view.flush();
    QVERIFY(view.subtitle().startsWith(QStringLiteral("step 3 · 2¹⁶")));
}

void PrecisionViewsTest::scaleIsEmptyWithoutScaledLoss() {
    sample::Bench bench;
    sample::fill(bench.model, sample::plan(sample::layout(1, 2, 4)), 3, 1);
    LossScaleView view(bench.context(), nullptr);
    QVERIFY(view.emptyText().contains(QStringLiteral("computes in fp32 and does not scale its loss")));
    QVERIFY(view.subtitle().isEmpty());
    bench.model.begin(headerOf(sample::plan(sample::halfLayout(1, 2, 4))), {});
    QVERIFY(view.emptyText().contains(QStringLiteral("first complete step")));
}

void PrecisionViewsTest::skippedStepsInTheLoss() {
    sample::Bench bench;
    fillHalf(bench);
    LossView view(bench.context(), nullptr);
    view.resize(400, 240);
    view.show();
    QTest::qWait(150);
    const auto rows = cells(view.asTable());
    QCOMPARE(rows[0].last(), QStringLiteral("skipped"));
    for (int step = 0; step < 25; ++step) QCOMPARE(rows[step + 1].last().isEmpty(), step != 3 && step != 7);
    const int x = columnOf(
        *view.canvas(), [&](int at) { return view.valueAt(at); }, QStringLiteral("step 7 "));
    QVERIFY(view.valueAt(x).endsWith(QStringLiteral("overflow, step skipped: output, sum over replicas (rank 3)")));
    QVERIFY(view.findChild<Legend*>()->accessibleName().contains(QStringLiteral("skipped")));
    // A loss that is no number leaves the chart as it is.
    const Event last = bench.model.points().of(EventKind::Loss).back();
    Event broken = last;
    broken.begin = broken.end = last.end + 1;
    broken.step = 25;
    broken.value = std::numeric_limits<double>::quiet_NaN();
    bench.model.append(std::vector<Event>{broken});
    broken.begin = broken.end = last.end + 2;
    broken.step = 26;
    broken.value = std::numeric_limits<double>::infinity();
    bench.model.append(std::vector<Event>{broken});
    view.flush();
    QVERIFY(!view.canvas()->grab().isNull());
    QVERIFY(columnOf(
                *view.canvas(), [&](int at) { return view.valueAt(at); }, QStringLiteral("step 26 ")) > 300);
}

void PrecisionViewsTest::skippedStepsOnTheCards() {
    sample::Bench bench;
    fillHalf(bench);
    for (int step = 0; step < 25; ++step) {
        const std::vector<CardFigure> cards =
            cardFigures(bench.model, bench.model.steps().extents()[static_cast<std::size_t>(step)].begin);
        const auto found = std::ranges::find(cards, QStringLiteral("Loss"), &CardFigure::title);
        QVERIFY(found != cards.end());
        const CardFigure& loss = *found;
        const bool skipped = step == 3 || step == 7;
        QCOMPARE(loss.detail == QStringLiteral("step skipped"), skipped);
        QCOMPARE(loss.help.contains(QStringLiteral("overflow, step skipped: ")), skipped);
    }
}

void PrecisionViewsTest::overflowOnTheTimeline() {
    sample::Bench bench;
    fillHalf(bench);
    TimelineView view(bench.context(), nullptr);
    SelectedView inspector(bench.context(), nullptr);
    view.resize(900, 320);
    view.show();
    QTest::qWait(100);
    bench.selection.setFollowLive(false);
    const StepExtent& third = bench.model.steps().extents()[3];
    bench.selection.setVisible({third.begin, third.end + 1'000'000});
    QTest::qWait(100);
    const Event told = overflows(bench.model)[1];  // rank 1
    const TimelineState& state = view.plot().state();
    const QRect mark = overflowMark(state.rows.row(1), state.scale, told.begin);
    const QImage image = view.plot().canvas()->grab().toImage();
    QVERIFY(image.pixelColor(mark.center().x(), mark.top() + 3) == bench.theme.theme().action(EventKind::Overflow));
    QTest::mouseClick(view.plot().canvas(), Qt::LeftButton, {}, {mark.center().x(), mark.top() + 3});
    QVERIFY(bench.selection.event());
    QCOMPARE(*bench.selection.event(), told);
    QCOMPARE(bench.selection.rank(), 1);
    QVERIFY(inspector.asTable().contains(QStringLiteral("overflow: layer 3, microbatch 2, step 3 skipped")));
    QVERIFY(inspector.asTable().contains(QStringLiteral("2¹⁶ → 2¹⁵")));
    QCOMPARE(inspector.subtitle(), QStringLiteral("overflow"));
    QVERIFY(dependencies(bench.model, told).empty());
    QVERIFY(hoverText(bench.model, told).contains(QStringLiteral("rank 1")));
    QVERIFY(view.asTable().contains(QStringLiteral("overflow: embedding, microbatch 1, step 3 skipped")));
    QVERIFY(!view.asTable().contains(QStringLiteral("step 7 skipped")));  // out of sight
    QVERIFY(view.findChild<Legend*>()->accessibleName().contains(QStringLiteral("overflow")));
    // Rows that are filtered away have no marker.
    view.findChild<QLineEdit*>()->setText(QStringLiteral("2-3"));
    QTest::qWait(100);
    QVERIFY(!eventAt(bench.model, view.plot().index(), view.plot().state().scale, view.plot().state().rows,
                     mark.center().x(), mark.top() + 3) ||
            eventAt(bench.model, view.plot().index(), view.plot().state().scale, view.plot().state().rows,
                    mark.center().x(), mark.top() + 3)
                    ->kind != EventKind::Overflow);
}

void PrecisionViewsTest::overflowIsReachedFromTheEvents() {
    sample::Bench bench;
    fillHalf(bench);
    EventsView view(bench.context(), nullptr);
    view.resize(320, 240);
    view.show();
    QTest::qWait(250);
    QVERIFY(view.subtitle().contains(QStringLiteral("2 problems")));
    view.findChild<QLineEdit*>()->setText(QStringLiteral("layer 3"));
    auto* table = view.findChild<QTableView*>();
    QCOMPARE(table->model()->rowCount(), 1);
    const QModelIndex row = table->model()->index(0, 2);
    QCOMPARE(row.data().toString(), QStringLiteral("overflow, step skipped: embedding, microbatch 1 (rank 0); layer 3, "
                                                   "microbatch 2 (rank 1), scale 2¹⁶ → 2¹⁵"));
    table->setCurrentIndex(row);
    QTest::keyClick(table, Qt::Key_Return);
    QVERIFY(bench.selection.event());
    QCOMPARE(bench.selection.event()->kind, EventKind::Overflow);
    QCOMPARE(bench.selection.event()->step, 3);
}

void PrecisionViewsTest::overflowOfTheLastRunIsForgotten() {
    sample::Bench bench;
    fillHalf(bench);
    EventsView view(bench.context(), nullptr);
    view.resize(320, 240);
    view.show();
    QTRY_VERIFY(view.subtitle().contains(QStringLiteral("2 problems")));
    view.findChild<QLineEdit*>()->setText(QStringLiteral("layer 3"));
    auto* table = view.findChild<QTableView*>();
    table->setCurrentIndex(table->model()->index(0, 2));
    const auto shown = [&] {
        for (const QLabel* label : view.findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(QStringLiteral("overflow"))) return true;
        return false;
    };
    QVERIFY(shown());
    sample::fill(bench.model, sample::plan(sample::layout(1, 2, 4)), 3, 1);
    QTRY_VERIFY(!view.asTable().contains(QStringLiteral("overflow")));
    QVERIFY(!shown());
}

namespace {

/// The group of tabs that holds a view; nullptr: it stands alone.
const Place* tabsWith(const Place& place, const QString& view) {
    const auto holds = [&](const Place& part) { return part.view == view; };
    if (place.tabbed && std::ranges::any_of(place.parts, holds)) return &place;
    for (const Place& part : place.parts)
        if (const Place* found = tabsWith(part, view)) return found;
    return nullptr;
}

}  // namespace

/// Most runs scale no loss: what is in front of these tabs at first is filled by every run.
void PrecisionViewsTest::theTabInFrontHasSomethingToShow() {
    for (const Workspace workspace : {Workspace::Run, Workspace::Replay})
        for (const Room room : {Room::Ample, Room::Low, Room::Tight}) {
            sample::Bench bench(workspace);
            sample::fill(bench.model, sample::plan(sample::layout(1, 2, 4)), 3, 1);
            const Place whole = defaultArrangement(workspace, room);
            const Place* tabs = tabsWith(whole, QStringLiteral("loss_scale"));
            QVERIFY(tabs);
            const auto kind = std::ranges::find(viewKinds(), tabs->parts.front().view,
                                                [](const ViewKind& each) { return QString::fromLatin1(each.id); });
            QVERIFY(kind != viewKinds().end());
            QWidget parent;
            QVERIFY2(kind->create(bench.context(), &parent)->emptyText().isEmpty(), kind->id);
        }
}

void PrecisionViewsTest::exponentsAreTheCounters() {
    sample::Bench bench;
    fillHalf(bench);
    sample::addExponents(
        bench.model,
        [](int rank, int step, int exponent) {
            return exponent == -30   ? 10.0 + rank
                   : exponent == -20 ? 20.0
                   : exponent == 0   ? 60.0 + step
                   : exponent == 16  ? 4.0
                                     : 0.0;
        },
        5, 1);
    GradientsView view(bench.context(), nullptr);
    view.flush();
    QVERIFY(view.emptyText().isEmpty());
    QCOMPARE(view.counts().step, 20);  // the latest
    QCOMPARE(view.counts().within(-30, -30), 46.0);
    QCOMPARE(view.counts().zeros, 20.0);
    QCOMPARE(view.counts().notFinite, 4.0);
    const HalfFit fit = halfFit(view.counts());
    QCOMPARE(fit.vanish, 46.0);
    QCOMPARE(fit.subnormal, 80.0);
    QCOMPARE(fit.kept, 320.0);
    QCOMPARE(fit.infinite, 16.0);
    QCOMPARE(view.counts().all(), 46.0 + 80 + 320 + 16 + 20 + 4);
    QCOMPARE(view.outside(), QStringLiteral("zeros: 20 (4.1 %) · not finite: 4 (0.8 %)"));
    QVERIFY(view.legend().accessibleName().contains(QStringLiteral("subnormal 16.5 %")));
    QCOMPARE(recordedSteps(bench.model), (std::vector<int>{0, 10, 20}));
    QCOMPARE(halfRange(-25), HalfRange::Vanishes);
    QCOMPARE(halfRange(-24), HalfRange::Subnormal);
    QCOMPARE(halfRange(-15), HalfRange::Subnormal);
    QCOMPARE(halfRange(-14), HalfRange::Kept);
    QCOMPARE(halfRange(15), HalfRange::Kept);
    QCOMPARE(halfRange(16), HalfRange::Infinite);
}

void PrecisionViewsTest::exponentsOfTheSelection() {
    sample::Bench bench;
    fillHalf(bench);
    sample::addExponents(bench.model, sample::bell, 5, 0);
    GradientsView view(bench.context(), nullptr);
    view.flush();
    const double all = view.counts().all();
    bench.selection.setRank(2);
    view.flush();
    double mine = 5;
    for (int exponent = firstExponent; exponent < firstExponent + exponentBins; ++exponent)
        mine += sample::bell(2, 20, exponent);
    QCOMPARE(view.counts().all(), mine);
    QVERIFY(mine < all);
    QVERIFY(view.subtitle().contains(QStringLiteral("rank 2")));
    bench.selection.setCursor(bench.model.steps().extents()[14].begin + 1);  // the last one before
    view.flush();
    QCOMPARE(view.counts().step, 10);
    view.resize(400, 260);
    view.show();
    const auto buttons = view.findChildren<QToolButton*>();
    QTest::mouseClick(buttons[0], Qt::LeftButton);
    QTest::qWait(100);
    QCOMPARE(view.counts().step, 0);
    QVERIFY(!buttons[0]->isEnabled());
    QCOMPARE(bench.model.steps()
                 .extents()[static_cast<std::size_t>(bench.model.steps().indexAt(bench.selection.cursor()))]
                 .step,
             0);
    QTest::mouseClick(buttons[1], Qt::LeftButton);
    QTest::qWait(100);
    QCOMPARE(view.counts().step, 10);
}

void PrecisionViewsTest::exponentsByKeyboard() {
    sample::Bench bench;
    fillHalf(bench);
    sample::addExponents(
        bench.model, [](int, int, int exponent) { return exponent == -20   ? 1000.0
                                                         : exponent == -19 ? 3000.0
                                                                           : 0.0; },
        0, 0);
    GradientsView view(bench.context(), nullptr);
    view.resize(420, 260);
    view.show();
    QTest::qWait(120);
    ExponentsPlot& plot = view.plot();
    plot.setFocus(Qt::TabFocusReason);
    QTest::keyClick(&plot, Qt::Key_End);
    QCOMPARE(*plot.marked(), 18);
    QTest::keyClick(&plot, Qt::Key_Home);
    while (*plot.marked() < -20) QTest::keyClick(&plot, Qt::Key_Right);
    QCOMPARE(plot.markedText(), QStringLiteral("2⁻²⁰ to 2⁻¹⁹ · 4.00 k gradients · 25.0 %"));
    QCOMPARE(plot.accessibleDescription(), plot.markedText());
    QTest::mouseMove(&plot, plot.barOf(-19).center());
    QTest::qWait(30);
    QCOMPARE(*plot.marked(), -19);
    QCOMPARE(plot.barOf(-19).height() / 10, plot.barOf(-20).height() * 3 / 10);
    plot.setLogarithmic(true);
    QVERIFY(plot.barOf(-20).height() > plot.barOf(-19).height() * 9 / 10);
}

void PrecisionViewsTest::exponentsAsATable() {
    sample::Bench bench;
    fillHalf(bench);
    sample::addExponents(bench.model, sample::bell, 7, 3);
    GradientsView view(bench.context(), nullptr);
    view.resize(420, 260);
    view.show();
    view.flush();
    const auto rows = cells(view.asTable());
    double sum = 0;
    double share = 0;
    for (qsizetype row = 1; row < rows.size(); ++row) {
        sum += rows[row][2].toDouble();
        share += rows[row][3].toDouble();
    }
    QCOMPARE(sum, view.counts().all());
    QVERIFY(std::abs(share - 100) < 1e-3);
    QCOMPARE(rows[1].mid(1, 2), (QStringList{"0", "28"}));
    QCOMPARE(view.table().rowCount(), int(rows.size()) - 1);
    QVERIFY(!view.table().isVisible());
    const auto buttons = view.findChildren<QPushButton*>();
    for (QPushButton* button : buttons)
        if (button->text() == QStringLiteral("Table")) QTest::keyClick(button, Qt::Key_Space);
    QVERIFY(view.table().isVisible());
    QCOMPARE(view.table().item(0, 1)->text(), QStringLiteral("28"));
    view.table().setFocus();
    QTest::keyClick(&view.table(), Qt::Key_Down);
    QVERIFY(view.table().currentRow() >= 0);
}

void PrecisionViewsTest::exponentsAreEmptyWithoutScaledLoss() {
    sample::Bench bench;
    sample::fill(bench.model, sample::plan(sample::layout(1, 2, 4)), 3, 1);
    GradientsView view(bench.context(), nullptr);
    QVERIFY(view.emptyText().contains(QStringLiteral("where the loss is scaled")));
    bench.model.begin(headerOf(sample::plan(sample::halfLayout(1, 2, 4))), {});
    view.flush();
    QVERIFY(view.emptyText().contains(QStringLiteral("every tenth")));
    QVERIFY(view.asTable().count(QLatin1Char('\n')) == 1);
}

void PrecisionViewsTest::checkpointsOnTheTimeline() {
    sample::Bench bench;
    sample::fill(bench.model, sample::plan(sample::layout(1, 2, 4)), 4, 1);
    TimelineView view(bench.context(), nullptr);
    view.resize(900, 260);
    view.show();
    QTest::qWait(100);
    QVERIFY(!view.findChild<Legend*>()->accessibleName().contains(QStringLiteral("checkpoint")));
    bench.selection.setFollowLive(false);
    const std::int64_t end = bench.model.recorded().last;
    const Event snapshot{end, end + 200'000'000, 4096, 0, 0, 3, 0, Lane::Host, EventKind::Snapshot};
    const Event write{end + 200'000'000, end + 500'000'000, 4096, 0, 0, 3, 0, Lane::Copy, EventKind::CheckpointWrite};
    bench.model.append(std::vector<Event>{snapshot, write});
    QTest::qWait(100);
    bench.selection.setVisible({end - 100'000'000, end + 600'000'000});
    QTest::qWait(100);
    QVERIFY(view.findChild<Legend*>()->accessibleName().contains(QStringLiteral("checkpoint")));
    const TimelineState& state = view.plot().state();
    const QImage image = view.plot().canvas()->grab().toImage();
    const QColor colour = bench.theme.theme().action(EventKind::CheckpointWrite);
    for (const Event& event : {snapshot, write}) {
        const QRect place = eventRect(state, event);
        QVERIFY(!place.isEmpty());
        QCOMPARE(image.pixelColor(place.center()), colour);
        QTest::mouseClick(view.plot().canvas(), Qt::LeftButton, {}, place.center());
        QVERIFY(bench.selection.event());
        QCOMPARE(bench.selection.event()->kind, event.kind);
    }
    QVERIFY(view.asTable().contains(QStringLiteral("Checkpoint write")));
    QVERIFY(view.asTable().contains(QStringLiteral("Snapshot")));
}

QTEST_MAIN(PrecisionViewsTest)
#include "precision_views_test.moc"
