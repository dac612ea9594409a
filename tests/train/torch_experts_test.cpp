// SPDX-License-Identifier: Apache-2.0
// A layer with experts beside the same on PyTorch, which dispatches by one-hot products: output and all gradients.
#include "engine/train/model/experts_layer.h"
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

void write(const QString& path, std::span<const float> values) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(reinterpret_cast<const char*>(values.data()), qint64(values.size_bytes()));
}

std::vector<float> read(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray bytes = file.readAll();
    std::vector<float> values(std::size_t(bytes.size()) / sizeof(float));
    std::memcpy(values.data(), bytes.constData(), values.size() * sizeof(float));
    return values;
}

}  // namespace

class TorchExpertsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void layerIsPyTorchs_data() {
        QTest::addColumn<QString>("gate");
        QTest::addColumn<int>("kind");
        QTest::newRow("switch") << "switch" << int(GateKind::Switch);
        QTest::newRow("noisy top k") << "noisy-top-k" << int(GateKind::NoisyTopK);
        QTest::newRow("hierarchical") << "hierarchical" << int(GateKind::Hierarchical);
        QTest::newRow("gshard") << "gshard" << int(GateKind::GShard);  // of no sample: every second expert is taken
        QTest::newRow("expert choice") << "expert-choice" << int(GateKind::ExpertChoice);
    }
    void layerIsPyTorchs() {
        QFETCH(QString, gate);
        QFETCH(int, kind);
        const QString python = qEnvironmentVariable("SHARDLAB_TORCH_PYTHON", QStringLiteral("python3"));
        if (QProcess::execute(python,
                              {"-c", "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"}))
            QSKIP("no torch for python3 (or SHARDLAB_TORCH_PYTHON): the comparison with PyTorch is left out");
        RandomInputs in;
        setKernelThreads(1);
        GateShape shape{in.whole(1, 4), in.whole(8, 40), in.whole(2, 9), 1, 1};
        if (GateKind(kind) == GateKind::NoisyTopK) shape.choices = in.whole(2, std::min(3, shape.experts));
        if (GateKind(kind) == GateKind::ExpertChoice) shape.choices = shape.experts;
        if (GateKind(kind) == GateKind::GShard) shape.choices = 2;
        if (GateKind(kind) == GateKind::Hierarchical) {
            const int inGroup = in.whole(2, 5);
            shape.groups = in.whole(2, 4);
            shape.experts = shape.groups * inGroup;
            shape.groupChoices = in.whole(2, shape.groups);
            shape.choices = shape.groupChoices * in.whole(2, inGroup);
        }
        shape.capacity = in.whole(1, shape.sequence / 2);
        const int hidden = 8 * in.whole(2, 8);
        const double balance = 0.5;
        Arena arena;
        ParameterSet set;
        TensorGroup alone(arena);
        const LayerContext context{set, arena, alone, shape.samples, shape.sequence, hidden};
        ExpertsLayer layer(context, "h.1", {{shape, GateKind(kind), balance, {0.3}}, 3 * hidden, 0, {0.1}, {0.1}});
        set.allocate(arena, {}, in.whole(1, 1 << 30));
        const auto input = in.floats(std::size_t(shape.tokens()) * std::size_t(hidden)),
                   given = in.floats(input.size());

        QTemporaryDir folder;
        QJsonArray parameters;
        std::vector<float> weights;
        for (const Parameter& parameter : set.parameters()) {
            QJsonArray extents;
            for (const int extent : parameter.shape) extents.append(extent);
            parameters.append(QJsonObject{{"name", QString::fromStdString(parameter.name)}, {"shape", extents}});
            weights.insert(weights.end(), parameter.value.floats().begin(), parameter.value.floats().end());
        }
        QFile description(folder.filePath("model.json"));
        QVERIFY(description.open(QIODevice::WriteOnly));
        description.write(QJsonDocument(QJsonObject{{"gate", gate},
                                                    {"samples", shape.samples},
                                                    {"sequence", shape.sequence},
                                                    {"hidden", hidden},
                                                    {"experts", shape.experts},
                                                    {"choices", shape.choices},
                                                    {"groups", shape.groups},
                                                    {"group_choices", shape.groupChoices},
                                                    {"capacity", shape.capacity},
                                                    {"balance", balance},
                                                    {"parameters", parameters}})
                              .toJson());
        description.close();
        write(folder.filePath("weights.bin"), weights);
        write(folder.filePath("input.bin"), input);
        write(folder.filePath("given.bin"), given);
        QProcess peer;
        peer.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        peer.start(python, {SHARDLAB_SOURCE_DIR "/tests/train/torch_experts.py", folder.path()});
        QVERIFY(peer.waitForFinished(patience));
        QCOMPARE(peer.exitCode(), 0);

        const auto bufferOf = [&](const std::vector<float>& values) {
            Buffer buffer = arena.allocate(MemoryCategory::Activations, values.size());
            std::ranges::copy(values, buffer.floats());
            return buffer;
        };
        const auto state = layer.newState();  // of no sample: without noise
        state->lossScale = 1;
        const Buffer output = layer.forward(*state, bufferOf(input));
        const Buffer gradient = layer.inputGrad(*state, bufferOf(given), MemoryCategory::Temporary);
        layer.weightGrad(*state);
        std::vector<float> gradients(gradient.span().floats().begin(), gradient.span().floats().end());
        double off =
            reference::mismatch(output.span().floats(), reference::toDouble(read(folder.filePath("output.bin"))));
        QVERIFY2(off < 1e-5, qPrintable(QString("output off by %1, %2").arg(off).arg(in.seed())));
        for (const Parameter& parameter : set.parameters())
            gradients.insert(gradients.end(), parameter.gradient.floats().begin(), parameter.gradient.floats().end());
        const std::vector<float> wanted = read(folder.filePath("gradients.bin"));
        QCOMPARE(gradients.size(), wanted.size());
        for (std::size_t at = 0, part = 0; at < wanted.size(); ++part) {
            const std::size_t count = part == 0 ? input.size() : set.parameters()[part - 1].gradient.size();
            off = reference::mismatch(std::span(gradients).subspan(at, count),
                                      reference::toDouble(std::span(wanted).subspan(at, count)));
            const QString name = part == 0 ? QString("input") : QString::fromStdString(set.parameters()[part - 1].name);
            QVERIFY2(off < 1e-4, qPrintable(QString("gradient of %1 off by %2, %3").arg(name).arg(off).arg(in.seed())));
            at += count;
        }
    }
};

QTEST_GUILESS_MAIN(TorchExpertsTest)
#include "torch_experts_test.moc"
