// SPDX-License-Identifier: Apache-2.0
// Plans of the paced presets, and every fault of a thoroughly wrong layout.
#include "tests/support/golden.h"
#include "tests/support/wings.h"

#include "engine/base/units.h"
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"
#include "engine/predict/plan/plan.h"
#include "engine/layout/schedule/registry.h"

#include <QTest>

#include <fmt/format.h>

using namespace shardlab::test;

namespace {

std::string describe(const Plan& plan) {
    std::string text = fmt::format(
        "step {}\ntokens/s {}\nbubble {} theory {}\nexposed {}\nflops {} mfu {}\nparameters {}\nstretch {}\ncapacity "
        "{} usable {} fits {}\n",
        formatSeconds(plan.stepSeconds), formatCount(plan.tokensPerSecond), formatPercent(plan.bubble),
        formatPercent(plan.bubbleTheory), formatPercent(plan.exposedCommunication), formatCount(plan.flopsPerStep),
        formatPercent(plan.mfu), plan.parameters, formatCount(plan.costs.stretch),
        formatBytes(plan.device.capacityBytes), formatBytes(plan.device.usableBytes()), plan.fits);
    for (const RankMemory& rank : plan.memory) {
        text += fmt::format("rank {} {}: peak {}, in flight {}:", rank.rank, plan.mesh.label(rank.rank), rank.peak,
                            rank.microbatchesInFlight);
        if (rank.weightVersions > 1) text += fmt::format(" weight versions {}:", rank.weightVersions);
        for (int category = 0; category < memoryCategoryCount; ++category)
            text += fmt::format(" {} {}", name(static_cast<MemoryCategory>(category)),
                                rank.bytes[static_cast<std::size_t>(category)]);
        text += "\n";
    }
    for (const AxisTraffic& axis : plan.traffic)
        text += fmt::format("{}: {} {}\n", name(axis.axis), axis.what, axis.bytes);
    return text;
}

}  // namespace

class PlanGoldenTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pacedPresets() {
        const auto all = presets();
        int compared = 0;
        for (const Preset& preset : *all) {
            if (!preset.layout.cluster.pace) continue;  // at full speed this machine's cores count
            const auto plan = makePlan(preset.layout);
            QVERIFY2(plan.has_value(), preset.name.c_str());
            const QString difference =
                differenceFromGolden(QString("predict/golden/plans/%1.txt").arg(preset.name.c_str()), describe(*plan));
            QVERIFY2(difference.isEmpty(), qPrintable(difference));
            ++compared;
        }
        QVERIFY(compared >= 8);
    }

    void faults() {
        const auto parsed = parseLayout(readGolden("predict/golden/plans/wrong.layout.json"));
        QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().text().c_str());
        const std::string text = toText(parsed->faults) + "\n" + toText(check(parsed->layout, scheduleMethods()));
        const QString difference = differenceFromGolden("predict/golden/plans/wrong.txt", text);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void layoutFile() {
        Layout layout;
        layout.cluster.pace = PaceSpec{};
        layout.schedule.stages = {1, 3};
        const QString difference =
            differenceFromGolden("predict/golden/plans/default.layout.json", writeLayout(layout));
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

QTEST_GUILESS_MAIN(PlanGoldenTest)
#include "plan_golden_test.moc"
