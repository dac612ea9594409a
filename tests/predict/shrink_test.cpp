// SPDX-License-Identifier: Apache-2.0
// Designs for machines that are not at hand get twins that train here.
#include "engine/layout/check/check.h"
#include "engine/layout/exchange.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/search/shrink.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>

using namespace shardlab::test;

namespace {

std::string text(const Result<ShrunkLayout>& shrunk) { return shrunk ? "no error" : shrunk.error().text(); }

Layout elsewhere(Layout layout) {
    layout.cluster.hosts = {{"node0", rankCount(layout)}};
    return layout;
}

}  // namespace

class ShrinkTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPresetShrinks_data() {
        QTest::addColumn<QString>("preset");
        const auto all = presets();
        for (const Preset& preset : *all) QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
    }

    void everyPresetShrinks() {
        QFETCH(const QString, preset);
        const Layout design = findPreset(preset.toStdString())->layout;
        if (!check(design, scheduleMethods()).empty()) return;  // it waits for a file of its reader's
        const auto shrunk = shrinkToThisMachine(design);
        QVERIFY2(shrunk, text(shrunk).c_str());
        const Layout& twin = shrunk->layout;
        const std::vector<Fault> faults = check(twin, scheduleMethods());
        QVERIFY2(faults.empty(), toText(faults).c_str());
        QVERIFY(trainsHere(twin));
        QCOMPARE(shrunk->changes.empty(), twin == design);
        if (trainsHere(design)) {
            QCOMPARE(twin, design);
            return;
        }
        const auto plan = makePlan(twin);
        QVERIFY(plan && plan->fits);
        QVERIFY2(plan->parameters < 20'000'000, std::to_string(plan->parameters).c_str());
        QVERIFY(rankCount(twin) <= 16);
        // The shape of the schedule.
        QCOMPARE(twin.schedule.kind, design.schedule.kind);
        QCOMPARE(twin.parallel.pipeline, std::min(design.parallel.pipeline, 8));
        if (stageCount(design) <= 8) QCOMPARE(stageCount(twin), stageCount(design));
        QCOMPARE(twin.schedule.chunks > 1, design.schedule.chunks > 1);
        const int each = microbatches(design) / design.parallel.pipeline;
        if (each > 8) QCOMPARE(microbatches(twin), 8 * twin.parallel.pipeline);
        else if (twin.parallel.pipeline == design.parallel.pipeline) QCOMPARE(microbatches(twin), microbatches(design));
        else QCOMPARE(microbatches(twin), each * twin.parallel.pipeline);  // whole ones for each pipeline rank
        // What there is one of stays what it was.
        QCOMPARE(twin.model.kind, design.model.kind);
        QCOMPARE(twin.model.block.kvRank > 0, design.model.block.kvRank > 0);
        QCOMPARE(twin.model.experts.gate, design.model.experts.gate);
        QCOMPARE(twin.optimizer.kind, design.optimizer.kind);
        QCOMPARE(twin.precision, design.precision);
        QCOMPARE(twin.memory.recompute, design.memory.recompute);
        QCOMPARE(twin.cluster.pace->device, design.cluster.pace->device);
        QCOMPARE(twin.cluster.pace->stack, design.cluster.pace->stack);
        // Nothing is left to shrink.
        QCOMPARE(shrinkToThisMachine(twin)->layout, twin);
    }

    void degreesKeepOneOfEachSortWhereThereIsRoom() {
        Layout design;
        design.model.heads = 8;
        design.parallel = {.data = 8, .pipeline = 2, .tensor = 8};
        design.batch = {.global = 64, .micro = 1};
        const auto shrunk = shrinkToThisMachine(elsewhere(design));
        QVERIFY2(shrunk, text(shrunk).c_str());
        QCOMPARE(shrunk->layout.parallel.data, 2);
        QCOMPARE(shrunk->layout.parallel.tensor, 2);
        QCOMPARE(shrunk->layout.parallel.pipeline, 2);
        QCOMPARE(microbatches(shrunk->layout), microbatches(design));
    }

    /// Parameters on the host need ZeRO 3, on one replica too.
    void parametersOnTheHostKeepTheirZero() {
        for (const int data : {1, 64}) {
            Layout design;
            design.model.hidden = 4096;
            design.model.heads = 32;
            design.parallel = {.data = data, .pipeline = 1, .zero = 3};
            design.batch = {.global = 64, .micro = 1};
            design.memory.offload = OffloadKind::Parameters;
            const auto shrunk = shrinkToThisMachine(elsewhere(design));
            QVERIFY2(shrunk, text(shrunk).c_str());
            QCOMPARE(shrunk->layout.parallel.zero, 3);
            QCOMPARE(shrunk->layout.memory.offload, OffloadKind::Parameters);
            const std::vector<Fault> faults = check(shrunk->layout, scheduleMethods());
            QVERIFY2(faults.empty(), toText(faults).c_str());
        }
    }

    void contextGroupsKeepTheirMethod() {
        for (const int tensor : {1, 2, 4}) {
            Layout design;
            design.model.heads = 32;
            design.model.hidden = 4096;
            design.parallel = {.data = 1, .pipeline = 1, .tensor = tensor, .context = 8};
            design.parallel.contextKind = ContextKind::Ulysses;
            design.batch = {.global = 8, .micro = 1};
            const auto shrunk = shrinkToThisMachine(elsewhere(design));
            QVERIFY2(shrunk, text(shrunk).c_str());
            QVERIFY(shrunk->layout.parallel.context > 1);
            QCOMPARE(shrunk->layout.parallel.contextKind, ContextKind::Ulysses);
            const std::vector<Fault> faults = check(shrunk->layout, scheduleMethods());
            QVERIFY2(faults.empty(), toText(faults).c_str());
        }
    }

    void serversKeepAWorker() {
        for (const Exchange exchange : {Exchange::Server, Exchange::AsyncServer, Exchange::Elastic}) {
            Layout design;
            design.parallel = {.data = 17, .pipeline = 1, .exchange = exchange};
            design.schedule.kind = "naive";
            design.batch = {.global = 2 * 16 * 17, .micro = 2};
            design.optimizer.kind = OptimizerKind::Sgd;
            design.optimizer.clip = exchange == Exchange::Server ? 1 : 0;
            design = elsewhere(design);
            const std::vector<Fault> faults = check(design, scheduleMethods());
            QVERIFY2(faults.empty(), toText(faults).c_str());
            const auto shrunk = shrinkToThisMachine(design);
            // 17 is a prime number: there is nothing between it and one replica, which no server has.
            QVERIFY2(shrunk, text(shrunk).c_str());
            QCOMPARE(shrunk->layout.parallel.exchange, exchange);
            QVERIFY(shrunk->layout.parallel.data >= 2 && trainsHere(shrunk->layout));
        }
    }

    void whatWasNotPacedIsPaced() {
        Layout design;
        design.cluster.device = DeviceKind::Cuda;
        const auto shrunk = shrinkToThisMachine(elsewhere(design));
        QVERIFY2(shrunk, text(shrunk).c_str());
        QVERIFY(shrunk->layout.cluster.pace);
        QCOMPARE(shrunk->layout.cluster.device, DeviceKind::Cpu);
    }

    void stagesOfChosenLengthsStay() {
        Layout design;
        design.model.layers = 10;
        design.parallel = {.data = 1, .pipeline = 4};
        design.schedule.stages = {4, 2, 2, 2};
        design.model.hidden = 4096;
        const auto shrunk = shrinkToThisMachine(elsewhere(design));
        QVERIFY2(shrunk, text(shrunk).c_str());
        QCOMPARE(shrunk->layout.schedule.stages, design.schedule.stages);
        QCOMPARE(shrunk->layout.model.layers, 10);
        QVERIFY(shrunk->layout.model.hidden <= 256);
    }

    void anOrderByHandIsNotShrunkBelowItself() {
        Layout design;
        design.model.layers = 16;
        design.parallel = {.data = 1, .pipeline = 16};
        design.schedule.kind = "custom";
        design.schedule.actions.assign(16, "0F0,0B0");
        const auto shrunk = shrinkToThisMachine(elsewhere(design));
        QVERIFY(!shrunk);
        QCOMPARE(shrunk.error().where, std::string("/schedule/actions"));
    }
};

QTEST_GUILESS_MAIN(ShrinkTest)
#include "shrink_test.moc"
