// SPDX-License-Identifier: Apache-2.0
// What a program of the shell owes whoever calls it: a true exit status, a silent end before `head`, and nothing
// started unasked.
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

class ShellHabitsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// What was asked for has not arrived: the exit status says so, and one line why.
    void aFullStandardOutputIsAFailure_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("a page") << QStringList{"--help"};
        QTest::newRow("version") << QStringList{"--version"};
        QTest::newRow("a few lines") << QStringList{"plan", "default"};
        QTest::newRow("many lines") << QStringList{"schedule", "1f1b-4", "--format",
                                                   "csv",      "--set",  "/batch/global=512"};
        QTest::newRow("json") << QStringList{"plan", "1f1b-4", "--critical-path", "--json"};
        QTest::newRow("layouts") << QStringList{"layouts"};
        QTest::newRow("devices") << QStringList{"devices"};
        QTest::newRow("lessons") << QStringList{"learn"};
        QTest::newRow("a lesson") << QStringList{"learn", "1f1b"};
        QTest::newRow("doctor") << QStringList{"doctor"};
    }
    void aFullStandardOutputIsAFailure() {
        QFETCH(QStringList, arguments);
        for (const char* where : {">/dev/full", ">&-"}) {
            QProcess process;
            process.start("/bin/sh",
                          QStringList{"-c", QString("exec \"$0\" \"$@\" %1").arg(where), program()} + arguments);
            QVERIFY(process.waitForFinished(patience));
            QCOMPARE(process.exitCode(), 1);
            const QByteArray said = process.readAllStandardError();
            QVERIFY2(said.endsWith(*where == '>' && where[1] == '/'
                                       ? "shardlab: cannot write standard output: No space left on device\n"
                                       : "shardlab: cannot write standard output: Bad file descriptor\n"),
                     said.constData());
            QCOMPARE(said.count("cannot write"), 1);
        }
    }

    /// As any program ends before `head`: without a word.
    void aReaderThatGoesAwayEndsIt() {
        QTemporaryDir folder;
        const QString trace = folder.filePath("rank0.json");
        QVERIFY(QFile::copy(QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/trace/traces/kineto-rank0.json"), trace));
        QCOMPARE(run({"import", trace}).status, 0);
        // More than a pipe holds, so that the reader is gone before all is written.
        const QString question =
            "WITH RECURSIVE n(i) AS (SELECT 100000 UNION ALL SELECT i + 1 FROM n WHERE i < 130000) SELECT i FROM n";
        QProcess process;
        process.start("/bin/sh", {"-c", "{ \"$0\" \"$@\"; echo $? >&2; } | head -1", program(), "query",
                                  folder.filePath("rank0.shardlab"), question});
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.readAllStandardOutput().count('\n'), 1);
        QCOMPARE(process.readAllStandardError(), QByteArray("141\n"));
    }

    /// A pipe gives its text once: `shardlab schedule <(…)` is told from another trainer's file, and read, in one go.
    void aLayoutComesFromAPipe() {
        QTemporaryDir folder;
        const QString layout = writeFile(folder.filePath("small.json"), smallLayout(3));
        const QString ruined = writeFile(folder.filePath("ruined.json"), "{\"model\": ");
        const QString script = folder.filePath("mine.megatron.sh");
        QCOMPARE(run({"export", layout, "--for", "megatron", "--set", "/model/vocabulary=256", "--out", script}).status,
                 0);
        const auto piped = [&](const QString& file, const QStringList& more) {
            QProcess process;
            process.start("/bin/bash",
                          QStringList{"-c", "f=$1; shift; exec \"$0\" schedule <(cat \"$f\") \"$@\"", program(), file} +
                              more);
            if (!process.waitForFinished(patience)) return Answer{};
            return Answer{process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
        };
        for (const QString& file : {layout, script}) {
            const Answer direct = run({"schedule", file, "--format", "csv"}), answer = piped(file, {"--format", "csv"});
            QVERIFY2(answer.status == 0, answer.error.constData());
            QVERIFY(answer.out.contains("1F3") && answer.out == direct.out);
        }
        const Answer refused = piped(ruined, {});
        QCOMPARE(refused.status, 1);
        QVERIFY2(refused.error.contains("line 1") && refused.error.contains("/dev/fd/"), refused.error.constData());
        const Answer endless = run({"plan", "/dev/zero"});
        QVERIFY2(endless.status == 1 && endless.error.contains("too large"), endless.error.constData());
    }

    /// A layout is a file from anywhere: what it names is not started because somebody looks at it.
    void aLayoutsAgentIsNotStartedUnasked_data() {
        QTest::addColumn<QString>("verb");
        QTest::newRow("doctor") << "doctor";
        QTest::newRow("run") << "run";
    }
    void aLayoutsAgentIsNotStartedUnasked() {
        QFETCH(QString, verb);
        QTemporaryDir folder;
        const QString agent = "sh -c ': > started' {host}", marker = folder.filePath("started");
        QStringList environment = QProcess::systemEnvironment();
        environment.removeIf([](const QString& variable) { return variable.startsWith("XDG_CONFIG_HOME="); });
        environment << "XDG_CONFIG_HOME=" + folder.filePath("configuration");
        QByteArray layout = smallLayout(2);
        const QString hosts =
            "[{\"name\": \"localhost\", \"devices\": 1}, {\"name\": \"nowhere77\", \"devices\": 1}], \"agent\": \"%1\"";
        layout.replace("[{\"name\": \"localhost\", \"devices\": 2}]", hosts.arg(agent).toUtf8());
        const QString file = writeFile(folder.filePath("wild.json"), layout);
        const auto answer = [&](const QStringList& more) {
            // Runs of the same second have the same name.
            const Answer said =
                run(QStringList{verb, file} + (verb == "run" ? QStringList{"--force"} : QStringList()) + more,
                    folder.path(), environment);
            return said.out + said.error;
        };
        const auto refused = [](const QByteArray& said) { return said.contains("you have not allowed it"); };
        const auto started = [&](const QByteArray& said) {
            // A machine that no other can reach calls none.
            return !refused(said) && (QFile::remove(marker) || said.contains("other hosts cannot reach this machine"));
        };
        QVERIFY(refused(answer({})) && !QFile::exists(marker));
        QVERIFY(refused(answer({"--set", "/name=other"})) &&
                answer({}).contains("--agent 'sh -c '\\'': > started'\\'' {host}'"));
        QVERIFY(!QFile::exists(marker) && QDir(folder.path()).entryList({"*.shardlab"}).isEmpty());
        QVERIFY(started(answer({"--agent", agent})));
        QVERIFY(refused(answer({})) && !QFile::exists(marker));
        QVERIFY(started(answer({"--agent", agent, "--remember-agent"})));
        QVERIFY(started(answer({})));
        QCOMPARE(run({verb, file, "--remember-agent"}, folder.path(), environment).status, 2);
    }
};

QTEST_GUILESS_MAIN(ShellHabitsTest)
#include "shell_habits_test.moc"
