// SPDX-License-Identifier: Apache-2.0
// shardlab profile with real ranks; plan, search and run use what it stored, and say so.
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

class ProfileCommandTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    static QString notes(const Answer& answer) {
        QString text;
        const QJsonArray list = answer.json()["notes"].toArray();
        for (const QJsonValue note : list) text += note.toString() + QLatin1Char('\n');
        return text;
    }

private Q_SLOTS:
    void initTestCase() { qputenv("SHARDLAB_PROFILES", folder_.filePath("profiles").toUtf8()); }

    void whatIsMeasuredIsUsed() {
        const QString layout = writeFile(folder_.filePath("small.layout.json"), smallLayout(5, "0.5"));  // paced
        const QStringList fullSpeed{"--set", "/cluster/pace=null"};
        const Answer before = run(QStringList{"plan", layout, "--json"} + fullSpeed);
        QVERIFY2(before.status == 0, before.error.constData());
        QVERIFY2(notes(before).contains("not measured"), qPrintable(notes(before)));

        const Answer measured = run({"profile", layout, "--json"});
        QVERIFY2(measured.status == 0, measured.error.constData());
        const QJsonObject profile = measured.json();
        QCOMPARE(profile["shardlab_profile"].toInt(), 2);
        QVERIFY(profile["kernels"].toObject()["kinds"].toArray().size() > 5);
        QVERIFY(profile["kernels"].toObject()["step_seconds"].toDouble() > 0);
        QVERIFY(profile["step_seconds"].toDouble() > 0 && profile["predicted_step_seconds"].toDouble() > 0);
        QVERIFY(!profile["spreads"].toArray().isEmpty());  // however busy this machine is, it is judged
        QVERIFY(profile["send"].toObject()["bandwidth_bytes_per_second"].toDouble() > 0);
        QVERIFY(profile["layout"].toObject()["cluster"].toObject()["pace"].isNull() ||
                profile["layout"].toObject()["cluster"].toObject()["pace"].isUndefined());
        QCOMPARE(QDir(folder_.filePath("profiles")).entryList(QDir::Files).size(), 1);

        const Answer after = run(QStringList{"plan", layout, "--json"} + fullSpeed);
        QVERIFY2(notes(after).contains("were measured on this machine on"), qPrintable(notes(after)));
        QCOMPARE(after.json()["step_seconds"].toDouble(), profile["predicted_step_seconds"].toDouble());
        const Answer search = run(QStringList{"search", layout} + fullSpeed);
        QVERIFY2(search.out.contains("were measured on this machine on"), search.out.constData());
        const Answer ran =
            run(QStringList{"run", layout, "--json", "--out", folder_.filePath("a.shardlab")} + fullSpeed);
        QVERIFY2(ran.status == 0, ran.error.constData());
        QCOMPARE(ran.json()["step_seconds"].toObject()["predicted"].toDouble(),
                 profile["predicted_step_seconds"].toDouble());
        const Answer paced = run({"plan", layout, "--json"});
        QVERIFY(!notes(paced).contains("measured"));
    }

    void aFileOfItsOwn() {
        const QString layout = writeFile(folder_.filePath("small.layout.json"), smallLayout(5));
        const QString file = folder_.filePath("my profile.json");
        const Answer measured = run({"profile", layout, "--out", file});
        QVERIFY2(measured.status == 0, measured.error.constData());
        QVERIFY(measured.out.contains("feed-forward"));
        QVERIFY2(measured.out.contains("Noise"), measured.out.constData());
        const Answer plan = run({"plan", layout, "--json", "--profile", file});
        QVERIFY2(notes(plan).contains("were measured on this machine on"), qPrintable(notes(plan)));
        const Answer missing = run({"plan", layout, "--profile", folder_.filePath("none.json")});
        QCOMPARE(missing.status, 1);
        QVERIFY(missing.error.contains("none.json"));
        // Where it cannot be written, nothing is measured for it.
        for (const QString& place : {folder_.path(), file + "/below", QStringLiteral("/dev/full")}) {
            const Answer nowhere = run({"profile", layout, "--out", place});
            QCOMPARE(nowhere.status, 1);
            QVERIFY2(nowhere.error.startsWith("shardlab: cannot "), nowhere.error.constData());
        }
        const Answer wrong = run({"plan", layout, "--profile", layout});
        QCOMPARE(wrong.status, 1);
        QVERIFY(wrong.error.contains("this is no profile"));
    }

    void faultsAreNamed() {
        const QString layout = writeFile(folder_.filePath("small.layout.json"), smallLayout(5));
        const Answer answer = run({"profile", layout, "--set", "/parallel/pipeline=3"});
        QCOMPARE(answer.status, 1);
        QVERIFY(answer.error.contains("/parallel/pipeline"));
    }
};

QTEST_GUILESS_MAIN(ProfileCommandTest)
#include "profile_command_test.moc"
