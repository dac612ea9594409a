// SPDX-License-Identifier: GPL-3.0-or-later
// What an action waited for and what waits for it, of measured events.
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/timeline/dependencies.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace shardlab;
using namespace shardlab::test;

class DependenciesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sendAndReceiveAreJoined() {
        sample::Bench bench;
        sample::fill(bench.model, sample::plan(sample::layout(2, 4, 4)), 3, 11);
        const RunModel& model = bench.model;
        int joined = 0;
        for (int rank = 0; rank < model.ranks(); ++rank) {
            for (const Event& event : eventsOfStep(model, rank, Lane::Compute, 1)) {
                if (!isCompute(event.kind)) continue;
                const Action action = actionFromId(event.action);
                for (const Dependency& dependency : dependencies(model, event)) {
                    const Action send = actionFromId(dependency.from.action);
                    const Action user = actionFromId(dependency.to.action);
                    QVERIFY(isSend(send.kind));
                    QVERIFY(isCompute(dependency.to.kind));
                    QCOMPARE(send.microbatch, action.microbatch);
                    QCOMPARE(user.microbatch, action.microbatch);
                    QCOMPARE(dependency.from.step, 1);
                    QCOMPARE(std::abs(send.stage - user.stage), 1);
                    QVERIFY2(dependency.from.end <= dependency.to.begin, "what is sent comes before what uses it");
                    QVERIFY(dependency.from.rank != dependency.to.rank);
                    const Mesh mesh(model.header().layout);
                    QCOMPARE(mesh.coordinate(dependency.from.rank, Axis::Data),
                             mesh.coordinate(dependency.to.rank, Axis::Data));
                    ++joined;
                }
                const bool first = action.stage == 0, last = action.stage == 3;
                const std::size_t expected = event.kind == EventKind::Forward ? (first ? 0u : 1u) + (last ? 0u : 1u)
                                                                              : (last ? 0u : 1u) + (first ? 0u : 1u);
                QCOMPARE(dependencies(model, event).size(), expected);
            }
        }
        QCOMPARE(joined, 2 /* replicas */ * 4 /* microbatches */ * 2 /* directions */ * 3 /* edges */ * 2 /* ends */);
    }

    /// A forward of the next step's microbatch stands in this step's list; what uses it, in the next one's.
    void withoutAFlushTheyReachIntoTheNextStep() {
        constexpr int stages = 4, steps = 5;
        sample::Bench bench;
        Layout layout = sample::layout(1, stages, 8);
        layout.schedule.kind = "pipedream";
        layout.optimizer.clip = 0;  // it has no moment at which the whole gradient is known
        const Plan plan = sample::plan(layout);
        std::vector<Event> events;
        const auto length = static_cast<std::int64_t>(std::llround(plan.simulation.stepSeconds * 1e9));
        for (int step = 0; step < steps; ++step)
            for (Event event : plan.simulation.events) {
                event.begin += step * length;
                event.end += step * length;
                event.step = step;
                events.push_back(event);
            }
        std::ranges::stable_sort(events, {}, &Event::end);
        bench.model.begin(headerOf(plan), plan.simulation.events);
        bench.model.append(events);
        const int microbatches = plan.lowered.microbatches;
        int joined = 0, crossing = 0;
        for (int rank = 0; rank < stages; ++rank)
            for (const Event& event : eventsOfStep(bench.model, rank, Lane::Compute, 2)) {
                if (!isCompute(event.kind)) continue;
                const Action action = actionFromId(event.action);
                const std::size_t ends = (action.stage > 0 ? 1 : 0) + (action.stage + 1 < stages ? 1 : 0);
                const std::vector<Dependency> found = dependencies(bench.model, event);
                QCOMPARE(found.size(), ends);
                for (const Dependency& dependency : found) {
                    const auto numbered = [&](const Event& e) {
                        return e.step * microbatches + actionFromId(e.action).microbatch;
                    };
                    QCOMPARE(numbered(dependency.from), numbered(event));
                    QCOMPARE(numbered(dependency.to), numbered(event));
                    QVERIFY(isCompute(dependency.to.kind) && dependency.from.end <= dependency.to.begin);
                    ++joined;
                    crossing += dependency.from.step != dependency.to.step;
                }
            }
        QCOMPARE(joined, microbatches * 2 * (stages - 1) * 2);
        QVERIFY(crossing > 0);
    }
};

QTEST_MAIN(DependenciesTest)
#include "dependencies_test.moc"
