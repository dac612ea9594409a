// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/mesh/alike.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/layout/mesh/replicas.h"
#include "tests/support/wings.h"

#include <QTest>

#include <set>

using namespace shardlab::test;

namespace {

Layout degrees(int pipeline, int data, int expert, int context, int tensor) {
    Layout layout;
    layout.parallel.pipeline = pipeline;
    layout.parallel.data = data;
    layout.parallel.expert = expert;
    layout.parallel.context = context;
    layout.parallel.tensor = tensor;
    layout.cluster.hosts = {{"a", 8}, {"b", 4}, {"c", 64}};
    return layout;
}

}  // namespace

class MeshTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ranksAndCoordinatesAreOneToOne() {
        const Mesh mesh(degrees(2, 6, 2, 1, 4));
        QCOMPARE(mesh.ranks(), 48);  // expert is a part of data
        std::set<Coordinates> seen;
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            const Coordinates place = mesh.coordinates(rank);
            QCOMPARE(mesh.rank(place), rank);
            QVERIFY(seen.insert(place).second);
            for (int axis = 0; axis < axisCount; ++axis)
                QVERIFY(place[static_cast<std::size_t>(axis)] >= 0 &&
                        place[static_cast<std::size_t>(axis)] < mesh.size(static_cast<Axis>(axis)));
        }
    }

    void tensorIsFastestAndPipelineSlowest() {
        const Mesh mesh(degrees(2, 2, 1, 1, 2));
        QCOMPARE(mesh.group(0, Axis::Tensor), (std::vector<int>{0, 1}));
        QCOMPARE(mesh.group(0, Axis::Data), (std::vector<int>{0, 2}));
        QCOMPARE(mesh.group(0, Axis::Pipeline), (std::vector<int>{0, 4}));
        QCOMPARE(mesh.group(7, Axis::Data), (std::vector<int>{5, 7}));
        QCOMPARE(mesh.label(5), std::string("dp0 pp1 tp1"));
        QCOMPARE(Mesh(degrees(1, 1, 1, 1, 1)).label(0), std::string());
    }

    void ranksOfAPipelineRankAreAlike() {
        Layout layout = degrees(2, 6, 3, 2, 2);
        const Mesh mesh(layout);
        const auto groups = alikeRanks(layout, mesh);
        QCOMPARE(groups.size(), std::size_t{2});
        for (int stage = 0; stage < 2; ++stage) {
            const std::vector<int>& group = groups[static_cast<std::size_t>(stage)];
            QCOMPARE(group.size(), std::size_t{24});
            for (const int rank : group) QCOMPARE(mesh.coordinate(rank, Axis::Pipeline), stage);
            QCOMPARE(commonLabel(mesh, group), "pp" + std::to_string(stage));
            QCOMPARE(rankList(group), stage == 0 ? std::string("0–23") : std::string("24–47"));
        }
    }

    void replicasOfAServerAreNotAlike() {
        Layout layout = degrees(2, 3, 1, 1, 2);
        for (const Exchange exchange :
             {Exchange::Server, Exchange::AsyncServer, Exchange::Hogwild, Exchange::Elastic}) {
            layout.parallel.exchange = exchange;
            const Mesh mesh(layout);
            const auto groups = alikeRanks(layout, mesh);
            QCOMPARE(groups.size(), std::size_t{6});
            QCOMPARE(groups[1], (std::vector{2, 3}));
            QCOMPARE(commonLabel(mesh, groups[1]), std::string("dp1 pp0"));
        }
    }

    void ranksAreListedAsRanges() {
        QCOMPARE(rankList({}), std::string());
        QCOMPARE(rankList({4}), std::string("4"));
        QCOMPARE(rankList({0, 1}), std::string("0, 1"));
        QCOMPARE(rankList({0, 1, 2, 5, 8, 9, 10}), std::string("0–2, 5, 8–10"));
    }

    void groupsOfAnAxisCoverEveryRankOnce() {
        const Mesh mesh(degrees(2, 6, 3, 2, 2));
        for (Axis axis : {Axis::Pipeline, Axis::Data, Axis::Expert, Axis::Context, Axis::Tensor}) {
            std::multiset<int> members;
            for (const auto& group : mesh.groups(axis)) {
                QCOMPARE(static_cast<int>(group.size()), mesh.size(axis));
                members.insert(group.begin(), group.end());
                for (int rank : group) QCOMPARE(mesh.group(rank, axis), group);
            }
            QCOMPARE(members.size(), static_cast<std::size_t>(mesh.ranks()));
            for (int rank = 0; rank < mesh.ranks(); ++rank) QCOMPARE(members.count(rank), std::size_t{1});
        }
    }

    void expertGroupsAreNeighboursAlongData() {
        const Mesh mesh(degrees(2, 4, 2, 1, 1));
        QCOMPARE(mesh.ranks(), 8);
        QCOMPARE(mesh.group(0, Axis::Expert), (std::vector<int>{0, 1}));
        QCOMPARE(mesh.group(3, Axis::Expert), (std::vector<int>{2, 3}));
        QCOMPARE(mesh.group(6, Axis::Expert), (std::vector<int>{6, 7}));
        QCOMPARE(sameWeights(mesh, 3), (std::vector<int>{0, 1, 2, 3}));
        QCOMPARE(sameExperts(mesh, 3), (std::vector<int>{1, 3}));
        QCOMPARE(sameExperts(mesh, 4), (std::vector<int>{4, 6}));
        QCOMPARE(mesh.label(7), std::string("dp3 pp1 ep1"));
        QCOMPARE(sameExperts(Mesh(degrees(1, 4, 1, 1, 1)), 2), (std::vector<int>{0, 1, 2, 3}));
        // A layout that check() refuses has a mesh too.
        QCOMPARE(Mesh(degrees(1, 3, 2, 1, 1)).size(Axis::Expert), 1);
    }

    /// Members of a context group come before data neighbours, as in Megatron-Core.
    void expertGroupsSpanContextGroups() {
        const Mesh mesh(degrees(1, 2, 2, 2, 1)), all(degrees(1, 2, 4, 2, 1));
        QCOMPARE(mesh.group(0, Axis::Expert), (std::vector<int>{0, 1}));
        QCOMPARE(sameExperts(mesh, 1), (std::vector<int>{1, 3}));
        QCOMPARE(all.group(2, Axis::Expert), (std::vector<int>{0, 1, 2, 3}));
        QCOMPARE(all.label(3), std::string("dp1 ep3 cp1"));
    }

    /// Parts of a tensor group hold different experts, which in each part are spread over neighbouring replicas.
    void expertsMayBeCutLessThanAllElse() {
        Layout layout = degrees(1, 4, 4, 1, 4);
        layout.parallel.expertTensor = 2;
        const Mesh mesh(layout);
        QCOMPARE(mesh.folds(), 2);
        QCOMPARE(mesh.size(Axis::ExpertTensor), 2);
        QCOMPARE(mesh.group(0, Axis::Expert), (std::vector<int>{0, 4, 2, 6}));
        QCOMPARE(mesh.group(13, Axis::Expert), (std::vector<int>{9, 13, 11, 15}));
        QCOMPARE(mesh.group(7, Axis::ExpertTensor), (std::vector<int>{6, 7}));
        QCOMPARE(expertExchange(mesh, 7), (std::vector<int>{3, 7}));
        QCOMPARE(sameExperts(mesh, 7), (std::vector<int>{7, 15}));
        QCOMPARE(mesh.label(7), std::string("dp1 ep3 tp3 et1"));
        for (const Axis axis : {Axis::Expert, Axis::ExpertTensor}) {
            std::multiset<int> members;
            for (const auto& group : mesh.groups(axis)) {
                QCOMPARE(static_cast<int>(group.size()), mesh.size(axis));
                members.insert(group.begin(), group.end());
                for (std::size_t i = 0; i < group.size(); ++i) {
                    QCOMPARE(mesh.group(group[i], axis), group);
                    QCOMPARE(mesh.coordinate(group[i], axis), static_cast<int>(i));
                }
            }
            QCOMPARE(members.size(), std::size_t{16});
        }
        // Each expert whole on one rank, over all of them.
        layout = degrees(2, 2, 8, 1, 4);
        layout.parallel.expertTensor = 1;
        QCOMPARE(Mesh(layout).group(9, Axis::Expert), (std::vector<int>{8, 12, 9, 13, 10, 14, 11, 15}));
        // Degrees that check() refuses have a mesh too.
        for (const auto& [expert, own] : {std::pair(2, 1), std::pair(4, 3), std::pair(4, 8), std::pair(0, 1)}) {
            layout.parallel.expert = expert;
            layout.parallel.expertTensor = own;
            QCOMPARE(Mesh(layout).folds(), 1);
        }
    }

    void copiesAreNeighboursAlongData() {
        Layout layout = degrees(2, 6, 1, 2, 1);
        layout.parallel.shard = 3;
        const Mesh mesh(layout);
        QCOMPARE(mesh.copies(), 2);
        QCOMPARE(mesh.ranks(), 24);  // shard is a part of data
        QCOMPARE(mesh.group(4, Axis::Shard), (std::vector<int>{0, 2, 4}));
        QCOMPARE(mesh.group(7, Axis::Shard), (std::vector<int>{7, 9, 11}));
        QCOMPARE(sameCopy(mesh, 3), (std::vector<int>{0, 1, 2, 3, 4, 5}));
        QCOMPARE(sameCopy(mesh, 18), (std::vector<int>{18, 19, 20, 21, 22, 23}));
        QCOMPARE(samePart(mesh, 3), (std::vector<int>{3, 9}));
        QCOMPARE(samePart(mesh, 18), (std::vector<int>{12, 18}));
        QCOMPARE(mesh.label(19), std::string("dp3 sh0 pp1 cp1"));
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            QCOMPARE(mesh.rank(mesh.coordinates(rank)), rank);
            for (const int other : sameCopy(mesh, rank)) QCOMPARE(sameCopy(mesh, other), sameCopy(mesh, rank));
        }
        // A context group alone can share a copy.
        layout.parallel.shard = 1;
        QCOMPARE(Mesh(layout).copies(), 6);
        QCOMPARE(sameCopy(Mesh(layout), 3), (std::vector<int>{2, 3}));
        QCOMPARE(samePart(Mesh(layout), 3), (std::vector<int>{1, 3, 5, 7, 9, 11}));
        // Without the field, or with all data ranks, there is one copy; so where check() refuses the layout.
        for (const int one : {0, 6, 4}) {
            layout.parallel.shard = one;
            QCOMPARE(Mesh(layout).copies(), 1);
            QCOMPARE(Mesh(layout).size(Axis::Shard), 1);
            QCOMPARE(sameCopy(Mesh(layout), 3), sameWeights(Mesh(layout), 3));
            QCOMPARE(samePart(Mesh(layout), 3), std::vector<int>{3});
            QCOMPARE(Mesh(layout).label(19), std::string("dp3 pp1 cp1"));
        }
    }

    void expertsLieWithinACopy() {
        Layout layout = degrees(1, 8, 2, 1, 1);
        layout.parallel.shard = 4;
        const Mesh mesh(layout);
        QCOMPARE(sameExperts(mesh, 1), (std::vector<int>{1, 3}));
        QCOMPARE(sameExperts(mesh, 6), (std::vector<int>{4, 6}));
        QCOMPARE(mesh.label(6), std::string("dp6 sh2 ep0"));
    }

    void ranksFillHostsInOrder() {
        const Mesh mesh(degrees(4, 4, 1, 1, 1));
        QCOMPARE(mesh.host(0), 0);
        QCOMPARE(mesh.host(7), 0);
        QCOMPARE(mesh.host(8), 1);
        QCOMPARE(mesh.hostName(11), std::string("b"));
        QCOMPARE(mesh.device(11), 3);
        QCOMPARE(mesh.hostName(12), std::string("c"));
        QCOMPARE(mesh.device(12), 0);
    }

    void axesHaveNames() {
        QCOMPARE(name(Axis::Pipeline), std::string_view("pipeline"));
        QCOMPARE(shortName(Axis::Context), std::string_view("cp"));
    }
};

QTEST_GUILESS_MAIN(MeshTest)
#include "mesh_test.moc"
