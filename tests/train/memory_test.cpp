// SPDX-License-Identifier: Apache-2.0
// The memory ledger against what the arena handed out: predicted peaks are measured peaks. Paced, because at full speed
// a rank that is late takes its messages late, and its neighbour holds them for so long.
#include "tests/support/named.h"
#include "tests/support/sanitizer.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <algorithm>
#include <map>

using namespace shardlab;
using namespace shardlab::test;

class MemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void predictedPeakIsMeasured_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        for (const char* model : {"gpt", "mlp", "gpt-moe", "llama", "cnn"})
            for (const char* schedule : {"naive", "gpipe", "1f1b"})
                for (const auto& [data, pipeline] :
                     {std::pair{1, 1}, std::pair{2, 1}, std::pair{1, 4}, std::pair{2, 2}})
                    QTest::addRow("%s %s data %d pipeline %d", model, schedule, data, pipeline)
                        << model << schedule << data << pipeline;
        for (const auto& [data, pipeline] : {std::pair{2, 1}, std::pair{1, 4}})
            QTest::addRow("llama-moe 1f1b data %d pipeline %d", data, pipeline) << "llama-moe"
                                                                                << "1f1b" << data << pipeline;
    }
    void predictedPeakIsMeasured() {
        QFETCH(QString, model);
        QFETCH(QString, schedule);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        Layout layout;
        // Experts are in every second block: stages are alike with two. To a slower neighbour more messages would be on
        // their way than the ledger counts.
        layout.model = {named(model), model == "gpt-moe" ? 8 : 4, 32, 2, 32, 256, 0.0};
        if (model == "llama-moe") {  // with as many rows as tokens ask for, in blocks that are all alike
            layout.model.experts.gate = GateMethod::TopKSoftmax;
            layout.model.experts.capacity = 0;
            layout.model.experts.shared = 1;
        }
        if (model == "cnn") layout.model.hidden = 4;  // of whose stages the lower ones compute for longer
        layout.cluster.hosts = {{"localhost", data * pipeline}};
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.schedule.kind = schedule.toStdString();
        layout.batch = {16, 2};
        layout.run = {4, 1, 0, 1};  // the peak is that of any step: one in which a rank was not late shows it
        // A machine that is busy otherwise gets a slower pace, beside which its lateness is little.
        QString wrong = "not run";
        for (double seconds = test::sanitized ? 1 : 0.1; seconds < 8 && !wrong.isEmpty(); seconds *= 3) {
            layout.cluster.pace = PaceSpec{"h100-sxm", seconds};
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            wrong = difference(layout, plan, run);
            if (!wrong.isEmpty()) qInfo("steps of %.1f s: %s", seconds, qPrintable(wrong));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

private:
    /// What is not as predicted; empty where all is.
    static QString difference(const Layout& layout, const Plan& plan, const RunOutcome& run) {
        // A rank that gets its core late looks late at a message, which is held for an action longer, or sends it late,
        // and another never holds it beside the next.
        const auto message =
            static_cast<double>(sizeof(float)) *
            static_cast<double>(boundaryFloats(layout.model, 1, layout.batch.micro, tensorShare(layout)));
        for (const RankMemory& predicted : plan.memory) {
            const auto rank = static_cast<std::size_t>(predicted.rank);
            std::map<EventKind, std::int64_t> largest;
            std::map<EventKind, std::map<int, std::int64_t>> ofStep;
            for (const Event& event : run.ranks[rank].events) {
                largest[event.kind] = std::max(largest[event.kind], event.bytes);
                std::int64_t& most = ofStep[event.kind][event.step];
                most = std::max(most, event.bytes);
            }
            // The step with the least counts: in each step a rank may have been later than in the one before.
            const auto least = [&](EventKind kind) {
                return std::ranges::min_element(ofStep[kind], {}, [](const auto& step) { return step.second; })->second;
            };
            const std::int64_t peak = largest[EventKind::MemoryPeak];
            const QString both = QString("rank %1: measured %2, predicted %3").arg(rank).arg(peak).arg(predicted.peak);
            const double much = std::max(0.02 * double(predicted.peak), message);
            if (double(predicted.peak - peak) > much || double(least(EventKind::MemoryPeak) - predicted.peak) > much)
                return both;
            for (int i = 0; i < memoryCategoryCount; ++i) {
                const auto category = static_cast<MemoryCategory>(i);
                const std::int64_t foreseen = predicted.bytes[static_cast<std::size_t>(i)];
                const std::int64_t measured = largest[peakKind(category)];
                const QString said = QString("rank %1, %2: measured %3, predicted %4")
                                         .arg(rank)
                                         .arg(QString::fromStdString(std::string(name(category))))
                                         .arg(measured)
                                         .arg(foreseen);
                if (measured < largest[memoryKind(category)]) return said;
                // Experts need most in passing where a backward begins, beside the gradient that the one before may
                // have sent already.
                const bool moves = category == MemoryCategory::Activations || category == MemoryCategory::Buffers ||
                                   (category == MemoryCategory::Temporary && hasExperts(layout.model));
                const double many = std::max(0.02 * double(foreseen), moves ? message : 0);
                if (double(foreseen - measured) > many || double(least(peakKind(category)) - foreseen) > many)
                    return said;
            }
        }
        return {};
    }
};

QTEST_GUILESS_MAIN(MemoryTest)
#include "memory_test.moc"
