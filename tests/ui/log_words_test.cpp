// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of a run's log are English in its file, and told in the desktop's language.
#include "tests/support/wings.h"
#include "ui/core/log_words.h"
#include "ui/window/language.h"

#include "engine/launch/job/elastic_world.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

class LogWordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A pattern of which the engine says no word any more would wait for nothing.
    void everyPatternIsSaidByTheEngine() {
        static const QRegularExpression seam(QStringLiteral("\"\\s*\"")),
            places(QStringLiteral("%\\d|[(),;:·]|\\b(?:for ranks|from rank|to rank)\\b"));
        QString said;
        for (int replicas : {1, 2}) said += QString::fromStdString(replicasText(Layout(), replicas));
        for (const char* wing : {"launch", "trace", "layout", "train"}) {
            QDirIterator files(QStringLiteral(SHARDLAB_SOURCE_DIR "/engine/%1").arg(QLatin1String(wing)),
                               {QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                said += QString::fromUtf8(file.readAll()).remove(seam);
            }
        }
        for (const char* pattern : logPatterns())
            for (const QString& piece : QString::fromUtf8(pattern).split(places)) {
                const QString words = piece.trimmed();
                if (words.size() > 3) QVERIFY2(said.contains(words), qPrintable(words));
            }
    }

    void englishStaysAsItIs() {
        const char* line = "rank 2 was killed by SIGKILL at step 12 in 1F3, waiting for rank 3";
        QCOMPARE(logWords(line), QLatin1String(line));
    }

    /// Once English in the Chinese window.
    void chineseIsToldWithWhatStandsInIt() {
        speak(QStringLiteral("zh_CN"));
        static const QRegularExpression letters(QStringLiteral("[a-z]{4,}"));
        const std::pair<const char*, QStringList> lines[] = {
            {"stopped on request", {}},
            {"killed on request at step 3", {"3"}},
            {"ended with exit code 7 during setup", {"7"}},
            {"absent from step 40", {"40"}},
            {"1.05 M tokens of text: 7315 windows to train on, 812 to validate on", {"1.05 M", "7315", "812"}},
            {"restart 1 of 3: on from step 20 with 1 replica (2 ranks) instead of 2, the beginning",
             {"20", "1", "2", "3"}},
            {"asked for 2 replicas (4 ranks): the run stops for a checkpoint", {"2", "4"}},
            {"no checkpoint of step 8: /a/b", {"8", "/a/b"}},
            {"ending mpirun: a rank hangs", {}},
            {"flight record: step 22: 1SEND_B3 to rank 0, 128 KiB, took 1.68 ms", {"22", "1SEND_B3", "0", "1.68 ms"}},
            {"flight record: step 22: 1REDUCE_TIED, under way for 3 ms", {"22", "1REDUCE_TIED", "3 ms"}},
            {"rank 1 on host b died at step 12 in 1F3", {"12", "1F3"}},
            {"waits at step 4 in 1F3 for ranks 2, 3", {"4", "1F3", "2, 3"}},
            {"rank 2 · compute 3.10 ms a step, 20.0 % more than its like (2.6 ms), steps 4–9",
             {"3.10 ms", "2.6 ms", "4–9"}},
            {"rank 1 → 2 · link 3 ms a step, its like none, step 4", {"1 → 2", "3 ms", "4"}},
        };
        for (const auto& [line, kept] : lines) {
            QString told = logWords(line);
            for (const QString& each : kept) QVERIFY2(told.contains(each), qPrintable(told));
            for (const char* known : {"mpirun", "rank", "token"}) told.remove(QLatin1String(known));
            QVERIFY2(!told.contains(letters), qPrintable(told));
        }
        const QString killed = logWords("rank 2 was killed by SIGKILL at step 12 in 1F3, waiting for rank 3");
        for (const char* each : {"SIGKILL", "12", "1F3", "rank 2", "rank 3"})
            QVERIFY2(killed.contains(QLatin1String(each)), qPrintable(killed));
        QVERIFY(!killed.contains(QStringLiteral("killed")) && !killed.contains(QStringLiteral("waiting")));
        // What a program prints is its own.
        for (const char* printed : {"loss at step 5 is 3", "hello", "step 3: reading shard 12 of 40"})
            QCOMPARE(logWords(printed), QLatin1String(printed));
        speak({});
    }
};

QTEST_MAIN(LogWordsTest)
#include "log_words_test.moc"
