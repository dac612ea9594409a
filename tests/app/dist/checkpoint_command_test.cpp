// SPDX-License-Identifier: Apache-2.0
// Checkpoints as a person handles them: one before the first step, the newest that is whole, weights of any model.
#include "engine/base/file.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

class CheckpointCommandTest : public QObject {
    Q_OBJECT
private:
    /// Runs 4 steps with a checkpoint every second.
    Answer train(const QStringList& more) const {
        return run(QStringList{"run", writeFile(folder_->filePath("small.json"), smallLayout(4)), "--set",
                               "/checkpoint/every=2", "--out", folder_->filePath("run.shardlab"), "--json"} +
                   more);
    }
    QString checkpoints() const { return folder_->filePath("run.checkpoints"); }
    /// Steps of the checkpoints, as `checkpoint` lists them.
    QList<int> steps() const {
        QList<int> all;
        const QJsonArray list = QJsonDocument::fromJson(run({"checkpoint", checkpoints(), "--json"}).out).array();
        for (const QJsonValue each : list) all << each["step"].toInt();
        return all;
    }
    std::unique_ptr<QTemporaryDir> folder_;

private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void theFirstWeightsStayBesideTheNewest() {
        const Answer trained = train({"--set", "/checkpoint/first=true", "--set", "/checkpoint/keep=1"});
        QVERIFY2(trained.status == 0, trained.error.constData());
        QCOMPARE(steps(), QList<int>({0, 4}));
        const auto places = listCheckpoints(checkpoints().toStdString());
        // From the weights of step 0 training goes as it went from the start.
        const QString begin = QString::fromStdString(places.front().path.string());
        const Answer again = run({"run", folder_->filePath("small.json"), "--resume", begin, "--out",
                                  folder_->filePath("again.shardlab"), "--json"});
        QVERIFY2(again.status == 0, again.error.constData());
        const auto losses = [&](const QString& file) {
            return run({"query", folder_->filePath(file), "SELECT step, loss FROM steps", "--csv"}).out;
        };
        QVERIFY(losses("run.shardlab").count('\n') == 5);
        QCOMPARE(losses("again.shardlab"), losses("run.shardlab"));
    }

    void theNewestThatIsWholeIsTaken() {
        QVERIFY(train({}).status == 0);
        QCOMPARE(steps(), QList<int>({2, 4}));
        const auto places = listCheckpoints(checkpoints().toStdString());
        std::filesystem::resize_file(places.back().path / "rank-00001.safetensors", 100);
        const QStringList more{"run",   folder_->filePath("small.json"),    "--resume", checkpoints(), "--steps", "6",
                               "--out", folder_->filePath("more.shardlab"), "--force",  "--json"};
        const Answer on = run(more);
        QVERIFY2(on.status == 0, on.error.constData());
        const QByteArray first =
            run({"query", folder_->filePath("more.shardlab"), "SELECT min(step) FROM steps", "--csv"}).out;
        QVERIFY2(first.trimmed().endsWith("2"), first.constData());
        // The damaged one by its own name is refused, and so is a folder of damaged ones.
        QStringList named = more;
        named[3] = QString::fromStdString(places.back().path.string());
        const Answer damaged = run(named);
        QVERIFY2(damaged.status == 1 && damaged.error.contains("the checkpoint is damaged"), damaged.error.constData());
        std::filesystem::remove(places.front().path / "rank-00000.safetensors");
        const Answer none = run(more);
        QVERIFY2(none.status == 1 && none.error.contains("the checkpoint is damaged"), none.error.constData());
    }

    void weightsOfAnyModelAreWritten_data() {
        QTest::addColumn<QString>("model");
        QTest::newRow("gpt-moe") << "/model/kind=gpt-moe";
        QTest::newRow("mlp") << "/model/kind=mlp";
        QTest::newRow("cnn") << "/model/kind=cnn";
        QTest::newRow("a gpt whose layers differ") << "/model/feed_forward=[48, 64]";
    }
    void weightsOfAnyModelAreWritten() {
        QFETCH(QString, model);
        const Answer trained = train({"--set", model});
        QVERIFY2(trained.status == 0, trained.error.constData());
        const Answer written = run({"export-weights", checkpoints(), "--out", folder_->filePath("weights")});
        QVERIFY2(written.status == 0, written.error.constData());
        DiskFileSystem files;
        const auto newest = findCheckpoint(checkpoints().toStdString());
        const auto manifest = readManifest(*newest);
        const auto source = StateSource::ofCheckpoint(files, *newest, *manifest);
        const auto exported = StateSource::ofTensors(files, folder_->filePath("weights").toStdString());
        QVERIFY(source && exported);
        std::size_t weights = 0;
        for (const StateSource::Whole& whole : source->wholes()) {
            if (whole.kind != weightKind) continue;
            ++weights;
            const auto ours = source->read(whole), theirs = exported->read(whole);
            QVERIFY2(ours && theirs && *ours == *theirs, whole.name.c_str());
        }
        QVERIFY(weights > 4);
        QCOMPARE(exported->wholes().size(), weights);
        const Answer plan = run({"plan", folder_->filePath("weights/model.layout.json")});
        QVERIFY2(plan.status == 0, plan.error.constData());
    }

    /// The lowest block of a DeepSeek-V3 is dense, and its weights are transformers' all the same.
    void blocksThatDifferAreWrittenAsTheirFamilyHasThem() {
        QStringList model;
        for (const char* field : {"kind=llama-moe", "kv_rank=16", "rope_width=8", "norm_epsilon=1e-6", "dense_layers=1",
                                  "shared_experts=1", "gate=sigmoid-top-k", "bias_rate=0.001", "capacity=0"})
            model << "--set" << QString("/model/") + field;
        const Answer trained = train(model);
        QVERIFY2(trained.status == 0, trained.error.constData());
        const Answer written = run({"export-weights", checkpoints(), "--out", folder_->filePath("weights")});
        QVERIFY2(written.status == 0, written.error.constData());
        QVERIFY(QFile::exists(folder_->filePath("weights/config.json")));
    }
};

QTEST_GUILESS_MAIN(CheckpointCommandTest)
#include "checkpoint_command_test.moc"
