// SPDX-License-Identifier: Apache-2.0
// What plan and search tell of published runs that are like the layout.
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTest>

#include <cmath>

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

    /// The parts of a step are the step, in JSON and as a table.
    void plansTellWhereTheStepGoes() {
        const QJsonObject plan = run({"plan", "llama3-70b", "--json"}).json();
        double sum = 0;
        QStringList names;
        for (const QJsonValue& part : plan["waterfall"].toArray()) {
            sum += part["seconds"].toDouble();
            names << part["part"].toString();
        }
        QVERIFY(std::abs(sum / plan["step_seconds"].toDouble() - 1) < 1e-9);
        QCOMPARE(names.first(), QStringLiteral("compute at peak"));
        QCOMPARE(names.last(), QStringLiteral("rest"));
        const QByteArray text = run({"plan", "llama3-70b", "--waterfall"}).out;
        QVERIFY2(text.contains("compute at peak") && text.contains("exposed communication"), text.right(1500));
    }

    void plansTellWhatAWholeRunTakes() {
        const QStringList asked{"plan", "llama3-70b", "--tokens", "15e12", "--price", "2"};
        const QJsonObject plan = run(asked + QStringList{"--json"}).json(), whole = plan["whole_run"].toObject();
        const double seconds = 15e12 / plan["tokens_per_second"].toDouble();
        QVERIFY(std::abs(whole["seconds"].toDouble() / seconds - 1) < 1e-6);
        QVERIFY(std::abs(whole["cost"].toDouble() / (2 * 64 * seconds / 3600) - 1) < 1e-6);
        QVERIFY(whole["failures"].isNull());
        const QStringList failing{"--mtbf", "50000", "--checkpoint-time", "30", "--restart-time", "600"};
        const QJsonObject lost = run(asked + failing + QStringList{"--json"}).json()["whole_run"].toObject();
        const double goodput = lost["shares"]["goodput"].toDouble();
        QVERIFY(goodput > 0.9 && goodput < 1);
        QVERIFY(std::abs(lost["seconds"].toDouble() * goodput / seconds - 1) < 1e-6);
        QCOMPARE(lost["interval_seconds"], lost["failures"]["best_interval_seconds"]);
        const QByteArray text = run(asked + failing).out;
        QVERIFY2(text.contains("Whole run\n") && text.contains("Young"), text.right(800));
        QVERIFY(run({"plan", "llama3-70b", "--json"}).json()["whole_run"].isNull());
        const auto refused = run({"plan", "llama3-70b", "--tokens", "15e12", "--mtbf", "50000"});
        QVERIFY(refused.status != 0 && refused.error.contains("checkpoint"));
    }
};

QTEST_GUILESS_MAIN(EvidenceCommandTest)
#include "evidence_command_test.moc"
