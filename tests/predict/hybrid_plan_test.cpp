// SPDX-License-Identifier: Apache-2.0
// HSDP predicted: what copies gather and scatter goes over the links of a host, what they sum over the network, and
// memory is that of as many copies.
#include "engine/layout/check/check.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/plan/costs.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/search/search.h"
#include "tests/support/legal_plan.h"
#include "tests/support/wings.h"

#include <QTest>

#include <cmath>

using namespace shardlab::test;

namespace {

/// Two hosts of four devices, as the device's preset links them.
Layout twoHosts(int zero, int shard) {
    Layout layout;
    layout.model = {ModelKind::Gpt, 6, 1024, 16, 256, 32000, 0.0};
    layout.cluster.hosts = {{"a", 4}, {"b", 4}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 1};
    layout.parallel.data = 8;
    layout.parallel.pipeline = 1;
    layout.parallel.zero = zero;
    layout.parallel.shard = shard;
    layout.precision.compute = NumberFormat::Bf16;
    layout.batch = {16, 1};
    return layout;
}

const DataCosts& dataOf(const Plan& plan) { return plan.costs.stages.front().data; }

bool near(double one, double other) { return std::abs(one / other - 1) < 1e-9; }

}  // namespace

class HybridPlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Half a ring of four over the host's links; an all-reduce of a quarter between two over the network.
    void eachExchangeHasItsLink() {
        const DevicePreset& device = *findDevice("h100-sxm");
        for (const int zero : {1, 2, 3}) {
            const Plan plan = planOf(twoHosts(zero, 4));
            const DataCosts& data = dataOf(plan);
            QCOMPARE(data.parts.size(), data.reduce.size());
            for (std::size_t i = 0; i < data.reduce.size(); ++i) {
                const auto bytes = static_cast<double>(data.reduce[i].bytes);
                const Link &inside = device.inNode, &between = device.betweenNodes;
                QVERIFY(near(data.reduce[i].seconds, 0.75 * bytes / inside.bandwidth + 3 * inside.latency));
                QCOMPARE(data.parts[i].bytes, data.reduce[i].bytes / 4);
                QVERIFY(near(data.parts[i].seconds, bytes / 4 / between.bandwidth + 2 * between.latency));
                QCOMPARE(data.parts[i].layer, data.reduce[i].layer);
            }
            for (const DataPiece& piece : zero == 3 ? data.gatherForward : data.gatherUpdated)
                QVERIFY(near(piece.seconds, 0.75 * static_cast<double>(piece.bytes) / device.inNode.bandwidth +
                                                3 * device.inNode.latency));
        }
    }

    /// Copies of neighbours that do not fill hosts wait for the one whose ranks lie on two.
    void theSlowestCopyCounts() {
        Layout layout = twoHosts(3, 3);
        layout.parallel.data = 6;
        layout.batch.global = 12;
        layout.cluster.hosts = {{"a", 4}, {"b", 2}};
        const DevicePreset& device = *findDevice("h100-sxm");
        const Plan plan = planOf(layout);
        const DataPiece& piece = dataOf(plan).reduce.front();
        QVERIFY(near(piece.seconds, 2.0 / 3 * static_cast<double>(piece.bytes) / device.betweenNodes.bandwidth +
                                        2 * device.betweenNodes.latency));
        const auto note = [](const Plan& of) {
            for (const Sentence& each : of.notes)
                if (each.english().starts_with("HSDP")) return QString::fromStdString(each.english());
            return QString();
        };
        QVERIFY(note(plan).contains("2 copies") && note(plan).contains("span several hosts"));
        QVERIFY(note(planOf(twoHosts(3, 4))).contains("only the sums between copies cross the network"));
        QVERIFY(note(planOf(twoHosts(3, 0))).isEmpty());
    }

    /// A copy takes as much as all of it over fewer ranks does.
    void aRankHoldsItsPartOfACopy() {
        for (const int zero : {1, 2, 3}) {
            const Plan copies = planOf(twoHosts(zero, 4));
            Layout four = twoHosts(zero, 0);
            four.parallel.data = 4;
            four.cluster.hosts = {{"a", 4}};
            four.batch.global /= 2;
            const Plan one = planOf(four);
            for (int rank = 0; rank < 8; ++rank)
                QVERIFY(copies.memory[static_cast<std::size_t>(rank)].bytes ==
                        one.memory[static_cast<std::size_t>(rank % 4)].bytes);
            QVERIFY(copies.memory[0].peak > planOf(twoHosts(zero, 0)).memory[0].peak);
        }
    }

    /// Gathers within hosts are quicker, and the sum between them goes beside compute.
    void overASlowNetworkCopiesAreQuicker() {
        Layout layout = twoHosts(3, 0);
        layout.cluster.pace->network = 50;
        const double one = planOf(layout).stepSeconds;
        layout.parallel.shard = 4;
        const Plan two = planOf(layout);
        QVERIFY2(two.stepSeconds < 0.8 * one, qPrintable(QString("%1 and %2").arg(two.stepSeconds).arg(one)));
        // All that copies sum takes no time where communication does not.
        const StepCosts free = withoutCommunication(two.costs);
        for (const DataPiece& piece : free.stages.front().data.parts) QCOMPARE(piece.seconds, 0.0);
        // The simulator has each piece once, behind its scatter.
        int scattered = 0, summed = 0;
        std::int64_t end = 0;
        for (const Event& event : two.simulation.events) {
            if (event.rank != 0) continue;
            scattered += event.kind == EventKind::ScatterGradients;
            if (event.kind == EventKind::ScatterGradients) end = event.end;
            if (event.kind != EventKind::ReduceParts) continue;
            ++summed;
            QVERIFY(event.begin >= end);
        }
        const auto pieces = static_cast<int>(dataOf(two).reduce.size());
        QCOMPARE(summed, pieces);
        QCOMPARE(scattered, 2 * pieces);
    }

    /// Over a slow network the search offers one copy a host.
    void theSearchFindsCopies() {
        Layout base = twoHosts(0, 0);
        base.cluster.pace->network = 20;
        const auto found = searchLayouts(base);
        QVERIFY(found.has_value());
        int copies = 0;
        for (const Candidate& candidate : found->candidates) {
            const ParallelSpec& p = candidate.choice.parallel;
            if (p.shard == 0) continue;
            ++copies;
            QVERIFY(p.zero == 3 && copyCount(p) > 1 && p.shard * p.tensor * p.context == 4);
            Layout layout = base;
            apply(candidate.choice, layout);
            QVERIFY(check(layout, scheduleMethods()).empty());
            QVERIFY(near(candidate.stepSeconds, planOf(layout).stepSeconds));
        }
        QVERIFY(copies > 0);
    }
};

QTEST_GUILESS_MAIN(HybridPlanTest)
#include "hybrid_plan_test.moc"
