// SPDX-License-Identifier: Apache-2.0
// Pause, step once, resume and stop reach real ranks and take effect at one step boundary for all of them.
#include "tests/train/dist/mpirun.h"
#include "tests/support/places.h"
#include "tests/support/watched_job.h"
#include "tests/support/wings.h"

#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;
using shardlab::test::Witness;

class CommandsMpiTest : public QObject {
    Q_OBJECT

private:
    /// Completed steps of each rank.
    static std::map<int, int> steps(const Witness& witness) {
        std::map<int, int> count;
        for (const Event& event : witness.events())
            if (event.kind == EventKind::Step) ++count[event.rank];
        return count;
    }
    static int stepsOfAll(const Witness& witness, int ranks) {
        const std::map<int, int> count = steps(witness);
        int least = static_cast<int>(count.size()) < ranks ? 0 : INT_MAX;
        for (const auto& [rank, done] : count) least = std::min(least, done);
        return least;
    }

private Q_SLOTS:
    void ranksObeyTogether() {
        if (!haveMpirun()) QSKIP("mpirun is not installed (package openmpi-bin)");
        QTemporaryDir folder;
        Witness witness;
        JobOptions options;
        options.layout.model = {ModelKind::Gpt, 4, 32, 2, 32, 256, 0.0};
        options.layout.run.steps = 1'000'000;
        options.layout.run.validateEvery = 0;
        options.runFile = folder.filePath("run.shardlab").toStdString();
        options.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
        auto job = Job::start(options, witness);
        QVERIFY2(job.has_value(), job ? "" : job.error().text().c_str());
        QTRY_VERIFY_WITH_TIMEOUT(stepsOfAll(witness, 4) >= 3, 60'000);

        (*job)->send(Command::Pause);
        QTRY_VERIFY_WITH_TIMEOUT((*job)->state() == RunState::Paused, 20'000);
        // What was recorded before the pause arrives, and then nothing more.
        std::map<int, int> paused;
        for (int second = 0; second < 60 && steps(witness) != paused; ++second) {
            paused = steps(witness);
            QTest::qWait(1000);
        }
        QCOMPARE(steps(witness), paused);
        QCOMPARE(paused.size(), std::size_t{4});
        for (const auto& [rank, count] : paused) QCOMPARE(count, paused.at(0));

        (*job)->send(Command::StepOnce);
        QTRY_VERIFY_WITH_TIMEOUT(stepsOfAll(witness, 4) == paused.at(0) + 1, 20'000);
        QTest::qWait(500);
        QCOMPARE(stepsOfAll(witness, 4), paused.at(0) + 1);

        (*job)->send(Command::Resume);
        QTRY_VERIFY_WITH_TIMEOUT(stepsOfAll(witness, 4) > paused.at(0) + 3, 20'000);
        (*job)->send(Command::Stop);
        QTRY_VERIFY_WITH_TIMEOUT((*job)->state() == RunState::Ended, 20'000);
        const std::map<int, int> stopped = steps(witness);
        for (const auto& [rank, count] : stopped) QCOMPARE(count, stopped.at(0));
        for (const auto& [rank, record] : witness.ranks()) QCOMPARE(record.end, std::string("stopped"));
        QCOMPARE(witness.ends().front().outcome, std::string("stopped"));
    }
};

QTEST_GUILESS_MAIN(CommandsMpiTest)
#include "commands_mpi_test.moc"
