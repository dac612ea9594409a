// SPDX-License-Identifier: Apache-2.0
// The gpt against PyTorch, an implementation by others: gradients of the first step and the losses of a short training
// with AdamW, weight decay and clipping. Needs a Python with torch: python3, or the one SHARDLAB_TORCH_PYTHON names.
#include "engine/train/model/stage.h"
#include "engine/train/optim/gradient_norm.h"
#include "engine/train/optim/optimizer.h"
#include "kernels/threads.h"
#include "tests/support/places.h"
#include "tests/kernels/random_inputs.h"
#include "tests/kernels/reference.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace shardlab::test;

namespace {

template <class T>
void write(const QString& path, std::span<const T> values) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(path));
    file.write(reinterpret_cast<const char*>(values.data()), qint64(values.size_bytes()));
}

QByteArray read(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
    return file.readAll();
}

QJsonObject describe(const StageSpec& spec, const OptimizerSpec& optimizer, int steps,
                     std::span<const Parameter> weights) {
    QJsonArray parameters;
    for (const Parameter& parameter : weights) {
        QJsonArray shape;
        for (int extent : parameter.shape) shape.append(extent);
        parameters.append(QJsonObject{
            {"name", QString::fromStdString(parameter.name)}, {"shape", shape}, {"decays", parameter.decays}});
    }
    return {{"layers", spec.model.layers},
            {"heads", spec.model.heads},
            {"sequence", spec.model.sequence},
            {"samples", spec.samples},
            {"steps", steps},
            {"learning_rate", optimizer.learningRate},
            {"betas", QJsonArray{optimizer.adamw.betas[0], optimizer.adamw.betas[1]}},
            {"epsilon", optimizer.adamw.epsilon},
            {"weight_decay", optimizer.weightDecay},
            {"clip", optimizer.clip},
            {"parameters", parameters}};
}

}  // namespace

class TorchParityTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { setKernelThreads(1); }

    void gptTrainsAsPyTorchDoes() {
        const QString python = qEnvironmentVariable("SHARDLAB_TORCH_PYTHON", QStringLiteral("python3"));
        if (QProcess::execute(python,
                              {"-c", "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"}))
            QSKIP("no torch for python3 (or SHARDLAB_TORCH_PYTHON): the comparison with PyTorch is left out");

        RandomInputs in;
        StageSpec spec;
        spec.model.layers = spec.layers = 3;
        spec.model.hidden = 48;
        spec.model.heads = 4;
        spec.model.sequence = in.whole(20, 80);
        spec.model.vocabulary = in.whole(20, 90);
        spec.samples = 3;
        OptimizerSpec options;  // the default: AdamW with decay and clipping
        options.warmup = 0;
        constexpr int steps = 20;
        Arena arena;
        Stage stage(spec, arena);
        const auto count = std::size_t(spec.samples * spec.model.sequence);
        const auto tokens = in.tokens(count, spec.model.vocabulary);
        const auto targets = in.tokens(count, spec.model.vocabulary);

        QTemporaryDir folder;
        QFile description(folder.filePath("model.json"));
        QVERIFY(description.open(QIODevice::WriteOnly));
        description.write(QJsonDocument(describe(spec, options, steps, stage.parameters())).toJson());
        description.close();
        write<float>(folder.filePath("weights.bin"), stage.parameterBlock().floats());
        write<std::int32_t>(folder.filePath("tokens.bin"), tokens);
        write<std::int32_t>(folder.filePath("targets.bin"), targets);
        QProcess peer;
        peer.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        peer.start(python, {SHARDLAB_SOURCE_DIR "/tests/train/torch_gpt.py", folder.path()});
        QVERIFY(peer.waitForFinished(patience));
        QCOMPARE(peer.exitCode(), 0);
        const QByteArray bytes = read(folder.filePath("gradients.bin"));
        QCOMPARE(std::size_t(bytes.size()), stage.gradientBlock().bytes().size());
        const std::span<const float> wanted(reinterpret_cast<const float*>(bytes.data()), stage.gradientBlock().size());
        const QJsonArray losses = QJsonDocument::fromJson(read(folder.filePath("losses.json"))).array();
        QCOMPARE(losses.size(), steps);

        const auto optimizer = makeOptimizer({options}, stage.parameters(), arena);
        for (int step = 1; step <= steps; ++step) {
            stage.zeroGradients();
            stage.forward(0, {tokens, targets}, {});
            stage.backward(0, {}, 1);
            if (step == 1) {
                const double off = reference::mismatch(stage.gradientBlock().floats(), reference::toDouble(wanted));
                QVERIFY2(off < 1e-4, qPrintable(QString("gradients off by %1, %2").arg(off).arg(in.seed())));
            }
            const double peerLoss = losses[step - 1].toDouble();
            const double off = std::abs(stage.loss(0) - peerLoss) / peerLoss;
            QVERIFY2(off < 1e-4, qPrintable(QString("step %1: loss %2, PyTorch %3, %4")
                                                .arg(step)
                                                .arg(stage.loss(0))
                                                .arg(peerLoss)
                                                .arg(in.seed())));
            const float scale = clipScale(squaredGradientNorm(stage.parameters(), arena.device()), options.clip);
            optimizer->update(stage.parameters(), step, scale);
        }
        qInfo("loss of step %d: %.6f, PyTorch %.6f", steps, stage.loss(0), losses[steps - 1].toDouble());
    }
};

QTEST_GUILESS_MAIN(TorchParityTest)
#include "torch_parity_test.moc"
