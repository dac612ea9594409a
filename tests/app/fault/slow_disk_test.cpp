// SPDX-License-Identifier: Apache-2.0
// A run onto a disk that takes its time: commands are obeyed meanwhile, and nothing that was recorded is missing.
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace shardlab;
using namespace shardlab::test;

class SlowDiskTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    /// The figure that `sql` selects; -1 where there is none.
    static double ask(const QString& run, const QString& sql) {
        const Answer answer = shardlab::test::run({"query", run, sql, "--json"});
        return QJsonDocument::fromJson(answer.out).array().at(0)["figure"].toDouble(-1);
    }

private Q_SLOTS:
    void commandsDoNotWaitForIt() {
        const QString sign = folder_.filePath("slow");
        const QString run = folder_.filePath("run.shardlab");
        const QString layout = writeFile(folder_.filePath("small.layout.json"), smallLayout(100000000));
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LD_PRELOAD", SHARDLAB_PROGRAM_DIR "/libslow_disk.so");
        environment.insert("SLOW_DISK", sign);
        environment.insert("ASAN_OPTIONS", "verify_asan_link_order=0:" + environment.value("ASAN_OPTIONS"));
        process.setProcessEnvironment(environment);
        QElapsedTimer sinceStart;
        sinceStart.start();
        process.start(program(), {"run", layout, "--out", run, "--json"});
        QTRY_VERIFY_WITH_TIMEOUT(process.state() == QProcess::Running, 5000);
        QTest::qWait(1500);
        writeFile(sign, "");
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(sign + ".waits"), 60000);
        QTest::qWait(500);  // for the queues to fill a little
        const double asked = static_cast<double>(sinceStart.elapsed()) * 1e-3;
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QTest::qWait(8000);
        QVERIFY(QFile::remove(sign));
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitCode(), 0);
        const QJsonObject summary = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(summary["outcome"].toString(), QString("stopped"));
        // The run's clock starts a little after its process.
        const double obeyed = ask(run, "SELECT max(end_ns) / 1e9 AS figure FROM events WHERE kind = 'step'");
        QVERIFY2(obeyed > 0 && obeyed < asked + 6,
                 qPrintable(QString("asked %1 s, last step %2 s").arg(asked).arg(obeyed)));
        const double steps = ask(run, "SELECT count(DISTINCT step) AS figure FROM events WHERE kind = 'step'");
        QCOMPARE(steps, ask(run, "SELECT 1 + max(step) AS figure FROM events WHERE kind = 'step'"));
        QCOMPARE(steps, ask(run, "SELECT count(*) AS figure FROM events WHERE kind = 'loss'"));
    }
};

QTEST_GUILESS_MAIN(SlowDiskTest)
#include "slow_disk_test.moc"
