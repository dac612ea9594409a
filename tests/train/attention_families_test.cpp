// SPDX-License-Identifier: Apache-2.0
// What attentions of published families have: positions of Bloom and Mpt, caps of Gemma 2, sinks of GPT-OSS. Loss and
// gradients are those of transformers.
#include "engine/train/model/stage.h"
#include "tests/kernels/reference.h"
#include "tests/support/reference_python.h"
#include "tests/support/seed.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

using namespace shardlab::test;

namespace {

const QString program = SHARDLAB_SOURCE_DIR "/tests/train/attention_families.py";

/// Empty where there is no such file.
template <class T>
std::vector<T> numbersOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray bytes = file.readAll();
    const auto* begin = reinterpret_cast<const T*>(bytes.constData());
    return {begin, begin + bytes.size() / qsizetype(sizeof(T))};
}

ModelSpec modelOf(const QString& family) {
    ModelSpec model;
    model.layers = 3;
    model.hidden = 48;
    model.heads = 6;
    model.sequence = 16;
    model.vocabulary = 131;
    BlockSpec& block = model.block;
    if (family == "bloom" || family == "mpt") {
        block.positions = PositionKind::Alibi;
        if (family == "bloom") return model;
        block.biases = BiasKind::None;
        block.activation = ActivationKind::Gelu;
        return model;
    }
    model.kind = ModelKind::Llama;
    model.feedForward = {112};
    block.kvHeads = 2;
    block.headWidth = 10;
    block.window = 5;
    block.fullEvery = 2;
    block.rotary.base = 1000;
    if (family == "gemma2") {
        block.normEpsilon = 1e-6;
        block.activation = ActivationKind::GeGluTanh;
        block.attentionCap = 2;
        block.logitCap = 3;
    } else {
        block.sinks = true;
        block.biases = BiasKind::All;
    }
    return model;
}

}  // namespace

class AttentionFamiliesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (const QString why = whyWithout("transformers.models.gpt_oss"); !why.isEmpty()) QSKIP(qPrintable(why));
    }

    void lossAndGradientsAreTheirs_data() {
        QTest::addColumn<QString>("family");
        for (const char* family : {"bloom", "mpt", "gemma2", "gpt_oss"}) QTest::newRow(family) << QString(family);
    }
    void lossAndGradientsAreTheirs() {
        QFETCH(QString, family);
        QTemporaryDir folder;
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(referencePython(), {program, folder.path(), QString::number(freshSeed() % 1'000'000), family});
        QVERIFY(process.waitForFinished(patience));
        QVERIFY2(process.exitCode() == 0, process.readAll().constData());

        StageSpec spec;
        spec.model = modelOf(family);
        spec.layers = spec.model.layers;
        spec.samples = 3;
        Arena arena;
        Stage stage(spec, arena);
        for (Parameter& parameter : stage.parameters()) {
            const QString name = QString::fromStdString(parameter.name);
            const auto values = numbersOf<float>(folder.filePath("weights/" + name));
            QVERIFY2(values.size() == parameter.value.size(), qPrintable(name));
            std::ranges::copy(values, parameter.value.floats().begin());
        }
        const auto tokens = numbersOf<std::int32_t>(folder.filePath("tokens.bin")),
                   targets = numbersOf<std::int32_t>(folder.filePath("targets.bin"));
        QFile text(folder.filePath("loss.txt"));
        QVERIFY(text.open(QIODevice::ReadOnly));
        const double wanted = text.readAll().toDouble();
        stage.forward(0, {tokens, targets}, {});
        QVERIFY2(
            std::abs(stage.loss(0) - wanted) < 1e-5 * wanted,
            qPrintable(QString("loss %1, of transformers %2").arg(stage.loss(0), 0, 'g', 9).arg(wanted, 0, 'g', 9)));
        stage.backward(0, {}, 1);
        for (const Parameter& parameter : stage.parameters()) {
            const QString name = QString::fromStdString(parameter.name);
            // Norms of an Mpt have no shift.
            if (family == "mpt" && name.contains("ln_") && name.endsWith("bias")) continue;
            const auto theirs = numbersOf<float>(folder.filePath("gradients/" + name));
            const double off = reference::mismatch(parameter.gradient.floats(), reference::toDouble(theirs));
            QVERIFY2(off < 1e-4, qPrintable(QString("%1 off by %2").arg(name).arg(off)));
        }
    }
};

QTEST_GUILESS_MAIN(AttentionFamiliesTest)
#include "attention_families_test.moc"
