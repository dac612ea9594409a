// SPDX-License-Identifier: Apache-2.0
// Whatever somebody makes of a preset, it is planned in figures that can be, or refused with something legal near it.
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/devices.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/waterfall.h"
#include "engine/predict/search/nearest_legal.h"
#include "engine/predict/search/shrink.h"
#include "tests/support/random_field.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace shardlab::test;

namespace {

bool legal(const Layout& layout) { return check(layout, scheduleMethods()).empty(); }

/// A preset of any size with some fields changed, most of them to what is legal, on any device.
Layout anyLayout(const std::vector<Preset>& all, RandomStream& random) {
    Layout layout = all[random.below(all.size())].layout;
    const bool mayBeIllegal = random.below(3) == 0;
    for (int tries = 1 + static_cast<int>(random.below(12)); tries > 0; --tries) {
        const Field& field = fields()[random.below(fields().size())];
        if (!isPresent(field, layout) || field.pointer == "/model/weights") continue;
        Layout changed = layout;
        changeField(field, changed, random);
        if (changed.cluster.pace && random.below(4) == 0)
            changed.cluster.pace->device = devicePresets()[random.below(devicePresets().size())].name;
        if (mayBeIllegal || legal(changed)) layout = std::move(changed);
    }
    return layout;
}

QByteArray textOf(const Layout& layout) {
    return QByteArray::fromStdString(layout.name + ": " + toText(LegalLayout{layout, changesBetween({}, layout)}));
}

bool isShare(double value) { return value >= 0 && value <= 1; }

}  // namespace

class AnyLayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isPlannedOrRefused() {
        RandomStream random(freshSeed(), "any layout");
        const auto all = presets();
        QVERIFY(all.has_value());
        int planned = 0, refused = 0;
        for (int round = 0; round < 100; ++round) {
            const Layout layout = anyLayout(*all, random);
            const auto plan = makePlan(layout);
            const QByteArray what = textOf(layout);
            if (plan) {
                ++planned;
                figuresCanBe(*plan, what);
            } else {
                ++refused;
                isRefusedWell(layout, plan.error(), what);
            }
            if (QTest::currentTestFailed()) return;
        }
        QVERIFY(planned > 25 && refused > 5);
    }

private:
    static void figuresCanBe(const Plan& plan, const QByteArray& what) {
        for (const double positive : {plan.stepSeconds, plan.tokensPerSecond, plan.flopsPerStep, plan.mfu})
            QVERIFY2(std::isfinite(positive) && positive > 0, what);
        for (const double share : {plan.bubble, plan.bubbleTheory, plan.exposedCommunication, plan.mfu})
            QVERIFY2(isShare(share), what);
        QVERIFY2(plan.parameters > 0 && static_cast<int>(plan.memory.size()) == plan.mesh.ranks(), what);
        for (const RankMemory& rank : plan.memory) {
            QVERIFY2(rank.peak > 0 && rank.peak <= total(rank.bytes), what);
            QVERIFY2(std::ranges::all_of(rank.bytes, [](std::int64_t bytes) { return bytes >= 0; }), what);
        }
        for (const AxisTraffic& traffic : plan.traffic) QVERIFY2(traffic.bytes >= 0, what);
        const Waterfall parts = waterfall(plan);
        const double sum = std::accumulate(parts.seconds.begin(), parts.seconds.end(), 0.0);
        QVERIFY2(std::abs(sum - parts.stepSeconds) <= 1e-6 * parts.stepSeconds, what);
        if (const auto twin = shrinkToThisMachine(plan.layout)) QVERIFY2(legal(twin->layout), what);
        else QVERIFY2(!twin.error().text().empty(), what);
    }

    static void isRefusedWell(const Layout& layout, const std::vector<Fault>& faults, const QByteArray& what) {
        QVERIFY2(!faults.empty(), what);
        for (const Fault& fault : faults) {
            QVERIFY2(fault.pointer.starts_with('/'), what);
            QVERIFY2(!fault.what.english().empty() && !fault.why.english().empty(), what);
        }
        const auto nearest = nearestLegal(layout);
        if (!nearest) return;
        QVERIFY2(legal(nearest->layout) && !nearest->changes.empty(), what);
    }
};

QTEST_GUILESS_MAIN(AnyLayoutTest)
#include "any_layout_test.moc"
