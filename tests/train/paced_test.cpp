// SPDX-License-Identifier: Apache-2.0
// Paced runs show the modelled cluster's timeline: the measured bubble is that of the simulator and of the formula, with
// more ranks than cores.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <fstream>

#include "engine/schedule/custom.h"
#include "engine/schedule/registry.h"
#include "engine/schedule/text.h"
#include "engine/trace/summary.h"
#include "tests/train/run_in_process.h"

using namespace shardlab;

namespace {

/// Idle share of the compute lanes from the step's first forward to its last backward, mean over ranks; median of the
/// steps after the first two.
double measuredBubble(const RunOutcome& run, int steps) {
    std::vector<double> bubbles;
    for (int step = 2; step < steps; ++step) {
        std::int64_t first = INT64_MAX, last = 0, busy = 0;
        for (const RankOutcome& rank : run.ranks)
            for (const Event& event : rank.events) {
                if (event.step != step || !isCompute(event.kind)) continue;
                first = std::min(first, event.begin);
                last = std::max(last, event.end);
                busy += event.end - event.begin;
            }
        const double whole = static_cast<double>(last - first) * static_cast<double>(run.ranks.size());
        bubbles.push_back(1 - static_cast<double>(busy) / whole);
    }
    std::ranges::sort(bubbles);
    return bubbles[bubbles.size() / 2];
}

}  // namespace

class PacedTest : public QObject {
    Q_OBJECT

private slots:
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
        QFETCH(QString, schedule);
        QFETCH(int, ranks);
        QFETCH(int, microbatches);
        constexpr int steps = 5;
        Layout layout;
        layout.model = {"gpt", 8 * ranks, 64, 2, 16, 256, 0.0};
        layout.cluster.hosts = {{"localhost", ranks}};
        layout.cluster.pace = PaceSpec{"h100-sxm", ranks == 8 ? 1.0 : 0.5};
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
        const Plan plan = planOf(layout);
        RunOutcome run;
        double measured = 0;
        // Overruns say that the machine was busy with something else: that run shows another cluster. A wrong pacer
        // is wrong without them too.
        for (int attempt = 0; attempt < 3; ++attempt) {
            run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            measured = measuredBubble(run, steps);
            const double error = std::max(std::abs(measured - plan.bubble), std::abs(measured - plan.bubbleTheory));
            if (error < 0.03 || run.count(EventKind::PaceOverrun) == 0) break;
        }
        Summarizer summarizer(ranks);
        for (const RankOutcome& rank : run.ranks) summarizer.add(rank.events);
        QVERIFY2(std::abs(summarizer.medianBubble() - measured) < 1e-6, "the summary's bubble is another one");
        qInfo("measured %.3f simulated %.3f theory %.3f, %d overruns", measured, plan.bubble, plan.bubbleTheory,
              run.count(EventKind::PaceOverrun));
        QVERIFY2(std::abs(measured - plan.bubble) < 0.03, "measured against simulated");
        QVERIFY2(std::abs(measured - plan.bubbleTheory) < 0.03, "measured against theory");
    }
};

QTEST_GUILESS_MAIN(PacedTest)
#include "paced_test.moc"
