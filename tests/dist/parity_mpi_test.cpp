// SPDX-License-Identifier: Apache-2.0
// The real road: mpirun, shardlab-rank, telemetry, run file. Losses equal those of one rank, whatever the layout.
#include "engine/launch/job.h"
#include "tests/dist/mpirun.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <map>
#include <random>

using namespace shardlab;

namespace {

struct Collected : JobObserver {
    std::map<int, double> losses, validationLosses;
    std::map<int, std::string> ends;
    RunEnd end;

    void eventsArrived(std::span<const Event> events) override {
        for (const Event& event : events) {
            if (event.kind == EventKind::Loss) losses[event.step] = event.value;
            if (event.kind == EventKind::ValidationLoss) validationLosses[event.step] = event.value;
        }
    }
    void rankChanged(const RankRecord& rank) override { ends[rank.rank] = rank.end; }
    void ended(const RunEnd& how) override { end = how; }
};

void requireNear(const std::map<int, double>& got, const std::map<int, double>& wanted, const char* what) {
    QCOMPARE(got.size(), wanted.size());
    for (const auto& [step, value] : wanted)
        QVERIFY2(std::abs(got.at(step) - value) <= 1e-5 * value,
                 qPrintable(QString("%1 of step %2: %3 instead of %4").arg(what).arg(step).arg(got.at(step)).arg(value)));
}

}  // namespace

class ParityMpiTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(int data, int pipeline, const QString& schedule, int tensor = 1) {
        Layout layout;
        layout.model = {"gpt", 4, 32, 2, 32, 256, 0.1};
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
    std::int64_t seed_ = std::random_device{}();
    int runs_ = 0;

private Q_SLOTS:
    void initTestCase() {
        if (!haveMpirun()) QSKIP("mpirun is not installed (package openmpi-bin)");
        qInfo("seed %lld", static_cast<long long>(seed_));
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

    void repeatedRunIsBitIdentical() {
        Collected one, two;
        train(layoutOf(2, 2, "1f1b"), one);
        train(layoutOf(2, 2, "1f1b"), two);
        QVERIFY(one.losses == two.losses && one.validationLosses == two.validationLosses);
    }

    /// An error of a rank is the run's reason, said once.
    void missingTextIsOneClearError() {
        Layout layout = layoutOf(1, 2, "1f1b");
        layout.data.kind = "text";
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
