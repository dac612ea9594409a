// SPDX-License-Identifier: Apache-2.0
// What a bubble consists of: shares that add up to it, each of the cause that the layout was made for.
#include "engine/layout/check/check.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/bubble_parts.h"
#include "tests/support/legal_plan.h"
#include "tests/support/wings.h"

#include <QTest>

#include <cmath>

using namespace shardlab::test;

namespace {

Layout pipelineOf(int stages, int microbatches) {
    Layout layout;
    layout.model = {ModelKind::Gpt, 64, 256, 4, 128, 256, 0};
    layout.cluster.hosts = {{"localhost", stages}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 2};
    layout.parallel.data = 1;
    layout.parallel.pipeline = stages;
    layout.schedule.kind = "gpipe";
    layout.batch = {microbatches, 1};
    return layout;
}

}  // namespace

class BubblePartsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void partsOfEveryPresetAddUp() {
        const auto every = presets();
        for (const Preset& preset : *every) {
            if (!check(preset.layout, scheduleMethods()).empty()) continue;
            const Plan plan = planOf(preset.layout);
            const BubbleParts parts = bubbleParts(plan);
            for (const double part : {parts.overload, parts.communication, parts.imbalance, parts.fill})
                QVERIFY2(part >= 0, preset.layout.name.c_str());
            QVERIFY2(std::abs(parts.sum() - plan.bubble) < 1e-9, preset.layout.name.c_str());
        }
    }

    void equalStagesFillAndDrain() {
        for (const auto& [stages, microbatches] : {std::pair{4, 4}, std::pair{4, 12}, std::pair{8, 8}}) {
            const Plan plan = planOf(pipelineOf(stages, microbatches));
            const BubbleParts parts = bubbleParts(plan);
            QVERIFY(std::abs(parts.fill - plan.bubbleTheory) < 0.01);
            QVERIFY(parts.fill > 10 * parts.imbalance);
        }
    }

    void unequalStagesAreImbalance() {
        Layout layout = pipelineOf(4, 16);
        layout.schedule.stages = {7, 7, 7, 43};
        const BubbleParts parts = bubbleParts(planOf(layout));
        QVERIFY(parts.imbalance > 0.3 && parts.imbalance > parts.fill && parts.imbalance > parts.communication);
    }

    /// 1.7 % stood beside "No pipeline, no bubble".
    void aBubbleWithoutAPipelineIsCommunication() {
        Layout layout = pipelineOf(1, 8);
        layout.parallel.tensor = 4;
        layout.cluster.hosts = {{"localhost", 2}, {"other", 2}};
        layout.parallel.data = 1;
        layout.parallel.zero = 0;
        for (const bool gathers : {false, true}) {
            if (gathers) {
                layout.parallel.tensor = 1;
                layout.parallel.data = 4;
                layout.parallel.zero = 3;
            }
            const Plan plan = planOf(layout);
            const BubbleParts parts = bubbleParts(plan);
            QCOMPARE(parts.fill, 0.0);
            QCOMPARE(parts.imbalance, 0.0);
            QCOMPARE(parts.communication, plan.bubble);
            QVERIFY(gathers == (plan.bubble > 0));
        }
    }
};

QTEST_GUILESS_MAIN(BubblePartsTest)
#include "bubble_parts_test.moc"
