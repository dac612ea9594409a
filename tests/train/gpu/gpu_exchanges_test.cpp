// SPDX-License-Identifier: Apache-2.0
// Training on several GPUs whose exchanges come late, in other orders, or not at all for a while.
#include "tests/train/gpu/emulated_counts.h"
#include "tests/train/gpu/gpu_runs.h"

#include <QtTest>

#include <array>
#include <atomic>
#include <thread>

using namespace shardlab::test;

class GpuExchangesTest : public QObject, GpuRuns {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const std::string lack = open();
        if (!lack.empty()) QSKIP(lack.c_str());
        if (!emulated()) QSKIP("only emulated exchanges can be made to come late or to hang");
        if (gpus() < 4) QSKIP("ranks that share a GPU exchange by way of the host");
        qputenv("SHARDLAB_EMULATED_NCCL", usually);  // there, so that threads may read it while its value changes
    }

    void groupsInAnyOrder_data() { someGroups(); }
    /// Groups that share a GPU overtake each other, and messages come late: the sums are the same to the bit.
    void groupsInAnyOrder() {
        const Plan plan = fetchedPlan();
        const RunOutcome usual = runOnGpus(plan);
        qputenv("SHARDLAB_EMULATED_NCCL", "late");
        const RunOutcome late = runOnGpus(plan);
        qputenv("SHARDLAB_EMULATED_NCCL", usually);
        QVERIFY2(usual.error.empty() && late.error.empty(), (usual.error + late.error).c_str());
        QVERIFY(late.counter(EventKind::Loss) == usual.counter(EventKind::Loss));
    }

    void hungExchangeHarmsNothing_data() { someGroups(); }
    /// In the middle of a step no exchange begins any more, while the processors go on asking until they need a result:
    /// what they have asked for is done afterwards, with the numbers that were there.
    void hungExchangeHarmsNothing() {
        const Plan plan = fetchedPlan();
        const RunOutcome usual = runOnGpus(plan);
        const std::uint64_t before = hung();
        std::atomic<bool> over = false, reached = false;
        std::jthread release([&] {
            // All that can hang does when no more comes for a while.
            for (std::uint64_t seen = before, now = before; !over && (now == before || now != seen);) {
                seen = now;
                std::this_thread::sleep_for(std::chrono::milliseconds(150));
                now = hung();
            }
            reached = hung() > before;
            qputenv("SHARDLAB_EMULATED_NCCL", usually);
        });
        const RunOutcome held = runOnGpus(plan, [](int rank, TrainerServices& services) {
            if (rank == 0)
                services.loses = [](int step, const Action& send) {
                    if (step == 1 && send.microbatch == 1) qputenv("SHARDLAB_EMULATED_NCCL", "hang");
                    return false;
                };
        });
        over = true;
        release.join();
        QVERIFY2(usual.error.empty() && held.error.empty(), (usual.error + held.error).c_str());
        QVERIFY(reached);
        QVERIFY(held.counter(EventKind::Loss) == usual.counter(EventKind::Loss));
    }

private:
    static constexpr const char* usually = "usually";

    static void someGroups() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("zero");
        for (const auto& [data, tensor, zero] : {std::array{2, 1, 0}, {2, 1, 2}, {2, 1, 3}, {1, 2, 0}})
            QTest::addRow("data %d tensor %d zero %d", data, tensor, zero) << data << tensor << zero;
    }
    Plan fetchedPlan() const {
        QFETCH(int, data);
        QFETCH(int, tensor);
        QFETCH(int, zero);
        return planOf(layoutOf(data, 2, tensor, zero, "fp32"));
    }
    /// How many exchanges were made to hang so far.
    static std::uint64_t hung() {
        const auto counts = emulatedCounts();
        const auto found = counts.find("exchange that hangs");
        return found == counts.end() ? 0 : found->second;
    }
};

QTEST_GUILESS_MAIN(GpuExchangesTest)
#include "gpu_exchanges_test.moc"
