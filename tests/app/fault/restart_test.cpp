// SPDX-License-Identifier: Apache-2.0
// A run whose ranks die, hang, or lose their mpirun goes on from its last checkpoint, and its losses are those of a run
// to which nothing happened, to the bit; where it cannot go on, it says why. Real ranks.
#include "engine/layout/layout_file.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/processes.h"
#include "tests/support/watched_job.h"
#include "tests/support/wings.h"

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
QByteArray layoutOf(int checkpointEvery, int maxRestarts, int count = steps) {
    return R"({"name": "restarts", "model": {"kind": "gpt", "layers": 2, "hidden": 32, "heads": 2, "sequence": 16, "dropout": 0.1},
 "cluster": {"hosts": [{"name": "localhost", "devices": 2}], "pace": {"device": "h100-sxm", "step_seconds": 0.05}},
 "parallel": {"data": 1, "pipeline": 2}, "batch": {"global": 8, "micro": 2},
 "precision": {"compute": "fp16", "loss_scale": "dynamic"},
 "checkpoint": {"every": )" +
           QByteArray::number(checkpointEvery) + R"(}, "run": {"steps": )" + QByteArray::number(count) +
           R"(, "seed": 11, "validate_every": 7, "deadline": 6, "max_restarts": )" + QByteArray::number(maxRestarts) +
           "}}";
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

    /// The step of the run's newest checkpoint, 0 where there is none.
    int newestCheckpoint(const QString& file) {
        int newest = 0;
        for (const QString& name : QDir(path(file).replace(".shardlab", ".checkpoints")).entryList(QDir::Dirs)) {
            const QStringList parts = name.split('-');
            if (parts.size() == 3 && parts[1] == "step") newest = std::max(newest, parts[2].toInt());
        }
        return newest;
    }
    /// Waits until a checkpoint of a step after `step` is there, and some time more.
    bool waitForCheckpoint(const QString& file, int step) {
        QElapsedTimer timer;
        for (timer.start(); newestCheckpoint(file) <= step && timer.elapsed() < patience;) QTest::qSleep(10);
        QTest::qSleep(230);  // some steps beyond it
        return newestCheckpoint(file) > step;
    }
    static QByteArray onFrom(int restart, int step) {
        return "restart " + QByteArray::number(restart) + " of 3: on from step " + QByteArray::number(step) + ", ";
    }

    QJsonObject figures(const QString& file) { return test::run({"info", "--json", path(file)}).json(); }

    const QJsonObject& undisturbed() {
        static QJsonObject known;
        if (known.isEmpty()) {
            QProcess process;
            start(process, layoutOf(0, 0), "undisturbed.shardlab");
            process.waitForFinished(patience);
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
        for (const QJsonValue& rank : run["ranks"].toArray())
            QCOMPARE(rank.toObject()["end"].toString(), QString("finished"));
    }

private Q_SLOTS:
    void goesOnAsIfNothingHadHappened_data() {
        QTest::addColumn<QString>("victim");
        QTest::addColumn<int>("signal");
        QTest::addColumn<QString>("reason");
        QTest::newRow("a rank dies") << "rank" << SIGKILL << "was killed by SIGKILL at step ";
        QTest::newRow("a rank hangs") << "rank" << SIGSTOP << "stands still (stopped by a signal) at step ";
        QTest::newRow("mpirun dies") << "mpirun" << SIGKILL << "mpirun was killed by SIGKILL; rank 0 was at step ";
        QTest::newRow("mpirun is ended")
            << "mpirun" << SIGTERM
            << "mpirun was ended by a signal from outside (SIGTERM, SIGINT or SIGHUP); rank 0 was at step ";
    }
    void goesOnAsIfNothingHadHappened() {
        QFETCH(QString, victim);
        QFETCH(int, signal);
        QFETCH(QString, reason);
        const QString file = QString("%1-%2.shardlab").arg(victim).arg(signal);
        QProcess process;
        start(process, layoutOf(10, 3), file);
        std::vector<int> checkpoints;  // the newest at each end; a busy machine may come to a later one than the first
        for (int disturbance = 1; disturbance <= 2; ++disturbance) {
            QVERIFY(waitForCheckpoint(file, checkpoints.empty() ? 0 : checkpoints.back()));
            Tree tree;
            QTRY_VERIFY((tree = treeOf(process)).ranks.size() == 2);
            QCOMPARE(
                ::kill(victim == "rank" ? tree.ranks[static_cast<std::size_t>(disturbance % 2)] : tree.mpirun, signal),
                0);
            for (int left : tree.ranks) QTRY_VERIFY(!running(left));
            checkpoints.push_back(newestCheckpoint(file));
        }
        QVERIFY(process.waitForFinished(patience));
        said_ = process.readAll();
        QVERIFY2(process.exitCode() == 0, said_);
        QVERIFY2(said_.contains(onFrom(1, checkpoints[0])) && said_.contains(onFrom(2, checkpoints[1])), said_);
        QVERIFY2(said_.count(reason.toUtf8()) == 2, said_);
        requireUndisturbed(file, 2);

        // What was done twice is there twice, and a question about steps sees it once.
        const auto reader = RunReader::open(path(file).toStdString());
        QVERIFY(reader);
        QCOMPARE((*reader)->restarts().size(), std::size_t{2});
        QCOMPARE((*reader)->restarts().front().step, checkpoints[0]);
        std::map<int, int> losses;
        QVERIFY((*reader)->readEvents([&](std::span<const Event> events) {
            for (const Event& event : events)
                if (event.kind == EventKind::Loss) ++losses[event.step];
            return true;
        }));
        QCOMPARE(losses[5], 1);
        QVERIFY(std::ranges::any_of(
            losses, [&](const auto& loss) { return loss.first >= checkpoints[0] && loss.second == 2; }));
        const Answer asked =
            test::run({"query", path(file), "SELECT count(*) AS n, min(seconds) > 0.02 AS whole FROM steps"});
        QVERIFY2(asked.out.contains("60"), asked.out + asked.error);
    }

    void restartsAreCounted() {
        QProcess process;
        start(process, layoutOf(10, 1), "counted.shardlab");
        for (int disturbance = 1, checkpoint = 0; disturbance <= 2; ++disturbance) {
            QVERIFY(waitForCheckpoint("counted.shardlab", checkpoint));
            Tree tree;
            QTRY_VERIFY((tree = treeOf(process)).ranks.size() == 2);
            ::kill(tree.ranks[1], SIGKILL);
            for (int left : tree.ranks) QTRY_VERIFY(!running(left));
            checkpoint = newestCheckpoint("counted.shardlab");
        }
        QVERIFY(process.waitForFinished(patience));
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
                QVERIFY(waitForCheckpoint("without.shardlab", 0));
                ::kill(static_cast<int>(earlier.processId()), SIGINT);
                QVERIFY(earlier.waitForFinished(patience));
            }
            QProcess process;
            start(process, layoutOf(every > 0 ? 5000 : 0, 2, 10000), "without.shardlab");
            QVERIFY2(waitForWords(process, said_, " steps  loss "), said_);
            const Tree tree = treeOf(process);
            QCOMPARE(tree.ranks.size(), std::size_t{2});
            ::kill(tree.ranks[0], SIGKILL);
            QVERIFY(process.waitForFinished(patience));
            QCOMPARE(process.exitCode(), 1);
            const QString reason = figures("without.shardlab")["reason"].toString();
            QVERIFY2(
                reason.contains(
                    every > 0
                        ? QString("; not restarted: there is no checkpoint to go back to")
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
        QVERIFY(waitForCheckpoint("paused.shardlab", 0));
        job.send(Command::Pause);
        QTRY_COMPARE(job.state(), RunState::Paused);
        // One that was begun before the pause is written in it.
        int checkpoint = 0;
        for (int quiet = 0; quiet < 100; ++quiet) {
            if (newestCheckpoint("paused.shardlab") != std::exchange(checkpoint, newestCheckpoint("paused.shardlab")))
                quiet = 0;
            QTest::qSleep(10);
        }
        ::kill(witness.ranks().at(1).pid, SIGKILL);
        QTRY_VERIFY(std::ranges::count(witness.states(), RunState::Restarting) == 1);
        QTRY_COMPARE(job.state(), RunState::Paused);
        job.send(Command::Resume);
        job.wait();
        QCOMPARE(witness.ends().front().outcome, std::string("finished"));
        const std::vector<RunState> states = witness.states();
        const auto again = std::ranges::find(states, RunState::Restarting);
        QVERIFY(std::ranges::find(again, states.end(), RunState::Running) != states.end());
        QVERIFY(std::ranges::any_of(witness.log(), [&](const LogLine& line) {
            return line.level == LogLevel::Warning &&
                   line.text.starts_with("restart 1 of 1: on from step " + std::to_string(checkpoint) + ", ");
        }));
        requireUndisturbed("paused.shardlab", 1);
    }

    /// Pressed while ranks start again: the run ends, and is not started a second time.
    void stopEndsARestart() {
        QProcess process;
        start(process, layoutOf(10, 5), "stopped.shardlab");
        QVERIFY(waitForCheckpoint("stopped.shardlab", 0));
        const Tree tree = treeOf(process);
        ::kill(tree.ranks.at(1), SIGKILL);
        QVERIFY2(waitForWords(process, said_, "restart 1 of 5"), said_);
        ::kill(static_cast<int>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(figures("stopped.shardlab")["outcome"].toString(), QString("stopped"));
        QCOMPARE(figures("stopped.shardlab")["restarts"].toArray().size(), 1);
    }
};

QTEST_GUILESS_MAIN(RestartTest)
#include "restart_test.moc"
