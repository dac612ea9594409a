// SPDX-License-Identifier: Apache-2.0
// The algorithms of an all-reduce against a plain enactment of their messages.
#include "engine/predict/plan/collectives.h"
#include "engine/predict/plan/plan.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>

using namespace shardlab::test;

namespace {

DevicePreset device() {
    DevicePreset preset = *findDevice("a100-sxm");
    preset.inNode = {100e9, 2e-6};
    preset.betweenNodes = {10e9, 10e-6};
    return preset;
}

bool near(double one, double other) { return std::abs(one - other) <= 1e-12 * std::max(1.0, std::abs(other)); }

double message(double bytes, const Link& link) { return link.latency + bytes / link.bandwidth; }

/// Steps in which everybody sends 1/n to the next: n − 1 to reduce, n − 1 to gather.
double ring(double bytes, int members, const Link& link) {
    double seconds = 0;
    for (int step = 0; step < 2 * (members - 1); ++step) seconds += message(bytes / members, link);
    return seconds;
}

/// Pairs merge until one is left, and back.
double tree(double bytes, int members, const Link& link) {
    double seconds = 0;
    for (int left = members; left > 1; left = (left + 1) / 2) seconds += 2 * message(bytes, link);
    return seconds;
}

}  // namespace

class CollectivesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void costsAreThoseOfTheMessages() {
        const DevicePreset d = device();
        for (const double bytes : {8.0, 4096.0, 1e6, 1e9})
            for (const int hosts : {1, 2, 4})
                for (const int perHost : {1, 2, 3, 8}) {
                    const int n = hosts * perHost;
                    const Group group{n, hosts, true};
                    const Link& link = hosts > 1 ? d.betweenNodes : d.inNode;
                    if (n < 2) {
                        QCOMPARE(allReduce(bytes, group, d).seconds, 0.0);
                        continue;
                    }
                    QVERIFY(near(allReduceSeconds(Algorithm::Ring, bytes, group, d), ring(bytes, n, link)));
                    QVERIFY(near(allReduceSeconds(Algorithm::Tree, bytes, group, d), tree(bytes, n, link)));
                    QCOMPARE(works(Algorithm::Hierarchical, group), hosts > 1 && perHost > 1);
                    double best = std::min(ring(bytes, n, link), tree(bytes, n, link));
                    if (works(Algorithm::Hierarchical, group)) {
                        const double both =
                            ring(bytes, perHost, d.inNode) + ring(bytes / perHost, hosts, d.betweenNodes);
                        QVERIFY(near(allReduceSeconds(Algorithm::Hierarchical, bytes, group, d), both));
                        best = std::min(best, both);
                    }
                    const Collective chosen = allReduce(bytes, group, d);
                    QVERIFY(near(chosen.seconds, best));
                    QCOMPARE(chosen.seconds, allReduceSeconds(chosen.algorithm, bytes, group, d));
                }
    }

    void sizeAndHostsDecide() {
        const DevicePreset d = device();
        QCOMPARE(allReduce(8, {8, 1, true}, d).algorithm, Algorithm::Tree);
        QCOMPARE(allReduce(1e9, {8, 1, true}, d).algorithm, Algorithm::Ring);
        QCOMPARE(allReduce(1e9, {16, 2, true}, d).algorithm, Algorithm::Hierarchical);
        QCOMPARE(allReduce(1e9, {16, 16, true}, d).algorithm, Algorithm::Ring);
        QCOMPARE(allReduce(1e9, {9, 2, false}, d).algorithm, Algorithm::Ring);
    }

    void groupsKnowTheirHosts() {
        Layout layout;
        layout.parallel.data = 4;
        layout.parallel.pipeline = 2;
        layout.cluster.hosts = {{"a", 2}, {"b", 4}, {"c", 2}};
        const Mesh mesh(layout);
        QCOMPARE(groupOf(mesh, mesh.group(0, Axis::Data)), (Group{4, 2, true}));
        QCOMPARE(groupOf(mesh, mesh.group(0, Axis::Pipeline)), (Group{2, 2, true}));
        QCOMPARE(groupOf(mesh, std::vector<int>{0, 1, 2}), (Group{3, 2, false}));
        QCOMPARE(groupOf(mesh, std::vector<int>{5}), (Group{1, 1, true}));
    }

    void thePlanSaysHow() {
        Layout layout;
        layout.parallel.data = 4;
        layout.parallel.pipeline = 1;
        layout.cluster.pace = PaceSpec{"h100-sxm", 1};
        for (const auto& [hosts, how] : {std::pair{1, "ring"}, std::pair{2, "hierarchical"}}) {
            layout.model = {ModelKind::Gpt, 4, 1024, 8, 128, 256, 0};
            layout.cluster.hosts.clear();
            for (int host = 0; host < hosts; ++host)
                layout.cluster.hosts.push_back({std::string(1, char('a' + host)), 4 / hosts});
            const auto plan = makePlan(layout);
            QVERIFY(plan.has_value());
            const auto found = std::ranges::find(plan->traffic, Axis::Data, &AxisTraffic::axis);
            QVERIFY(found != plan->traffic.end());
            QVERIFY2(found->how.english().starts_with(how), found->how.english().c_str());
        }
    }
};

QTEST_GUILESS_MAIN(CollectivesTest)
#include "collectives_test.moc"
