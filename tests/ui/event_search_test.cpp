// SPDX-License-Identifier: GPL-3.0-or-later
// Looking for events, going from step to step, areas and their figures, pinned and grouped rows: against plain loops
// over the same events.
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/core/event_search.h"
#include "ui/core/step_walk.h"
#include "ui/timeline/rank_filter.h"
#include "ui/timeline/rows.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/area/area_view.h"
#include "ui/views/timeline/timeline_tools.h"
#include "ui/views/timeline/timeline_view.h"

#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>

#include <functional>

using namespace shardlab;
using namespace shardlab::test;

namespace {

struct Stand {
    sample::Bench bench;
    Plan plan;
    TimelineView view;
    std::uint64_t seed = freshSeed();

    explicit Stand(int steps = 6, int data = 2, int pipeline = 4)
        : bench(Workspace::Run), plan(sample::plan(sample::layout(data, pipeline, 8))), view(bench.context(), nullptr) {
        view.resize(1000, 460);
        view.show();
        if (steps > 0) sample::fill(bench.model, plan, steps, seed);
        view.plot().flush();
    }
    std::vector<Event> all(const std::function<bool(const Event&)>& fits) const {
        std::vector<Event> events;
        for (int rank = 0; rank < bench.model.ranks(); ++rank)
            for (int lane = 0; lane < laneCount; ++lane)
                for (const Event& event : bench.model.store().lane(rank, static_cast<Lane>(lane)).all())
                    if (fits(event)) events.push_back(event);
        std::ranges::stable_sort(events, {}, &Event::begin);
        return events;
    }
};

}  // namespace

class EventSearchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void questionsMeanWhatTheySay_data();
    void questionsMeanWhatTheySay();
    void nonsenseIsNamed();
    void keysGoFromHitToHit();
    void aGoingRunIsSearchedAgain();
    void stepsAreChosen();
    void slowStepsAreFound();
    void areaFiguresAreThoseOfALoop();
    void nestedSpansAreNotCountedTwice();
    void dragsChooseAreas();
    void pinnedRowsStayAndGroupsStandTogether();
    void pictures_data();
    void pictures();
};

void EventSearchTest::questionsMeanWhatTheySay_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<std::function<bool(const Event&)>>("fits");
    using Fits = std::function<bool(const Event&)>;
    const auto add = [](const char* query, Fits fits) { QTest::newRow(query) << QString::fromUtf8(query) << fits; };
    const auto actionIs = [](const Event& e, ActionKind kind, int stage, int microbatch) {
        const Action action = actionFromId(e.action);
        return e.action != 0 && action.kind == kind && (stage < 0 || action.stage == stage) &&
               (microbatch < 0 || action.microbatch == microbatch);
    };
    add("3F7", [=](const Event& e) { return actionIs(e, ActionKind::Forward, 3, 7) && e.kind != EventKind::Wait; });
    add("f7", [=](const Event& e) { return e.kind == EventKind::Forward && actionIs(e, ActionKind::Forward, -1, 7); });
    add("2B",
        [=](const Event& e) { return e.kind == EventKind::Backward && actionIs(e, ActionKind::Backward, 2, -1); });
    add("1SEND_F0",
        [=](const Event& e) { return actionIs(e, ActionKind::SendForward, 1, 0) && e.kind != EventKind::Wait; });
    add("wait rank 2", [](const Event& e) { return e.kind == EventKind::Wait && e.rank == 2; });
    add("forward", [](const Event& e) { return e.kind == EventKind::Forward; });
    add("send forward", [](const Event& e) { return e.kind == EventKind::SendForward; });
    add("send", [](const Event& e) { return e.kind == EventKind::SendForward || e.kind == EventKind::SendBackward; });
    add("backward step 2-4 pp1",
        [](const Event& e) { return e.kind == EventKind::Backward && e.step >= 2 && e.step <= 4 && e.rank / 2 == 1; });
    add("ranks 6-", [](const Event& e) { return e.rank >= 6; });
    add("comm stage:1 mb=3", [](const Event& e) {
        const Action action = actionFromId(e.action);
        return e.lane == Lane::Comm && e.action != 0 && action.stage == 1 && action.microbatch == 3;
    });
    // Durations are the modelled devices', and not those of the clock that the run is slowed on.
    const DeviceTime device(sample::plan(sample::layout(2, 4, 8)).costs.stretch);
    const std::int64_t most = device.nanoseconds(50'000'000), some = device.nanoseconds(20'000'000),
                       few = device.nanoseconds(5'000'000);
    const auto lasts = [](const Event& e) { return e.end - e.begin; };
    add(QByteArray("B > " + QByteArray::number(qlonglong(most)) + " ns").constData(),
        [=](const Event& e) { return e.kind == EventKind::Backward && lasts(e) >= device.nanosecondsOnClock(most); });
    add(QByteArray("compute <" + QByteArray::number(qlonglong(some)) + "ns >" + QByteArray::number(qlonglong(few)) +
                   "ns")
            .constData(),
        [=](const Event& e) {
            return e.lane == Lane::Compute && lasts(e) >= device.nanosecondsOnClock(few) &&
                   lasts(e) <= device.nanosecondsOnClock(some);
        });
}

void EventSearchTest::questionsMeanWhatTheySay() {
    QFETCH(QString, query);
    QFETCH(std::function<bool(const Event&)>, fits);
    Stand stand;
    EventSearch& search = stand.bench.events;
    search.setQuery(query);
    QVERIFY2(search.error().isEmpty(), qPrintable(search.error()));
    search.finish();
    const std::vector<Event> expected = stand.all(fits);
    QVERIFY(!expected.empty());
    QCOMPARE(search.count(), static_cast<std::int64_t>(expected.size()));
    std::vector<Event> sorted = search.hits();
    const auto order = [](const Event& e) { return std::tuple(e.begin, e.rank, e.lane, e.action, e.kind); };
    QVERIFY(std::ranges::is_sorted(sorted, {}, &Event::begin));
    std::vector<Event> loop = expected;
    std::ranges::sort(sorted, {}, order);
    std::ranges::sort(loop, {}, order);
    QVERIFY(sorted == loop);
}

void EventSearchTest::nonsenseIsNamed() {
    Stand stand;
    stand.view.toolsButton().click();
    stand.view.tools().field().setText(QStringLiteral("wait xyzzy"));
    stand.view.tools().flush();
    QVERIFY(stand.bench.events.error().contains(QStringLiteral("xyzzy")));
    QCOMPARE(stand.view.tools().found().text(), QStringLiteral("not understood"));
    QVERIFY(stand.view.tools().found().toolTip().contains(QStringLiteral("3F7")));
    QVERIFY(stand.view.tools().field().property("faulty").toBool());
}

void EventSearchTest::keysGoFromHitToHit() {
    Stand stand;
    QVERIFY(!stand.view.tools().isVisible());
    stand.bench.events.requestField();
    QVERIFY(stand.view.tools().isVisible());
    QLineEdit& field = stand.view.tools().field();
    QTest::keyClicks(&field, QStringLiteral("3F7"));
    stand.bench.events.finish();
    const std::vector<Event> hits = stand.bench.events.hits();
    QCOMPARE(hits.size(), std::size_t{12});  // six steps, two replicas
    stand.bench.selection.setFollowLive(false);
    stand.bench.selection.setVisible({0, 1'000'000});
    for (std::size_t i = 0; i < hits.size(); ++i) {
        QTest::keyClick(&field, Qt::Key_Return);
        QVERIFY(stand.bench.selection.event() == hits[i]);
        const TimeRange visible = stand.bench.selection.visible();
        QVERIFY(visible.begin <= hits[i].begin && visible.end >= hits[i].end);
    }
    stand.view.tools().flush();
    QCOMPARE(stand.view.tools().found().text(), QStringLiteral("12 of 12"));
    QTest::keyClick(&field, Qt::Key_Return);
    QVERIFY(stand.bench.selection.event() == hits.front());  // round again
    QTest::keyClick(&field, Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(stand.bench.selection.event() == hits.back());
    const QList<QToolButton*> buttons = stand.view.tools().findChildren<QToolButton*>();
    for (QToolButton* button : buttons)
        if (button->accessibleName() == QStringLiteral("Previous event found"))
            QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(stand.bench.selection.event() == hits[hits.size() - 2]);
    QTest::keyClick(&field, Qt::Key_Escape);
    QCOMPARE(stand.bench.events.count(), std::int64_t{0});
}

void EventSearchTest::aGoingRunIsSearchedAgain() {
    Stand stand(0);
    stand.bench.model.begin(headerOf(stand.plan), stand.plan.simulation.events);
    stand.bench.events.setQuery(QStringLiteral("3F7"));
    stand.bench.events.finish();
    QCOMPARE(stand.bench.events.count(), std::int64_t{2});  // the prediction's
    stand.bench.model.append(std::span<const Event>(sample::events(stand.plan, 3, stand.seed)));
    QTRY_COMPARE(stand.bench.events.count(), std::int64_t{6});
}

void EventSearchTest::stepsAreChosen() {
    Stand stand;
    stand.bench.events.requestStep();
    QSpinBox& field = stand.view.tools().stepField();
    QCOMPARE(field.maximum(), 5);
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, QStringLiteral("4"));
    QTest::keyClick(&field, Qt::Key_Return);
    const StepExtent& step = stand.bench.model.steps().extents()[4];
    QVERIFY(stand.bench.selection.visible().begin < step.begin && stand.bench.selection.visible().end > step.end);
    QCOMPARE(stepInSight(stand.bench.model, stand.bench.selection), 4);
}

void EventSearchTest::slowStepsAreFound() {
    sample::Bench bench;
    const Plan plan = sample::plan(sample::layout(1, 2, 4));
    bench.model.begin(headerOf(plan), plan.simulation.events);
    std::vector<Event> events;
    std::int64_t time = 1000;
    for (int step = 0; step < 20; ++step) {
        // Step 0 warms up, 7 and 15 are slow, 11 is a little longer only.
        const std::int64_t lasts = step == 0 ? 900 : step == 7 || step == 15 ? 130 : step == 11 ? 115 : 100;
        for (int rank = 0; rank < 2; ++rank)
            events.push_back({.begin = time,
                              .end = time + lasts,
                              .step = step,
                              .rank = static_cast<std::int16_t>(rank),
                              .lane = Lane::Host,
                              .kind = EventKind::Step});
        time += lasts;
    }
    bench.model.append(events);
    QCOMPARE(slowSteps(bench.model), (std::vector<int>{7, 15}));
    lookAtStep(bench.model, bench.selection, 3);
    QVERIFY(lookAtSlowStep(bench.model, bench.selection, 1));
    QCOMPARE(stepInSight(bench.model, bench.selection), 7);
    QVERIFY(lookAtSlowStep(bench.model, bench.selection, 1));
    QCOMPARE(stepInSight(bench.model, bench.selection), 15);
    QVERIFY(!lookAtSlowStep(bench.model, bench.selection, 1));
    QVERIFY(lookAtSlowStep(bench.model, bench.selection, -1));
    QCOMPARE(stepInSight(bench.model, bench.selection), 7);
}

void EventSearchTest::areaFiguresAreThoseOfALoop() {
    Stand stand;
    AreaView view(stand.bench.context(), nullptr);
    QVERIFY(view.emptyText().contains(QStringLiteral("Ctrl+drag")));
    const StepExtent& step = stand.bench.model.steps().extents()[2];
    const TimeRange area{step.begin + 1'000'000, step.end - 30'000'000};
    stand.bench.selection.setArea(area, {1, 4});
    view.flush();
    QVERIFY(view.emptyText().isEmpty());
    std::map<std::pair<int, EventKind>, std::vector<std::int64_t>> parts;
    const auto counted = [](EventKind kind) {
        return isSpan(kind) && kind != EventKind::Step && kind != EventKind::Validation;
    };
    for (const Event& event :
         stand.all([&](const Event& e) { return counted(e.kind) && (e.rank == 1 || e.rank == 4); })) {
        const std::int64_t inside = std::min(event.end, area.end) - std::max(event.begin, area.begin);
        if (event.end > area.begin && event.begin < area.end) parts[{event.rank, event.kind}].push_back(inside);
    }
    const QStringList lines = view.asTable().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    const double stretch = stand.plan.costs.stretch;  // what the table tells is device time
    int checked = 0;
    for (const QString& line : lines.mid(1)) {
        const QStringList cells = line.split(QLatin1Char('\t'));
        std::vector<std::int64_t> own;
        for (const auto& [key, list] : parts) {
            const bool rankFits = cells[0] == QStringLiteral("all") || cells[0].toInt() == key.first;
            const std::string_view kind = name(key.second);
            const bool kindFits = cells[1] == QStringLiteral("all") ||
                                  cells[1] == QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size()));
            if (rankFits && kindFits) own.insert(own.end(), list.begin(), list.end());
        }
        QVERIFY2(!own.empty(), qPrintable(line));
        std::ranges::sort(own);
        QCOMPARE(cells[2].toLongLong(), qlonglong(own.size()));
        std::int64_t total = 0;
        for (const std::int64_t each : own) total += each;
        QCOMPARE(cells[3], QString::number(static_cast<double>(total) * 1e-9 / stretch, 'g', 12));
        const double time = static_cast<double>(area.end - area.begin) * (cells[0] == QStringLiteral("all") ? 2 : 1);
        QCOMPARE(cells[7], QString::number(static_cast<double>(total) / time, 'f', 4));
        // At least 95 % do not exceed it, and no smaller one does.
        const auto p95 = static_cast<std::int64_t>(std::llround(cells[5].toDouble() * stretch * 1e9));
        const auto below = std::ranges::count_if(own, [&](std::int64_t each) { return each <= p95; });
        const auto under = std::ranges::count_if(own, [&](std::int64_t each) { return each < p95; });
        QVERIFY(static_cast<double>(below) >= 0.95 * static_cast<double>(own.size()));
        QVERIFY(static_cast<double>(under) < 0.95 * static_cast<double>(own.size()));
        ++checked;
    }
    QVERIFY(checked > 8);
    view.sorting().setCurrentIndex(1);
    QCOMPARE(view.table().rowCount(), 3);  // all, rank 1, rank 4
    QCOMPARE(view.table().item(2, 0)->text(), QStringLiteral("rank 4"));
}

void EventSearchTest::nestedSpansAreNotCountedTwice() {
    sample::Bench bench;
    const Plan plan = sample::plan(sample::layout(1, 2, 4));
    bench.model.begin(headerOf(plan), plan.simulation.events);
    const auto span = [](EventKind kind, Lane lane, std::int64_t begin, std::int64_t end) {
        return Event{.begin = begin, .end = end, .step = 0, .rank = 0, .lane = lane, .kind = kind};
    };
    bench.model.append(std::vector{
        span(EventKind::Forward, Lane::Compute, 0, 400), span(EventKind::TensorAllReduce, Lane::Comm, 100, 200),
        span(EventKind::Backward, Lane::Compute, 400, 900), span(EventKind::Recompute, Lane::Compute, 400, 600),
        span(EventKind::Step, Lane::Host, 0, 1000)});
    AreaView view(bench.context(), nullptr);
    view.resize(340, 160);
    view.show();
    bench.selection.setArea(TimeRange{0, 1000}, {0});
    view.flush();
    const QTableWidget& table = view.table();
    QStringList names;
    for (int row = 0; row < table.rowCount(); ++row) {
        names << table.item(row, 0)->text();
        QVERIFY(table.columnWidth(0) > table.fontMetrics().horizontalAdvance(names.back()));
    }
    names.sort();
    QCOMPARE(names, (QStringList{"all", "backward", "forward", "recompute", "tensor all-reduce"}));
    QCOMPARE(table.item(0, 0)->text(), QStringLiteral("all"));
    QCOMPARE(table.item(0, 1)->text(), QStringLiteral("2"));
    QCOMPARE(table.item(0, 3)->text(), QStringLiteral("90.0 %"));
    QCOMPARE(table.item(1, 0)->text(), QStringLiteral("backward"));
    QCOMPARE(table.item(1, 3)->text(), QStringLiteral("50.0 %"));
}

void EventSearchTest::dragsChooseAreas() {
    Stand stand;
    QWidget& canvas = *stand.view.plot().canvas();
    const TimelineState& state = stand.view.plot().state();
    const Row first = state.rows.row(2);
    const Row last = state.rows.row(4);
    const QPoint from(state.plot.left() + 50, first.top + 4);
    const QPoint to(state.plot.left() + 250, last.top + last.height / 2);
    QTest::mousePress(&canvas, Qt::LeftButton, Qt::ControlModifier, from);
    QTest::mouseMove(&canvas, to);
    QTest::mouseRelease(&canvas, Qt::LeftButton, Qt::ControlModifier, to);
    QVERIFY(stand.bench.selection.area());
    QCOMPARE(stand.bench.selection.areaRanks(), (std::vector<int>{2, 3, 4}));
    QCOMPARE(stand.bench.selection.area()->begin, state.scale.time(from.x()));
    QTest::mousePress(&canvas, Qt::LeftButton, Qt::ShiftModifier, from);
    QTest::mouseMove(&canvas, to + QPoint(30, 0));
    QTest::mouseRelease(&canvas, Qt::LeftButton, Qt::ShiftModifier, to + QPoint(30, 0));
    QVERIFY(stand.bench.selection.areaRanks().empty());
}

void EventSearchTest::pinnedRowsStayAndGroupsStandTogether() {
    Stand stand(2, 8, 4);
    Selection& selection = stand.bench.selection;
    const auto& model = stand.bench.model;
    selection.setGrouping(Axis::Data);
    stand.view.plot().draw();
    const Mesh mesh(model.header().layout);
    const auto& ranks = stand.view.plot().state().rows.ranks();
    QCOMPARE(ranks.size(), std::size_t{32});
    for (std::size_t i = 1; i < ranks.size(); ++i) {
        const std::pair before(mesh.coordinate(ranks[i - 1], Axis::Data), ranks[i - 1]);
        QVERIFY((before < std::pair(mesh.coordinate(ranks[i], Axis::Data), ranks[i])));
    }
    selection.setRank(29);
    stand.view.toolsButton().click();
    stand.view.tools().flush();
    for (QToolButton* button : stand.view.tools().findChildren<QToolButton*>())
        if (button->accessibleName() == QStringLiteral("Pin the rank")) QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(selection.pinned(), (std::vector<int>{29}));
    stand.view.plot().draw();
    const Rows& rows = stand.view.plot().state().rows;
    QCOMPARE(rows.ranks().front(), 29);
    QVERIFY(rows.largestScroll() > 0);
    for (const int scroll : {0, 37, 100, rows.largestScroll()}) {
        stand.view.plot().scrollRows(-100000);
        stand.view.plot().scrollRows(scroll);
        stand.view.plot().draw();
        const std::vector<Row> seen = rows.visible();
        QCOMPARE(seen.front().rank, 29);
        for (std::size_t i = 1; i < seen.size(); ++i) {
            QCOMPARE(seen[i].top, seen[i - 1].top + seen[i - 1].height);
            QCOMPARE(rows.positionAt(seen[i].top + 1), rows.positionOf(seen[i].rank));
        }
    }
    selection.clear();
    stand.view.plot().draw();
    QCOMPARE(rows.ranks().front(), 0);
}

void EventSearchTest::pictures_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QString>("state");
    for (const bool dark : {true, false})
        for (const char* state : {"found", "large", "area", "empty", "error"})
            QTest::addRow("tools-%s-%s", dark ? "dark" : "light", state) << dark << QString::fromLatin1(state);
}

void EventSearchTest::pictures() {
    QFETCH(bool, dark);
    QFETCH(QString, state);
    const bool large = state == QLatin1String("large");
    Stand stand(state == QLatin1String("empty") ? 0 : large ? 14 : 5, large ? 8 : 2, large ? 8 : 4);
    stand.bench.theme.setDark(dark);
    AreaView area(stand.bench.context(), nullptr);
    area.resize(440, 240);
    stand.view.toolsButton().click();
    stand.view.tools().field().setText(state == QLatin1String("error") ? QStringLiteral("xyzzy")
                                                                       : QStringLiteral("B7 > 1 us"));
    stand.bench.events.finish();
    if (!stand.bench.model.empty()) {
        stand.bench.selection.setRank(5);
        stand.bench.selection.pin(5, true);
        stand.bench.selection.setGrouping(Axis::Data);
        lookAtStep(stand.bench.model, stand.bench.selection, 3);
        stand.bench.events.go(1);
        const StepExtent& step = stand.bench.model.steps().extents()[3];
        if (state == QLatin1String("area"))
            stand.bench.selection.setArea(
                TimeRange{step.begin + (step.end - step.begin) / 4, step.begin + (step.end - step.begin) / 2},
                {2, 3, 4});
        area.flush();
    }
    QTest::qWait(120);
    stand.view.tools().flush();
    stand.view.plot().flush();
    const QString folder = QStringLiteral(SHARDLAB_BIN_DIR "/../pictures");
    QVERIFY(QDir().mkpath(folder));
    const QString file = folder + QLatin1Char('/') + QString::fromLatin1(QTest::currentDataTag());
    QVERIFY(stand.view.grab().save(file + QStringLiteral(".png")));
    QVERIFY(area.grab().save(file + QStringLiteral("-figures.png")));
}

QTEST_MAIN(EventSearchTest)
#include "event_search_test.moc"
