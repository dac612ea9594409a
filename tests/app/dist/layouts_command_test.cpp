// SPDX-License-Identifier: Apache-2.0
// `shardlab layouts`: the list, one of it, and a layout made from a config.json.
#include "engine/layout/layout_file.h"
#include "engine/layout/mesh/mesh.h"
#include "tests/support/command.h"
#include "tests/support/sample_weights.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

class LayoutsCommandTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void layoutsListAndShow() {
        const Answer list = run({"layouts", "--json"});
        QCOMPARE(list.status, 0);
        const QJsonArray presets = QJsonDocument::fromJson(list.out).array();
        QVERIFY(presets.size() >= 3);
        QTemporaryDir folder;
        int planned = 0;
        for (const QJsonValue preset : presets) {
            const Answer shown = run({"layouts", "--show", preset["name"].toString()});
            QCOMPARE(shown.status, 0);
            const QString copy = writeFile(folder.filePath("copy.layout.json"), shown.out);
            const auto read = readLayout(copy.toStdString());
            QVERIFY2(read && read->faults.empty(), qPrintable(preset["name"].toString()));
            QCOMPARE(Mesh(read->layout).ranks(), preset["ranks"].toInt());
            if (read->layout.name != "gpt 2x2") continue;
            const Answer plan = run({"plan", copy, "--json"});
            QVERIFY2(plan.status == 0, plan.error.constData());
            QCOMPARE(plan.json()["ranks"].toInt(), preset["ranks"].toInt());
            ++planned;
        }
        QVERIFY(planned > 0);
        QCOMPARE(run({"layouts", "--show", "nothing"}).status, 1);
    }

    void layoutsShrinksOne() {
        const QTemporaryDir folder;
        const Answer made = run({"layouts", "--shrink", "deepseek-v3"});
        QVERIFY2(made.status == 0, made.error.constData());
        QVERIFY2(made.error.contains("note: /model/hidden 64 instead of 7168"), made.error.constData());
        const QString twin = writeFile(folder.filePath("twin.layout.json"), made.out);
        const QString file = folder.filePath("twin.shardlab");
        const Answer trained =
            run({"run", twin, "--steps", "2", "--set", "/cluster/pace/step_seconds=1", "--out", file});
        QVERIFY2(trained.status == 0, trained.error.constData());
        // What trains here is its own twin.
        const Answer again = run({"layouts", "--shrink", twin});
        QCOMPARE(again.out, made.out);
        QVERIFY2(again.error.contains("trains here as it is"), again.error.constData());
        QCOMPARE(run({"layouts", "--shrink", "nothing"}).status, 1);
        const Answer faulty =
            run({"layouts", "--shrink", writeFile(folder.filePath("bad.layout.json"), R"({"model": {"heads": 3}})")});
        QCOMPARE(faulty.status, 1);
        QVERIFY2(faulty.error.contains("/model/heads"), faulty.error.constData());
    }

    void layoutsMakesOneOfAConfig() {
        const QTemporaryDir folder;
        const SampleWeights weights = SampleWeights::llama();
        weights.write(folder.path().toStdString());
        const Answer made = run({"layouts", "--from", folder.filePath("config.json")});
        QVERIFY2(made.status == 0 && made.error.isEmpty(), made.error.constData());
        QFile file(folder.filePath("made.layout.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(made.out) == made.out.size());
        file.close();
        const Answer plan = run({"plan", file.fileName(), "--json"});
        QVERIFY2(plan.status == 0, plan.error.constData());

        SampleWeights other = weights;
        other.config["mlp_bias"] = true;
        other.write(folder.path().toStdString());
        const Answer noted = run({"layouts", "--from", folder.filePath("config.json")});
        QCOMPARE(noted.status, 0);
        QVERIFY2(noted.error.contains("note: config.json: mlp_bias is true"), noted.error.constData());
        QVERIFY(run({"layouts", "--from", folder.filePath("nowhere.json")}).status == 1);
        QCOMPARE(run({"layouts", "--from", folder.filePath("config.json"), "--show", "default"}).status, 2);
    }
};

QTEST_GUILESS_MAIN(LayoutsCommandTest)
#include "layouts_command_test.moc"
