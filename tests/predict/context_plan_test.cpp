// SPDX-License-Identifier: Apache-2.0
// What plan says of context parallelism: even shares of the tokens and of the work, a ring that computing hides as far
// as it can, and exchanges of tokens for heads. What runs then do is context_parity_test's.
#include "engine/layout/context_split.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/predict/plan/compute_costs.h"
#include "engine/predict/plan/context_traffic.h"
#include "engine/predict/plan/plan.h"
#include "tests/support/legal_plan.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <cmath>
#include <random>
#include <set>

using namespace shardlab::test;

namespace {

Layout longSamples(int context) {
    Layout layout;
    layout.model = {ModelKind::Gpt, 4, 4096, 32, 32768, 50257, 0};
    layout.cluster.hosts = {{"localhost", context}};
    layout.cluster.device = DeviceKind::Cuda;  // whose attention never keeps probabilities
    layout.parallel.data = layout.parallel.pipeline = 1;
    layout.parallel.context = context;
    layout.batch = {1, 1};
    layout.precision.compute = NumberFormat::Bf16;
    return layout;
}

}  // namespace

class ContextPlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Each token is one member's; and as late as its first piece begins, as early its second ends.
    void membersShareTheTokens() {
        std::mt19937 random(freshSeed());
        for (int round = 0; round < 50; ++round) {
            const int members = 1 + static_cast<int>(random() % 9),
                      sequence = 2 * members * (1 + static_cast<int>(random() % 9));
            std::set<int> seen;
            for (int member = 0; member < members; ++member) {
                std::int64_t places = 0;
                for (const TokenRun& run : contextRuns(sequence, members, member))
                    for (int token = run.first; token < run.first + run.count; ++token) {
                        QVERIFY(seen.insert(token).second);
                        places += token;
                    }
                QCOMPARE(places, std::int64_t{sequence} * (sequence - 1) / 2 / members);
            }
            QCOMPARE(seen.size(), static_cast<std::size_t>(sequence));
            QVERIFY(*seen.begin() == 0 && *seen.rbegin() == sequence - 1);
        }
        const auto odd = contextRuns(7, 1, 0);
        QVERIFY(odd[0].first == 0 && odd[1].first == odd[0].count && odd[0].count + odd[1].count == 7);
    }

    void replicasAreDataAndContext() {
        Layout layout = longSamples(2);
        layout.parallel.data = layout.parallel.pipeline = layout.parallel.tensor = 2;
        layout.cluster.hosts = {{"localhost", 16}};
        const Mesh mesh(layout);
        for (int rank = 0; rank < 16; ++rank) {
            const std::vector<int> same = sameWeights(mesh, rank);
            QCOMPARE(static_cast<int>(same.size()), replicaCount(layout.parallel));
            QCOMPARE(same[static_cast<std::size_t>(replicaNumber(mesh, rank))], rank);
            for (const int other : same)
                for (const Axis axis : {Axis::Pipeline, Axis::Tensor})
                    QCOMPARE(mesh.coordinate(other, axis), mesh.coordinate(rank, axis));
        }
    }

    /// Where samples are long and links fast, context ranks make a step and its activations as many times smaller.
    void longSamplesAreAsManyTimesShorter() {
        const Plan whole = planOf(longSamples(1));
        const auto activations = static_cast<std::size_t>(MemoryCategory::Activations);
        for (const int context : {2, 4, 8}) {
            const Plan plan = planOf(longSamples(context));
            const double ratio = context * plan.costs.stages[0].forward / whole.costs.stages[0].forward;
            QVERIFY2(ratio > 0.95 && ratio < 1.05, qPrintable(QString::number(ratio)));
            QVERIFY(plan.memory[0].bytes[activations] * context <= whole.memory[0].bytes[activations]);
            QVERIFY(plan.tokensPerSecond > 0);
        }
    }

    /// What is exchanged falls with the number of ranks, while a ring's keys and values do not; and a rank does as much
    /// of the work.
    void exchangesCarryLessThanRings() {
        const DevicePreset device = *findDevice("h100-sxm");
        const Link link{1e11, 1e-5};
        for (const int context : {2, 4, 8}) {
            Layout layout = longSamples(context);
            const TensorShare share = tensorShare(layout);
            const auto sentOf = [&](const std::vector<ContextStep>& steps, bool all) {
                std::int64_t sum = 0;
                for (const ContextStep& step : steps) sum += all ? step.bytes / context * (context - 1) : step.bytes;
                return sum;
            };
            const ContextTraffic ring = contextTraffic(layout, share, link, device);
            layout.parallel.contextKind = ContextKind::Ulysses;
            const ContextTraffic exchange = contextTraffic(layout, share, link, device);
            QCOMPARE(exchange.kind, EventKind::ExchangeHeads);
            QCOMPARE(exchange.forward.size(), std::size_t{2});
            QCOMPARE(exchange.backward.size(), std::size_t{2});
            const std::int64_t columns = 2LL * (layout.model.sequence / context) * 4096;  // of bf16
            QCOMPARE(sentOf(exchange.forward, true), 4 * columns / context * (context - 1));
            QCOMPARE(sentOf(exchange.backward, true), 4 * columns / context * (context - 1));
            for (const auto* steps : {&exchange.forward, &exchange.backward})
                for (const ContextStep& step : *steps) {
                    const double others = double(step.bytes) / context * (context - 1);
                    QVERIFY(std::abs(step.seconds - others / 1e11 - (context - 1) * 1e-5) < 1e-12);
                    QCOMPARE(step.cover, 0.0);
                }
            QCOMPARE(sentOf(ring.forward, false), 2 * columns * (context - 1));
            QVERIFY(sentOf(exchange.backward, true) < sentOf(ring.backward, false));
            Layout whole = longSamples(1);
            const double ratio =
                context * planOf(layout).costs.stages[0].weightGrad / planOf(whole).costs.stages[0].weightGrad;
            // A product of fewer tokens reaches a little less of the peak.
            QVERIFY2(ratio > 0.95 && ratio < 1.1, qPrintable(QString::number(ratio)));
        }
    }

    /// A hop is hidden behind the block that is computed meanwhile, and costs what is left of it.
    void hopsAreHiddenAsFarAsTheyCan() {
        for (const int context : {2, 3, 8}) {
            Layout layout = longSamples(context);
            layout.model.sequence = 6 * 8 * 1024;
            const TensorShare share = tensorShare(layout);
            DevicePreset device = *findDevice("h100-sxm");
            const double block = coreSeconds(layout, share, device) / context;
            const std::int64_t bytes = 2LL * (layout.model.sequence / context) * 4096 * 2;
            const Link fast{1e15, 0}, slow{static_cast<double>(bytes) / (3 * block), 0};
            const ContextTraffic quick = contextTraffic(layout, share, fast, device),
                                 long_ = contextTraffic(layout, share, slow, device);
            QCOMPARE(quick.forward.size(), static_cast<std::size_t>(context - 1));
            QCOMPARE(quick.backward.size(), static_cast<std::size_t>(2 * context - 1));
            for (const ContextStep& step : quick.forward) QVERIFY(step.bytes == bytes && step.seconds < step.cover);
            for (const ContextStep& step : long_.forward)
                QVERIFY(std::abs(step.seconds - step.cover - 2 * block) < 1e-9 * block);
            std::int64_t sent = 0;
            for (const ContextStep& step : quick.backward) sent += step.bytes;
            QCOMPARE(sent, (context - 1) * bytes + context * 2 * bytes);  // gradients in fp32
            QCOMPARE(quick.backward.back().cover, 0.0);                   // home, and nothing is left to compute
        }
        QVERIFY(contextTraffic(longSamples(1), {}, {1e9, 0}, *findDevice("h100-sxm")).forward.empty());
    }
};

QTEST_GUILESS_MAIN(ContextPlanTest)
#include "context_plan_test.moc"
