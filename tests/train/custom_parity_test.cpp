// SPDX-License-Identifier: Apache-2.0
// Schedules written by hand, executed: whatever legal order the actions have, wherever the stages lie, the losses are
// those of one rank, and the timeline has the order that was written.
#include <QtTest>

#include "engine/base/file.h"
#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/text.h"
#include "tests/support/places.h"
#include "tests/support/random_order.h"
#include "tests/support/seed.h"
#include "tests/train/one_rank.h"
#include "tests/support/wings.h"

using namespace shardlab::test;

namespace {

constexpr int steps = 12;

Layout layoutOf(int data, int pipeline, int microbatches, std::int64_t seed) {
    Layout layout;
    layout.model = {ModelKind::Gpt, 6, 16, 2, 16, 256, 0.0};
    splitOver(layout, {data, pipeline});
    layout.batch = {8, 8 / data / microbatches};
    layout.run = {steps, seed, 6, 1};
    return layout;
}

}  // namespace

class CustomParityTest : public QObject {
    Q_OBJECT
private:
    std::int64_t seed_ = 0;
    OneRank oneRank_;

    void equalsOneRank(Layout layout, const Schedule& order) {
        layout = withOwnSchedule(std::move(layout), order);
        if (layout.model.layers % order.stages() != 0) {
            layout.schedule.stages.assign(static_cast<std::size_t>(order.stages()), 1);
            layout.schedule.stages.back() += layout.model.layers - order.stages();
        }
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        const QString wrong = difference(run, oneRank_.trained(layout));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong + "\n" + toCsv(order).c_str()));
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            const auto& written =
                order.ranks[static_cast<std::size_t>(plan.mesh.coordinate(static_cast<int>(rank), Axis::Pipeline))];
            std::vector<Action> executed;
            for (const Event& event : run.ranks[rank].events)
                if (event.step == 0 && event.lane == Lane::Compute && isCompute(actionFromId(event.action).kind) &&
                    event.kind != EventKind::Wait)
                    executed.push_back(actionFromId(event.action));
            QVERIFY(executed == written);
        }
    }

private Q_SLOTS:
    void initTestCase() {
        seed_ = freshSeed();
        QVERIFY(oneRank_.trained(layoutOf(1, 1, 1, seed_)).counter(EventKind::Loss).size() == steps);
    }

    void writtenOnes_data() {
        QTest::addColumn<QString>("csv");
        QTest::addColumn<int>("data");
        QTest::newRow("backwards as late as can be")
            << "0F0,0F1,0F2,0F3,0B3,0B2,0B1,0B0\n1F3,1F1,1F0,1F2,1B3,1B1,1B2,1B0\n"
            << 1;
        QTest::newRow("split and whole, two replicas")
            << "0F0,0F1,0I0,0F2,0W0,0B1,0F3,0B2,0I3,0W3\n1F0,1B0,1F1,1I1,1F2,1W1,1B2,1F3,1B3\n"
            << 2;
        QTest::newRow("one stage here, three there")
            << "0F0,0F1,0F2,0F3,0B0,0B1,0B2,0B3\n"
               "1F0,2F0,3F0,3B0,2B0,1B0,1F1,2F1,3F1,3B1,2B1,1B1,1F2,2F2,3F2,3B2,2B2,1B2,1F3,2F3,3F3,3B3,2B3,1B3\n"
            << 1;
        QTest::newRow("both ends on one rank")
            << "0F0,0F1,3F0,3I0,0F2,3F1,3W0,3B1,0B0,0F3,3F2,3B2,0B1,3F3,3B3,0B2,0B3\n"
               "1F0,2F0,1F1,2F1,2B0,1B0,2B1,1B1,1F2,2F2,2B2,1B2,1F3,2F3,2B3,1B3\n"
            << 1;
    }
    void writtenOnes() {
        QFETCH(QString, csv);
        QFETCH(int, data);
        const auto order = parseCsv(csv.toStdString());
        QVERIFY2(order.has_value(), order ? "" : order.error().text().c_str());
        equalsOneRank(layoutOf(data, 2, 4, seed_), *order);
    }

    void thatOfTorch() {
        const auto text = readFile(SHARDLAB_SOURCE_DIR "/tests/layout/golden/torch/csv/interleaved-1f1b-comms.csv");
        QVERIFY(text.has_value());
        equalsOneRank(layoutOf(1, 2, 4, seed_), importCsv(*text)->compute);
    }

    void randomOnes() {
        RandomStream random(seed_, "orders");
        for (int i = 0; i < 8; ++i) {
            const int ranks = 2 + static_cast<int>(random.below(2)), data = i % 2 + 1;
            const int stages = ranks * (1 + static_cast<int>(random.below(static_cast<std::uint64_t>(6 / ranks))));
            equalsOneRank(layoutOf(data, ranks, 4, seed_), randomOrder(random, ranks, stages, 4));
            if (QTest::currentTestFailed()) return;
        }
    }
};

QTEST_GUILESS_MAIN(CustomParityTest)
#include "custom_parity_test.moc"
