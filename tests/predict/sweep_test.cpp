// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/sweep.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>

using namespace shardlab::test;

namespace {

std::vector<int> valuesOf(const Layout& layout, SweepAxis axis) {
    std::vector<int> values;
    for (const Setting& setting : legalSettings(layout, axis)) values.push_back(setting.value);
    return values;
}

}  // namespace

class SweepTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everySettingIsLegalAndItsOwnIsAmongThem() {
        const auto all = presets();
        for (const Preset& each : *all)
            for (const SweepAxis axis : {SweepAxis::Microbatches, SweepAxis::Pipeline, SweepAxis::Chunks}) {
                const std::vector<Setting> settings = legalSettings(each.layout, axis);
                QVERIFY2(std::ranges::find(settings, settingOf(each.layout, axis)) != settings.end(),
                         each.name.c_str());
                QVERIFY(std::ranges::is_sorted(settings, {}, &Setting::value));
                for (const Setting& setting : settings) {
                    Layout layout = each.layout;
                    apply(setting, layout);
                    QVERIFY(check(layout, scheduleMethods()).empty());
                    QCOMPARE(rankCount(layout), rankCount(each.layout));
                    QCOMPARE(layout.batch.global, each.layout.batch.global);
                }
            }
    }

    void valuesAreThoseThatDivide() {
        Layout layout;  // data 2, pipeline 2, 4 layers, global 16, micro 2
        QCOMPARE(valuesOf(layout, SweepAxis::Microbatches), (std::vector<int>{1, 2, 4, 8}));
        QCOMPARE(valuesOf(layout, SweepAxis::Pipeline), (std::vector<int>{1, 2, 4}));
        QCOMPARE(valuesOf(layout, SweepAxis::Chunks), (std::vector<int>{1}));  // 1F1B has one
        layout.schedule = {"interleaved-1f1b", 2, {}};
        QCOMPARE(valuesOf(layout, SweepAxis::Chunks), (std::vector<int>{2}));
        layout.model.layers = 8;
        QCOMPARE(valuesOf(layout, SweepAxis::Chunks), (std::vector<int>{2, 4}));
    }

    void nothingIsLegalOfAnIllegalLayout() {
        Layout layout;
        layout.model.heads = 7;
        QVERIFY(valuesOf(layout, SweepAxis::Microbatches).empty());
        layout.batch.global = 0;
        layout.parallel.data = 0;
        QVERIFY(valuesOf(layout, SweepAxis::Pipeline).empty());
    }

    void anotherScheduleTakesTheChunksItCanHave() {
        Layout layout;
        layout.schedule = {"interleaved-1f1b", 2, {1, 1, 1, 1}};
        const Layout plain = withSchedule(layout, "gpipe");
        QCOMPARE(plain.schedule.chunks, 1);
        QVERIFY(plain.schedule.stages.empty());
        QVERIFY(check(plain, scheduleMethods()).empty());
        QVERIFY(withSchedule(layout, "looped-bfs").schedule.stages == layout.schedule.stages);
        layout = Layout{};
        layout.schedule = {"zb-greedy", 1, {}, 3};
        QCOMPARE(withSchedule(layout, "1f1b").schedule.inFlight, 0);
        QCOMPARE(withSchedule(layout, "zb-v").schedule.chunks, 2);
    }
};

QTEST_MAIN(SweepTest)
#include "sweep_test.moc"
