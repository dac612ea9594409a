// SPDX-License-Identifier: Apache-2.0
// A run whose ranks die, hang, or lose their mpirun goes on from its last checkpoint, and its losses are those of a run
// to which nothing happened, to the bit; where it cannot go on, it says why. Real ranks.
#include "engine/layout/layout_file.h"
#include "engine/run/run_file.h"
#include "tests/support/command.h"
#include "tests/support/processes.h"
#include "tests/support/watched_job.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr int steps = 60;

/// Paced, so that there is time to disturb it; dropout and validation, so that all random streams must go on.
QByteArray layoutOf(int checkpointEvery, int maxRestarts) {
    return R"({"name": "restarts", "model": {"kind": "gpt", "layers": 2, "hidden": 32, "heads": 2, "sequence": 16, "dropout": 0.1},
 "cluster": {"hosts": [{"name": "localhost", "devices": 2}], "pace": {"device": "h100-sxm", "step_seconds": 0.05}},
 "parallel": {"data": 1, "pipeline": 2}, "batch": {"global": 8, "micro": 2},
 "precision": {"compute": "fp16", "loss_scale": "dynamic"},
 "checkpoint": {"every": )" + QByteArray::number(checkpointEvery) +
           R"(}, "run": {"steps": )" + QByteArray::number(steps) +
           R"(, "seed": 11, "validate_every": 7, "deadline": 2, "max_restarts": )" + QByteArray::number(maxRestarts) + "}}";
}

struct Tree {
    int mpirun = 0;
    std::vector<int> ranks;
};

Tree treeOf(const QProcess& launcher) {
    Tree tree;
    const std::vector<int> children = childrenOf(static_cast<int>(launcher.processId()));
    if (!children.empty()) tree.mpirun = children.front();
    if (tree.mpirun > 0) tree.ranks = childrenOf(tree.mpirun);
    return tree;
}

}  // namespace

class RestartTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;
    QByteArray said_;

    QString path(const QString& name) const { return folder_.filePath(name); }

    void start(QProcess& process, const QByteArray& layout, const QString& file) {
        said_.clear();
        const QString named = writeFile(path("restarts.layout.json"), layout);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program(), {"run", named, "--force", "--out", path(file)});
        QVERIFY(process.waitForStarted());
    }

    /// Waits until a checkpoint of a step after `step` is there, and some time more.
    bool waitForCheckpoint(const QString& file, int step, int& found) {
        QElapsedTimer timer;
        for (timer.start(); timer.elapsed() < 20000; QTest::qSleep(10))
            for (const QString& name : QDir(path(file).replace(".shardlab", ".checkpoints")).entryList(QDir::Dirs)) {
                const QStringList parts = name.split('-');
                if (parts.size() != 3 || parts[1] != "step" || parts[2].toInt() <= step) continue;
                found = parts[2].toInt();
                QTest::qSleep(230);  // some steps beyond it
                return true;
            }
        return false;
    }

    QJsonObject figures(const QString& file) { return test::run({"info", "--json", path(file)}).json(); }

    const QJsonObject& undisturbed() {
        static QJsonObject known;
        if (known.isEmpty()) {
            QProcess process;
            start(process, layoutOf(0, 0), "undisturbed.shardlab");
            process.waitForFinished(60000);
            known = figures("undisturbed.shardlab");
        }
        return known;
    }

    void requireUndisturbed(const QString& file, int restarts) {
        const QJsonObject run = figures(file);
        QCOMPARE(run["outcome"].toString(), QString("finished"));
        QCOMPARE(run["restarts"].toArray().size(), restarts);
        QCOMPARE(run["losses"].toArray().size(), steps);
        QCOMPARE(run["losses"], undisturbed()["losses"]);
        QCOMPARE(run["validation_losses"], undisturbed()["validation_losses"]);
        QCOMPARE(run["validation_steps"], undisturbed()["validation_steps"]);
        for (const QJsonValue& rank : run["ranks"].toArray()) QCOMPARE(rank.toObject()["end"].toString(), QString("finished"));
    }

private Q_SLOTS:
    void goesOnAsIfNothingHadHappened_data() {
        QTest::addColumn<QString>("victim");
        QTest::addColumn<int>("signal");
        QTest::addColumn<QString>("reason");
        QTest::newRow("a rank dies") << "rank" << SIGKILL << "was killed by SIGKILL at step ";
        QTest::newRow("a rank hangs") << "rank" << SIGSTOP << "stands still (stopped by a signal) at step ";
        QTest::newRow("mpirun dies") << "mpirun" << SIGKILL << "mpirun was killed by SIGKILL; rank 0 was at step ";
    }
    void goesOnAsIfNothingHadHappened() {
        QFETCH(QString, victim);
        QFETCH(int, signal);
        QFETCH(QString, reason);
        const QString file = QString("%1-%2.shardlab").arg(victim).arg(signal);
        QProcess process;
        start(process, layoutOf(10, 3), file);
        int checkpoint = 0;
        for (int disturbance = 1; disturbance <= 2; ++disturbance) {
            QVERIFY(waitForCheckpoint(file, checkpoint, checkpoint));
            Tree tree;
            QTRY_VERIFY((tree = treeOf(process)).ranks.size() == 2);
            QCOMPARE(::kill(victim == "rank" ? tree.ranks[static_cast<std::size_t>(disturbance % 2)] : tree.mpirun, signal), 0);
            for (int left : tree.ranks) QTRY_VERIFY(!running(left));
        }
        QVERIFY(process.waitForFinished(60000));
        said_ = process.readAll();
        QVERIFY2(process.exitCode() == 0, said_);
        QVERIFY2(said_.contains("restart 1 of 3: on from step 10, ") && said_.contains("restart 2 of 3: on from step 20, "), said_);
        QVERIFY2(said_.count(reason.toUtf8()) == 2, said_);
        requireUndisturbed(file, 2);

        // What was done twice is there twice, and a question about steps sees it once.
        const auto reader = RunReader::open(path(file).toStdString());
        QVERIFY(reader);
        QCOMPARE((*reader)->restarts().size(), std::size_t{2});
        QCOMPARE((*reader)->restarts().front().step, 10);
        std::map<int, int> losses;
        QVERIFY((*reader)->readEvents([&](std::span<const Event> events) {
            for (const Event& event : events)
                if (event.kind == EventKind::Loss) ++losses[event.step];
            return true;
        }));
        QCOMPARE(losses[5], 1);
        QVERIFY(losses[10] == 2);
        const Answer asked = test::run({"query", path(file), "SELECT count(*) AS n, min(seconds) > 0.02 AS whole FROM steps"});
        QVERIFY2(asked.out.contains("60"), asked.out + asked.error);
    }

    void restartsAreCounted() {
        QProcess process;
        start(process, layoutOf(10, 1), "counted.shardlab");
        int checkpoint = 0;
        for (int disturbance = 1; disturbance <= 2; ++disturbance) {
            QVERIFY(waitForCheckpoint("counted.shardlab", checkpoint, checkpoint));
            Tree tree;
            QTRY_VERIFY((tree = treeOf(process)).ranks.size() == 2);
            ::kill(tree.ranks[1], SIGKILL);
            for (int left : tree.ranks) QTRY_VERIFY(!running(left));
        }
        QVERIFY(process.waitForFinished(5000));
        QCOMPARE(process.exitCode(), 1);
        const QJsonObject run = figures("counted.shardlab");
        QCOMPARE(run["outcome"].toString(), QString("failed"));
        const QString reason = run["reason"].toString();
        QVERIFY2(reason.startsWith("rank 1 was killed by SIGKILL at step "), qPrintable(reason));
        QVERIFY2(reason.endsWith("; not restarted: the one restart is used"), qPrintable(reason));
    }

    /// Those of an earlier run in the same place are not gone back to.
    void withoutACheckpointItEnds() {
        for (const int every : {10, 0}) {
            if (every > 0) {
                QProcess earlier;
                start(earlier, layoutOf(every, 0), "without.shardlab");
                int checkpoint = 0;
                QVERIFY(waitForCheckpoint("without.shardlab", 0, checkpoint));
                ::kill(static_cast<int>(earlier.processId()), SIGINT);
                QVERIFY(earlier.waitForFinished(10000));
            }
            QProcess process;
            start(process, layoutOf(every > 0 ? 50 : 0, 2), "without.shardlab");
            Tree tree;
            QTRY_VERIFY((tree = treeOf(process)).ranks.size() == 2);
            QTest::qSleep(2000);
            ::kill(tree.ranks[0], SIGKILL);
            QVERIFY(process.waitForFinished(5000));
            QCOMPARE(process.exitCode(), 1);
            const QString reason = figures("without.shardlab")["reason"].toString();
            QVERIFY2(reason.contains(every > 0 ? QString("; not restarted: there is no checkpoint to go back to")
                                               : QString("; not restarted: there is no checkpoint to go back to; /checkpoint/every is 0")),
                     qPrintable(reason));
        }
    }

    /// Who had paused it finds it paused, at the step that is done again first.
    void aPausedRunStaysPaused() {
        Witness witness;
        JobOptions options;
        const auto parsed = parseLayout(layoutOf(10, 1).toStdString());
        QVERIFY(parsed && parsed->faults.empty());
        options.layout = parsed->layout;
        options.runFile = path("paused.shardlab").toStdString();
        options.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
        auto started = Job::start(options, witness);
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        Job& job = **started;
        int checkpoint = 0;
        QVERIFY(waitForCheckpoint("paused.shardlab", 0, checkpoint));
        job.send(Command::Pause);
        QTRY_COMPARE(job.state(), JobState::Paused);
        ::kill(witness.ranks().at(1).pid, SIGKILL);
        QTRY_VERIFY(std::ranges::count(witness.states(), JobState::Restarting) == 1);
        QTRY_COMPARE(job.state(), JobState::Paused);
        job.send(Command::Resume);
        job.wait();
        QCOMPARE(witness.ends().front().outcome, std::string("finished"));
        const std::vector<JobState> states = witness.states();
        const auto again = std::ranges::find(states, JobState::Restarting);
        QVERIFY(std::ranges::find(again, states.end(), JobState::Running) != states.end());
        QVERIFY(std::ranges::any_of(witness.log(), [](const LogLine& line) {
            return line.level == LogLevel::Warning && line.text.starts_with("restart 1 of 1: on from step 10, ");
        }));
        requireUndisturbed("paused.shardlab", 1);
    }

    /// Pressed while ranks start again: the run ends, and is not started a second time.
    void stopEndsARestart() {
        QProcess process;
        start(process, layoutOf(10, 5), "stopped.shardlab");
        int checkpoint = 0;
        QVERIFY(waitForCheckpoint("stopped.shardlab", 0, checkpoint));
        const Tree tree = treeOf(process);
        ::kill(tree.ranks.at(1), SIGKILL);
        for (int i = 0; i < 300 && !said_.contains("restart 1 of 5"); ++i) {
            process.waitForReadyRead(20);
            said_ += process.readAll();
        }
        QVERIFY2(said_.contains("restart 1 of 5"), said_);
        ::kill(static_cast<int>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(5000));
        QCOMPARE(figures("stopped.shardlab")["outcome"].toString(), QString("stopped"));
        QCOMPARE(figures("stopped.shardlab")["restarts"].toArray().size(), 1);
    }
};

QTEST_GUILESS_MAIN(RestartTest)
#include "restart_test.moc"
