// SPDX-License-Identifier: Apache-2.0
// Paced runs show the modelled cluster's timeline: the measured bubble is that of the simulator and of the formula,
// with more ranks than cores.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/clock.h"
#include "engine/trace/metrics/summary.h"
#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "tests/support/named.h"
#include "tests/support/sanitizer.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

using namespace shardlab::test;

namespace {

struct MeasuredStep {
    double bubble = 1;       ///< idle share of the compute lanes from first forward to last backward, mean over ranks
    double late = INFINITY;  ///< seconds by which the pace was not kept, sum over ranks: the machine was busy otherwise
};

/// The steps after the first two.
std::vector<MeasuredStep> measuredSteps(const Plan& plan, const RunOutcome& run, int steps) {
    std::map<std::pair<int, std::uint64_t>, std::int64_t> modelled;  // nanoseconds by rank and action
    for (const Event& event : plan.simulation.events)
        if (isCompute(event.kind)) modelled[{event.rank, event.action}] += event.end - event.begin;
    std::vector<MeasuredStep> measured;
    for (int step = 2; step < steps; ++step) {
        std::int64_t first = INT64_MAX, last = 0, busy = 0;
        double late = 0;
        for (const RankOutcome& rank : run.ranks)
            for (const Event& event : rank.events) {
                if (event.step != step) continue;
                if (event.kind == EventKind::PaceOverrun) late += event.value;
                if (!isCompute(event.kind)) continue;
                first = std::min(first, event.begin);
                last = std::max(last, event.end);
                busy += event.end - event.begin;
                // Woken late, it ends on time all the same, and so looks shorter.
                const std::int64_t missing = modelled.at({event.rank, event.action}) - (event.end - event.begin);
                late += toSeconds(std::max<std::int64_t>(missing, 0));
            }
        const double whole = static_cast<double>(last - first) * static_cast<double>(run.ranks.size());
        measured.push_back({1 - static_cast<double>(busy) / whole, late});
    }
    return measured;
}

}  // namespace

class PacedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bubbleIsThatOfTheory_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("microbatches");
        for (const char* schedule : {"gpipe", "1f1b"})
            for (const int ranks : {2, 4, 8})
                for (const int microbatches : {4, 8, 16})
                    QTest::newRow(qPrintable(QString("%1 p=%2 m=%3").arg(schedule).arg(ranks).arg(microbatches)))
                        << schedule << ranks << microbatches;
        const auto add = [](const char* schedule, int ranks, int microbatches) {
            QTest::newRow(qPrintable(QString("%1 p=%2 m=%3").arg(schedule).arg(ranks).arg(microbatches)))
                << schedule << ranks << microbatches;
        };
        for (const char* schedule : {"interleaved-1f1b", "looped-bfs", "zb-h1", "zb-v", "zb-greedy", "dualpipe-v"})
            for (const int ranks : {2, 4}) add(schedule, ranks, 8);
        add("custom", 2, 4);
    }
    void bubbleIsThatOfTheory() {
        SKIP_IF_SANITIZED();
        QFETCH(QString, schedule);
        QFETCH(int, ranks);
        QFETCH(int, microbatches);
        constexpr int steps = 5;
        Layout layout;
        layout.model = {ModelKind::Gpt, 8 * ranks, 64, 2, 16, 256, 0.0};
        layout.cluster.hosts = {{"localhost", ranks}};
        layout.parallel.data = 1;
        layout.parallel.pipeline = ranks;
        layout.schedule.kind = schedule.toStdString();
        layout.schedule.chunks = findScheduleMethod(layout.schedule.kind)->minChunks;
        if (schedule == "custom")
            layout = withOwnSchedule(std::move(layout), *parseCsv("0F0,0F1,0F2,0F3,0B3,0B2,0B1,0B0\n"
                                                                  "1F2,1F3,1I3,1F1,1W3,1B2,1F0,1B1,1B0\n"));
        layout.batch = {microbatches, 1};
        layout.run = {steps, 1, 0, 1};
        layout.data.validation = 0;
        // A step that was late shows another cluster, so the one that kept the pace best counts; and a machine that is
        // busy otherwise gets a slower pace, beside which its lateness is little. A wrong clock is wrong at any pace.
        MeasuredStep best;
        double simulated = 0, theory = 0, seconds = ranks == 8 || layout.schedule.chunks > 1 ? 0.25 : 0.1;
        for (;; seconds *= 2) {
            layout.cluster.pace = PaceSpec{"h100-sxm", seconds};
            const Plan plan = planOf(layout);
            simulated = plan.bubble;
            theory = plan.bubbleTheory;
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            std::vector<MeasuredStep> measured = measuredSteps(plan, run, steps);
            best = *std::ranges::min_element(measured, {}, &MeasuredStep::late);
            Summarizer summarizer(ranks);
            for (const RankOutcome& rank : run.ranks) summarizer.add(rank.events);
            std::ranges::sort(measured, {}, &MeasuredStep::bubble);
            QVERIFY2(std::abs(summarizer.medianBubble() - measured[measured.size() / 2].bubble) < 1e-6,
                     "the summary's bubble is another one");
            const double error = std::max(std::abs(best.bubble - simulated), std::abs(best.bubble - theory));
            if (error < 0.03 || best.late == 0 || seconds > 4) break;
        }
        qInfo("measured %.3f simulated %.3f theory %.3f, %.1f ms late in steps of %.1f s", best.bubble, simulated,
              theory, best.late * 1e3, seconds);
        QVERIFY2(std::abs(best.bubble - simulated) < 0.03, "measured against simulated");
        QVERIFY2(std::abs(best.bubble - theory) < 0.03, "measured against theory");
    }

    /// Reductions and gathers beside compute: the step lasts as long as simulated, and compute waits for them as long.
    void dataAxisIsThatOfTheSimulation_data() {
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QString>("allReduce");
        QTest::addColumn<QString>("recompute");
        QTest::addColumn<int>("copies");
        for (const int pipeline : {1, 2}) {
            QTest::addRow("buckets, pipeline %d", pipeline) << 0 << pipeline << 1 << "backend"
                                                            << "none" << 1;
            QTest::addRow("ring, pipeline %d", pipeline) << 0 << pipeline << 1 << "ring"
                                                         << "none" << 1;
            for (const int zero : {1, 2, 3})
                QTest::addRow("ZeRO %d, pipeline %d", zero, pipeline) << zero << pipeline << 1 << "backend"
                                                                      << "none" << 1;
        }
        QTest::newRow("buckets, tensor 2") << 0 << 1 << 2 << "backend"
                                           << "none" << 1;
        QTest::newRow("ZeRO 3, tensor 2") << 3 << 1 << 2 << "backend"
                                          << "none" << 1;
        for (const char* recompute : {"full", "sqrt", "selective"})
            for (const int zero : {0, 3})
                QTest::addRow("ZeRO %d, recompute %s", zero, recompute)
                    << zero << 1 << 1 << "backend" << recompute << 1;
        for (const int zero : {1, 2, 3})
            QTest::addRow("ZeRO %d in two copies", zero) << zero << 1 << 1 << "backend"
                                                         << "none" << 2;
    }
    void dataAxisIsThatOfTheSimulation() {
        SKIP_IF_SANITIZED();
        QFETCH(int, zero);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(QString, allReduce);
        QFETCH(QString, recompute);
        QFETCH(int, copies);
        constexpr int steps = 4;
        Layout layout;
        layout.model = {ModelKind::Gpt, 4, 96, 2, 4, 256, 0.0};  // few tokens: little to hide behind
        layout.parallel.data = 2 * copies;
        layout.parallel.shard = copies > 1 ? 2 : 0;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.parallel.zero = zero;
        layout.parallel.bucket = 1.0;
        layout.parallel.allReduce = named(allReduce);
        layout.memory.recompute = named(recompute);
        layout.cluster.hosts = {{"localhost", 2 * copies * pipeline * tensor}};
        layout.batch = {4 * copies, 1};
        layout.run = {steps, 1, 0, 1};
        layout.data.validation = 0;
        const auto waits = [](const Event& event) {
            return event.kind == EventKind::Wait && isBesideCompute(actionFromId(event.action).kind)
                       ? static_cast<double>(event.end - event.begin) * 1e-9
                       : 0.0;
        };
        const auto again = [](const Event& event) {
            return event.kind == EventKind::Recompute ? static_cast<double>(event.end - event.begin) * 1e-9 : 0.0;
        };
        // As above: the step that comes closest, at a slower pace where none comes close.
        double seconds = 0.25, error = HUGE_VAL;
        for (;; seconds *= 2) {
            layout.cluster.pace = PaceSpec{"cpu", seconds};
            const Plan plan = planOf(layout);
            std::vector<double> simulated(static_cast<std::size_t>(plan.mesh.ranks())),
                simulatedAgain(simulated.size());
            for (const Event& event : plan.simulation.events) {
                simulated[static_cast<std::size_t>(event.rank)] += waits(event);
                simulatedAgain[static_cast<std::size_t>(event.rank)] += again(event);
            }
            QCOMPARE(std::ranges::max(simulatedAgain) > 0, recompute != "none");
            QVERIFY2(std::ranges::max(simulated) > 0.04 * plan.simulation.stepSeconds, "little to compare");
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            for (int step = 1; step < steps; ++step) {
                std::vector<double> exposed(simulated.size()), computedAgain(simulated.size());
                std::int64_t begin = INT64_MAX, end = 0;
                for (const RankOutcome& rank : run.ranks)
                    for (const Event& event : rank.events) {
                        if (event.step != step) continue;
                        exposed[static_cast<std::size_t>(event.rank)] += waits(event);
                        computedAgain[static_cast<std::size_t>(event.rank)] += again(event);
                        if (event.kind != EventKind::Step) continue;
                        begin = std::min(begin, event.begin);
                        end = std::max(end, event.end);
                    }
                double off = std::abs(static_cast<double>(end - begin) * 1e-9 / plan.simulation.stepSeconds - 1);
                for (std::size_t rank = 0; rank < exposed.size(); ++rank) {
                    off = std::max(off, std::abs(exposed[rank] - simulated[rank]) / plan.simulation.stepSeconds);
                    off = std::max(off,
                                   std::abs(computedAgain[rank] - simulatedAgain[rank]) / plan.simulation.stepSeconds);
                }
                error = std::min(error, off);
            }
            qInfo("simulated %.1f %% exposed; steps of %.1f s: %.2f %% of a step off",
                  100 * std::ranges::max(simulated) / plan.simulation.stepSeconds, seconds, 100 * error);
            if (error < 0.03 || seconds > 4) break;
        }
        QVERIFY2(error < 0.03, "the step, exposed communication, or what is computed again");
    }
};

QTEST_GUILESS_MAIN(PacedTest)
#include "paced_test.moc"
