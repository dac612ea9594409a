// SPDX-License-Identifier: Apache-2.0
// `shardlab plan`: how much of it a person has to read.
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTest>

#include <cmath>

using namespace shardlab;
using namespace shardlab::test;

class PlanCommandTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ranksThatAreAlikeShareARowOfThePlan() {
        const auto rows = [](const QByteArray& text) {
            QList<QByteArrayList> table;
            bool inside = false;
            for (const QByteArray& line : text.split('\n')) {
                if (line.trimmed().isEmpty()) inside = false;
                if (inside) table.append(line.simplified().split(' '));
                if (line.trimmed().startsWith("rank")) inside = true;
            }
            return table;
        };
        const Answer folded = run({"plan", "llama3-70b"}), all = run({"plan", "llama3-70b", "--all"});
        QCOMPARE(folded.status, 0);
        QCOMPARE(all.status, 0);
        QCOMPARE(rows(all.out).size(), 64);
        const QList<QByteArrayList> few = rows(folded.out);
        QCOMPARE(few.size(), 8);  // one a pipeline rank
        for (int stage = 0; stage < few.size(); ++stage) {
            const QByteArrayList& row = few[stage];
            QCOMPARE(row[0], QString("%1–%2").arg(8 * stage).arg(8 * stage + 7).toUtf8());
            QCOMPARE(row.mid(1, 3), (QByteArrayList{"×", "8", "pp" + QByteArray::number(stage)}));
            // The figures are those of each of the ranks.
            for (int rank = 8 * stage; rank < 8 * stage + 8; ++rank) QCOMPARE(rows(all.out)[rank].mid(3), row.mid(4));
        }
        // A number of parameters is told as the model's name tells it.
        QVERIFY2(folded.out.contains("Parameters      70.6 B\n"), folded.out.left(400));
    }

    /// The fields of a better layout once lacked the tensor degree, ZeRO and recomputation, whatever changed.
    void aBetterLayoutIsTakenByItsFields() {
        int taken = 0;
        for (const char* preset : {"tensor-4", "llama3-70b", "ptd-p-8", "recompute-4", "uneven-4", "zero-4"}) {
            const Answer slow = run({"plan", preset, "--json"});
            QCOMPARE(slow.status, 0);
            for (const QJsonValue& overhead : slow.json()["losses"].toArray()) {
                const QJsonObject better = overhead["better"].toObject(), fields = better["fields"].toObject();
                if (better.isEmpty()) continue;
                QVERIFY2(!fields.isEmpty(), preset);
                QStringList arguments{"plan", preset, "--json"};
                for (auto field = fields.begin(); field != fields.end(); ++field)
                    arguments << "--set" << field.key() + '=' + asJson(field.value());
                const QByteArray change = better["change"].toString().toUtf8();
                const Answer quick = run(arguments);
                QVERIFY2(quick.status == 0, quick.error);
                const double promised = better["step_seconds"].toDouble();
                QVERIFY2(std::abs(quick.json()["step_seconds"].toDouble() - promised) < 1e-6 * promised, change);
                ++taken;
            }
        }
        QVERIFY(taken >= 6);
    }

private:
    static QString asJson(const QJsonValue& value) {
        const QByteArray list = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
        return QString::fromUtf8(list.mid(1, list.size() - 2));
    }
};

QTEST_GUILESS_MAIN(PlanCommandTest)
#include "plan_command_test.moc"
