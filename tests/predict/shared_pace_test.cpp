// SPDX-License-Identifier: Apache-2.0
// Layouts that are watched to be compared are slowed by one factor.
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/shared_pace.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>

using namespace shardlab::test;

namespace {

Layout paced(const std::string& kind, double stepSeconds) {
    Layout layout;
    layout.model.layers = 8;
    layout.parallel.data = 1;
    layout.parallel.pipeline = 4;
    layout.schedule.kind = kind;
    layout.batch.global = 8;
    layout.cluster.pace = PaceSpec{.stepSeconds = stepSeconds};
    return layout;
}

double stretchOf(const Layout& layout) { return makePlan(layout)->costs.stretch; }

bool near(double a, double b) { return std::abs(a / b - 1) < 1e-9; }

}  // namespace

class SharedPaceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theFasterLayoutIsSeenToEndFirst() {
        Layout naive = paced("naive", 0.6), gpipe = paced("gpipe", 0.6), fast = paced("zb-h1", 0.9);
        const double largest = std::max({stretchOf(naive), stretchOf(gpipe), stretchOf(fast)});
        const double device = makePlan(naive)->stepSeconds;
        const auto stretch = paceTogether(std::vector{&naive, &gpipe, &fast});
        QVERIFY(stretch && near(*stretch, largest));
        for (const Layout* layout : {&naive, &gpipe, &fast}) QVERIFY(near(stretchOf(*layout), largest));
        QVERIFY(makePlan(naive)->simulation.stepSeconds > 1.5 * makePlan(gpipe)->simulation.stepSeconds);
        QVERIFY(makePlan(gpipe)->simulation.stepSeconds > makePlan(fast)->simulation.stepSeconds);
        // How long the devices take is not changed by that.
        QVERIFY(near(makePlan(naive)->stepSeconds, device));
        // Nobody has less time than before.
        QVERIFY(naive.cluster.pace->stepSeconds >= 0.6 && gpipe.cluster.pace->stepSeconds >= 0.6 &&
                fast.cluster.pace->stepSeconds >= 0.9 - 1e-12);
        // Again, it changes nothing.
        const auto again = paceTogether(std::vector{&naive, &gpipe, &fast});
        QVERIFY(again && near(*again, largest));
    }

    void whatIsNotPacedStaysAsItIs() {
        Layout free, one = paced("1f1b", 0.6), other = paced("gpipe", 0.8);
        const Layout before = free, alone = one;
        QVERIFY(!paceTogether(std::vector{&free, &one}));  // one alone has no factor to share
        QCOMPARE(one, alone);
        QVERIFY(paceTogether(std::vector{&free, &one, &other}));
        QCOMPARE(free, before);
        QVERIFY(near(stretchOf(one), stretchOf(other)));
    }

    void aStepLongerThanAllowedSharesNothing() {
        Layout slow = paced("1f1b", 3600), fast = paced("1f1b", 3600);
        slow.batch.global = 16;
        const Layout before = slow;
        QVERIFY(!paceTogether(std::vector{&slow, &fast}));
        QCOMPARE(slow, before);
    }

    void aFactorIsTakenOver() {
        Layout naive = paced("naive", 0.6), gpipe = paced("gpipe", 0.6);
        const auto seconds = stepSecondsAt(gpipe, stretchOf(naive));
        QVERIFY(seconds && *seconds < 0.6);
        gpipe.cluster.pace->stepSeconds = *seconds;
        QVERIFY(near(stretchOf(gpipe), stretchOf(naive)));
        const auto never = stepSecondsAt(gpipe, 1e12);
        QVERIFY(!never);
        QCOMPARE(never.error().where, std::string("/cluster/pace/step_seconds"));
        QVERIFY2(never.error().legal.english().find("to 1 h 0 min") != std::string::npos,
                 never.error().legal.english().c_str());
    }
};

QTEST_GUILESS_MAIN(SharedPaceTest)
#include "shared_pace_test.moc"
