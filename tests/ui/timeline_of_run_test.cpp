// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline of a run that goes its own way: how much of it is in sight, and how what happens to it is marked.
#include "tests/ui/bench_context.h"
#include "tests/ui/synthetic_run.h"
#include "tests/support/wings.h"
#include "ui/core/legend.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"

#include <QTest>

#include <set>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// Every step takes five times as long as predicted.
std::vector<Event> slowRun(const Plan& plan, int steps) {
    std::vector<Event> events = syntheticRun(plan, steps, 3);
    for (Event& event : events) {
        event.begin *= 5;
        event.end *= 5;
    }
    return events;
}

struct Stand {
    sample::Bench bench;
    Plan plan = sample::plan(sample::layout(2, 2, 4));
    TimelineView view;

    explicit Stand(Workspace workspace) : bench(workspace), view(bench.context(), nullptr) {
        view.resize(1000, 420);
        view.show();
        bench.model.begin(headerOf(plan), plan.simulation.events);
        view.plot().flush();
    }
    TimeRange visible() const { return bench.selection.visible(); }
    std::int64_t length() const { return visible().end - visible().begin; }
    /// As events arrive, with a frame after each batch.
    void feed(std::span<const Event> all, std::size_t batches) {
        for (std::size_t batch = 0, at = 0; batch < batches; ++batch) {
            const std::size_t end = all.size() * (batch + 1) / batches;
            bench.model.append(all.subspan(at, end - at));
            at = end;
            QTest::qWait(60);
        }
    }
};

}  // namespace

class TimelineOfRunTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stepsSlowerThanPredictedAreInSightWhole_data();
    void stepsSlowerThanPredictedAreInSightWhole();
    void whoZoomedKeepsTheLength();
    void whatHappenedHasItsOwnMarkAndName();
    void anEndedRunShowsItsLastSteps_data();
    void anEndedRunShowsItsLastSteps();
    void numbersKeepOffWhatIsComputedAgain();
};

/// Outlines of what a backward computes again crossed the microbatch's number.
void TimelineOfRunTest::numbersKeepOffWhatIsComputedAgain() {
    sample::Bench bench(Workspace::Design);
    Layout layout = sample::layout(1, 4, 8);
    layout.memory.recompute = RecomputeKind::Full;
    const Plan plan = sample::plan(layout);
    TimelineView view(bench.context(), nullptr);
    view.resize(1000, 420);
    view.show();
    bench.model.begin(headerOf(plan), plan.simulation.events);
    std::size_t crossed = 0, aside = 0;
    for (const auto& [width, part] : {std::pair(500, 1), {700, 1}, {1000, 1}, {1000, 2}, {1000, 16}}) {
        view.resize(width, 420);
        view.plot().flush();
        const TimeRange whole = bench.selection.visible();
        bench.selection.setVisible({whole.end - (whole.end - whole.begin) / part, whole.end});
        view.plot().flush();
        const GanttScene& scene = view.plot().scene();
        for (const GanttScene::Number& number : scene.numbers) {
            crossed += number.crossed ? 1 : 0;
            for (const GanttScene::Batch& outlines : scene.recomputed)
                for (const QRect& outline : outlines) QVERIFY(number.crossed || !number.box.intersects(outline));
            for (const GanttScene::Batch& bars : scene.bars)
                aside += std::ranges::count_if(bars, [&](const QRect& bar) {
                    return bar.contains(number.box) && bar.width() > number.box.width();
                });
        }
        bench.selection.setVisible(whole);
    }
    QVERIFY2(crossed > 0 && aside > 0, qPrintable(QStringLiteral("%1 crossed, %2 aside").arg(crossed).arg(aside)));
}

void TimelineOfRunTest::anEndedRunShowsItsLastSteps_data() {
    QTest::addColumn<Workspace>("workspace");
    QTest::addRow("experiment of a lesson") << Workspace::Learn;
    QTest::addRow("live") << Workspace::Run;
    QTest::addRow("opened") << Workspace::Replay;
}

/// Something that came long after the last step left the timeline empty.
void TimelineOfRunTest::anEndedRunShowsItsLastSteps() {
    QFETCH(Workspace, workspace);
    Stand stand(workspace);
    std::vector<Event> events = syntheticRun(stand.plan, 6, 3);
    const std::int64_t late = events.back().end + 200'000'000'000;
    events.push_back(sample::command(late, Command::Stop));
    stand.feed(events, 3);
    stand.bench.model.report().setEnd({"finished", ""});
    const auto& extents = stand.bench.model.steps().extents();
    QCOMPARE(extents.size(), std::size_t{6});
    QTRY_VERIFY2(!stand.view.subtitle().contains(QStringLiteral("no step in sight")),
                 qPrintable(stand.view.subtitle()));
    QVERIFY(stand.visible().begin < extents[5].begin && stand.visible().end >= extents[5].end);
}

void TimelineOfRunTest::stepsSlowerThanPredictedAreInSightWhole_data() {
    QTest::addColumn<Workspace>("workspace");
    QTest::addColumn<std::size_t>("batches");
    QTest::addRow("live") << Workspace::Run << std::size_t{12};
    QTest::addRow("opened, read at once") << Workspace::Replay << std::size_t{1};
    QTest::addRow("opened, read by and by") << Workspace::Replay << std::size_t{12};
}

void TimelineOfRunTest::stepsSlowerThanPredictedAreInSightWhole() {
    QFETCH(Workspace, workspace);
    QFETCH(std::size_t, batches);
    Stand stand(workspace);
    stand.feed(slowRun(stand.plan, 6), batches);
    const auto& extents = stand.bench.model.steps().extents();
    QCOMPARE(extents.size(), std::size_t{6});
    QVERIFY2(stand.length() > 2 * (extents[5].end - extents[5].begin),
             "the length is that of steps as they are, not as they were predicted");
    QVERIFY(stand.visible().begin < extents[4].begin && stand.visible().end >= extents[5].end);
    QVERIFY(stand.visible().begin > extents[2].begin);
}

void TimelineOfRunTest::whoZoomedKeepsTheLength() {
    Stand stand(Workspace::Run);
    const std::vector<Event> all = slowRun(stand.plan, 6);
    const std::size_t some = all.size() / 9;
    stand.feed(std::span(all).first(some), 1);
    QTest::keyClick(stand.view.plot().canvas(), Qt::Key_W);
    const std::int64_t chosen = stand.length();
    QVERIFY(stand.bench.selection.followLive());
    stand.feed(std::span(all).subspan(some), 6);
    QCOMPARE(stand.length(), chosen);
    QVERIFY(stand.visible().end >= stand.bench.model.recorded().last);
}

void TimelineOfRunTest::whatHappenedHasItsOwnMarkAndName() {
    const auto legendOf = [](Stand& stand) { return stand.view.findChild<Legend*>()->accessibleName(); };
    const char* const names[]{"validation", "command", "fault", "injected fault"};
    Stand stand(Workspace::Run);
    stand.feed(sample::events(stand.plan, 4, 11), 1);
    for (const char* name : names) QVERIFY2(!legendOf(stand).contains(QLatin1String(name)), name);
    const StepExtent& step = stand.bench.model.steps().extents()[2];
    stand.bench.selection.setFollowLive(false);
    stand.bench.selection.setVisible({step.begin, step.end});
    stand.view.plot().flush();
    const TimelineState& state = stand.view.plot().state();
    // In the middle of a pixel, so that equal shapes would be equal in every pixel.
    const auto moment = [&](int sixth) {
        return state.scale.time(state.plot.left() + state.plot.width() * sixth / 6 + 0.5);
    };
    const auto instant = [&](int sixth, EventKind kind) {
        return Event{
            .begin = moment(sixth), .end = moment(sixth), .step = 2, .rank = 0, .lane = Lane::Host, .kind = kind};
    };
    const QImage before = stand.view.plot().canvas()->grab().toImage();
    const std::vector<Event> happened{instant(1, EventKind::ValidationLoss), instant(2, EventKind::Command),
                                      instant(3, EventKind::Fault), instant(4, EventKind::Overflow),
                                      instant(5, EventKind::InjectedFault)};
    stand.bench.model.append(happened);
    stand.view.plot().flush();
    for (const char* name : names) QVERIFY2(legendOf(stand).contains(QLatin1String(name)), name);
    const QImage after = stand.view.plot().canvas()->grab().toImage();
    const QRect plot = state.plot;
    // Where each mark has changed the strip above the rows, relative to its moment.
    std::set<std::set<std::pair<int, int>>> shapes;
    for (const Event& event : happened) {
        const int middle = static_cast<int>(state.scale.x(event.begin));
        std::set<std::pair<int, int>> shape;
        for (int x = middle - 6; x <= middle + 6; ++x)
            for (int y = plot.top() - 10; y < plot.top(); ++y)
                if (before.pixel(x, y) != after.pixel(x, y)) shape.emplace(x - middle, y);
        QVERIFY(shape.size() > 10);
        shapes.insert(shape);
    }
    QCOMPARE(shapes.size(), happened.size());
    // A fault is seen through all rows.
    const int fault = static_cast<int>(state.scale.x(happened[2].begin));
    for (int y = plot.top() + 1; y < plot.bottom(); ++y)
        QVERIFY(after.pixelColor(fault, y) == stand.bench.theme.theme().bad);
}

QTEST_MAIN(TimelineOfRunTest)
#include "timeline_of_run_test.moc"
