// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks that do the same share a row of the timeline, until a person unfolds them.
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"
#include "tests/ui/synthetic_run.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/rank_labels.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/memory_per_rank/memory_bars.h"
#include "ui/views/memory_per_rank/memory_per_rank_view.h"
#include "ui/views/timeline/timeline_view.h"

#include <QPushButton>
#include <QSet>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

struct Stand {
    sample::Bench bench;
    Plan plan;
    TimelineView view;

    explicit Stand(Workspace workspace = Workspace::Run, int steps = 4, int data = 2, int pipeline = 2)
        : bench(workspace), plan(sample::plan(sample::layout(data, pipeline, 4))), view(bench.context(), nullptr) {
        view.resize(1000, 420);
        view.show();
        if (steps > 0) sample::fill(bench.model, plan, steps, 11);
        else bench.model.begin(headerOf(plan), plan.simulation.events);
        view.plot().flush();
        canvas().setFocus();
    }
    QWidget& canvas() { return *view.plot().canvas(); }
    const TimelineState& state() { return view.plot().state(); }
    Event compute(int rank, int step, std::size_t n) { return eventsOfStep(bench.model, rank, Lane::Compute, step)[n]; }
};

}  // namespace

class TimelineFoldingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ranksThatAreAlikeFold();
    void aRankThatLagsIsNotFoldedAway();
    void memoryOfManyRanksFolds();
    void rowsAreNamedAlike();
};

/// Rows with three digits were "pp4 × 32" below "ranks 0–31", and the first row alone said where its ranks stand.
void TimelineFoldingTest::rowsAreNamedAlike() {
    Stand stand(Workspace::Run, 1, 16, 16);  // so many rows that each has one line
    QSet<QString> kinds;
    for (int width = 300; width <= 1300; width += 10) {
        stand.view.resize(width, 420);
        stand.view.plot().flush();
        const auto labels = RankLabels::of(stand.state());
        QVERIFY(labels.size() > 8 && !labels.front().twoLines);
        const auto kindOf = [](const RankLabels::Label& label) {
            return label.title.left(3) + (label.place.isEmpty() ? QStringLiteral(" alone") : QStringLiteral(" placed"));
        };
        for (const RankLabels::Label& label : labels)
            QVERIFY2(kindOf(label) == kindOf(labels.front()), qPrintable(label.title + QString::number(width)));
        kinds << kindOf(labels.front());
    }
    QVERIFY2(kinds.size() > 1, qPrintable(QStringList(kinds.values()).join(QLatin1Char(','))));
}

void TimelineFoldingTest::ranksThatAreAlikeFold() {
    // Few ranks have a row each, and many share one for each pipeline rank.
    Stand few;
    QCOMPARE(few.state().rows.ranks().size(), std::size_t{4});
    QCOMPARE(RankLabels::title(few.state(), 0), QStringLiteral("rank 0"));
    QTest::mouseClick(&few.canvas(), Qt::LeftButton, {}, {20, few.state().rows.row(0).top + 10});
    few.view.plot().flush();
    QCOMPARE(few.state().rows.ranks().size(), std::size_t{4});  // a click on a name selects, and folds nothing
    // In a narrow view "dp0 pp0" lost its second half.
    const Theme& theme = few.state().theme;
    const int room = labelWidth(few.bench.model, theme, 340) - 18;
    QVERIFY(room >= QFontMetrics(theme.monoAt(10)).horizontalAdvance(RankLabels::place(few.state(), 0)));
    Stand stand(Workspace::Run, 2, 32, 2);
    const auto& rows = stand.state().rows;
    QCOMPARE(rows.ranks(), (std::vector<int>{0, 32}));
    QCOMPARE(RankLabels::title(stand.state(), 1), QStringLiteral("▸ ranks 32–63"));
    QCOMPARE(RankLabels::place(stand.state(), 1), QStringLiteral("pp1 × 32"));
    QCOMPARE(rows.largestScroll(), 0);
    // A rank without a row of its own is selected in the row that stands for it.
    stand.bench.selection.select(stand.compute(40, 1, 1));
    stand.view.plot().flush();
    const QRect there = eventRect(stand.state(), *stand.bench.selection.event());
    QVERIFY(!there.isEmpty() && there.top() >= rows.row(1).top &&
            there.bottom() < rows.row(1).top + rows.row(1).height);
    // A click on the name of a row unfolds it alone, and the next one folds it again.
    const auto clickName = [&](int position) {
        const Row row = rows.row(position);
        QTest::mouseClick(&stand.canvas(), Qt::LeftButton, {},
                          {stand.state().plot.left() / 2, row.top + row.height / 2});
        stand.view.plot().flush();
    };
    clickName(0);
    QCOMPARE(rows.ranks().size(), std::size_t{33});
    QCOMPARE(RankLabels::title(stand.state(), 0), QStringLiteral("▾ rank 0"));
    QCOMPARE(RankLabels::title(stand.state(), 1), QStringLiteral("rank 1"));
    QCOMPARE(rows.positionOf(40), 32);
    clickName(0);
    QCOMPARE(rows.ranks().size(), std::size_t{2});
    // All at once, by key and by button.
    QTest::keyClick(&stand.canvas(), Qt::Key_U);
    stand.view.plot().flush();
    QCOMPARE(rows.ranks().size(), std::size_t{64});
    for (QPushButton* button : stand.view.findChildren<QPushButton*>())
        if (button->accessibleName() == QStringLiteral("Fold ranks that are alike")) {
            QVERIFY(button->isVisible() && !button->isChecked());
            button->click();
        }
    stand.view.plot().flush();
    QCOMPARE(rows.ranks().size(), std::size_t{2});
    // What is pinned, and what is asked for by number, has a row.
    stand.bench.selection.pin(5, true);
    stand.view.plot().flush();
    QCOMPARE(rows.ranks(), (std::vector<int>{5, 0, 32}));
    stand.bench.selection.pin(5, false);
    stand.view.plot().setRankFilter(QStringLiteral("2-4"));
    stand.view.plot().flush();
    QCOMPARE(rows.ranks(), (std::vector<int>{2, 3, 4}));
    stand.view.plot().setRankFilter(QStringLiteral("pp1"));
    stand.view.plot().flush();
    QCOMPARE(rows.ranks(), (std::vector<int>{32}));
    // Ranks that are grouped by an axis are folded within its groups.
    stand.view.plot().setRankFilter({});
    stand.bench.selection.setGrouping(Axis::Data);
    stand.view.plot().flush();
    QCOMPARE(rows.ranks().size(), std::size_t{64});
    stand.bench.selection.setGrouping(Axis::Pipeline);
    stand.view.plot().flush();
    QCOMPARE(rows.ranks().size(), std::size_t{2});
}

void TimelineFoldingTest::aRankThatLagsIsNotFoldedAway() {
    Stand stand(Workspace::Replay, 0, 32, 2);
    std::vector<Event> events = syntheticRun(stand.plan, 6, 3);
    for (Event& event : events)
        if (event.rank == 7 && isCompute(event.kind)) event.end += event.end - event.begin;
    stand.bench.model.begin(headerOf(stand.plan), stand.plan.simulation.events);
    stand.bench.model.append(events);
    stand.bench.model.report().setEnd({"finished", ""});
    stand.view.plot().flush();
    QCOMPARE(stand.state().rows.ranks(), (std::vector<int>{0, 7, 32}));
}

void TimelineFoldingTest::memoryOfManyRanksFolds() {
    sample::Bench bench(Workspace::Design);
    const Plan plan = sample::plan(sample::layout(32, 2, 4));
    bench.document.replace(plan.layout, {});
    QVERIFY(bench.document.plan());
    bench.model.begin(headerOf(*bench.document.plan()), bench.document.plan()->simulation.events);
    MemoryPerRankView view(bench.context(), nullptr);
    view.flush();
    const std::vector<MemoryRow>& rows = view.bars().rows();
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(titleOf(rows[1]), QStringLiteral("ranks 32–63"));
    QCOMPARE(rows[1].label, QStringLiteral("pp1"));
    QCOMPARE(rows[1].shown, plan.memory[40].peak);
    QVERIFY(rows[1].standsFor(40) && !rows[0].standsFor(40));
    QVERIFY(view.asTable().contains(QStringLiteral("\n0–31\tpp0\t")));
    // A rank whose figures are others has a row of its own.
    std::vector<MemoryRow> apart(64);
    for (int rank = 0; rank < 64; ++rank) apart[static_cast<std::size_t>(rank)] = {.rank = rank, .shown = 5};
    apart[9].shown = 6;
    const std::vector<MemoryRow> folded = foldedRows(plan.layout, plan.mesh, apart);
    QCOMPARE(folded.size(), std::size_t{3});
    QCOMPARE(titleOf(folded[0]), QStringLiteral("ranks 0–8, 10–31"));
    QCOMPARE(titleOf(folded[1]), QStringLiteral("rank 9"));
    // Narrow rows keep what tells them apart; all once read "ranks…".
    const QFontMetrics metrics(view.font());
    const QString numbers = QStringLiteral("0–8, 10–31");
    const auto titles = [&](int width) { return titlesWithin(folded, metrics, width); };
    QCOMPARE(titles(500), QStringList({titleOf(folded[0]), titleOf(folded[1]), titleOf(folded[2])}));
    // All keep the word, or none does.
    QCOMPARE(titles(metrics.horizontalAdvance(numbers) + 1),
             QStringList({numbers, QStringLiteral("9"), QStringLiteral("32–63")}));
}

QTEST_MAIN(TimelineFoldingTest)
#include "timeline_folding_test.moc"
