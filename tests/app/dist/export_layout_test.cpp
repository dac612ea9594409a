// SPDX-License-Identifier: Apache-2.0
// shardlab export LAYOUT --for TARGET, and shardlab layouts --from: exit status, files, what is said.
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

class ExportLayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A layout goes to another trainer and comes back; what the trainer cannot do is said at its field, all at once.
    void layoutsForOtherTrainers() {
        const QTemporaryDir folder;
        const Answer script = run({"export", "default", "--for", "megatron", "--sbatch"}, folder.path());
        QCOMPARE(script.status, 0);
        QCOMPARE(script.out, QByteArray("default.megatron.sbatch\n"));
        const Answer back = run({"layouts", "--from", "default.megatron.sbatch"}, folder.path());
        QCOMPARE(back.status, 0);
        const Answer shown = run({"layouts", "--show", "default"});
        const auto sections = [](const QByteArray& text) { return QJsonDocument::fromJson(text).object(); };
        for (const char* section : {"model", "parallel", "schedule", "batch", "optimizer", "memory", "run"})
            QCOMPARE(sections(back.out)[section], sections(shown.out)[section]);

        QCOMPARE(run({"export", "default", "--for", "megatron", "--sbatch"}, folder.path()).status, 1);  // it exists
        QCOMPARE(run({"export", "default", "--for", "megatron", "--sbatch", "--force"}, folder.path()).status, 0);
        const Answer refused = run({"export", "default", "--for", "megatron", "--set", "/schedule/kind=zb-h1", "--set",
                                    "/memory/recompute=sqrt", "--out", "never.sh"},
                                   folder.path());
        QCOMPARE(refused.status, 1);
        QVERIFY(refused.error.contains("/schedule/kind") && refused.error.contains("/memory/recompute"));
        QVERIFY(!QFile::exists(folder.filePath("never.sh")));
        const Answer module = run({"export", "default", "--for", "torchtitan-0.3", "--set", "/model/kind=llama",
                                   "--set", "/schedule/kind=zb-h1"},
                                  folder.path());
        QCOMPARE(module.out, QByteArray("default_torchtitan.py\ndefault_torchtitan.schedule.csv\n"));
        const Answer several = run({"export", "default", "--for", "deepspeed", "--out", "ds.json"}, folder.path());
        QCOMPARE(several.out, QByteArray("ds.json\nds.model.txt\nds.config.json\n"));
        for (const QByteArray& name : several.out.trimmed().split('\n')) QVERIFY(QFile::exists(folder.filePath(name)));
    }
};

QTEST_GUILESS_MAIN(ExportLayoutTest)
#include "export_layout_test.moc"
