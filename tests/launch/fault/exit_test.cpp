// SPDX-License-Identifier: Apache-2.0
// A program that ends by exit() in the middle of a run, as Qt's does where its X server is gone: the record has its
// end, and no process is left.
#include "tests/support/processes.h"
#include "tests/support/watched_job.h"
#include "tests/support/wings.h"

#include <QProcess>
#include <QTest>

#include <cstdlib>
#include <thread>

using namespace shardlab::test;

namespace {

/// The program that goes away: starts a run, waits for steps, says which processes are its ranks, and exits.
int goAway(const char* runFile) {
    WatchedJob watched({.steps = 1000000});  // exit() leaves no scope: nobody takes it down
    watched.folder.remove();
    watched.options.runFile = runFile;
    if (!watched.start()) return 9;
    while (watched.witness.lastStep() < 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (const auto& [rank, record] : watched.witness.ranks()) std::printf("%d\n", record.pid);
    std::fflush(stdout);
    std::exit(1);
}

}  // namespace

class ExitTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRunHasItsEnd() {
        const QTemporaryDir folder;
        const QString file = folder.filePath("run.shardlab");
        QProcess program;
        program.start(QCoreApplication::applicationFilePath(), {"--go-away", file});
        QVERIFY(program.waitForFinished(patience));
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(program.exitCode(), 1);
        const auto run = RunReader::open(file.toStdString());
        QVERIFY2(run, run ? "" : run.error().text().c_str());
        QVERIFY(!(*run)->damage());
        QVERIFY((*run)->eventCount() > 0);
        QCOMPARE((*run)->end().outcome, std::string("stopped"));
        const QList<QByteArray> ranks = program.readAllStandardOutput().split('\n');
        int told = 0;
        for (const QByteArray& rank : ranks) {
            const int process = rank.toInt();
            if (process <= 0) continue;
            ++told;
            QTRY_VERIFY(!running(process));
        }
        QCOMPARE(told, 2);
    }
};

int main(int argc, char** argv) {
    int status = 0;
    if (argc == 3 && std::string_view(argv[1]) == "--go-away") return goAway(argv[2]);
    if (shardlab::test::actAsRank(argc, argv, status)) return status;
    QCoreApplication application(argc, argv);
    ExitTest object;
    return QTest::qExec(&object, argc, argv);
}
#include "exit_test.moc"
