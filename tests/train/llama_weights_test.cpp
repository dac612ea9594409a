// SPDX-License-Identifier: Apache-2.0
// Llama weights of Hugging Face: read, trained from under any layout, written; loss and gradients against transformers
// itself. Needs a Python with transformers: python3, or the one SHARDLAB_TORCH_PYTHON names.
#include "engine/trace/checkpoint/export_weights.h"

#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/train/model/stage.h"
#include "engine/layout/data/corpus.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/kernels/reference.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

using namespace shardlab::test;

namespace {

std::vector<std::int32_t> readTokens(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
    const QByteArray bytes = file.readAll();
    const auto* begin = reinterpret_cast<const std::int32_t*>(bytes.constData());
    return {begin, begin + bytes.size() / qsizetype(sizeof(std::int32_t))};
}

ModelSpec modelSpec() {
    ModelSpec model;
    model.kind = ModelKind::Llama;
    model.layers = 3;
    model.hidden = 48;
    model.heads = 6;
    model.block.kvHeads = 2;
    model.sequence = 16;
    model.vocabulary = 131;
    model.feedForward = {112};
    return model;
}

}  // namespace

class LlamaWeightsTest : public QObject {
    Q_OBJECT

private:
    std::filesystem::path at(const char* name) const { return folder_.filePath(name).toStdString(); }

    QTemporaryDir folder_;
    QString python_ = qEnvironmentVariable("SHARDLAB_TORCH_PYTHON", QStringLiteral("python3"));

private Q_SLOTS:
    void initTestCase() {
        if (QProcess::execute(python_,
                              {"-c", "import importlib.util as u, sys; sys.exit(u.find_spec('transformers') is None)"}))
            QSKIP("no transformers for python3 (or SHARDLAB_TORCH_PYTHON): the comparison is left out");
        setKernelThreads(1);
        const quint32 seed = freshSeed();
        QCOMPARE(QProcess::execute(python_, {SHARDLAB_SOURCE_DIR "/tests/train/llama_weights.py", "make",
                                             folder_.path(), QString::number(seed)}),
                 0);
    }

    void lossAndGradientsAreThoseOfTransformers_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("as transformers saves") << "saved" << 1e-5;
        QTest::newRow("the file itself") << "saved/model.safetensors" << 1e-5;
        QTest::newRow("bf16") << "half" << 0.05;
    }
    void lossAndGradientsAreThoseOfTransformers() {
        QFETCH(QString, place);
        QFETCH(double, tolerance);
        DiskFileSystem files;
        const ModelSpec model = modelSpec();
        const auto source = StateSource::ofWeights(files, folder_.filePath(place).toStdString(), model);
        QVERIFY2(source.has_value(), source ? "" : source.error().text().c_str());
        StageSpec spec;
        spec.model = model;
        spec.layers = model.layers;
        spec.samples = 3;
        Arena arena;
        Stage stage(spec, arena);
        for (Parameter& parameter : stage.parameters()) {
            const Status filled =
                source->fill(parameter.name, weightKind, parameter.slice, 0, parameter.value.floats());
            QVERIFY2(filled.has_value(), filled ? "" : filled.error().text().c_str());
        }
        const auto tokens = readTokens(folder_.filePath("tokens.bin")),
                   targets = readTokens(folder_.filePath("targets.bin"));
        QFile text(folder_.filePath("loss.txt"));
        QVERIFY(text.open(QIODevice::ReadOnly));
        const double wanted = text.readAll().toDouble();
        stage.forward(0, {tokens, targets}, {});
        QVERIFY2(
            std::abs(stage.loss(0) - wanted) < tolerance * wanted,
            qPrintable(QString("loss %1, of transformers %2").arg(stage.loss(0), 0, 'g', 9).arg(wanted, 0, 'g', 9)));
        if (place == "half") return;
        stage.backward(0, {}, 1);
        const auto gradients = StateSource::ofWeights(files, at("gradients"), model);
        QVERIFY2(gradients.has_value(), gradients ? "" : gradients.error().text().c_str());
        for (const Parameter& parameter : stage.parameters()) {
            const auto theirs = gradients->read({parameter.name, std::string(weightKind), parameter.slice.whole});
            QVERIFY2(theirs.has_value(), theirs ? "" : theirs.error().text().c_str());
            const double off = reference::mismatch(parameter.gradient.floats(), reference::toDouble(*theirs));
            // Both sum in fp32, each in its own order: a hundred roundings of 2⁻²⁴ and the norms' ill condition.
            QVERIFY2(off < 1e-4, qPrintable(QString("%1 off by %2").arg(parameter.name.c_str()).arg(off)));
        }
    }

    void everyLayoutStartsFromThemAndWritesThemBack() {
        Layout layout;
        layout.model = modelSpec();
        layout.model.weights = at("saved").string();
        layout.data.kind = DataKind::Tokens;
        std::vector<std::uint16_t> tokens(4000);
        for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = std::uint16_t(i * i % 131);
        QFile file(folder_.filePath("tokens16.bin"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(reinterpret_cast<const char*>(tokens.data()), qint64(tokens.size() * 2));
        file.close();
        layout.data.path = file.fileName().toStdString();
        layout.batch = {8, 2};
        layout.run.steps = 3;
        std::vector<double> reference;
        for (const auto& [data, pipeline, tensor] : {std::tuple{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {1, 1, 2}, {1, 3, 2}}) {
            layout.parallel.data = data;
            layout.parallel.pipeline = pipeline;
            layout.parallel.tensor = tensor;
            layout.cluster.hosts = {{"localhost", data * pipeline * tensor}};
            const RunOutcome run = runInProcess(planOf(layout));
            QVERIFY2(run.error.empty(), run.error.c_str());
            const std::vector<double> losses = run.counter(EventKind::Loss);
            if (reference.empty()) reference = losses;
            QCOMPARE(losses.size(), reference.size());
            for (std::size_t i = 0; i < losses.size(); ++i) QVERIFY(std::abs(losses[i] / reference[i] - 1) < 1e-5);
        }

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
        const Status written = exportWeights(files, *checkpoint, at("ours"));
        QVERIFY2(written.has_value(), written ? "" : written.error().text().c_str());
        QCOMPARE(QProcess::execute(python_, {SHARDLAB_SOURCE_DIR "/tests/train/llama_weights.py", "check",
                                             folder_.path(), folder_.filePath("ours")}),
                 0);
    }

    void whatDoesNotFitIsRefused() {
        DiskFileSystem files;
        const auto refusal = [&](const char* place, auto change) {
            ModelSpec model = modelSpec();
            change(model);
            const auto source = StateSource::ofWeights(files, at(place), model);
            return source ? std::string() : source.error().text();
        };
        const auto has = [](const std::string& text, const char* part) {
            if (text.find(part) != std::string::npos) return true;
            qWarning("%s", text.c_str());
            return false;
        };
        const auto same = [](ModelSpec&) {};
        QVERIFY(has(refusal("tied", same), "their output projection is the token embedding"));
        QVERIFY(has(refusal("biased", same), "q_proj.weight has a bias"));
        QVERIFY(has(refusal("nothing", same), "cannot"));
        QVERIFY(has(refusal("saved", [](ModelSpec& m) { m.block.rotary.base = 500000; }), "model.rope_base 10000"));
        QVERIFY(has(refusal("saved", [](ModelSpec& m) { m.block.kvHeads = 3; }), "model.kv_heads 2"));
        QVERIFY(has(refusal("saved/model.safetensors", [](ModelSpec& m) { m.block.kvHeads = 3; }),
                    "k_proj.weight is [16, 48]"));
        QVERIFY(has(refusal("saved", [](ModelSpec& m) { m.heads = 8; }), "model.heads 6"));
        QVERIFY(has(refusal("saved", [](ModelSpec& m) { m.layers = 4; }), "there is no model.layers.3."));
        QVERIFY(has(refusal("saved", [](ModelSpec& m) { m.feedForward = {100}; }), "gate_proj.weight is [112, 48]"));
    }
};

QTEST_GUILESS_MAIN(LlamaWeightsTest)
#include "llama_weights_test.moc"
