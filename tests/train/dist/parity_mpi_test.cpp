// SPDX-License-Identifier: Apache-2.0
// The real road: mpirun, shardlab-rank, telemetry, run file. Losses equal those of one rank, whatever the layout.
#include "engine/launch/job/job.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/train/dist/mpirun.h"
#include "tests/support/named.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"
#include "tests/train/steady_updates.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <csignal>
#include <map>
#include <utility>

using namespace shardlab::test;

namespace {

struct Collected : RunObserver {
    std::map<int, double> losses, validationLosses;
    std::vector<Event> late, distances;  ///< of an asynchronous server's updates, and of exchanges with a centre
    std::vector<Event> overwritten;      ///< of updates without a lock
    std::map<int, std::string> ends;
    RunEnd end;

    void eventsArrived(std::span<const Event> events) override {
        for (const Event& event : events) {
            if (event.kind == EventKind::Loss) losses[event.step] = event.value;
            if (event.kind == EventKind::ValidationLoss) validationLosses[event.step] = event.value;
            if (event.kind == EventKind::Staleness) late.push_back(event);
            if (event.kind == EventKind::ElasticDistance) distances.push_back(event);
            if (event.kind == EventKind::OverwrittenUpdates) overwritten.push_back(event);
        }
    }
    void rankChanged(const RankRecord& rank) override { ends[rank.rank] = rank.end; }
    void ended(const RunEnd& how) override { end = how; }
};

void requireNear(const std::map<int, double>& got, const std::map<int, double>& wanted, const char* what) {
    QCOMPARE(got.size(), wanted.size());
    for (const auto& [step, value] : wanted)
        QVERIFY2(
            std::abs(got.at(step) - value) <= 1e-5 * value,
            qPrintable(QString("%1 of step %2: %3 instead of %4").arg(what).arg(step).arg(got.at(step)).arg(value)));
}

}  // namespace

class ParityMpiTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(int data, int pipeline, const QString& schedule, int tensor = 1) {
        Layout layout;
        layout.model = {ModelKind::Gpt, 4, 32, 2, 32, 256, 0.1};
        layout.cluster.hosts = {{"localhost", data * pipeline * tensor}};
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.parallel.sequence = tensor > 1;
        layout.schedule.kind = schedule.toStdString();
        layout.batch = {16, 2};
        layout.run = {20, seed_, 10, 1};
        return layout;
    }

    void train(const Layout& layout, Collected& collected) {
        JobOptions options;
        options.layout = layout;
        options.runFile = folder_.filePath(QString::number(++runs_) + ".shardlab").toStdString();
        options.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
        auto job = Job::start(options, collected);
        QVERIFY2(job.has_value(), job ? "" : job.error().text().c_str());
        (*job)->wait();
        QVERIFY2(collected.end.outcome == "finished", collected.end.reason.c_str());
        for (const auto& [rank, end] : collected.ends) QCOMPARE(end, std::string("finished"));
    }

    QTemporaryDir folder_;
    Collected reference_;
    std::int64_t seed_ = freshSeed();
    int runs_ = 0;

private Q_SLOTS:
    void initTestCase() {
        if (!haveMpirun()) QSKIP("mpirun is not installed (package openmpi-bin)");
        train(layoutOf(1, 1, "naive"), reference_);
        QCOMPARE(reference_.losses.size(), std::size_t{20});
        QCOMPARE(reference_.validationLosses.size(), std::size_t{2});
    }

    void equalsOneRank_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("zero");
        QTest::newRow("data 2") << 2 << 1 << 1 << "naive" << 0;
        QTest::newRow("pipeline 2, GPipe") << 1 << 2 << 1 << "gpipe" << 0;
        QTest::newRow("data 2 × pipeline 2, 1F1B") << 2 << 2 << 1 << "1f1b" << 0;
        QTest::newRow("data 2 × pipeline 4, 1F1B") << 2 << 4 << 1 << "1f1b" << 0;
        QTest::newRow("tensor 2") << 1 << 1 << 2 << "naive" << 0;
        QTest::newRow("data 2 × pipeline 2 × tensor 2, 1F1B") << 2 << 2 << 2 << "1f1b" << 0;
        QTest::newRow("ZeRO 1, data 4") << 4 << 1 << 1 << "naive" << 1;
        QTest::newRow("ZeRO 2, data 2 × pipeline 2, 1F1B") << 2 << 2 << 1 << "1f1b" << 2;
        QTest::newRow("ZeRO 3, data 2 × pipeline 2, ZB-H1") << 2 << 2 << 1 << "zb-h1" << 3;
        QTest::newRow("ZeRO 3, data 2 × tensor 2") << 2 << 1 << 2 << "naive" << 3;
        QTest::newRow("ZeRO 3, data 4") << 4 << 1 << 1 << "naive" << 3;
    }
    void equalsOneRank() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(QString, schedule);
        QFETCH(int, zero);
        Layout layout = layoutOf(data, pipeline, schedule, tensor);
        layout.parallel.zero = zero;
        Collected run;
        train(layout, run);
        requireNear(run.losses, reference_.losses, "loss");
        requireNear(run.validationLosses, reference_.validationLosses, "validation loss");
    }

    void aServerEqualsOneRank() {
        for (const auto& [data, pipeline] : {std::pair(4, 1), std::pair(2, 2)}) {
            Layout layout = layoutOf(data, pipeline, "1f1b");
            layout.parallel.exchange = Exchange::Server;
            Collected run;
            train(layout, run);
            requireNear(run.losses, reference_.losses, "loss");
            requireNear(run.validationLosses, reference_.validationLosses, "validation loss");
        }
    }

    /// Processes exchange codes as threads do, which coded_exchange_test holds against a re-enactment.
    void codesTravelBetweenProcesses() {
        for (const auto& [data, pipeline, zero, format] :
             {std::tuple(4, 1, 0, ExchangeFormat::Bits1), std::tuple(2, 2, 1, ExchangeFormat::Bits8)}) {
            Layout layout = layoutOf(data, pipeline, "1f1b");
            layout.parallel.zero = zero;
            layout.parallel.bucket = 0.03;
            layout.precision.exchange = format;
            Collected run;
            train(layout, run);
            const RunOutcome threads = runInProcess(planOf(layout));
            QVERIFY2(threads.error.empty(), threads.error.c_str());
            std::vector<double> losses;
            for (const auto& [step, loss] : run.losses) losses.push_back(loss);
            QCOMPARE(losses, threads.counter(EventKind::Loss));
        }
    }

    /// What is learned depends on who comes first (the order is proved in async_server_test); that all of it arrives
    /// does not.
    void anAsynchronousServerTakesEveryGradient() {
        Layout layout = layoutOf(3, 1, "1f1b");
        layout.parallel.exchange = Exchange::AsyncServer;
        Collected run;
        train(layout, run);
        QCOMPARE(run.losses.size(), std::size_t{20});
        QCOMPARE(run.validationLosses.size(), std::size_t{2});
        QVERIFY(run.losses.at(19) < run.losses.at(0) - 0.3);
        QCOMPARE(run.late.size(), std::size_t{40});
        std::map<int, int> read;
        for (int update = 0; update < 40; ++update) {
            const Event& event = run.late[std::size_t(update)];
            QCOMPARE(int(event.value), update - read[int(event.bytes)]);
            read[int(event.bytes)] = update + 1;
        }
        QCOMPARE(read.size(), std::size_t{2});
    }

    /// Processes write each other's memory; at a checkpoint and at the end all are at one step.
    void workersWithoutALockShareTheirWeights() {
        Layout layout = layoutOf(1, 1, "1f1b");
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.1;
        layout.optimizer.weightDecay = 0;
        layout.optimizer.warmup = 3;
        Collected plain, alone, several;
        train(layout, plain);
        layout.parallel.exchange = Exchange::Hogwild;
        train(layout, alone);
        QCOMPARE(alone.losses.size(), std::size_t{20});
        QVERIFY2(alone.losses == plain.losses && alone.validationLosses == plain.validationLosses,
                 "one worker is plain gradient descent, to the bit");
        for (const Event& event : alone.overwritten) QCOMPARE(event.value, 0.0);
        layout.parallel.data = 4;
        layout.cluster.hosts = {{"localhost", 4}};
        layout.checkpoint.every = 8;
        train(layout, several);
        QCOMPARE(several.losses.size(), std::size_t{20});
        QCOMPARE(several.validationLosses.size(), std::size_t{2});
        QVERIFY2(several.validationLosses.at(19) < 0.9 * std::log(256.0),
                 qPrintable(QString::number(several.validationLosses.at(19))));
        QCOMPARE(several.overwritten.size(), std::size_t{80});
        QCOMPARE(several.late.size(), std::size_t{80});
        for (const Event& event : several.overwritten)
            QVERIFY(event.value >= 0 && event.value <= double(event.bytes) && event.bytes > 0);
    }

    /// When one dies the others are at other steps; all begin again at the step of the checkpoint, and each of its
    /// steps counts.
    void workersWithoutALockGoOnFromOneStep() {
        Layout layout = layoutOf(3, 1, "1f1b");
        layout.batch.global = 12;
        layout.parallel.exchange = Exchange::Hogwild;
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.1;
        layout.optimizer.weightDecay = 0;
        layout.cluster.pace = PaceSpec{"h100-sxm", 0.1};
        layout.checkpoint.every = 4;
        layout.run.steps = 100;  // so many that who kills may come late
        layout.run.maxRestarts = 1;
        struct : Collected {
            int owner = 0;  ///< process of the rank whose memory holds the weights
            void rankChanged(const RankRecord& rank) override {
                if (rank.rank == 0 && rank.end.empty()) owner = rank.pid;
                Collected::rankChanged(rank);
            }
            void eventsArrived(std::span<const Event> events) override {
                Collected::eventsArrived(events);
                for (const Event& event : events)
                    if (event.step == 5 && !std::exchange(killed, true))
                        ::kill(owner, SIGKILL);  // step 4 is safe on disk
            }
            bool killed = false;
        } run;
        train(layout, run);
        QVERIFY(run.killed);
        const auto file = RunReader::open(folder_.filePath(QString::number(runs_) + ".shardlab").toStdString());
        QVERIFY(file && (*file)->restarts().size() == 1);
        const int from = (*file)->restarts().front().step;
        QVERIFY2(from >= 4 && from % 4 == 0, qPrintable(QString::number(from)));
        QCOMPARE(run.losses.size(), std::size_t{100});
        std::map<std::pair<int, int>, int> updates;  // by rank and step
        for (const Event& event : run.overwritten) ++updates[{event.rank, event.step}];
        for (int rank = 0; rank < 3; ++rank)
            for (int step = 0; step < 100; ++step) {
                const int found = updates[{rank, step}];
                QVERIFY2(found == 1 || (found == 2 && step >= from),
                         qPrintable(QString("rank %1, step %2: %3").arg(rank).arg(step).arg(found)));
            }
    }

    void replicasAndCentreMeetInTurns() {
        Layout layout = layoutOf(2, 2, "1f1b");
        layout.parallel.exchange = Exchange::Elastic;
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.1;
        Collected one, two;
        train(layout, one);
        train(layout, two);
        QCOMPARE(one.distances.size(), std::size_t{20});
        for (const Event& event : one.distances)
            QCOMPARE(int(event.rank), event.step % 2 == 0 ? 0 : int(Mesh(layout).rank({0, 1})));
        QVERIFY(one.losses.at(19) < one.losses.at(0) - 0.3);
        QVERIFY2(one.losses == two.losses && one.validationLosses == two.validationLosses,
                 "the turns are fixed, and so is what is learned");
    }

    void otherOptimizersEqualOneRank_data() {
        QTest::addColumn<QString>("optimizer");
        QTest::newRow("adafactor") << "adafactor";
        QTest::newRow("sm3") << "sm3";
    }
    void otherOptimizersEqualOneRank() {
        QFETCH(QString, optimizer);
        const auto trained = [&](Layout layout, Collected& run) {
            layout.optimizer.kind = named(optimizer);
            steadyUpdates(layout.optimizer);
            train(layout, run);
        };
        Collected wanted, run;
        trained(layoutOf(1, 1, "naive"), wanted);
        trained(layoutOf(2, 2, "1f1b", 2), run);
        QCOMPARE(wanted.losses.size(), std::size_t{20});
        requireNear(run.losses, wanted.losses, "loss");
        requireNear(run.validationLosses, wanted.validationLosses, "validation loss");
    }

    void inputsInPartsEqualOneRank() {
        Collected wanted, run;
        train(layoutOf(1, 1, "naive"), wanted);
        Layout layout = layoutOf(1, 2, "1f1b", 2);
        layout.memory.recompute = RecomputeKind::Full;
        layout.memory.partitionActivations = true;
        train(layout, run);
        QCOMPARE(wanted.losses.size(), std::size_t{20});
        requireNear(run.losses, wanted.losses, "loss");
        requireNear(run.validationLosses, wanted.validationLosses, "validation loss");
    }

    void repeatedRunIsBitIdentical() {
        Collected one, two;
        train(layoutOf(2, 2, "1f1b"), one);
        train(layoutOf(2, 2, "1f1b"), two);
        QVERIFY(one.losses == two.losses && one.validationLosses == two.validationLosses);
    }

    /// An error of a rank is the run's reason, said once.
    void missingTextIsOneClearError() {
        Layout layout = layoutOf(1, 2, "1f1b");
        layout.data.kind = DataKind::Text;
        layout.data.path = folder_.filePath("missing.txt").toStdString();
        Collected run;
        JobOptions options;
        options.layout = layout;
        options.runFile = folder_.filePath("missing.shardlab").toStdString();
        options.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
        auto job = Job::start(options, run);
        if (!job) {  // refused before any rank started: as clear
            QVERIFY(job.error().text().find("missing.txt") != std::string::npos);
            return;
        }
        (*job)->wait();
        QCOMPARE(run.end.outcome, std::string("failed"));
        QVERIFY2(run.end.reason.find("missing.txt") != std::string::npos, run.end.reason.c_str());
    }
};

QTEST_GUILESS_MAIN(ParityMpiTest)
#include "parity_mpi_test.moc"
