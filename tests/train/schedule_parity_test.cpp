// SPDX-License-Identifier: Apache-2.0
// Every registered schedule, executed: the losses are those of one rank, and what the arena held is what the ledger
// said.
#include <QtTest>
#include <cmath>

#include "engine/layout/schedule/registry.h"
#include "tests/support/seed.h"
#include "tests/train/one_rank.h"
#include "tests/support/wings.h"

using namespace shardlab::test;

namespace {

constexpr int steps = 20;

}  // namespace

class ScheduleParityTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const std::string& kind, int data, int pipeline, int chunks) {
        Layout layout;
        layout.model = {ModelKind::Gpt, 8, 16, 2, 16, 256, 0.0};
        splitOver(layout, {data, pipeline});
        layout.schedule.kind = kind;
        layout.schedule.chunks = chunks;
        layout.batch = {8, 1};
        layout.run = {steps, seed_, 10, 2};
        return layout;
    }

    std::int64_t seed_ = 0;
    OneRank oneRank_;

private Q_SLOTS:
    void initTestCase() {
        seed_ = freshSeed();
        const std::vector<double> losses = oneRank_.trained(layoutOf("naive", 1, 1, 1)).counter(EventKind::Loss);
        QVERIFY(losses.size() == steps && losses.back() < losses.front() - 0.3);
    }

    void everyScheduleEqualsOneRank_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("chunks");
        for (const ScheduleMethod& method : generatedMethods()) {
            if (!method.flushes) continue;  // their own re-enactment: asynchronous_test
            for (const auto& [data, pipeline, chunks] : std::vector<std::array<int, 3>>{{1, 1, 1},
                                                                                        {1, 2, 1},
                                                                                        {1, 4, 1},
                                                                                        {2, 2, 1},
                                                                                        {1, 1, 2},
                                                                                        {1, 2, 2},
                                                                                        {1, 4, 2},
                                                                                        {2, 2, 2},
                                                                                        {1, 2, 4}}) {
                if (chunks < method.minChunks || chunks > method.maxChunks) continue;
                const QString kind = QString::fromUtf8(method.name.data(), qsizetype(method.name.size()));
                QTest::addRow("%s data %d pipeline %d chunks %d", qPrintable(kind), data, pipeline, chunks)
                    << kind << data << pipeline << chunks;
            }
        }
    }
    void everyScheduleEqualsOneRank() {
        QFETCH(QString, kind);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, chunks);
        const Plan plan = planOf(layoutOf(kind.toStdString(), data, pipeline, chunks));
        const RunOutcome run = runInProcess(plan);
        oneRank_.requireEqual(plan.layout, run);

        // The embedding's two copies stay one weight, wherever they lie.
        std::map<std::string, const std::vector<float>*> byName;
        for (const RankOutcome& rank : run.ranks)
            for (const auto& [key, values] : rank.parameters) {
                const auto [entry, added] = byName.try_emplace(key.substr(key.find('/') + 1), &values);
                QVERIFY2(added || *entry->second == values, (entry->first + " has two values").c_str());
            }

        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            const double predicted = static_cast<double>(plan.memory[rank].peak);
            std::int64_t measured = 0;
            for (const Event& event : run.ranks[rank].events)
                if (event.kind == EventKind::MemoryPeak) measured = std::max(measured, event.bytes);
            // A message may leave a little sooner or later than the ledger has it.
            QVERIFY2(std::abs(static_cast<double>(measured) - predicted) < 0.02 * predicted,
                     qPrintable(QString("rank %1: peak %2, predicted %3").arg(rank).arg(measured).arg(predicted)));
        }
    }
};

QTEST_GUILESS_MAIN(ScheduleParityTest)
#include "schedule_parity_test.moc"
