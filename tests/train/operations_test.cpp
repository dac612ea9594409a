// SPDX-License-Identifier: Apache-2.0
// Where the operations of a step are recorded, they lie within its actions, layer by layer, and nothing else changes.
#include "engine/base/random.h"
#include "tests/support/seed.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>
#include <string>

using namespace shardlab::test;

namespace {

struct Named {
    RunOutcome run;
    std::vector<std::vector<std::string>> names;  ///< by rank; number n is at n − 1

    const std::string& of(std::size_t rank, const Event& event) const {
        return names[rank].at(nameNumber(event.action) - 1);
    }
};

Named record(const Plan& plan, int every) {
    Named named;
    named.names.resize(static_cast<std::size_t>(plan.mesh.ranks()));
    named.run = runInProcess(plan, {}, [&](int rank, TrainerServices& services) {
        services.operationsEvery = every;
        services.naming = [&names = named.names[static_cast<std::size_t>(rank)]](const std::string& name) {
            names.push_back(name);
            return static_cast<std::uint32_t>(names.size());
        };
    });
    return named;
}

std::vector<Event> ofKind(const std::vector<Event>& events, EventKind kind, int step) {
    std::vector<Event> found;
    std::ranges::copy_if(events, std::back_inserter(found),
                         [&](const Event& event) { return event.kind == kind && event.step == step; });
    return found;
}

bool within(const Event& inner, const Event& outer) { return inner.begin >= outer.begin && inner.end <= outer.end; }

}  // namespace

class OperationsTest : public QObject {
    Q_OBJECT
    RandomStream random_{freshSeed(), "operations"};
    int below(int count) { return static_cast<int>(random_.below(static_cast<std::uint32_t>(count))); }

    Layout drawn(int pipeline) {
        Layout layout;
        layout.model.kind = ModelKind::Gpt;
        layout.model.layers = pipeline * (1 + below(3));
        layout.model.heads = 1 + below(3);
        layout.model.hidden = layout.model.heads * (4 + below(9));
        layout.model.sequence = 8 + below(9);
        layout.model.dropout = below(2) == 0 ? 0 : 0.1;
        layout.parallel.data = 1 + below(2);
        layout.parallel.pipeline = pipeline;
        layout.cluster.hosts = {{"localhost", layout.parallel.data * pipeline}};
        layout.cluster.pace.reset();
        layout.schedule.kind = below(2) == 0 || pipeline == 1 ? "1f1b" : "zb-h1";
        layout.batch = {layout.parallel.data * pipeline * 2, 1};
        layout.memory.recompute = below(2) == 0 ? RecomputeKind::None : RecomputeKind::Full;
        layout.run.steps = 4;
        layout.run.seed = below(1 << 30);
        layout.run.validateEvery = 2;
        return layout;
    }

private Q_SLOTS:
    void operationsLieWithinLayersWithinActions_data() {
        QTest::addColumn<int>("pipeline");
        QTest::newRow("one stage") << 1;
        QTest::newRow("two stages") << 2;
    }
    void operationsLieWithinLayersWithinActions() {
        QFETCH(int, pipeline);
        const Plan plan = planOf(drawn(pipeline));
        const Named recorded = record(plan, 2);
        QVERIFY2(recorded.run.error.empty(), recorded.run.error.c_str());
        std::set<std::string> layers;
        for (std::size_t rank = 0; rank < recorded.run.ranks.size(); ++rank) {
            const std::vector<Event>& events = recorded.run.ranks[rank].events;
            for (const int step : {0, 2}) {
                QVERIFY(ofKind(events, EventKind::Operation, step).empty());
                QVERIFY(ofKind(events, EventKind::Annotation, step).empty());
            }
            for (const int step : {1, 3}) {
                const std::vector<Event> operations = ofKind(events, EventKind::Operation, step);
                const std::vector<Event> passes = ofKind(events, EventKind::Annotation, step);
                const Event whole = ofKind(events, EventKind::Step, step).at(0);
                QVERIFY(std::ranges::is_sorted(operations, {}, &Event::begin));
                std::vector<Event> actions;
                std::ranges::copy_if(events, std::back_inserter(actions), [&](const Event& event) {
                    return event.step == step && isCompute(event.kind) && event.lane == Lane::Compute;
                });
                for (const Event& pass : passes) {
                    layers.insert(recorded.of(rank, pass));
                    QCOMPARE(std::ranges::count_if(actions, [&](const Event& a) { return within(pass, a); }), 1);
                    QVERIFY(std::ranges::any_of(operations, [&](const Event& o) { return within(o, pass); }));
                }
                for (const Event& action : actions) {
                    std::int64_t busy = 0;
                    std::set<std::string> kinds;
                    for (const Event& operation : operations) {
                        if (!within(operation, action)) continue;
                        busy += operation.end - operation.begin;
                        kinds.insert(recorded.of(rank, operation));
                        QVERIFY(operation.bytes > 0);
                    }
                    QVERIFY(busy > 0 && busy <= action.end - action.begin);
                    const bool forward = action.kind == EventKind::Forward;
                    const bool gradient = action.kind == EventKind::Backward || action.kind == EventKind::WeightGrad;
                    QVERIFY(!forward || (kinds.contains("A·B") && kinds.contains("attention")));
                    QVERIFY(!gradient || kinds.contains("Aᵀ·B"));
                }
                for (const Event& operation : operations) QVERIFY(within(operation, whole));
                // Two operations are at work at no moment.
                for (std::size_t i = 1; i < operations.size(); ++i)
                    QVERIFY(operations[i - 1].end <= operations[i].begin);
            }
        }
        std::set<std::string> wanted{"embedding", "output"};
        for (int layer = 0; layer < plan.layout.model.layers; ++layer) wanted.insert("layer " + std::to_string(layer));
        QVERIFY(layers == wanted);
    }

    /// Products of the forwards of a step are those of the model, whose arithmetic is known.
    void theirArithmeticIsThatOfTheModel() {
        Layout layout = drawn(1);
        layout.parallel.data = 1;
        layout.cluster.hosts = {{"localhost", 1}};
        layout.memory.recompute = RecomputeKind::None;
        const Plan plan = planOf(layout);
        const Named recorded = record(plan, 4);
        QVERIFY2(recorded.run.error.empty(), recorded.run.error.c_str());
        const std::vector<Event>& events = recorded.run.ranks.front().events;
        double forward = 0, gradients = 0;
        const std::vector<Event> forwards = ofKind(events, EventKind::Forward, 3);
        for (const Event& operation : ofKind(events, EventKind::Operation, 3)) {
            const bool ahead = std::ranges::any_of(forwards, [&](const Event& f) { return within(operation, f); });
            if (ahead && recorded.of(0, operation) == "A·B") forward += operation.value;
            if (recorded.of(0, operation) == "Aᵀ·B") gradients += operation.value;
        }
        const double h = layout.model.hidden, tokens = layout.batch.global * layout.model.sequence;
        const double blocks = 2 * tokens * layout.model.layers * 12 * h * h;
        QCOMPARE(forward, blocks);
        QCOMPARE(gradients, blocks + 2 * tokens * h * layout.model.vocabulary);
    }

    void nothingElseChanges() {
        const Plan plan = planOf(drawn(1 + below(2)));
        const RunOutcome plain = runInProcess(plan);
        const Named recorded = record(plan, 1);
        QVERIFY2(recorded.run.error.empty(), recorded.run.error.c_str());
        for (const EventKind counter : {EventKind::Loss, EventKind::ValidationLoss})
            QVERIFY(plain.counter(counter) == recorded.run.counter(counter));
        QCOMPARE(plain.count(EventKind::Operation), 0);
        for (std::size_t rank = 0; rank < plain.ranks.size(); ++rank)
            QVERIFY(plain.ranks[rank].parameters == recorded.run.ranks[rank].parameters);
    }
};

QTEST_GUILESS_MAIN(OperationsTest)
#include "operations_test.moc"
