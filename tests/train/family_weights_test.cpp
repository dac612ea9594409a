// SPDX-License-Identifier: Apache-2.0
// Llama's relatives in the weights of Hugging Face: a layout made from config.json alone starts from them, has the loss
// and the gradients of transformers, and writes what it trained so that transformers loads it.
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/config_layout.h"
#include "engine/trace/checkpoint/export_weights.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/train/model/stage.h"
#include "tests/kernels/reference.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/train/run_in_process.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>

using namespace shardlab::test;

namespace {

const QString program = SHARDLAB_SOURCE_DIR "/tests/train/llama_weights.py";

std::vector<std::int32_t> readTokens(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
    const QByteArray bytes = file.readAll();
    const auto* begin = reinterpret_cast<const std::int32_t*>(bytes.constData());
    return {begin, begin + bytes.size() / qsizetype(sizeof(std::int32_t))};
}

}  // namespace

class FamilyWeightsTest : public QObject {
    Q_OBJECT

private:
    /// The layout that the config.json says, with the sequence that llama_weights.py has.
    static Layout layoutOf(const QTemporaryDir& folder) {
        const auto made = layoutFromConfig(folder.filePath("saved/config.json").toStdString());
        if (!made) qFatal("%s", made.error().text().c_str());
        Layout layout = made->layout;
        layout.model.sequence = 16;
        if (QFile::exists(folder.filePath("further.bin"))) layout.model.predictedTokens = 1;
        return layout;
    }

    static void requireLoss(double loss, const QString& file) {
        QFile text(file);
        QVERIFY(text.open(QIODevice::ReadOnly));
        const double wanted = text.readAll().toDouble();
        QVERIFY2(std::abs(loss - wanted) < 1e-5 * wanted,
                 qPrintable(QString("loss %1, of transformers %2").arg(loss, 0, 'g', 9).arg(wanted, 0, 'g', 9)));
    }

    static void requireEqual(const QTemporaryDir& folder, const ModelSpec& model) {
        DiskFileSystem files;
        const auto source = StateSource::ofWeights(files, model.weights, model);
        QVERIFY2(source.has_value(), source ? "" : source.error().text().c_str());
        StageSpec spec;
        spec.model = model;
        spec.model.experts.balance = 0;  // their loss is the entropy alone
        spec.layers = blockCount(model);
        spec.samples = 3;
        Arena arena;
        Stage stage(spec, arena);
        for (Parameter& parameter : stage.parameters())
            QVERIFY(source->fill(parameter.name, weightKind, parameter.slice, 0, parameter.value.floats()).has_value());
        for (Parameter& bias : stage.choiceBiases())
            QVERIFY(source->fill(bias.name, weightKind, bias.slice, 0, bias.value.floats()).has_value());
        const auto tokens = readTokens(folder.filePath("tokens.bin")),
                   targets = readTokens(folder.filePath("targets.bin"));
        std::vector<std::vector<std::int32_t>> further;
        if (predictionModules(model) > 0) further.push_back(readTokens(folder.filePath("further.bin")));
        stage.forward(0, {tokens, targets, 0, further}, {});
        requireLoss(stage.loss(0), folder.filePath("loss.txt"));
        for (const double ahead : stage.predictionLosses(0)) requireLoss(ahead, folder.filePath("ahead.txt"));
        stage.backward(0, {}, 1);
        const auto gradients = StateSource::ofWeights(files, folder.filePath("gradients").toStdString(), model);
        QVERIFY2(gradients.has_value(), gradients ? "" : gradients.error().text().c_str());
        for (const Parameter& parameter : stage.parameters()) {
            const auto theirs = gradients->read({parameter.name, std::string(weightKind), parameter.slice.whole});
            QVERIFY2(theirs.has_value(), theirs ? "" : theirs.error().text().c_str());
            const double off = reference::mismatch(parameter.gradient.floats(), reference::toDouble(*theirs));
            QVERIFY2(off < 1e-4, qPrintable(QString("%1 off by %2").arg(parameter.name.c_str()).arg(off)));
        }
    }

    /// Takes a checkpoint of a run that starts from the weights, split over two stages and two tensor ranks (with
    /// experts two replicas, each of which updates its part), before its first update, and has transformers compare
    /// what is written from it with what it read.
    static void requireWrittenBack(const QTemporaryDir& folder, Layout layout) {
        layout.data.kind = DataKind::Tokens;
        std::vector<std::uint16_t> tokens(4000);
        for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = std::uint16_t(i * i % 131);
        QFile file(folder.filePath("tokens16.bin"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(reinterpret_cast<const char*>(tokens.data()), qint64(tokens.size() * 2));
        file.close();
        layout.data.path = file.fileName().toStdString();
        layout.batch = {8, 2};
        layout.run.steps = 3;
        layout.schedule.stages = {1, 2};
        layout.parallel.pipeline = 2;
        if (hasExperts(layout.model)) layout.parallel.data = 2, layout.parallel.zero = 1;
        else layout.parallel.tensor = 2;
        layout.schedule.kind = "1f1b";
        layout.cluster.hosts[0].devices = 4;
        QTemporaryDir checkpoints;
        int asked = 0;
        const RunOutcome run = runInProcess(
            planOf(layout),
            [&] {
                ++asked;
                return asked == 1 ? Command::Checkpoint : asked == 2 ? Command::Stop : Command::None;
            },
            [&](int, TrainerServices& services) { services.checkpoints = checkpoints.path().toStdString(); });
        QVERIFY2(run.error.empty(), run.error.c_str());
        const auto checkpoint = findCheckpoint(checkpoints.path().toStdString());
        QVERIFY(checkpoint.has_value());
        DiskFileSystem files;
        const Status written = exportWeights(files, *checkpoint, folder.filePath("ours").toStdString());
        QVERIFY2(written.has_value(), written ? "" : written.error().text().c_str());
        QCOMPARE(QProcess::execute(referencePython(), {program, "check", folder.path(), folder.filePath("ours")}), 0);
    }

private Q_SLOTS:
    void initTestCase() {
        if (const QString missing = whyWithout("transformers"); !missing.isEmpty()) QSKIP(qPrintable(missing));
        setKernelThreads(1);
    }

    void everyFamilyIsReadTrainedAndWritten_data() {
        QTest::addColumn<QString>("family");
        for (const char* family : {"llama3",
                                   "llama with biases",
                                   "mistral",
                                   "mistral with a window",
                                   "qwen2",
                                   "qwen2, tied",
                                   "qwen3",
                                   "qwen3 with yarn",
                                   "mixtral",
                                   "qwen3-moe",
                                   "qwen3-moe, softmax over all",
                                   "deepseek v3",
                                   "deepseek v3 with yarn",
                                   "deepseek v3 with experts",
                                   "deepseek v3 that predicts ahead",
                                   "deepseek v3 with one group",
                                   "gpt-oss",
                                   "gpt-oss, all layers full",
                                   "deepseek v2",
                                   "dots1",
                                   "ministral",
                                   "cwm",
                                   "phi3",
                                   "starcoder2",
                                   "starcoder2 without biases",
                                   "arcee",
                                   "arcee with biases",
                                   "stablelm",
                                   "stablelm with biases",
                                   "seed-oss",
                                   "granite",
                                   "helium",
                                   "ernie 4.5",
                                   "smollm3",
                                   "internlm3"})
            QTest::newRow(family) << family;
    }
    void everyFamilyIsReadTrainedAndWritten() {
        QFETCH(QString, family);
        QTemporaryDir folder;
        const QString seed = QString::number(freshSeed());
        QCOMPARE(QProcess::execute(referencePython(), {program, "make", folder.path(), seed, family}), 0);
        const Layout layout = layoutOf(folder);
        QVERIFY(!layout.model.weights.empty());
        requireEqual(folder, layout.model);
        if (!QTest::currentTestFailed()) requireWrittenBack(folder, layout);
    }

    /// A layout may leave the modules of weights out, which is said where it is made of their config.json.
    void modulesMayBeLeftOut() {
        QTemporaryDir folder;
        const QString seed = QString::number(freshSeed()), family = "deepseek v3 that predicts ahead";
        QCOMPARE(QProcess::execute(referencePython(), {program, "make", folder.path(), seed, family}), 0);
        const auto made = layoutFromConfig(folder.filePath("saved/config.json").toStdString());
        QVERIFY2(made.has_value(), made ? "" : made.error().text().c_str());
        QCOMPARE(made->layout.model.predictedTokens, 0);
        const std::string said =
            "config.json: num_nextn_predict_layers is 1; model.predicted_tokens is the layout's own choice";
        QVERIFY(std::ranges::find(made->leftOut, said) != made->leftOut.end());
        DiskFileSystem files;
        ModelSpec model = made->layout.model;
        const auto without = StateSource::ofWeights(files, model.weights, model);
        QVERIFY2(without.has_value(), without ? "" : without.error().text().c_str());
        model.predictedTokens = 2;
        const auto more = StateSource::ofWeights(files, model.weights, model);
        QVERIFY(!more);
        QVERIFY2(QString::fromStdString(more.error().text())
                     .contains("num_nextn_predict_layers is 1, "
                               "model.predicted_tokens is 2"),
                 more.error().text().c_str());
    }

    /// Experts of four bits are the numbers that transformers unpacks them to, and codes of another shape are refused.
    void fourBitsAreUnpacked() {
        QTemporaryDir folder;
        const QString seed = QString::number(freshSeed());
        QCOMPARE(QProcess::execute(referencePython(), {program, "make", folder.path(), seed, "gpt-oss"}), 0);
        ModelSpec model = layoutOf(folder).model;
        DiskFileSystem files;
        const auto read = [&](const char* place) {
            return StateSource::ofWeights(files, folder.filePath(place).toStdString(), model);
        };
        const auto packed = read("packed"), unpacked = read("unpacked");
        QVERIFY2(packed.has_value(), packed ? "" : packed.error().text().c_str());
        QVERIFY2(unpacked.has_value(), unpacked ? "" : unpacked.error().text().c_str());
        const auto wholes = unpacked->wholes();
        QCOMPARE(packed->wholes().size(), wholes.size());
        for (const StateSource::Whole& whole : wholes) {
            const auto ours = packed->read(whole), theirs = unpacked->read(whole);
            QVERIFY(ours.has_value() && theirs.has_value());
            QVERIFY2(*ours == *theirs, whole.name.c_str());
        }
        model.feedForward = {128};
        const auto other = read("packed");
        QVERIFY(!other && QString::fromStdString(other.error().text())
                              .contains("down_proj_blocks is [5, 64, 3, 16], the layout's model needs [5, 64, 4, 16]"));
    }
};

QTEST_GUILESS_MAIN(FamilyWeightsTest)
#include "family_weights_test.moc"
