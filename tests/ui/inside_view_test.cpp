// SPDX-License-Identifier: GPL-3.0-or-later
// What lies within an action is drawn below it: the collectives of its layers, and the nested operations and kernels of
// another program.
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"
#include "ui/views/inside/flame_plot.h"
#include "ui/views/inside/inside_view.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace shardlab;
using namespace shardlab::test;

namespace {

Event operation(std::int64_t begin, std::int64_t end, std::uint32_t name, EventKind kind = EventKind::Operation,
                Lane lane = Lane::Host) {
    return {.begin = begin, .end = end, .action = namedId(name), .rank = 1, .lane = lane, .kind = kind};
}

}  // namespace

class InsideViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void collectivesOfLayersLieWithinTheirAction() {
        sample::Bench bench;
        Layout layout = sample::layout(1, 2, 4);
        layout.parallel.tensor = 2;
        layout.cluster.hosts = {{"localhost", 4}};
        sample::fill(bench.model, sample::plan(layout), 3, 5);
        InsideView view(bench.context(), nullptr);
        view.resize(500, 200);
        QVERIFY(view.emptyText().contains(QStringLiteral("Click an action")));
        int actions = 0;
        for (const Event& event : eventsOfStep(bench.model, 1, Lane::Compute, 1)) {
            if (!isCompute(event.kind)) continue;
            bench.selection.select(event);
            view.flush();
            QVERIFY2(view.emptyText().isEmpty(), qPrintable(view.emptyText()));
            const Flame& flame = view.plot().flame();
            QCOMPARE(flame.bars.front().event, event);
            std::set<int> layers;
            for (const Flame::Bar& bar : flame.bars) {
                QVERIFY(bar.event.begin >= event.begin && bar.event.end <= event.end);
                QVERIFY(bar.event.action == event.action);
                if (isTensorCollective(bar.event.kind)) layers.insert(static_cast<int>(bar.event.value));
            }
            QVERIFY(!layers.empty());
            QCOMPARE(view.asTable().count(QLatin1Char('\n')), static_cast<int>(flame.bars.size()) + 1);
            ++actions;
        }
        QVERIFY(actions > 0);
        // One that stands alone says so.
        const std::vector<Event> updates = eventsOfStep(bench.model, 1, Lane::Comm, 1);
        const auto send = std::ranges::find(updates, EventKind::SendBackward, &Event::kind);
        if (send == updates.end()) return;
        bench.selection.select(*send);
        view.flush();
        QVERIFY(view.emptyText().contains(QStringLiteral("Nothing is recorded within")));
    }

    /// A prediction once told that nothing was recorded.
    void whatIsPredictedAsAWholeIsToldSo() {
        sample::Bench bench(Workspace::Design);
        const Plan plan = sample::plan(sample::layout(1, 2, 4));
        bench.model.begin(headerOf(plan), plan.simulation.events);
        InsideView view(bench.context(), nullptr);
        bench.selection.select(bench.model.prediction().lane(1, Lane::Compute).front());
        view.flush();
        const QString said = view.emptyText();
        QVERIFY2(said.contains("predicted as a whole") && said.contains("Kernels"), qPrintable(said));
    }

    /// Operations nest; a double click lets one fill the width, and the topmost leads out again.
    void operationsNestAndAreEntered() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(sample::layout(2, 1, 4)), 1, 5);
        const char* const names[]{"step", "linear", "addmm", "gemm_kernel", "relu"};
        for (std::uint32_t i = 0; i < std::size(names); ++i) bench.model.report().addName(i + 1, names[i]);
        const std::int64_t at = bench.model.recorded().last + 1000;
        const Event step = operation(at, at + 1000, 1, EventKind::Annotation);
        bench.model.append(std::vector{step, operation(at + 100, at + 600, 2), operation(at + 150, at + 500, 3),
                                       operation(at + 200, at + 480, 4, EventKind::Kernel, Lane::Compute),
                                       operation(at + 700, at + 900, 5)});
        InsideView view(bench.context(), nullptr);
        view.resize(500, 200);
        view.show();
        bench.selection.select(step);
        view.flush();
        QTest::qWait(1);
        FlamePlot& plot = view.plot();
        const auto rowOf = [&](std::uint32_t name) {
            const auto bar = std::ranges::find(plot.flame().bars, namedId(name),
                                               [](const Flame::Bar& each) { return each.event.action; });
            return bar == plot.flame().bars.end() ? -1 : bar->row;
        };
        QCOMPARE(rowOf(1), 0);
        QCOMPARE(rowOf(2), 1);
        QCOMPARE(rowOf(3), 2);
        QCOMPARE(rowOf(5), 1);
        QCOMPARE(rowOf(4), 3);  // kernels stand below what started them
        const auto rectOf = [&](std::uint32_t name) {
            return plot.rectOf(*std::ranges::find(plot.flame().bars, namedId(name),
                                                  [](const Flame::Bar& each) { return each.event.action; }));
        };
        QVERIFY(rectOf(2).width() > 2 * rectOf(5).width());
        QVERIFY2(plot.wordsAt(rectOf(2).center()).contains(QStringLiteral("50.0 % of step")),
                 qPrintable(plot.wordsAt(rectOf(2).center())));
        QTest::mouseClick(&plot, Qt::LeftButton, {}, rectOf(5).center());
        QCOMPARE(bench.selection.event()->action, namedId(5));
        view.flush();
        QCOMPARE(rowOf(1), 0);  // what was selected is in sight: the rest stays
        QTest::mouseDClick(&plot, Qt::LeftButton, {}, rectOf(2).center());
        QCOMPARE(rowOf(2), 0);
        QCOMPARE(rowOf(3), 1);
        QCOMPARE(rowOf(5), -1);
        QVERIFY2(view.subtitle().startsWith(QStringLiteral("step › linear")), qPrintable(view.subtitle()));
        QTest::mouseClick(&plot, Qt::LeftButton, {}, rectOf(2).center());
        QCOMPARE(rowOf(1), 0);
        QCOMPARE(rowOf(5), 1);
    }
};

QTEST_MAIN(InsideViewTest)
#include "inside_view_test.moc"
