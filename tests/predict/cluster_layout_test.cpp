// SPDX-License-Identifier: Apache-2.0
// Known models on other clusters than theirs.
#include "engine/layout/check/check.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/stacks.h"
#include "engine/predict/search/cluster_layout.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <array>
#include <limits>
#include <random>

using namespace shardlab::test;

class ClusterLayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Whatever is asked for, the layout is of that cluster, and legal where there is a legal one.
    void layoutsOnOtherClustersAreLegal() {
        std::mt19937 random(freshSeed());
        std::vector<Preset> models = *presets();
        std::erase_if(models, [](const Preset& preset) { return !isForACluster(preset.layout); });
        const std::vector<DevicePreset> devices = clusterDevices();
        for (int round = 0; round < 6; ++round) {
            const Preset& model = models[random() % models.size()];
            const ClusterQuestion cluster{1 << random() % 5, 8, devices[random() % devices.size()].name};
            const Layout layout = layoutOn(model.layout, cluster);
            const QByteArray what = QByteArray::fromStdString(model.name + " on " + std::to_string(cluster.nodes) +
                                                              " nodes of " + cluster.device);
            QCOMPARE(static_cast<int>(layout.cluster.hosts.size()), cluster.nodes);
            QCOMPARE(layout.cluster.pace->device, cluster.device);
            QVERIFY2(layout.model == model.layout.model, what);
            const auto faults = check(layout, scheduleMethods());
            QVERIFY2(faults.empty(), what + ": " + QByteArray::fromStdString(toText(faults)));
        }
    }

    void theStackIsOneThatIsKnownThere() {
        Layout own;
        const ClusterQuestion hopper{2, 8, "h100-sxm"};
        QCOMPARE(onCluster(own, hopper).cluster.pace->stack, std::string("megatron-core"));
        Layout images;
        images.model.kind = ModelKind::Cnn;  // which no published program trains
        QCOMPARE(onCluster(images, hopper).cluster.pace->stack, std::string(ownStack));
        Layout titan = findPreset("llama3-8b")->layout;
        titan.cluster.pace->stack = "torchtitan";
        QCOMPARE(onCluster(titan, hopper).cluster.pace->stack, std::string("torchtitan"));
    }

    void replicasTakeWhatIsThere() {
        Layout layout = findPreset("llama3-70b")->layout;  // pipeline 8 × tensor 8
        layout.batch.global = 1000;
        const Layout filled = filledWithReplicas(onCluster(layout, {16, 8, "h100-sxm"}));
        QCOMPARE(filled.parallel.data, 2);
        QCOMPARE(filled.parallel.pipeline, 8);
        QCOMPARE(filled.batch.global, 1000);
        QCOMPARE(filledWithReplicas(onCluster(layout, {24, 8, "h100-sxm"})).batch.global, 999);
        // Half of a replica cannot be.
        QCOMPARE(filledWithReplicas(onCluster(layout, {12, 8, "h100-sxm"})).parallel.data, layout.parallel.data);
    }

    /// A layout of one replica does not say what replicas share: as those of its stack's runs they do.
    void severalReplicasShareAsTheirStackDoes() {
        Layout layout = findPreset("llama3-8b")->layout;
        layout.parallel = {.data = 1, .pipeline = 1, .tensor = 8};
        const auto zero = [&](const char* stack, int pipeline, int data) {
            layout.cluster.pace->stack = stack;
            layout.parallel.pipeline = pipeline;
            layout.parallel.data = data;
            const Layout filled = filledWithReplicas(onCluster(layout, {8, 8, "h100-sxm"}));
            return std::pair(filled.parallel.data, filled.parallel.zero);
        };
        QCOMPARE(zero("megatron-core", 1, 1), std::pair(8, 1));
        QCOMPARE(zero("torchtitan-compile", 1, 1), std::pair(8, 3));
        QCOMPARE(zero("torchtitan-compile", 2, 1), std::pair(4, 2));
        QCOMPARE(zero("torchtitan-compile", 1, 2), std::pair(8, 0));  // two that share nothing were asked for
        QCOMPARE(zero("megatron-core", 8, 1), std::pair(1, 0));
    }

    /// Numbers that no layout may have are left for the check to name, and bring nothing down.
    void whatIsIllegalStays() {
        std::mt19937 random(freshSeed());
        const Layout legal = findPreset("qwen3-30b-a3b")->layout;
        for (int round = 0; round < 200; ++round) {
            Layout layout = onCluster(legal, {4, 8, "h100-sxm"});
            ParallelSpec& p = layout.parallel;
            for (int* number : {&p.pipeline, &p.tensor, &p.context, &p.data, &p.expert, &p.expertTensor,
                                &layout.batch.micro, &layout.batch.global})
                if (random() % 3 == 0)
                    *number = std::array{
                        std::numeric_limits<int>::min(), -1, 0, 1, 3, std::numeric_limits<int>::max()}[random() % 6];
            const Layout filled = filledWithReplicas(layout);
            if (check(layout, scheduleMethods()).empty()) QVERIFY(filled == layout);
            QCOMPARE(filled.parallel.tensor, p.tensor);
        }
        Layout none = legal;
        none.parallel.tensor = 0;
        QCOMPARE(filledWithReplicas(onCluster(none, {4, 8, "h100-sxm"})).parallel.data, legal.parallel.data);
    }

    void aClusterIsReadFromAWord() {
        const auto cluster = parseCluster("64x8:h100-sxm");
        QVERIFY(cluster);
        QCOMPARE(cluster->nodes, 64);
        QCOMPARE(cluster->devices, 8);
        QCOMPARE(cluster->device, std::string("h100-sxm"));
        QCOMPARE(parseCluster("1x8:mi300x")->device, std::string("mi300x"));
    }

    void whatIsNoClusterIsRefused_data() {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"", "64", "64x8", "h100-sxm", ":h100-sxm", "x8:h100-sxm", "64x:h100-sxm", "0x8:h100-sxm", "-1x8:h100-sxm",
              "64x8 :h100-sxm", "64x8:h100", "64x8:cpu", "99999999999x8:h100-sxm", "200000x8:h100-sxm",
              "2147483647x2147483647:h100-sxm", "8:x:h100-sxm"})
            QTest::newRow(text) << QString::fromLatin1(text);
    }
    void whatIsNoClusterIsRefused() {
        QFETCH(QString, text);
        const auto cluster = parseCluster(text.toStdString());
        QVERIFY(!cluster);
        QVERIFY(!cluster.error().why.empty() && !cluster.error().legal.empty());
        QCOMPARE(cluster.error().where.english(), text.toStdString());
    }
};

QTEST_GUILESS_MAIN(ClusterLayoutTest)
#include "cluster_layout_test.moc"
