// SPDX-License-Identifier: Apache-2.0
// What a job says and leaves when something breaks; fake ranks under the real mpirun.
#include "engine/base/file.h"
#include "engine/launch/job/stray_processes.h"
#include "engine/launch/job/temporary_folder.h"
#include "tests/support/processes.h"
#include "tests/support/watched_job.h"
#include "tests/support/wings.h"

#include <QElapsedTimer>
#include <QTest>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace shardlab::test;

namespace {

/// Folders of jobs that exist now.
QStringList jobFolders() {
    const QStringList pattern{"shardlab-job-*"};
    return QDir(QString::fromStdString(temporaryBase().string())).entryList(pattern, QDir::Dirs) +
           QDir("/dev/shm").entryList(pattern, QDir::Dirs);
}

}  // namespace

class JobFaultTest : public QObject {
    Q_OBJECT
private:
    QStringList foldersBefore_;

    /// Folders that have come since the test began. What was there before may go: each job sweeps away what killed ones
    /// left.
    QStringList foldersLeft() const {
        QStringList left = jobFolders();
        left.removeIf([this](const QString& folder) { return foldersBefore_.contains(folder); });
        return left;
    }

    /// Ended within the promised three seconds (a busy machine may take more), once, readable, and nothing is left.
    void verifyAftermath(WatchedJob& watched, const QElapsedTimer& sinceFault) {
        const qint64 took = sinceFault.elapsed();
        qInfo("ended after %lld ms", static_cast<long long>(took));
        QVERIFY2(took <= 15000, qPrintable(QString("%1 ms").arg(took)));
        QCOMPARE(watched.witness.ends().size(), std::size_t{1});
        QCOMPARE(watched.witness.ends().front().outcome, std::string("failed"));
        const auto reader = watched.reader();
        QVERIFY(reader);
        QCOMPARE(reader->end().reason, watched.witness.ends().front().reason);
        QVERIFY(reader->eventCount() > 0);
        for (const auto& [rank, record] : watched.witness.ranks()) {
            QTRY_VERIFY(!running(record.pid));
            QVERIFY(!record.end.empty());
        }
        watched.job.reset();
        QTRY_COMPARE(foldersLeft(), QStringList());
    }

private Q_SLOTS:
    void init() { foldersBefore_ = jobFolders(); }

    void killedRankIsNamed() {
        WatchedJob watched({.steps = 100000, .stepMilliseconds = 200});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        QVERIFY2(watched.reaches(1), watched.story());
        QElapsedTimer timer;
        timer.start();
        ::kill(watched.witness.ranks().at(1).pid, SIGKILL);
        watched.job->wait();
        const std::string reason = watched.witness.ends().front().reason;
        QVERIFY2(reason.starts_with("rank 1 was killed by SIGKILL at step "), reason.c_str());
        QVERIFY2(reason.ends_with(" in 1F2"), reason.c_str());
        verifyAftermath(watched, timer);
    }

    void endedMpirunTakesTheRanksAlong_data() {
        QTest::addColumn<int>("signal");
        QTest::addColumn<QString>("reason");
        QTest::newRow("SIGKILL") << SIGKILL << "mpirun was killed by SIGKILL";
        for (const int signal : {SIGTERM, SIGHUP, SIGINT})
            QTest::newRow(signalName(signal).c_str())
                << signal << "mpirun was ended by a signal from outside (SIGTERM, SIGINT or SIGHUP)";
    }
    void endedMpirunTakesTheRanksAlong() {
        QFETCH(int, signal);
        QFETCH(QString, reason);
        WatchedJob watched({.steps = 100000});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        QVERIFY2(watched.reaches(1), watched.story());
        QElapsedTimer timer;
        timer.start();
        ::kill(stateOf(watched.witness.ranks().at(0).pid).parent, signal);
        watched.job->wait();
        const std::string said = watched.witness.ends().front().reason;
        QVERIFY2(said.starts_with(reason.toStdString() + "; rank 0 was at step "), said.c_str());
        for (const auto& [rank, record] : watched.witness.ranks())
            QVERIFY2(record.end.starts_with("ended with the run "), record.end.c_str());
        verifyAftermath(watched, timer);
    }

    void rankDiesWhileMpirunIsFrozen() {
        WatchedJob watched({.steps = 100000});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        QVERIFY2(watched.reaches(1), watched.story());
        ::kill(stateOf(watched.witness.ranks().at(0).pid).parent, SIGSTOP);
        QElapsedTimer timer;
        timer.start();
        ::kill(watched.witness.ranks().at(1).pid, SIGKILL);
        watched.job->wait();
        const std::string reason = watched.witness.ends().front().reason;
        QVERIFY2(reason.starts_with("rank 1 died at step "), reason.c_str());
        verifyAftermath(watched, timer);
    }

    /// Who waits for the start is told what is stopped, and how it goes on.
    void mpirunIsStoppedWhileRanksStart() {
        WatchedJob watched({.steps = 2});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        int mpirun = 0;
        QTRY_VERIFY(!childrenOf(getpid()).empty());
        mpirun = childrenOf(getpid()).front();
        ::kill(mpirun, SIGSTOP);
        const auto told = [&] {
            return std::ranges::any_of(watched.witness.log(), [&](const LogLine& line) {
                return line.level == LogLevel::Warning &&
                       line.text.starts_with(fmt::format("mpirun (process {}) is stopped by a signal", mpirun)) &&
                       line.text.ends_with(fmt::format("kill -CONT {} lets it go on", mpirun));
            });
        };
        QTRY_VERIFY(told());
        ::kill(mpirun, SIGCONT);
        watched.job->wait();
        QCOMPARE(watched.witness.ends().front().outcome, std::string("finished"));
    }

    /// As Open MPI's does now and then where a rank is killed while it starts.
    void mpirunTellsOfADeathAndStays() {
        const QTemporaryDir folder;
        QFile standIn(folder.filePath("mpirun"));
        QVERIFY(standIn.open(QIODevice::WriteOnly));
        standIn.write(
            "#!/bin/sh\n"
            "trap '' TERM\n"
            "echo ---------------------------------------------------------------------- >&2\n"
            "echo 'mpirun noticed that process rank 1 with PID 0 on node here exited on signal 9 (Killed).' >&2\n"
            "echo ---------------------------------------------------------------------- >&2\n"
            "exec sleep 600\n");
        standIn.close();
        QVERIFY(standIn.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
        WatchedJob watched;
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", folder.path().toLocal8Bit() + ':' + path);
        const bool started = watched.start();
        qputenv("PATH", path);
        QVERIFY2(started, watched.error.text().c_str());
        QTRY_COMPARE(watched.job->state(), RunState::Ended);
        QCOMPARE(watched.witness.ends().front().reason, std::string("rank 1 was killed by SIGKILL"));
        QCOMPARE(watched.witness.ranks().at(1).end, std::string("killed by SIGKILL"));
        watched.job.reset();
        QTRY_COMPARE(foldersLeft(), QStringList());
    }

    void ranksEnds_data() {
        QTest::addColumn<QString>("fault");
        QTest::addColumn<QString>("reason");
        QTest::newRow("exit code") << "exit"
                                   << "rank 1 ended with exit code 3 at step 3 in 1F2";
        QTest::newRow("abort") << "abort"
                               << "rank 1 was killed by SIGABRT at step 3 in 1F2";
        QTest::newRow("its own word") << "error"
                                      << "rank 1: no such file: corpus.txt";
        QTest::newRow("without a word") << "silent"
                                        << "rank 1 died at step 2 in 1F2";
    }
    void ranksEnds() {
        QFETCH(QString, fault);
        QFETCH(QString, reason);
        WatchedJob watched({.steps = fault == "silent" ? 6 : 100000, .fault = fault.toStdString()});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        watched.job->wait();
        QCOMPARE(QString::fromStdString(watched.witness.ends().front().reason), reason);
        QCOMPARE(QString::fromStdString(watched.reader()->end().reason), reason);
    }

    void mpirunMissing() {
        WatchedJob watched;
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", "/nonexistent");
        const bool started = watched.start();
        qputenv("PATH", path);
        QVERIFY(!started);
        QVERIFY2(watched.error.text().find("openmpi-bin") != std::string::npos, watched.error.text().c_str());
        QVERIFY(!std::filesystem::exists(watched.options.runFile));
    }

    void rankProgramMissing() {
        WatchedJob watched;
        watched.options.rankProgram = "/nonexistent/shardlab-rank";
        QVERIFY(!watched.start());
        QVERIFY(watched.error.text().find("/nonexistent/shardlab-rank") != std::string::npos);
        QVERIFY(!std::filesystem::exists(watched.options.runFile));
        QTRY_COMPARE(foldersLeft(), QStringList());
    }

    void runFileCannotBeMade() {
        WatchedJob watched;
        watched.options.runFile = "/proc/nowhere/run.shardlab";
        QVERIFY(!watched.start());
        QVERIFY2(watched.error.text().find("/proc/nowhere") != std::string::npos, watched.error.text().c_str());
        QTRY_COMPARE(foldersLeft(), QStringList());
    }

    void layoutThatCannotRun() {
        WatchedJob watched;
        watched.options.layout.model.heads = 7;
        QVERIFY(!watched.start());
        QVERIFY2(watched.error.text().find("/model/heads") != std::string::npos, watched.error.text().c_str());
    }

    /// Whoever removes or replaces the file hears of it at once, and not after hours of training.
    void aRunFileThatGoesEndsTheRun_data() {
        QTest::addColumn<bool>("replaced");
        QTest::newRow("removed") << false;
        QTest::newRow("replaced") << true;
    }
    void aRunFileThatGoesEndsTheRun() {
        QFETCH(bool, replaced);
        WatchedJob watched({.steps = 100000});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        QVERIFY2(watched.reaches(1), watched.story());
        if (replaced) QVERIFY(replaceFile(watched.options.runFile, "something else"));
        else QVERIFY(std::filesystem::remove(watched.options.runFile));
        watched.job->wait();
        const RunEnd end = watched.witness.ends().front();
        QCOMPARE(end.outcome, std::string("failed"));
        QVERIFY2(end.reason.find("it was removed or replaced while it was recorded") != std::string::npos,
                 end.reason.c_str());
        QCOMPARE(std::filesystem::exists(watched.options.runFile), replaced);
        if (replaced) QCOMPARE(*readFile(watched.options.runFile), std::string("something else"));
    }

    /// Each would take the other's checkpoints for its own, and remove them.
    void aFolderOfCheckpointsIsOneRuns() {
        WatchedJob first({.steps = 100000}), second({.steps = 100000});
        first.options.layout.checkpoint.path = second.options.layout.checkpoint.path =
            first.folder.filePath("both/checkpoints").toStdString();
        QVERIFY2(first.start(), first.error.text().c_str());
        QVERIFY(!second.start());
        const std::string said = second.error.text();
        QVERIFY2(said.find("both/checkpoints") != std::string::npos && said.find("another run") != std::string::npos,
                 said.c_str());
        QVERIFY(!std::filesystem::exists(second.options.runFile));
        QVERIFY2(first.reaches(1), first.story());
        first.job->send(Command::Stop);
        first.job->wait();
        first.job.reset();
        // The folder that the run had made and left empty is gone, and the next run takes its place.
        QVERIFY(!std::filesystem::exists(first.options.layout.checkpoint.path));
        QVERIFY2(second.start(), second.error.text().c_str());
        second.job->kill();
        second.job->wait();
    }

    /// RLIMIT_FSIZE stands for a full disk: the write fails in the same place, with another errno.
    void diskFillsUp() {
        WatchedJob watched({.steps = 100000, .stepMilliseconds = 1});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        QVERIFY2(watched.reaches(1), watched.story());
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        rlimit limited = before;
        limited.rlim_cur = 256 * 1024;
        std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limited);
        watched.job->wait();
        setrlimit(RLIMIT_FSIZE, &before);
        const RunEnd end = watched.witness.ends().front();
        QCOMPARE(end.outcome, std::string("failed"));
        QVERIFY2(end.reason.find("run.shardlab") != std::string::npos, end.reason.c_str());
        QVERIFY2(end.reason.find('\n') == std::string::npos, end.reason.c_str());
        const auto reader = watched.reader();
        QVERIFY(reader);
        QVERIFY(reader->eventCount() > 0);
        QCOMPARE(reader->end().outcome, end.outcome);
        QCOMPARE(reader->end().reason, end.reason);
    }
};

SHARDLAB_FAKE_RANK_MAIN(JobFaultTest)
#include "job_fault_test.moc"
