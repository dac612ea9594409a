// SPDX-License-Identifier: Apache-2.0
// Runs in a bad world: one to three signals, TERM, HUP, INT, STOP or KILL, meet a rank, mpirun or the launcher at
// random moments, while the run starts, trains, takes checkpoints, restarts or ends; what is stopped goes on after a
// while, or is found. Whatever comes: the launcher ends and says how, no process is left, the record opens undamaged
// and blames nobody for what was done to others, and checkpoints that count are whole. 25 seconds of it, or as many as
// SHARDLAB_CHAOS_SECONDS says (then with a QTEST_FUNCTION_TIMEOUT above that): tests/bench/chaos.
#include "engine/base/file.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/command.h"
#include "tests/support/processes.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QElapsedTimer>
#include <QMap>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>

using namespace shardlab::test;

namespace {

struct Hit {
    enum class Victim { Rank, Mpirun, Launcher } victim = Victim::Rank;
    int signal = SIGKILL;
    int process = 0;
    QString text() const {
        static const QStringList victims{"rank", "mpirun", "launcher"};
        return QString("%1 to the %2").arg(sigabbrev_np(signal)).arg(victims[static_cast<int>(victim)]);
    }
};

/// Every process that the launcher has started, by way of others too.
std::vector<int> below(int process) {
    std::vector<int> all;
    for (const int child : childrenOf(process)) {
        all.push_back(child);
        const std::vector<int> more = below(child);
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace

class ChaosTest : public QObject {
    Q_OBJECT
private:
    QMap<QString, int> ends_;

    static QByteArray layout(QRandomGenerator& random) {
        QByteArray text = smallLayout(1'000'000);
        text.replace("\"validate_every\": 0", "\"validate_every\": 0, \"deadline\": 5, \"max_restarts\": " +
                                                  QByteArray::number(random.bounded(3)));
        text.replace("}}", "}, \"checkpoint\": {\"every\": 5, \"keep\": 2}}");
        return text;
    }

    /// A process to hit; none where there is none now.
    static Hit choose(int launcher, QRandomGenerator& random) {
        static constexpr int signals[]{SIGTERM, SIGHUP, SIGINT, SIGSTOP, SIGKILL};
        Hit hit{static_cast<Hit::Victim>(random.bounded(3)), signals[random.bounded(5)], launcher};
        if (hit.victim == Hit::Victim::Launcher) return hit;
        const std::vector<int> mpirun = childrenOf(launcher);
        hit.process = mpirun.empty() ? 0 : mpirun.front();
        if (hit.victim == Hit::Victim::Mpirun || hit.process == 0) return hit;
        const std::vector<int> ranks = childrenOf(hit.process);
        hit.process =
            ranks.empty() ? 0 : ranks[static_cast<std::size_t>(random.bounded(static_cast<int>(ranks.size())))];
        return hit;
    }

    void once(QRandomGenerator& random, QString context) {
        const QTemporaryDir folder;
        const QString file = folder.filePath("run.shardlab");
        QProcess process;
        process.start(program(), {"run", writeFile(folder.filePath("l.json"), layout(random)), "--out", file});
        QVERIFY(process.waitForStarted());
        const int launcher = static_cast<int>(process.processId());
        std::set<int> seen;
        std::vector<Hit> hits;
        std::vector<int> stopped;
        for (int i = 1 + random.bounded(3); i > 0 && process.state() == QProcess::Running; --i) {
            process.waitForFinished(random.bounded(i == 1 ? 2500 : 1200));
            for (const int each : below(launcher)) seen.insert(each);
            const Hit hit = choose(launcher, random);
            if (hit.process == 0 || process.state() != QProcess::Running || ::kill(hit.process, hit.signal) != 0)
                continue;
            hits.push_back(hit);
            context += ", " + hit.text();
            // A rank that is never continued is found by its deadline; the others are not watched by anybody.
            const bool goesOn = hit.victim != Hit::Victim::Rank || random.bounded(2) == 0;
            if (hit.signal == SIGSTOP && goesOn) stopped.push_back(hit.process);
        }
        process.waitForFinished(random.bounded(1500));
        for (const int each : below(launcher)) seen.insert(each);
        for (const int each : stopped) ::kill(each, SIGCONT);
        if (process.state() == QProcess::Running) ::kill(launcher, SIGINT);
        // What was started in the meantime, in a restart.
        QElapsedTimer waited;
        waited.start();
        while (process.state() == QProcess::Running && waited.elapsed() < patience) {
            process.waitForFinished(100);
            for (const int each : below(launcher)) seen.insert(each);
        }
        QVERIFY2(process.state() == QProcess::NotRunning, qPrintable(context + ": the launcher still runs"));
        const QByteArray said = process.readAllStandardError();
        const bool ended = process.exitStatus() == QProcess::NormalExit;
        if (ended) QVERIFY2(QList<int>({0, 1, 3}).contains(process.exitCode()), qPrintable(context + ":\n" + said));
        for (const int each : seen)
            QTRY_VERIFY2(!running(each), qPrintable(context + QString(": process %1 is left").arg(each)));

        if (!QFile::exists(file)) {  // it was ended before it began
            QVERIFY2(!hits.empty(), qPrintable(context + ":\n" + said));
            ++ends_["before the file"];
            return;
        }
        const auto reader = RunReader::open(file.toStdString());
        QVERIFY2(reader, qPrintable(context + ": " + (reader ? "" : reader.error().text().c_str())));
        QVERIFY2(!(*reader)->damage(), qPrintable(context));
        QVERIFY2((*reader)->readEvents([](std::span<const Event>) { return true; }), qPrintable(context));
        const RunEnd end = (*reader)->end();
        ++ends_[end.outcome.empty() ? "no end" : QString::fromStdString(end.outcome)];
        if (ended) QVERIFY2(!end.outcome.empty(), qPrintable(context + ": the record has no end\n" + said));
        // Nobody is blamed who was left alone.
        const bool ranksAlone =
            std::ranges::none_of(hits, [](const Hit& hit) { return hit.victim == Hit::Victim::Rank; });
        if (ranksAlone && end.outcome == "failed")
            QVERIFY2(!end.reason.starts_with("rank "), qPrintable(context + ": " + QString::fromStdString(end.reason)));
        DiskFileSystem files;
        for (const CheckpointPlace& place : listCheckpoints(folder.filePath("run.checkpoints").toStdString())) {
            const Status whole = verifyCheckpoint(files, place.path);
            QVERIFY2(whole, qPrintable(context + ": " + (whole ? "" : whole.error().text().c_str())));
        }
    }

private Q_SLOTS:
    void anythingToAnybody() {
        bool asked = false;
        const int wanted = qEnvironmentVariableIntValue("SHARDLAB_CHAOS_SECONDS", &asked);
        const qint64 seconds = asked ? wanted : 25;
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        QElapsedTimer timer;
        timer.start();
        int rounds = 0;
        for (; (rounds < 3 || timer.elapsed() < seconds * 1000) && !QTest::currentTestFailed(); ++rounds)
            once(random, QString("seed %1, round %2").arg(seed).arg(rounds));
        QStringList told;
        for (const QString& end : ends_.keys()) told << QString("%1 %2").arg(ends_[end]).arg(end);
        qInfo("seed %u: %d rounds: %s", seed, rounds, qPrintable(told.join(", ")));
    }
};

QTEST_GUILESS_MAIN(ChaosTest)
#include "chaos_test.moc"
