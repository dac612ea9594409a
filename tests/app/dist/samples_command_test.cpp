// SPDX-License-Identifier: Apache-2.0
// `shardlab samples`: every rank's part of a batch, held against the text that it comes from.
#include "tests/support/command.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <random>

using namespace shardlab;
using namespace shardlab::test;

class SamplesCommandTest : public QObject {
    Q_OBJECT
private:
    QStringList command(const QStringList& more) const {
        return QStringList{"samples",         "default", "--set",
                           "/data/kind=text", "--set",   "/data/path=" + folder_.filePath("text")} +
               more;
    }
    QTemporaryDir folder_;
    std::string text_;

private Q_SLOTS:
    void initTestCase() {
        std::mt19937 random(freshSeed());
        for (int i = 0; i < 40000; ++i) text_ += char('a' + random() % 26);
        std::ofstream(folder_.filePath("text").toStdString()) << text_;
    }

    /// The default layout: 2 replicas of 2 stages, 16 samples of 128 tokens a step.
    void ranksShareOutTheBatch() {
        QSet<int> windows;
        std::array<QJsonArray, 4> of;
        for (int rank = 0; rank < 4; ++rank) {
            const Answer answer = run(command({"--rank", QString::number(rank), "--step", "3", "--json"}));
            QVERIFY2(answer.status == 0, answer.error.constData());
            of[std::size_t(rank)] = answer.json()["samples"].toArray();
            QCOMPARE(of[std::size_t(rank)].size(), 8);
            for (const QJsonValue sample : of[std::size_t(rank)]) {
                const int window = sample["window"].toInt();
                windows.insert(window);
                const QJsonArray tokens = sample["tokens"].toArray(), targets = sample["targets"].toArray();
                QCOMPARE(tokens.size(), 128);
                for (int i = 0; i < 128; ++i) {
                    QCOMPARE(tokens[i].toInt(), int(text_[std::size_t(window * 129 + i)]));
                    QCOMPARE(targets[i].toInt(), int(text_[std::size_t(window * 129 + i + 1)]));
                }
                QVERIFY(sample["sample"].toInt() >= 48 && sample["sample"].toInt() < 64);
            }
        }
        QCOMPARE(windows.size(), 16);
        QVERIFY(of[0] == of[2] || of[0] == of[1]);  // stages of one pipeline have the same samples
        QVERIFY(of[0] != of[3]);
    }

    void aContextGroupSharesEachSample() {
        const QStringList layout{"--set", "/parallel/context=2", "--set", "/parallel/pipeline=1", "--json"};
        QSet<int> seen;
        for (int rank = 0; rank < 2; ++rank) {
            const Answer answer = run(command(layout + QStringList{"--rank", QString::number(rank)}));
            QVERIFY2(answer.status == 0, answer.error.constData());
            const QJsonValue sample = answer.json()["samples"].toArray().first();
            QCOMPARE(sample["tokens"].toArray().size(), 64);
        }
    }

    void theTableIsCutAndWhatIsWrongIsSaid() {
        const Answer table = run(command({"--tokens", "3"}));
        QVERIFY2(table.status == 0, table.error.constData());
        QVERIFY2(table.out.startsWith("rank 0, dp0 pp0, step 0; ") && table.out.contains(" … 128"),
                 table.out.constData());
        const Answer rank = run(command({"--rank", "4"}));
        QVERIFY(rank.status == 1 && rank.error.contains("the layout has 4 ranks"));
        const Answer file = run({"samples", "default", "--set", "/data/kind=text", "--set", "/data/path=/nowhere/x"});
        QVERIFY2(file.status == 1 && file.error.contains("/nowhere/x"), file.error.constData());
        const Answer server =
            run(command({"--set", "/parallel/exchange=async-server", "--set", "/parallel/pipeline=1", "--set",
                         "/optimizer/kind=sgd", "--set", "/optimizer/clip=0", "--set", "/parallel/data=3", "--set",
                         "/cluster/hosts=[{\"name\": \"localhost\", \"devices\": 3}]"}));
        QVERIFY2(server.status == 1 && server.error.contains("parameter server"), server.error.constData());
    }
};

QTEST_GUILESS_MAIN(SamplesCommandTest)
#include "samples_command_test.moc"
