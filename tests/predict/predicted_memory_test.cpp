// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/presets.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/predicted_memory.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/mesh/replicas.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <set>
#include <string_view>

using namespace shardlab::test;

namespace {

std::vector<Plan> plans() {
    std::vector<Plan> all;
    const auto given = presets();
    for (const Preset& each : *given) all.push_back(*makePlan(each.layout));
    for (const ScheduleMethod& method : scheduleMethods()) {
        Layout layout;
        layout.model.layers = 8;
        layout.parallel = {.data = 1, .pipeline = 4};
        layout.schedule.kind = method.name;
        layout.schedule.chunks = method.minChunks;
        if (!method.flushes) layout.optimizer.clip = 0;
        auto plan = makePlan(layout);
        if (plan) all.push_back(std::move(*plan));
        if (!method.flushes) continue;
        layout.memory.swap = SwapKind::Activations;
        plan = makePlan(layout);
        if (plan) all.push_back(std::move(*plan));
    }
    return all;
}

}  // namespace

class PredictedMemoryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The curve and the ledger are one account: the curve's largest point is the ledger's peak, to the byte.
    void highestPointIsTheLedgersPeak() {
        for (const Plan& plan : plans()) {
            const std::vector<MemoryCurve> curves = predictedMemory(plan, plan.simulation.events);
            QCOMPARE(curves.size(), plan.lowered.ranks.size());
            for (const RankMemory& memory : plan.memory) {
                const MemoryCurve& curve =
                    curves[static_cast<std::size_t>(plan.mesh.coordinate(memory.rank, Axis::Pipeline))];
                QCOMPARE(curve.peak, memory.peak);
                QCOMPARE(total(curve.highest()->bytes), memory.peak);
                for (const MemoryPoint& point : curve.points)
                    for (std::size_t category = 0; category < point.bytes.size(); ++category)
                        QVERIFY2(point.bytes[category] >= 0 && point.bytes[category] <= memory.bytes[category],
                                 plan.layout.name.c_str());
            }
        }
    }

    /// A server, or the keeper of a centre, is not like the other replicas.
    void everyReplicaOfAnExchangeHasItsOwn() {
        for (const char* exchange : {"server", "async-server", "easgd", "hogwild"}) {
            Layout layout;
            layout.parallel.data = 3;
            layout.parallel.pipeline =
                std::string_view(exchange) == "async-server" || std::string_view(exchange) == "hogwild" ? 1 : 2;
            layout.parallel.exchange = named(exchange);
            layout.cluster.hosts = {{"localhost", 3 * layout.parallel.pipeline}};
            layout.batch.global = 12;
            if (std::string_view(exchange) == "hogwild") layout.optimizer.weightDecay = 0;
            if (std::string_view(exchange) == "easgd" || std::string_view(exchange) == "hogwild") {
                layout.optimizer.kind = OptimizerKind::Sgd;
                layout.optimizer.elasticRho = 1;
                layout.optimizer.learningRate = 0.1;
            }
            layout.checkpoint.every =
                std::string_view(exchange) == "server" || std::string_view(exchange) == "hogwild" ? 10 : 0;
            const auto plan = makePlan(layout);
            QVERIFY2(plan.has_value(), plan ? "" : toText(plan.error()).c_str());
            std::set<std::int64_t> peaks;
            for (const RankMemory& memory : plan->memory) {
                const auto curves =
                    predictedMemory(*plan, plan->simulation.events, replicaNumber(plan->mesh, memory.rank));
                const MemoryCurve& curve =
                    curves[static_cast<std::size_t>(plan->mesh.coordinate(memory.rank, Axis::Pipeline))];
                QCOMPARE(curve.peak, memory.peak);
                QCOMPARE(total(curve.highest()->bytes), memory.peak);
                for (const MemoryPoint& point : curve.points)
                    QVERIFY(std::ranges::all_of(point.bytes, [](std::int64_t bytes) { return bytes >= 0; }));
                peaks.insert(memory.peak);
            }
            QVERIFY2(peaks.size() > 1, exchange);
        }
    }

    void curveLastsTheStepAndEndsWhereItBegan() {
        for (const Plan& plan : plans()) {
            // Without a flush ranks begin the step at different times, and each curve lasts to its own rank's border.
            double end = plan.simulation.stepSeconds * 1e9 + 1;
            if (!plan.lowered.flushes())
                end = static_cast<double>(std::ranges::max(plan.simulation.events, {}, &Event::end).end);
            for (const MemoryCurve& curve : predictedMemory(plan, plan.simulation.events)) {
                QVERIFY(std::ranges::is_sorted(curve.points, {}, &MemoryPoint::time));
                QCOMPARE(curve.points.front().time, 0);
                QVERIFY(static_cast<double>(curve.points.back().time) <= end);
                QVERIFY(curve.points.back().bytes == curve.points.front().bytes);
                QCOMPARE(curve.at(-1), nullptr);
                QVERIFY(curve.at(0)->bytes[0] > 0);
                QCOMPARE(curve.at(std::int64_t{1} << 60), &curve.points.back());
            }
        }
    }

    /// What a forward keeps is there layer by layer, not from its begin on; a backward gives it back so.
    void risesWithinAForward() {
        for (const char* preset : {"gpipe-4", "1f1b-4"}) {
            const Plan plan = *makePlan(findPreset(preset)->layout);
            const MemoryCurve curve = predictedMemory(plan, plan.simulation.events).back();
            const auto activations = [&](std::int64_t time) {
                return curve.at(time)->bytes[static_cast<std::size_t>(MemoryCategory::Activations)];
            };
            int forwards = 0;
            for (const Event& event : plan.simulation.events) {
                if (event.rank != plan.mesh.ranks() - 1 || event.kind != EventKind::Forward) continue;
                std::set<std::int64_t> held;
                std::int64_t before = 0;
                for (int part = 0; part < 100; ++part) {
                    const std::int64_t now = activations(event.begin + (event.end - event.begin) * part / 100);
                    QVERIFY(now >= before);
                    held.insert(before = now);
                }
                QVERIFY2(held.size() >= 3, preset);
                ++forwards;
            }
            QVERIFY(forwards > 2);
        }
    }

    /// The last rank: GPipe keeps every microbatch until the last forward, 1F1B one at a time.
    void activationsRiseAsTheScheduleHasIt() {
        const auto activations = [](const char* preset) {
            const Plan plan = *makePlan(findPreset(preset)->layout);
            const MemoryCurve curve = predictedMemory(plan, plan.simulation.events).back();
            std::vector<std::int64_t> after;  // each forward of the last rank
            for (const Event& event : plan.simulation.events)
                if (event.rank == plan.mesh.ranks() - 1 && event.kind == EventKind::Forward)
                    after.push_back(curve.at(event.end)->bytes[static_cast<std::size_t>(MemoryCategory::Activations)]);
            return after;
        };
        const auto gpipe = activations("gpipe-4");
        QVERIFY(gpipe.size() > 2);
        for (std::size_t i = 1; i + 1 < gpipe.size(); ++i) QVERIFY(gpipe[i] > gpipe[i - 1]);
        const auto oneByOne = activations("1f1b-4");
        QVERIFY(oneByOne.size() > 2);
        for (const std::int64_t bytes : oneByOne) QCOMPARE(bytes, oneByOne.front());
    }
};

QTEST_MAIN(PredictedMemoryTest)
#include "predicted_memory_test.moc"
