// SPDX-License-Identifier: Apache-2.0
// What plan and search tell of published runs that are like the layout.
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTest>

using namespace shardlab::test;

class EvidenceCommandTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void plansTellTheRunsLikeThem() {
        const QJsonObject known =
            run({"plan", "llama3-70b", "--json"}).json()["evidence"].toObject()["step"].toObject();
        QVERIFY(known["runs"].toInt() >= 5 && known["nine_of_ten"].toDouble() >= known["median"].toDouble());
        const QByteArray text = run({"plan", "llama3-70b"}).out;
        const QByteArray line =
            QByteArray::number(known["runs"].toInt()) + " published runs of megatron-core on hopper";
        QVERIFY2(text.contains("\nEvidence        " + line), text.left(1500));
        QVERIFY(run({"plan", "default", "--json"}).json()["evidence"].isNull());
        QVERIFY(!run({"plan", "default"}).out.contains("Evidence"));
    }

    /// Where published runs do not tell candidates apart, the search says so.
    void searchTellsTheBandOfPublishedRuns() {
        const QStringList arguments{"search", "llama3-70b", "--top", "1000000"};
        const QJsonObject found = run(arguments + QStringList{"--json"}).json();
        const double band = found["evidence"]["step"]["nine_of_ten"].toDouble();
        const QJsonArray candidates = found["candidates"].toArray();
        const double best = candidates[0]["step_seconds"].toDouble();
        int alike = 0;
        while (alike < candidates.size() && candidates[alike]["step_seconds"].toDouble() <= best * (1 + band) &&
               candidates[alike]["fits"] == candidates[0]["fits"])
            ++alike;
        QVERIFY(band > 0 && alike > 1);
        QCOMPARE(found["evidence"]["candidates_within_band"].toInt(), alike);
        const QByteArray text = run(arguments).out;
        QVERIFY2(text.contains("The first " + QByteArray::number(alike) + " candidates lie within "), text.right(600));
        QVERIFY(run({"search", "default", "--top", "1", "--json"}).json()["evidence"].isNull());
    }
};

QTEST_GUILESS_MAIN(EvidenceCommandTest)
#include "evidence_command_test.moc"
