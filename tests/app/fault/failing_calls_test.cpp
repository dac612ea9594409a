// SPDX-License-Identifier: Apache-2.0
// Planning with one call that fails: an allocation, a file that cannot be opened, read or mapped. Whichever it is,
// there is the same answer or one sentence of what failed, and never a crash or another answer. Files are tried one by
// one; of the allocations, which are very many, the first ones and some drawn anew, or as many as SHARDLAB_FAILURES
// says; "all": each of them.
#include "tests/app/fault/planning_commands.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/sanitizer.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QMap>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <set>

using namespace shardlab::test;

class FailingCallsTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    struct Ended {
        bool crashed = true;
        Answer answer;
    };

    /// The program with one call that fails; "": none does.
    Ended ask(const QStringList& arguments, const QString& failing) const {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LD_PRELOAD", SHARDLAB_PROGRAM_DIR "/libfailing_calls.so");
        environment.insert("FAIL_COUNTS", folder_.filePath("counts"));
        if (!failing.isEmpty()) environment.insert("FAIL_CALL", failing);
        process.setProcessEnvironment(environment);
        process.start(program(), arguments);
        if (!process.waitForFinished(patience)) {
            process.kill();
            process.waitForFinished();
        }
        return {process.exitStatus() != QProcess::NormalExit,
                {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()}};
    }

    /// Each allocation fails once, in a child of its own; how many of the answers were the same, and how many refusals.
    std::pair<int, int> sweep(const QStringList& arguments, const Answer& right) const {
        writeFile(folder_.filePath("right.out"), right.out);
        writeFile(folder_.filePath("right.err"), right.error);
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LD_PRELOAD", SHARDLAB_PROGRAM_DIR "/libfailing_calls.so");
        environment.insert("FAIL_COUNTS", folder_.filePath("counts"));
        environment.insert("FAIL_CALL", "malloc all");
        environment.insert("FAIL_RIGHT", folder_.filePath("right"));
        environment.insert("FAIL_STATUS", QString::number(right.status));
        process.setProcessEnvironment(environment);
        process.start(program(), arguments);
        process.waitForFinished(-1);
        QFile told(folder_.filePath("counts"));
        if (told.open(QIODevice::ReadOnly))
            for (const QByteArray& line : told.readAll().split('\n'))
                if (line.startsWith("wrong:")) qCritical("%s", line.constData());
        const QMap<QString, int> all = counts();
        return {all["same"], all["refused"]};
    }

    QMap<QString, int> counts() const {
        QFile file(folder_.filePath("counts"));
        QMap<QString, int> found;
        if (!file.open(QIODevice::ReadOnly)) return found;
        for (const QByteArray& line : file.readAll().split('\n'))
            if (const auto words = line.split(' '); words.size() == 2) found[words[0]] = words[1].toInt();
        return found;
    }

private Q_SLOTS:
    void initTestCase() {
        if (sanitized) QSKIP("a sanitizer has allocations of its own");
    }

    void everyAnswerIsRightOrNone_data() { askedWhilePlanning(folder_); }
    void everyAnswerIsRightOrNone() {
        QFETCH(QStringList, arguments);
        const Ended right = ask(arguments, {});
        QVERIFY2(!right.crashed, right.answer.error.constData());
        const QMap<QString, int> all = counts();
        QVERIFY2(all["malloc"] > 100 && all["open"] > 0 && all["read"] > 0, "nothing was counted");
        bool asked = false;
        const int wanted = qEnvironmentVariableIntValue("SHARDLAB_FAILURES", &asked), drawn = asked ? wanted : 25;
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        int refused = 0, same = 0;
        for (const QString& kind : all.keys()) {
            std::set<int> tried;
            const int most = kind == "malloc" ? 5 : 40;
            for (int i = 1; i <= std::min(most, all[kind]); ++i) tried.insert(i);
            if (kind == "malloc" && qEnvironmentVariable("SHARDLAB_FAILURES") == "all") {
                const auto [equal, none] = sweep(arguments, right.answer);
                same += equal, refused += none;
                QVERIFY2(equal + none == all[kind], "allocations were left out");
            } else if (kind == "malloc")
                for (int i = 0; i < drawn; ++i) tried.insert(1 + random.bounded(all[kind]));
            for (const int at : tried) {
                const QString failing = QString("%1 %2").arg(kind).arg(at);
                const Ended ended = ask(arguments, failing);
                const QByteArray said =
                    (failing + ":\n").toUtf8() + ended.answer.out.left(300) + ended.answer.error.left(1000);
                QVERIFY2(!ended.crashed, said.constData());
                if (ended.answer.status == right.answer.status && ended.answer.out == right.answer.out &&
                    ended.answer.error == right.answer.error) {
                    ++same;
                    continue;
                }
                QVERIFY2(ended.answer.status == 1, said.constData());
                QVERIFY2(!ended.answer.error.trimmed().isEmpty(), said.constData());
                QVERIFY2(ended.answer.error.size() < 4000, said.constData());
                ++refused;
            }
        }
        qInfo("seed %u: %d calls refused, %d made no difference", seed, refused, same);
        QVERIFY(refused > 0);
    }
};

QTEST_GUILESS_MAIN(FailingCallsTest)
#include "failing_calls_test.moc"
