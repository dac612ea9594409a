// SPDX-License-Identifier: Apache-2.0
// A run onto a disk that fills up: a small tmpfs in a mount namespace of its own.
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

class FullDiskTest : public QObject {
    Q_OBJECT
private:
    static Answer inNamespace(const QString& script) {
        QProcess process;
        process.start("unshare", {"--mount", "sh", "-c", script});
        if (!process.waitForFinished(patience)) {
            process.kill();
            process.waitForFinished();
            return {};
        }
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }

private Q_SLOTS:
    void endsTheRunWithOneMessageAndAReadableFile() {
        QTemporaryDir folder;
        const QString mount = "mount -t tmpfs -o size=400k none '" + folder.path() + "'";
        if (inNamespace(mount).status != 0) QSKIP("mounting a tmpfs needs root");
        const QTemporaryDir elsewhere;
        const QString layout = writeFile(elsewhere.filePath("small.layout.json"), smallLayout(1000000));
        const QString file = folder.filePath("run.shardlab");
        const Answer answer = inNamespace(QString("%1 && %2 run '%3' --out '%4' >'%5/summary'; echo status $?; "
                                                  "%2 info '%4' --json")
                                              .arg(mount, program(), layout, file, elsewhere.path()));
        QVERIFY2(answer.out.startsWith("status 1\n"), answer.out.constData());
        const QByteArray said = answer.error.trimmed().split('\n').last();
        QVERIFY2(said.contains("the run failed") && said.contains("run.shardlab"), answer.error.constData());
        const QJsonObject info = QJsonDocument::fromJson(answer.out.mid(answer.out.indexOf('\n') + 1)).object();
        QVERIFY2(info["events"].toInteger() > 0, answer.out.constData());
        QCOMPARE(info["outcome"].toString(), QString("failed"));
        QVERIFY2(info["reason"].toString().contains("cannot write the run file"), answer.out.constData());
        QCOMPARE(answer.error.count("run.shardlab"), 1);
        QFile summary(elsewhere.filePath("summary"));
        QVERIFY(summary.open(QIODevice::ReadOnly));
        QVERIFY(summary.readAll().contains("failed: cannot write"));
    }

    /// Not a page is left for the run when the disk fills up: the run's end has its room all the same.
    void filledBySomethingElseLeavesRoomForTheEnd() {
        QTemporaryDir folder;
        const QString mount = "mount -t tmpfs -o size=3m none '" + folder.path() + "'";
        if (inNamespace(mount).status != 0) QSKIP("mounting a tmpfs needs root");
        const QTemporaryDir elsewhere;
        const QString layout = writeFile(elsewhere.filePath("small.layout.json"), smallLayout(1000000));
        const Answer answer =
            inNamespace(QString("%1 && { %2 run '%3' --out '%4' >/dev/null & }; "
                                "until %2 info '%4' --json 2>/dev/null | grep -q '\"steps\": *[1-9]'; do "
                                "sleep 0.1; done; cat /dev/zero >'%5/other' 2>/dev/null; wait $!; "
                                "echo status $?; %2 info '%4' --json")
                            .arg(mount, program(), layout, folder.filePath("run.shardlab"), folder.path()));
        QVERIFY2(answer.out.startsWith("status 1\n"), answer.out.constData() + answer.error);
        const QJsonObject info = QJsonDocument::fromJson(answer.out.mid(answer.out.indexOf('\n') + 1)).object();
        QCOMPARE(info["outcome"].toString(), QString("failed"));
        QVERIFY2(info["reason"].toString().contains("cannot write the run file"), answer.out.constData());
    }

    void ofCheckpointsEndsTheRunWithAStatusOfItsOwn() {
        QTemporaryDir folder;
        const QString mount = "mount -t tmpfs -o size=64k none '" + folder.path() + "'";
        if (inNamespace(mount).status != 0) QSKIP("mounting a tmpfs needs root");
        const QTemporaryDir elsewhere;
        const QString layout = writeFile(elsewhere.filePath("small.layout.json"), smallLayout(4));
        const Answer answer = inNamespace(
            QString(
                "%1 && %2 run '%3' --set /checkpoint/every=2 --set '/checkpoint/path=%4/checkpoints' --out '%5' --json")
                .arg(mount, program(), layout, folder.path(), elsewhere.filePath("run.shardlab")));
        QVERIFY2(answer.status == 3, answer.error.constData());
        const QJsonObject json = answer.json();
        QCOMPARE(json["outcome"].toString(), QString("finished"));
        QVERIFY2(json["reason"].toString().startsWith("none of 2 checkpoints could be taken; ") &&
                     json["reason"].toString().contains("No space left"),
                 qPrintable(json["reason"].toString()));
    }
};

QTEST_GUILESS_MAIN(FullDiskTest)
#include "full_disk_test.moc"
