// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of a run's log are English in its file, and told in the desktop's language.
#include "tests/support/wings.h"
#include "ui/core/log_words.h"
#include "ui/window/language.h"

#include "engine/launch/job/elastic_world.h"
#include "engine/launch/job/watchdog.h"
#include "engine/trace/interchange/import.h"

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
            places(QStringLiteral("%\\d|[(),;:·\"]|\\b(?:for ranks|from rank|to rank)\\b"));
        QString said;
        for (int replicas : {1, 2}) said += QString::fromStdString(replicasText(Layout(), replicas));
        for (const auto& [ranks, steps] : {std::pair(1, 1), std::pair(1, 2), std::pair(2, 1), std::pair(2, 2)})
            said += QString::fromStdString(ImportReport{.ranks = ranks, .steps = steps}.summary().english());
        for (const char* wing : {"launch", "trace", "layout", "train"}) {
            QDirIterator files(QStringLiteral(SHARDLAB_SOURCE_DIR "/engine/%1").arg(QLatin1String(wing)),
                               {QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                said += QString::fromUtf8(file.readAll())
                            .remove(seam)
                            .replace(QStringLiteral("\\\""), QStringLiteral("\""));
            }
        }
        for (const char* pattern : logPatterns())
            for (const QString& piece : QString::fromUtf8(pattern).split(places)) {
                const QString words = piece.trimmed();
                if (words.size() > 3) QVERIFY2(said.contains(words), qPrintable(words));
            }
    }

    void englishStaysAsItIs() {
        const char* line = "rank 2 was killed by SIGKILL at step 12, waiting for rank 3";
        QCOMPARE(logWords(line), QLatin1String(line));
    }

    /// Raw names of actions once stood alone, for whoever knows what 1F3 is.
    void actionsHaveWords() {
        QCOMPARE(logWords("rank 2 was killed by SIGKILL at step 12 in 1F3, waiting for rank 3"),
                 QStringLiteral("rank 2 was killed by SIGKILL at step 12 in 1F3 (forward · stage 1 · microbatch 3), "
                                "waiting for rank 3"));
        QCOMPARE(logWords("flight record: step 22: 1SEND_B3 to rank 0, 128 KiB, took 1.68 ms"),
                 QStringLiteral("flight record: step 22: 1SEND_B3 (send backward · stage 1 · microbatch 3) to rank 0, "
                                "128 KiB, took 1.68 ms"));
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
            {"imported 1.2 k events of 2 ranks from it, 4 steps, 3.1 s", {"1.2 k", "2", "4", "3.1 s"}},
            {"a_b_7, device 0: peak 3 GiB = parameters 2 GiB, unknown 1 GiB, while 4 GiB were reserved; in the end "
             "5 GiB are reserved, of which 6 GiB are free, in blocks of at most 7 GiB",
             {"0", "3 GiB = ", "2 GiB", "1 GiB", "4 GiB", "5 GiB", "6 GiB", "7 GiB"}},
            {"a_b_7, device 1: peak 3 GiB, while 4 GiB were reserved; in the end 5 GiB are reserved, of which 6 GiB "
             "are free, in blocks of at most 7 GiB",
             {"1", "3 GiB", "4 GiB", "5 GiB", "6 GiB", "7 GiB"}},
            {"left out: the kernel \"A B\" of a_b_7, from 3 to 4 ns, and whatever else lies 146 years from its "
             "clock's zero",
             {"“A B”", "a_b_7", "3", "4 ns", "146"}},
            {"not understood: 12 spans whose action is none", {"12"}},
            {"not understood: 3 entries of the allocator: of other actions", {"3"}},
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

    /// Why a run that hung was ended once stood in English in the Chinese window.
    void everyReportOfAHangIsTold() {
        static const QRegularExpression letters(QStringLiteral("[a-z]{3,}"));
        speak(QStringLiteral("zh_CN"));
        for (int phase = 0; phase <= static_cast<int>(RankPhase::Checkpointing); ++phase)
            for (const auto& [step, action] : {std::pair(-1, ActionId{0}), std::pair(7, ActionId{0}),
                                               std::pair(7, actionId({ActionKind::Forward, 1, 3}))})
                for (int cause = 0; cause < 8; ++cause) {
                    RankStatus status{.phase = static_cast<RankPhase>(phase), .step = step, .action = action};
                    if (status.phase == RankPhase::Waiting) status.peer = 0;
                    Hang hang{.cause = static_cast<Hang::Cause>(cause % 4), .rank = 1, .seconds = 5, .deadline = 4};
                    hang.missing = {.sender = 1, .receiver = 0, .send = {ActionKind::SendForward, 1, 2}};
                    hang.ranks = {{0, status, {1}}, {1, status, {}}, {2, status, {1, 3}}};
                    for (int rank = 3; rank < 3 + cause * 2; ++rank) hang.ranks.push_back({rank, status, {1}});
                    const QString told = logWords(toText(hang, {.stopped = cause > 3, .sent = cause > 3}));
                    QVERIFY2(!QString(told).remove(QStringLiteral("rank")).contains(letters), qPrintable(told));
                    QVERIFY2(told.contains(QStringLiteral("5.00 s")) || told.contains(QStringLiteral("5 s")),
                             qPrintable(told));
                }
        speak({});
    }

    /// Notes of an import, and what it did not understand, once stood in English in the Chinese window.
    void everyNoteOfAnImportIsTold() {
        static const QRegularExpression seam(QStringLiteral("\"\\s*\"")),
            noted(QStringLiteral("(?:\\b(?:note|ignored|ignore|emplace_back)\\(|std::pair\\{|tooLarge = )([^;]*)")),
            literal(QStringLiteral("\"((?:[^\"\\\\]|\\\\.)* (?:[^\"\\\\]|\\\\.)*)\"")),
            letters(QStringLiteral("[a-z]{4,}"));
        speak(QStringLiteral("zh_CN"));
        int told = 0;
        QDirIterator files(
            QStringLiteral(SHARDLAB_SOURCE_DIR "/engine/trace/interchange"),
            {QStringLiteral("import_*.cpp"), QStringLiteral("foreign_trace.cpp"), QStringLiteral("trace_json.cpp")},
            QDir::Files);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            QString source = QString::fromUtf8(file.readAll()).remove(seam);
            source.replace(QStringLiteral("\\\""), QStringLiteral("”"));  // which ends no literal
            for (auto call = noted.globalMatch(source); call.hasNext();) {
                for (auto each = literal.globalMatch(call.next().captured(1)); each.hasNext();) {
                    QString line = each.next().captured(1).replace(QStringLiteral("”"), QStringLiteral("\""));
                    if (line.startsWith(QLatin1Char(' '))) line.prepend(QLatin1Char('7'));
                    line.replace(QStringLiteral("left out: {}"), QStringLiteral("left out: a kernel"));
                    line.replace(QStringLiteral("{}"), QStringLiteral("7"));
                    QString shown = logWords(line.toStdString());
                    for (const char* known : {"traceEvents", "distributedInfo", "train_runtime", "shardlab", "layouts",
                                              "from", "rank", "Total Allocated", "trace", "Forward"})
                        shown.remove(QLatin1String(known));
                    QVERIFY2(!shown.contains(letters), qPrintable(shown));
                    ++told;
                }
            }
        }
        speak({});
        QVERIFY2(told > 25, qPrintable(QString::number(told)));
    }
};

QTEST_MAIN(LogWordsTest)
#include "log_words_test.moc"
