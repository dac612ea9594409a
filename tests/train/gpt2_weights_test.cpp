// SPDX-License-Identifier: Apache-2.0
// GPT-2 weights of Hugging Face: read, trained from under any layout, written; against transformers itself. Needs a
// Python with transformers: python3, or the one SHARDLAB_TORCH_PYTHON names.
#include "engine/trace/checkpoint/export_weights.h"

#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/train/model/stage.h"
#include "engine/layout/data/corpus.h"
#include "engine/layout/data/text_generator.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

using namespace shardlab::test;

namespace {

template <class T>
std::vector<T> readNumbers(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
    const QByteArray bytes = file.readAll();
    const T* begin = reinterpret_cast<const T*>(bytes.constData());
    return {begin, begin + bytes.size() / qsizetype(sizeof(T))};
}

ModelSpec modelSpec() {
    ModelSpec model;
    model.layers = 4;
    model.hidden = 48;
    model.heads = 4;
    model.sequence = 16;  // the positions of the weights go on to 24
    model.vocabulary = 131;
    return model;
}

}  // namespace

class Gpt2WeightsTest : public QObject {
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
        QCOMPARE(QProcess::execute(python_, {SHARDLAB_SOURCE_DIR "/tests/train/gpt2_weights.py", "make", folder_.path(),
                                             QString::number(seed)}),
                 0);
    }

    /// The loss with one token as every target is −mean log p of that token: all of them together are the logits.
    void predictsWhatTransformersPredicts_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("as transformers saves") << "saved" << 1e-5;
        QTest::newRow("the file itself") << "saved/model.safetensors" << 1e-5;
        QTest::newRow("without prefix, with masks and head") << "plain" << 1e-5;
        QTest::newRow("bf16") << "half" << 0.1;
    }
    void predictsWhatTransformersPredicts() {
        QFETCH(QString, place);
        QFETCH(double, tolerance);
        DiskFileSystem files;
        const auto source = StateSource::ofWeights(files, folder_.filePath(place).toStdString(), modelSpec());
        QVERIFY2(source.has_value(), source ? "" : source.error().text().c_str());
        StageSpec spec;
        spec.model = modelSpec();
        spec.layers = spec.model.layers;
        spec.samples = 3;
        Arena arena;
        Stage stage(spec, arena);
        for (Parameter& parameter : stage.parameters()) {
            const Status filled =
                source->fill(parameter.name, weightKind, parameter.slice, 0, parameter.value.floats());
            QVERIFY2(filled.has_value(), filled ? "" : filled.error().text().c_str());
        }
        const auto tokens = readNumbers<std::int32_t>(folder_.filePath("tokens.bin"));
        const auto expected = readNumbers<float>(folder_.filePath("expected.bin"));
        QCOMPARE(expected.size(), std::size_t(spec.model.vocabulary));
        double worst = 0;
        for (int token = 0; token < spec.model.vocabulary; ++token) {
            const std::vector<std::int32_t> targets(tokens.size(), token);
            double loss = 0;
            stage.evaluate({tokens, targets}, {}, &loss);
            worst = std::max(worst, std::abs(-loss - double(expected[std::size_t(token)])));
        }
        qInfo("largest difference of a log probability %.2g", worst);
        QVERIFY(worst < tolerance);
    }

    void everyLayoutStartsFromThemAndWritesThemBack() {
        Layout layout;
        layout.model = modelSpec();
        layout.model.sequence = 24;
        layout.model.weights = at("plain").string();
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
        for (const auto& [data, pipeline] : {std::pair{1, 1}, {2, 1}, {1, 4}, {2, 2}}) {
            layout.parallel.data = data;
            layout.parallel.pipeline = pipeline;
            layout.cluster.hosts = {{"localhost", data * pipeline}};
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
        QCOMPARE(QProcess::execute(python_, {SHARDLAB_SOURCE_DIR "/tests/train/gpt2_weights.py", "check",
                                             folder_.path(), folder_.filePath("ours")}),
                 0);
    }

    void whatDoesNotFitIsRefused() {
        DiskFileSystem files;
        const auto refusal = [&](const std::filesystem::path& place, auto change) {
            ModelSpec model = modelSpec();
            change(model);
            const auto source = StateSource::ofWeights(files, place, model);
            return source ? std::string() : source.error().text();
        };
        const auto has = [](const std::string& text, const char* part) {
            if (text.find(part) != std::string::npos) return true;
            qWarning("%s", text.c_str());
            return false;
        };
        const auto same = [](ModelSpec&) {};
        QVERIFY(has(refusal(at("untied"), same), "lm_head.weight differs from wte.weight"));
        QVERIFY(has(refusal(at("nothing"), same), "cannot"));
        QVERIFY(has(refusal(folder_.path().toStdString(), same), "neither model.safetensors nor"));
        QVERIFY(has(refusal(at("plain"), [](ModelSpec& m) { m.vocabulary = 100; }),
                    "wte.weight is [131, 48], the layout's model needs [100, 48]"));
        QVERIFY(has(refusal(at("plain"), [](ModelSpec& m) { m.layers = 5; }), "there is no h.4.ln_1.weight"));
        QVERIFY(has(refusal(at("plain"), [](ModelSpec& m) { m.layers = 3; }),
                    "h.3.attn.c_attn.bias is there, the layout's model has no such tensor"));
        QVERIFY(has(refusal(at("saved"), [](ModelSpec& m) { m.heads = 6; }),
                    "n_head is 4, model.heads is 6. model.heads 4"));
    }
};

QTEST_GUILESS_MAIN(Gpt2WeightsTest)
#include "gpt2_weights_test.moc"
